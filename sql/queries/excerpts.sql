-- name: place_chunks
-- Purpose: in which file each chunk is.
-- Parameters: chunks (bigint[]), collections (integer[])
-- Promise: one row per chunk of a live document in these collections, in any order.
SELECT c.id, s.key, d.path
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
JOIN brain.source s ON s.id = d.source_id
WHERE c.id = ANY(%(chunks)s::bigint[]) AND d.collection_id = ANY(%(collections)s::integer[]);

-- name: fetch
-- Purpose: what a reader gets of each chunk.
-- Parameters: chunks (bigint[]), collections (integer[])
-- Promise: one row per chunk of a live document in these collections, in any order.
SELECT c.id, d.id, c.ordinal, k.name, s.key, d.path, c.start_byte, c.end_byte, c.start_line, c.end_line,
       c.page, c.symbol, c.tokens, d.revision, d.indexed_at, c.text, c.kind, c.page_label
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
JOIN brain.source s ON s.id = d.source_id
JOIN brain.collection k ON k.id = d.collection_id
WHERE c.id = ANY(%(chunks)s::bigint[]) AND d.collection_id = ANY(%(collections)s::integer[]);

-- name: fetch_whole_collection
-- Purpose: a small collection in reading order.
-- Parameters: collection (integer), rows (integer)
-- Promise: at most `rows` chunks of live documents, by source, path and position.
SELECT c.id, d.id, c.ordinal, k.name, s.key, d.path, c.start_byte, c.end_byte, c.start_line, c.end_line,
       c.page, c.symbol, c.tokens, d.revision, d.indexed_at, c.text, c.kind, c.page_label
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
JOIN brain.source s ON s.id = d.source_id
JOIN brain.collection k ON k.id = d.collection_id
WHERE d.collection_id = %(collection)s
ORDER BY s.key COLLATE "C", d.path_bytes, c.ordinal
LIMIT %(rows)s;
