-- What analysts take home as Parquet. Read through a server-side cursor: any size, flat memory.

-- name: eval_cases
-- Purpose: every case of every evaluation, with what the evaluation was.
-- Parameters: none.
-- Promise: by run, case and mode; the columns of exports.EVAL_COLUMNS in order.
SELECT r.id, r.goldset, r.goldset_hash, r.principal, r.space, r.recipe, r.code_version, r.verdict,
       r.accepted_at IS NOT NULL, r.started_at, r.finished_at,
       c.case_id, c.mode, c.query, c.expect, c.source, c.measurable, c.why_not, c.rank
FROM brain.eval_case c
JOIN brain.eval_run r ON r.id = c.eval_run_id
ORDER BY r.id, c.case_id, c.mode;

-- name: chunks
-- Purpose: the searchable chunks of the given collections.
-- Parameters: collection_ids, from the one rule of access (scope.readable_collections).
-- Promise: by source, path and ordinal; the columns of exports.CHUNK_COLUMNS in order; only documents that
--          are ready.
SELECT l.name, s.key, d.path, d.revision, d.indexed_at, d.media_type, d.language, c.ordinal, c.kind,
       c.symbol, c.start_line, c.end_line, c.page, c.tokens, c.text, c.context, c.context_kind,
       c.context_model
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
JOIN brain.source s ON s.id = d.source_id
JOIN brain.collection l ON l.id = c.collection_id
WHERE c.collection_id = ANY(%(collection_ids)s)
ORDER BY s.key, d.path_bytes, c.ordinal;
