-- name: count_documents
-- Purpose: how many documents each collection holds, by state, and how many chunks.
-- Parameters: collections (integer[])
-- Promise: one row per collection that has any document: id, ready, pending, failed, skipped, chunks. A
--   document part-way through ingest counts as processing, not as ready.
SELECT d.collection_id,
       count(*) FILTER (WHERE d.state = 'ready'),
       count(*) FILTER (WHERE d.state = 'pending'),
       count(*) FILTER (WHERE d.state = 'failed'),
       count(*) FILTER (WHERE d.state = 'skipped'),
       coalesce(sum(d.chunk_count), 0)::bigint
FROM brain.document d
WHERE d.collection_id = ANY(%(collections)s::integer[])
GROUP BY d.collection_id;

-- name: count_staged
-- Purpose: how many files a run in progress has found but not yet published.
-- Parameters: collections (integer[])
-- Promise: one row per collection with such files; a changed file that still answers with its old text
--   counts here as well.
SELECT s.collection_id, count(*)
FROM brain.staged_item i
JOIN brain.source s ON s.id = i.source_id
WHERE s.collection_id = ANY(%(collections)s::integer[])
  AND i.change IN ('added', 'changed', 'stale', 'retry')
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
