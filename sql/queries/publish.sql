-- name: lock_generation
-- Purpose: publishing is compare-and-set on the generation this run took when it listed (A7).
-- Parameters: source_id
-- Promise: one row: the source's generation; no other run can change it before this transaction ends.
SELECT generation FROM brain.source WHERE id = %(source_id)s FOR UPDATE;

-- name: next_group
-- Purpose: the next staged items to publish in one transaction: whole documents up to about `chunks`
--          chunks, at most `items`.
-- Parameters: source_id, chunks, items
-- Promise: path keys in key order (the primary key, so that the queue costs no sort); at least one while
--          any is left, however many chunks it has.
SELECT path_key
FROM (
    SELECT i.path_key, sum(n.chunks) OVER (ORDER BY i.path_key) - n.chunks AS chunks_before
    FROM (
        SELECT source_id, path_key FROM brain.staged_item
        WHERE source_id = %(source_id)s AND change IN ('added', 'changed', 'stale', 'retry')
        ORDER BY path_key
        LIMIT %(items)s) AS i
    CROSS JOIN LATERAL (
        SELECT count(*) AS chunks FROM brain.staged_chunk c
        WHERE c.source_id = i.source_id AND c.path_key = i.path_key) AS n
) AS queue
WHERE chunks_before < %(chunks)s
ORDER BY path_key;

-- name: next_removed
-- Purpose: the next documents that are gone from the source.
-- Parameters: source_id, items
-- Promise: path keys in key order.
SELECT path_key
FROM brain.staged_item
WHERE source_id = %(source_id)s AND change = 'removed'
ORDER BY path_key
LIMIT %(items)s;

-- name: count_unprepared
-- Purpose: the precondition of publishing, checked where it matters and not only by an asset check.
-- Parameters: source_id, space_id
-- Promise: one row: items not read, chunks without context or in a document whose words were not weighed,
--          chunks with neither a vector nor a recorded failure.
SELECT (SELECT count(*) FROM brain.staged_item i
        WHERE i.source_id = %(source_id)s AND i.state IS NULL
          AND i.change IN ('added', 'changed', 'stale', 'retry')),
       count(*) FILTER (WHERE c.context_key IS NULL OR i.bm25 IS NULL),
       count(*) FILTER (WHERE c.context_key IS NOT NULL AND e.key IS NULL AND f.key IS NULL)
FROM brain.staged_chunk c
JOIN brain.staged_item i ON i.source_id = c.source_id AND i.path_key = c.path_key
LEFT JOIN brain.embedding_cache e ON e.space_id = %(space_id)s AND e.key = c.embed_key
LEFT JOIN brain.embedding_failure f ON f.space_id = %(space_id)s AND f.key = c.embed_key
WHERE c.source_id = %(source_id)s;

-- name: keep_unreadable
-- Purpose: a document that is indexed but could not be read this time for a passing reason keeps what it
--          has, and its outcome says so; the next run sees it as changed again.
-- Parameters: source_id, run_id, path_keys
-- Promise: such items get a failed outcome and leave the staging; returns one row each.
WITH kept AS (
    SELECT i.path_key
    FROM brain.staged_item i
    JOIN brain.document d ON d.source_id = i.source_id AND d.path_key = i.path_key AND d.state = 'ready'
    WHERE i.source_id = %(source_id)s AND i.path_key = ANY(%(path_keys)s)
      AND i.state = 'failed' AND i.retry_at IS NOT NULL
), told AS (
    INSERT INTO brain.outcome (run_id, path_key, path_bytes, path, outcome, rule, reason, retry_at)
    SELECT %(run_id)s, i.path_key, i.path_bytes, i.path, 'failed', i.reason_code,
           i.reason || '; the version indexed before still answers', i.retry_at
    FROM brain.staged_item i
    JOIN kept USING (path_key)
    WHERE i.source_id = %(source_id)s)
DELETE FROM brain.staged_item i
USING kept
WHERE i.source_id = %(source_id)s AND i.path_key = kept.path_key
RETURNING i.path_key;

