-- name: get_state
-- Purpose: what a run or a sensor must know of the vector index of a space.
-- Parameters: space_id, index_name
-- Promise: one row: vectors, whether the index exists, whether it is valid, dead-row share of the table,
--          and the latest run that published anything.
SELECT (SELECT count(*) FROM brain.chunk_embedding WHERE space_id = %(space_id)s),
       EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
               WHERE n.nspname = 'brain' AND c.relname = %(index_name)s),
       coalesce((SELECT i.indisvalid FROM pg_index i
                 JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace
                 WHERE n.nspname = 'brain' AND c.relname = %(index_name)s), false),
       coalesce((SELECT n_dead_tup::double precision / nullif(n_dead_tup + n_live_tup, 0)
                 FROM pg_stat_user_tables WHERE schemaname = 'brain' AND relname = 'chunk_embedding'), 0),
       coalesce((SELECT max(id) FROM brain.sync_run
                 WHERE state IN ('done', 'partial')
                   AND coalesce((counts ->> 'indexed')::int, 0) + coalesce((counts ->> 'deleted')::int, 0) > 0),
                0);

-- name: get_watermark
-- Purpose: whether the vector index and the evaluations lag behind what was published.
-- Parameters: none
-- Promise: one row: the latest run that published anything, and the latest run that a health measurement
--          of the index reflects.
SELECT coalesce((SELECT max(id) FROM brain.sync_run
                 WHERE state IN ('done', 'partial')
                   AND coalesce((counts ->> 'indexed')::int, 0) + coalesce((counts ->> 'deleted')::int, 0) > 0),
                0),
       coalesce((SELECT max(reflects_run) FROM brain.index_health), 0);

-- name: sample_vectors
-- Purpose: a repeatable sample of stored vectors, used as questions to the index.
-- Parameters: space_id, share (percent), limit
-- Promise: up to `limit` vectors.
SELECT chunk_id, embedding
FROM brain.chunk_embedding TABLESAMPLE BERNOULLI (%(share)s) REPEATABLE (1)
WHERE space_id = %(space_id)s
LIMIT %(limit)s;

-- name: insert_health
-- Purpose: keep what was measured of the index.
-- Parameters: space_id, reflects_run, is_valid, vectors, dead_share, recall, fill_rate
-- Promise: one row.
INSERT INTO brain.index_health (space_id, reflects_run, is_valid, vectors, dead_share, recall, fill_rate)
VALUES (%(space_id)s, %(reflects_run)s, %(is_valid)s, %(vectors)s, %(dead_share)s, %(recall)s,
        %(fill_rate)s);
