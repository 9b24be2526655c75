-- name: staged_documents
-- Purpose: what the checks of the chunks stage look at, one row per staged readable document.
-- Parameters: source_id
-- Promise: path, pages, characters, chunks, gaps (places where the spans do not tile the text), uncovered
--          (bytes the spans claim more or less than their texts have). By path.
SELECT i.path,
       coalesce(i.page_count, 0)::bigint AS pages,
       i.char_count AS characters,
       count(c.ordinal) AS chunks,
       count(*) FILTER (WHERE c.start_byte IS NOT NULL AND c.start_byte <> c.expected_start) AS gaps,
       coalesce(abs(max(c.end_byte) - sum(octet_length(c.text)) FILTER (WHERE c.start_byte IS NOT NULL)), 0)
           AS uncovered
FROM brain.staged_item i
LEFT JOIN (
    SELECT path_key, ordinal, start_byte, end_byte, text,
           coalesce(lag(end_byte) OVER (PARTITION BY path_key ORDER BY ordinal), 0) AS expected_start
    FROM brain.staged_chunk
    WHERE source_id = %(source_id)s) AS c ON c.path_key = i.path_key
WHERE i.source_id = %(source_id)s AND i.state = 'ready'
  AND i.change IN ('added', 'changed', 'stale', 'retry')
GROUP BY i.path_key, i.path, i.page_count, i.char_count
ORDER BY i.path;

-- name: unread_scans
-- Purpose: documents of this delta with pages that only a picture speaks for, and nothing has read it (G4).
-- Parameters: source_id
-- Promise: path and reason with the page numbers, by path; failed if nothing else of them is searchable,
--          ready if the other pages are.
SELECT path, reason
FROM brain.staged_item
WHERE source_id = %(source_id)s AND state IN ('failed', 'ready') AND reason_code = 'needs-ocr'
ORDER BY path;

-- name: staged_vectors
-- Purpose: what the checks of the embeddings stage look at.
-- Parameters: source_id, space_id
-- Promise: one row: chunks, chunks with neither vector nor recorded failure, chunks whose embedding failed.
SELECT count(*) AS chunks,
       count(*) FILTER (WHERE e.key IS NULL AND f.key IS NULL) AS missing,
       count(*) FILTER (WHERE e.key IS NULL AND f.key IS NOT NULL) AS failed
FROM brain.staged_chunk c
LEFT JOIN brain.embedding_cache e ON e.space_id = %(space_id)s AND e.key = c.embed_key
LEFT JOIN brain.embedding_failure f ON f.space_id = %(space_id)s AND f.key = c.embed_key
WHERE c.source_id = %(source_id)s;

-- name: published_source
-- Purpose: what the checks of the search index look at.
-- Parameters: source_id
-- Promise: one row: ready documents, chunks, chunks without a live document, documents whose number of
--          chunks is not what they say, documents whose chunks are not all of their generation.
SELECT (SELECT count(*) FROM brain.document WHERE source_id = %(source_id)s AND state = 'ready')
           AS documents,
       (SELECT count(*) FROM brain.chunk WHERE source_id = %(source_id)s) AS chunks,
       (SELECT count(*) FROM brain.chunk c
        LEFT JOIN brain.document d ON d.id = c.document_id AND d.source_id = c.source_id AND d.state = 'ready'
        WHERE c.source_id = %(source_id)s AND d.id IS NULL) AS orphans,
       (SELECT count(*) FROM brain.document d
        WHERE d.source_id = %(source_id)s AND d.state = 'ready'
          AND d.chunk_count <> (SELECT count(*) FROM brain.chunk c WHERE c.document_id = d.id)) AS miscounted,
       (SELECT count(DISTINCT c.document_id) FROM brain.chunk c
        JOIN brain.document d ON d.id = c.document_id
        WHERE c.source_id = %(source_id)s AND c.generation <> d.generation) AS mixed;

-- name: run_outcomes
-- Purpose: whether every listed item of the source's latest run has an outcome.
-- Parameters: run_id
-- Promise: one row: listed, outcomes of listed items, still staged.
SELECT r.listed::bigint AS listed,
       (SELECT count(*) FROM brain.outcome o WHERE o.run_id = r.id AND o.outcome <> 'deleted') AS outcomes,
       (SELECT count(*) FROM brain.staged_item i WHERE i.source_id = r.source_id) AS staged
FROM brain.sync_run r
WHERE r.id = %(run_id)s;