-- name: merge_terms
-- Purpose: how many chunks and documents hold each term: minus those that go, plus those that come.
-- Parameters: source_id, path_keys
-- Promise: called before the chunks are replaced, in the same transaction; afterwards source_term equals
--          a recount.
WITH held AS (
    SELECT d.path_key, t.term, -count(*)::integer AS chunks, -1 AS documents
    FROM brain.chunk c
    JOIN brain.document d ON d.id = c.document_id
    CROSS JOIN LATERAL unnest(c.terms) AS t (term)
    WHERE d.source_id = %(source_id)s AND d.path_key = ANY(%(path_keys)s)
    GROUP BY d.path_key, t.term
    UNION ALL
    SELECT s.path_key, t.term, count(*)::integer, 1
    FROM brain.staged_chunk s
    CROSS JOIN LATERAL unnest(s.terms) AS t (term)
    WHERE s.source_id = %(source_id)s AND s.path_key = ANY(%(path_keys)s)
    GROUP BY s.path_key, t.term
), delta AS (
    SELECT term, sum(chunks)::integer AS chunks, sum(documents)::integer AS documents
    FROM held
    GROUP BY term
    HAVING sum(chunks) <> 0 OR sum(documents) <> 0
)
MERGE INTO brain.source_term AS t
USING delta AS d ON t.source_id = %(source_id)s AND t.term = d.term
WHEN MATCHED AND t.chunks + d.chunks = 0 THEN DELETE
WHEN MATCHED THEN UPDATE SET chunks = t.chunks + d.chunks, documents = t.documents + d.documents
WHEN NOT MATCHED THEN
    INSERT (source_id, term, chunks, documents) VALUES (%(source_id)s, d.term, d.chunks, d.documents);

-- name: delete_chunks
-- Purpose: take the old chunks of these documents away; their vectors go by cascade.
-- Parameters: source_id, path_keys
-- Promise: none of their chunks is left.
DELETE FROM brain.chunk c
USING brain.document d
WHERE d.id = c.document_id AND d.source_id = %(source_id)s AND d.path_key = ANY(%(path_keys)s);

-- name: upsert_documents
-- Purpose: the document rows of the group, with hash, recipe, generation and state.
-- Parameters: source_id, collection_id, path_keys, generation, revision
-- Promise: one row per staged item, whatever its state.
INSERT INTO brain.document
    (source_id, collection_id, path_bytes, path, content_hash, change_token, state, reason_code, reason,
     retry_at, warnings, media_type, language, encoding, title, size_bytes, char_count, chunk_count,
     page_count, recipe, generation, revision, bm25, metadata)
SELECT i.source_id, %(collection_id)s, i.path_bytes, i.path, i.content_hash, i.token, i.state,
       i.reason_code, i.reason, i.retry_at, i.warnings, i.media_type, i.language, i.encoding, i.title,
       i.size_bytes, i.char_count,
       (SELECT count(*) FROM brain.staged_chunk c
        WHERE c.source_id = i.source_id AND c.path_key = i.path_key),
       i.page_count, i.recipe, %(generation)s, %(revision)s, i.bm25, i.metadata
FROM brain.staged_item i
WHERE i.source_id = %(source_id)s AND i.path_key = ANY(%(path_keys)s)
ON CONFLICT (source_id, path_key) DO UPDATE
SET path = EXCLUDED.path, content_hash = EXCLUDED.content_hash, change_token = EXCLUDED.change_token,
    state = EXCLUDED.state, reason_code = EXCLUDED.reason_code, reason = EXCLUDED.reason,
    retry_at = EXCLUDED.retry_at, warnings = EXCLUDED.warnings, media_type = EXCLUDED.media_type,
    language = EXCLUDED.language, encoding = EXCLUDED.encoding, title = EXCLUDED.title,
    size_bytes = EXCLUDED.size_bytes, char_count = EXCLUDED.char_count,
    chunk_count = EXCLUDED.chunk_count, page_count = EXCLUDED.page_count, recipe = EXCLUDED.recipe,
    generation = EXCLUDED.generation, revision = EXCLUDED.revision, bm25 = EXCLUDED.bm25,
    metadata = EXCLUDED.metadata, indexed_at = now();

-- name: insert_chunks
-- Purpose: the new chunks of the group, joined with their contexts.
-- Parameters: source_id, path_keys, generation
-- Promise: one row per staged chunk. The outer join makes a context that is missing a constraint
--          violation instead of a chunk that is missing.
INSERT INTO brain.chunk
    (document_id, source_id, collection_id, generation, ordinal, kind, symbol, start_byte, end_byte,
     start_line, end_line, page, page_label, text, context, context_kind, context_model,
     context_prompt_hash, context_state, tokens, embed_key, terms, bm25)
SELECT d.id, d.source_id, d.collection_id, %(generation)s, s.ordinal, s.kind, s.symbol, s.start_byte,
       s.end_byte, s.start_line, s.end_line, s.page, s.page_label, s.text, x.sentence, x.kind, x.model,
       x.prompt_hash, x.state, s.tokens, s.embed_key, s.terms, s.bm25
FROM brain.staged_chunk s
JOIN brain.document d ON d.source_id = s.source_id AND d.path_key = s.path_key
LEFT JOIN brain.context_cache x ON x.key = s.context_key
WHERE s.source_id = %(source_id)s AND s.path_key = ANY(%(path_keys)s)
ORDER BY d.path_key, s.ordinal;

