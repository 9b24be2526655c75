-- name: count_documents
-- Purpose: how many documents each collection holds, by state, and how many chunks.
-- Parameters: collections (integer[])
-- Promise: one row per collection that has any document: id, ready, failed, skipped, chunks. A document
--   part-way through ingest is none of them; count_processing has it.
SELECT d.collection_id,
       count(*) FILTER (WHERE d.state = 'ready'),
       count(*) FILTER (WHERE d.state = 'failed'),
       count(*) FILTER (WHERE d.state = 'skipped'),
       coalesce(sum(d.chunk_count), 0)::bigint
FROM brain.document d
WHERE d.collection_id = ANY(%(collections)s::integer[])
GROUP BY d.collection_id;

-- name: count_processing
-- Purpose: how many files are on their way into the index.
-- Parameters: collections (integer[])
-- Promise: one row per collection with such files, each file counted once: documents that are pending, and
--   files that a run has found and not yet published. A changed file that still answers with its old text
--   counts here as well as among the ready.
SELECT on_the_way.collection_id, count(*)
FROM (
    SELECT s.collection_id, i.source_id, i.path_key
    FROM brain.staged_item i
    JOIN brain.source s ON s.id = i.source_id
    WHERE s.collection_id = ANY(%(collections)s::integer[])
      AND i.change IN ('added', 'changed', 'stale', 'retry')
    UNION
    SELECT d.collection_id, d.source_id, d.path_key
    FROM brain.document d
    WHERE d.collection_id = ANY(%(collections)s::integer[]) AND d.state = 'pending'
) on_the_way
GROUP BY on_the_way.collection_id;

-- name: list_reasons
-- Purpose: why documents of each collection do not answer, the most frequent reasons first.
-- Parameters: collections (integer[]), reason_cap (integer: how many per state)
-- Promise: id, state, reason code, documents; failed before skipped, most documents first, ties by code.
SELECT often.collection_id, often.state, often.reason_code, often.documents
FROM (
    SELECT d.collection_id, d.state, d.reason_code, count(*) AS documents,
           row_number() OVER (
               PARTITION BY d.collection_id, d.state ORDER BY count(*) DESC, d.reason_code COLLATE "C"
           ) AS place
    FROM brain.document d
    WHERE d.collection_id = ANY(%(collections)s::integer[]) AND d.state IN ('failed', 'skipped')
    GROUP BY d.collection_id, d.state, d.reason_code
) often
WHERE often.place <= %(reason_cap)s
ORDER BY often.collection_id, often.state, often.place;

-- name: list_freshness
-- Purpose: how many sources each collection has, and since when all of them have been complete.
-- Parameters: collections (integer[])
-- Promise: one row per collection with a source: id, sources, the oldest of their last complete syncs; that
--   is null if one of them has not had any.
SELECT s.collection_id, count(*),
       CASE WHEN bool_and(s.last_synced_at IS NOT NULL) THEN min(s.last_synced_at) END
FROM brain.source s
WHERE s.collection_id = ANY(%(collections)s::integer[])
GROUP BY s.collection_id;

-- name: list_names
-- Purpose: the first file names of each collection.
-- Parameters: collections (integer[]), name_cap (integer)
-- Promise: at most name_cap ready documents per collection, as source key and path, in that order.
SELECT k.id, few.key, few.path
FROM brain.collection k
CROSS JOIN LATERAL (
    SELECT s.key, d.path, d.path_bytes
    FROM brain.source s
    JOIN brain.document d ON d.source_id = s.id AND d.state = 'ready'
    WHERE s.collection_id = k.id
    ORDER BY s.key COLLATE "C", d.path_bytes
    LIMIT %(name_cap)s
) few
WHERE k.id = ANY(%(collections)s::integer[])
ORDER BY k.id, few.key COLLATE "C", few.path_bytes;
