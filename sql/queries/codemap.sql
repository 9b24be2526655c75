-- name: list_due
-- Purpose: the documents whose part of the code map is older than they are, or was made by another recipe.
-- Parameters: source_id, generation, recipe (text), names (text: pattern of lower-case paths that can
--   matter), languages (text[]: of scripts whose name does not tell)
-- Promise: ids in id order; only ready documents of that source, none newer than `generation`. A document
--   that can hold no entry is never read; one that has entries from before it changed its kind is.
SELECT d.id
FROM brain.document d
WHERE d.source_id = %(source_id)s
  AND d.state = 'ready'
  AND d.generation <= %(generation)s
  AND (d.mapped_generation <> d.generation OR d.mapped_recipe <> %(recipe)s)
  AND (lower(d.path) ~ %(names)s
       OR d.language = ANY(%(languages)s)
       OR EXISTS (SELECT FROM brain.code_map m WHERE m.document_id = d.id))
ORDER BY d.id;

-- name: read_documents
-- Purpose: the text of a batch of documents, from their chunks, whose spans tile the file.
-- Parameters: ids (bigint[]), max_chars (bigint)
-- Promise: id, path, language, generation, text, in id order; the text is null above max_chars. Documents
--   that are gone or no longer ready do not come back.
SELECT d.id, d.path, d.language, d.generation,
       CASE WHEN d.char_count <= %(max_chars)s THEN (
           SELECT string_agg(c.text, '' ORDER BY c.ordinal)
           FROM brain.chunk c
           WHERE c.document_id = d.id
       ) END
FROM brain.document d
WHERE d.id = ANY(%(ids)s) AND d.state = 'ready'
ORDER BY d.id;

-- name: lock_unmoved
-- Purpose: writing a map is compare-and-set on the generation that was read (A7).
-- Parameters: ids (bigint[]), generations (bigint[], in the same order)
-- Promise: the ids that still have that generation, locked until the transaction ends, in id order.
SELECT d.id
FROM brain.document d
JOIN unnest(%(ids)s::bigint[], %(generations)s::bigint[]) AS seen (id, generation)
  ON seen.id = d.id AND seen.generation = d.generation
WHERE d.state = 'ready'
ORDER BY d.id
FOR NO KEY UPDATE OF d;

-- name: delete_entries
-- Purpose: make room for the new entries of a batch of documents.
-- Parameters: ids (bigint[])
-- Promise: no entry of these documents is left.
DELETE FROM brain.code_map WHERE document_id = ANY(%(ids)s);

-- name: copy_entries
-- Purpose: write the entries of a batch.
-- Parameters: none; rows follow
-- Promise: refuses unknown kinds and lines below 1.
COPY brain.code_map (source_id, document_id, kind, name, detail, line, generation) FROM STDIN;

-- name: mark_mapped
-- Purpose: remember that these documents are mapped, also those that declare nothing.
-- Parameters: ids (bigint[]), recipe
-- Promise: list_due does not return them again before they change.
UPDATE brain.document
SET mapped_generation = generation, mapped_recipe = %(recipe)s
WHERE id = ANY(%(ids)s);

-- name: delete_unready
-- Purpose: drop what the map says of documents that can no longer be read.
-- Parameters: source_id
-- Promise: only ready documents have entries.
DELETE FROM brain.code_map m
USING brain.document d
WHERE d.id = m.document_id AND d.source_id = %(source_id)s AND d.state <> 'ready';

-- name: count_entries
-- Purpose: what the map of a source holds.
-- Parameters: source_id
-- Promise: one row per kind that occurs: kind, count.
SELECT kind, count(*) FROM brain.code_map WHERE source_id = %(source_id)s GROUP BY kind;

-- name: find_readable_source
-- Purpose: resolve a source key within what a principal may read.
-- Parameters: key, collections (integer[]: from scope.readable_collections)
-- Promise: id and revision; no row both for an unknown source and for one that may not be read.
SELECT s.id, s.revision
FROM brain.source s
WHERE s.key = %(key)s AND s.collection_id = ANY(%(collections)s);

-- name: list_entries
-- Purpose: the code map of one source.
-- Parameters: source_id
-- Promise: kind, name, detail, path, line; by kind in reading order, then path, line and place in the file.
SELECT m.kind, m.name, m.detail, d.path, m.line
FROM brain.code_map m
JOIN brain.document d ON d.id = m.document_id AND d.state = 'ready'
WHERE m.source_id = %(source_id)s
ORDER BY array_position(
             ARRAY['manifest', 'dependency', 'workspace', 'entry_point', 'route', 'rpc', 'consumer'], m.kind),
         d.path COLLATE "C", m.line, m.id;