-- name: insert_vectors
-- Purpose: the vectors of the group's chunks, straight from the cache.
-- Parameters: source_id, path_keys, space_id
-- Promise: a vector for every chunk whose text is in the cache.
INSERT INTO brain.chunk_embedding (chunk_id, space_id, width, collection_id, embedding)
SELECT c.id, e.space_id, e.width, c.collection_id, e.embedding
FROM brain.document d
JOIN brain.chunk c ON c.document_id = d.id
JOIN brain.embedding_cache e ON e.space_id = %(space_id)s AND e.key = c.embed_key
WHERE d.source_id = %(source_id)s AND d.path_key = ANY(%(path_keys)s);

-- name: insert_outcomes
-- Purpose: say for each item of the group how it ended.
-- Parameters: source_id, path_keys, run_id
-- Promise: one outcome per staged item.
INSERT INTO brain.outcome (run_id, path_key, path_bytes, path, outcome, rule, reason, retry_at)
SELECT %(run_id)s, path_key, path_bytes, path,
       CASE state WHEN 'ready' THEN 'indexed' ELSE state END,
       reason_code, reason, retry_at
FROM brain.staged_item
WHERE source_id = %(source_id)s AND path_key = ANY(%(path_keys)s);

-- name: delete_documents
-- Purpose: documents that are gone from the source stop answering; chunks and vectors go by cascade (A2).
-- Parameters: source_id, path_keys
-- Promise: none of them is left, and nothing of another source is touched (I10).
DELETE FROM brain.document WHERE source_id = %(source_id)s AND path_key = ANY(%(path_keys)s);

-- name: insert_deleted
-- Purpose: say that they were deleted.
-- Parameters: source_id, path_keys, run_id
-- Promise: one outcome per staged item.
INSERT INTO brain.outcome (run_id, path_key, path_bytes, path, outcome)
SELECT %(run_id)s, path_key, path_bytes, path, 'deleted'
FROM brain.staged_item
WHERE source_id = %(source_id)s AND path_key = ANY(%(path_keys)s);

-- name: clear_group
-- Purpose: what is published is no longer staged.
-- Parameters: source_id, path_keys
-- Promise: chunks go by cascade.
DELETE FROM brain.staged_item WHERE source_id = %(source_id)s AND path_key = ANY(%(path_keys)s);

-- name: settle_unchanged
-- Purpose: unchanged items end as what their document is, and take over a change token that moved.
-- Parameters: source_id, run_id
-- Promise: one outcome per unchanged item; none of them is staged afterwards.
WITH settled AS (
    DELETE FROM brain.staged_item
    WHERE source_id = %(source_id)s AND change = 'unchanged'
    RETURNING path_key, token
), moved AS (
    UPDATE brain.document d
    SET change_token = s.token
    FROM settled s
    WHERE d.source_id = %(source_id)s AND d.path_key = s.path_key AND d.change_token <> s.token)
INSERT INTO brain.outcome (run_id, path_key, path_bytes, path, outcome, rule, reason, retry_at)
SELECT %(run_id)s, d.path_key, d.path_bytes, d.path,
       CASE d.state WHEN 'ready' THEN 'unchanged' ELSE d.state END,
       d.reason_code, d.reason, d.retry_at
FROM settled s
JOIN brain.document d ON d.source_id = %(source_id)s AND d.path_key = s.path_key;

-- name: count_outcomes
-- Purpose: how the items of a run ended.
-- Parameters: run_id
-- Promise: outcome, items, how many of them wait for a retry.
SELECT outcome, count(*), count(*) FILTER (WHERE retry_at IS NOT NULL)
FROM brain.outcome
WHERE run_id = %(run_id)s
GROUP BY outcome;

-- name: finish_run
-- Purpose: the run is over and its counts are known.
-- Parameters: run_id, state, counts
-- Promise: a running run is closed.
UPDATE brain.sync_run
SET state = %(state)s, counts = %(counts)s, finished_at = now()
WHERE id = %(run_id)s AND state = 'running';

-- name: set_source_current
-- Purpose: the source now stands where this run listed it; the next check compares with this.
-- Parameters: source_id, run_id
-- Promise: only a run that published its complete listing moves the mark.
UPDATE brain.source s
SET revision = r.revision, listing_token = r.listing_token, recipe = r.recipe, last_synced_at = now()
FROM brain.sync_run r
WHERE s.id = %(source_id)s AND r.id = %(run_id)s;

-- name: prune_unchanged
-- Purpose: "unchanged" of long ago is of no use to anyone; keep it for the last few runs only.
-- Parameters: source_id, keep
-- Promise: other outcomes are kept; pruned runs say so.
WITH old AS (
    UPDATE brain.sync_run
    SET outcomes_pruned = true
    WHERE source_id = %(source_id)s AND NOT outcomes_pruned AND state <> 'running'
      AND generation <= (SELECT max(generation) FROM brain.sync_run
                         WHERE source_id = %(source_id)s) - %(keep)s
    RETURNING id)
DELETE FROM brain.outcome o
USING old
WHERE o.run_id = old.id AND o.outcome = 'unchanged';
