-- What `brain status` says. All of it is counted when asked, none of it remembered.

-- name: list_sources
-- Purpose: where each source stands.
-- Parameters: none.
-- Promise: one row per source, by key: key, collection, kind, revision, documents ready, pending, failed,
--          skipped, chunks, items staged by a run in progress or a dead one, time of the last complete sync,
--          state of the last run that ended and the first of its problems.
SELECT s.key, c.name, s.kind, s.revision,
       coalesce(d.ready, 0), coalesce(d.pending, 0), coalesce(d.failed, 0), coalesce(d.skipped, 0),
       coalesce(d.chunks, 0),
       (SELECT count(*) FROM brain.staged_item i WHERE i.source_id = s.id),
       s.last_synced_at, r.state, coalesce(r.error, r.problems[1])
FROM brain.source s
JOIN brain.collection c ON c.id = s.collection_id
LEFT JOIN (
    SELECT source_id, sum(chunk_count) AS chunks,
           count(*) FILTER (WHERE state = 'ready') AS ready,
           count(*) FILTER (WHERE state = 'pending') AS pending,
           count(*) FILTER (WHERE state = 'failed') AS failed,
           count(*) FILTER (WHERE state = 'skipped') AS skipped
    FROM brain.document GROUP BY source_id
) d ON d.source_id = s.id
LEFT JOIN LATERAL (
    SELECT state, error, problems FROM brain.sync_run
    WHERE source_id = s.id AND finished_at IS NOT NULL
    ORDER BY generation DESC LIMIT 1
) r ON true
ORDER BY s.key;

-- name: list_running
-- Purpose: the runs that say they are running, and whether that is true.
-- Parameters: none.
-- Promise: oldest first: source key, run key, start, whether a live connection holds the source's lock.
SELECT s.key, r.run_key, r.started_at,
       EXISTS (
           SELECT FROM pg_catalog.pg_locks l
           WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
             AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
             AND l.classid::bigint = hashtext('brain.source')::bigint & 4294967295
             AND l.objid::bigint = r.source_id)
FROM brain.sync_run r
JOIN brain.source s ON s.id = r.source_id
WHERE r.state = 'running'
ORDER BY r.started_at;

-- name: list_spaces
-- Purpose: the embedding spaces, what is in them, and how healthy their index was when last measured.
-- Parameters: none.
-- Promise: the active one first: model, revision, width, state, vectors, searchable chunks whose embedding
--          failed, then of the last measurement: valid, recall, fill rate, dead share, time (nulls: never).
SELECT p.model, p.revision, p.width, p.state,
       (SELECT count(*) FROM brain.chunk_embedding e WHERE e.space_id = p.id),
       (SELECT count(*) FROM brain.embedding_failure f
        JOIN brain.chunk c ON c.embed_key = f.key
        WHERE f.space_id = p.id
          AND NOT EXISTS (SELECT FROM brain.chunk_embedding e
                          WHERE e.chunk_id = c.id AND e.space_id = p.id)),
       h.is_valid, h.recall, h.fill_rate, h.dead_share, h.measured_at
FROM brain.embedding_space p
LEFT JOIN LATERAL (
    SELECT is_valid, recall, fill_rate, dead_share, measured_at FROM brain.index_health
    WHERE space_id = p.id ORDER BY id DESC LIMIT 1
) h ON true
ORDER BY array_position(ARRAY['active', 'building', 'retired'], p.state), p.id;
