-- name: get_known
-- Purpose: what the store knows of a source, to be compared with a listing.
-- Parameters: source_id
-- Promise: one row per document, in no order.
SELECT path_bytes, change_token, content_hash, state, recipe,
       coalesce(retry_at <= now(), false) AS is_retry_due
FROM brain.document
WHERE source_id = %(source_id)s;

-- name: create_incoming
-- Purpose: a place for the delta to arrive in, gone with the transaction.
-- Parameters: none
-- Promise: an empty temporary table.
CREATE TEMPORARY TABLE incoming_item (
    path_bytes bytea, path text, change text, item_kind text, token text, listed_hash text,
    listed_bytes bigint
) ON COMMIT DROP;

-- name: copy_incoming
-- Purpose: bring the delta in.
-- Parameters: none (COPY)
-- Promise: rows arrive in the order written.
COPY incoming_item (path_bytes, path, change, item_kind, token, listed_hash, listed_bytes) FROM STDIN;

-- name: drop_outdated
-- Purpose: forget what an earlier run staged. What a killed run staged is kept where it is exactly what
--          this run needs, the same bytes read by the same recipe: that is how a retry pays nothing.
-- Parameters: source_id, recipe, keeps (whether the earlier run was killed)
-- Promise: what stays was read from the bytes that this listing names.
DELETE FROM brain.staged_item s
WHERE s.source_id = %(source_id)s
  AND NOT EXISTS (
      SELECT FROM incoming_item i
      WHERE %(keeps)s AND i.path_bytes = s.path_bytes AND i.token = s.token
        AND i.change NOT IN ('unchanged', 'removed')
        -- A touched file was settled as unchanged, and its staged chunks are gone.
        AND s.change NOT IN ('unchanged', 'removed')
        AND s.recipe = %(recipe)s AND s.state IS NOT NULL AND s.retry_at IS NULL);

-- name: insert_items
-- Purpose: stage the delta.
-- Parameters: source_id, recipe
-- Promise: one staged row per incoming row; rows kept by drop_outdated keep what was read.
INSERT INTO brain.staged_item
    (source_id, path_bytes, path, change, item_kind, token, listed_hash, listed_bytes, recipe)
SELECT %(source_id)s, path_bytes, path, change, item_kind, token, listed_hash, listed_bytes, %(recipe)s
FROM incoming_item
ON CONFLICT (source_id, path_key) DO UPDATE SET change = EXCLUDED.change;

-- name: get_unread
-- Purpose: the staged items whose bytes are still to be read.
-- Parameters: source_id
-- Promise: by path, so that a run reads in a repeatable order.
SELECT path_bytes, item_kind, token, listed_hash, listed_bytes
FROM brain.staged_item
WHERE source_id = %(source_id)s AND state IS NULL
  AND change IN ('added', 'changed', 'stale', 'retry')
ORDER BY path_bytes;

-- name: set_read
-- Purpose: record what became of one item in the funnel.
-- Parameters: source_id, path_bytes and one per column
-- Promise: the item has a state.
UPDATE brain.staged_item
SET state = %(state)s, content_hash = %(content_hash)s, reason_code = %(reason_code)s,
    reason = %(reason)s, retry_at = %(retry_at)s, warnings = %(warnings)s, media_type = %(media_type)s,
    language = %(language)s, encoding = %(encoding)s, title = %(title)s, size_bytes = %(size_bytes)s,
    char_count = %(char_count)s, page_count = %(page_count)s, outline = %(outline)s,
    imports = %(imports)s, metadata = %(metadata)s
WHERE source_id = %(source_id)s AND path_key = sha256(%(path_bytes)s);

-- name: settle_touched
-- Purpose: items whose change token moved although their bytes did not (a touched file) are unchanged.
-- Parameters: source_id, path_keys, recipe
-- Promise: such items lose their staged chunks and will be published as unchanged with the new token.
WITH touched AS (
    UPDATE brain.staged_item s
    SET change = 'unchanged'
    FROM brain.document d
    WHERE s.source_id = %(source_id)s AND s.path_key = ANY(%(path_keys)s) AND s.change = 'changed'
      AND d.source_id = s.source_id AND d.path_key = s.path_key
      AND d.content_hash = s.content_hash AND d.recipe = %(recipe)s AND d.state = s.state
      AND s.retry_at IS NULL
    RETURNING s.path_key)
DELETE FROM brain.staged_chunk c
USING touched t
WHERE c.source_id = %(source_id)s AND c.path_key = t.path_key;

-- name: copy_chunks
-- Purpose: bring the chunks of read items in.
-- Parameters: none (COPY)
-- Promise: rows arrive in the order written.
COPY brain.staged_chunk
    (source_id, path_key, ordinal, kind, symbol, enclosing, headings, text, start_byte, end_byte,
     start_line, end_line, page, page_label, tokens, reached_by, plain_text)
FROM STDIN;

-- name: count_staged
-- Purpose: what is staged, by change and state.
-- Parameters: source_id
-- Promise: change, state, items.
SELECT change, coalesce(state, ''), count(*)
FROM brain.staged_item
WHERE source_id = %(source_id)s
GROUP BY change, state;

-- name: count_staged_chunks
-- Purpose: how many chunks and tokens the delta has.
-- Parameters: source_id
-- Promise: one row: chunks, tokens.
SELECT count(*), coalesce(sum(tokens), 0) FROM brain.staged_chunk WHERE source_id = %(source_id)s;

-- name: count_without_context
-- Purpose: how much work the contexts stage has.
-- Parameters: source_id
-- Promise: one row: chunks.
SELECT count(*) FROM brain.staged_chunk WHERE source_id = %(source_id)s AND context_key IS NULL;

-- name: get_without_context
-- Purpose: staged chunks that no context was written for, document by document.
-- Parameters: source_id
-- Promise: by path and ordinal; read through a server-side cursor.
SELECT c.path_key, i.path, i.title, i.language, i.outline, i.imports, c.ordinal, c.kind, c.symbol,
       c.enclosing, c.headings, c.page, c.page_label, coalesce(c.plain_text, c.text), c.tokens,
       count(*) OVER (PARTITION BY c.path_key) AS chunk_count, c.reached_by, i.metadata
FROM brain.staged_chunk c
JOIN brain.staged_item i ON i.source_id = c.source_id AND i.path_key = c.path_key
WHERE c.source_id = %(source_id)s AND c.context_key IS NULL
ORDER BY c.path_key, c.ordinal;

-- name: get_unweighed_documents
-- Purpose: staged documents whose words were not weighed as a whole yet.
-- Parameters: source_id
-- Promise: path key, path, texts and symbols of the chunks by ordinal; by path key, read through a
--          server-side cursor.
SELECT i.path_key, i.path, array_agg(coalesce(c.plain_text, c.text) ORDER BY c.ordinal),
       array_agg(c.symbol ORDER BY c.ordinal)
FROM brain.staged_item i
JOIN brain.staged_chunk c ON c.source_id = i.source_id AND c.path_key = i.path_key
WHERE i.source_id = %(source_id)s AND i.bm25 IS NULL
GROUP BY i.path_key, i.path
ORDER BY i.path_key;

-- name: set_document_vector
-- Purpose: the words of one staged document, weighed.
-- Parameters: source_id, path_key, bm25 (sparsevec)
-- Promise: nothing happens to a document that is no longer staged.
UPDATE brain.staged_item SET bm25 = %(bm25)s WHERE source_id = %(source_id)s AND path_key = %(path_key)s;

-- name: create_incoming_context
-- Purpose: a place for contexts to arrive in, gone with the transaction.
-- Parameters: none
-- Promise: an empty temporary table.
CREATE TEMPORARY TABLE incoming_context (
    path_key bytea, ordinal integer, context_key bytea, kind text, model text, prompt_hash bytea,
    state text, sentence text, embed_header text, embed_key bytea, terms integer[], bm25 sparsevec
) ON COMMIT DROP;

-- name: copy_incoming_context
-- Purpose: bring contexts in.
-- Parameters: none (COPY)
-- Promise: rows arrive in the order written.
COPY incoming_context
    (path_key, ordinal, context_key, kind, model, prompt_hash, state, sentence, embed_header, embed_key,
     terms, bm25)
FROM STDIN;

-- name: insert_contexts
-- Purpose: fill the context cache.
-- Parameters: none
-- Promise: every incoming context key is in the cache; its time of use is now.
INSERT INTO brain.context_cache (key, kind, model, prompt_hash, state, sentence)
SELECT DISTINCT ON (context_key) context_key, kind, model, prompt_hash, state, sentence
FROM incoming_context
ORDER BY context_key
ON CONFLICT (key) DO UPDATE SET used_at = now();

-- name: set_contexts
-- Purpose: point the staged chunks at their contexts and set what was derived with them.
-- Parameters: source_id
-- Promise: as many rows change as came in.
UPDATE brain.staged_chunk c
SET context_key = i.context_key, embed_header = i.embed_header, embed_key = i.embed_key,
    terms = i.terms, bm25 = i.bm25
FROM incoming_context i
WHERE c.source_id = %(source_id)s AND c.path_key = i.path_key AND c.ordinal = i.ordinal;

-- name: count_without_vector
-- Purpose: how many different texts still have to be embedded, and how many staged chunks the cache covers.
-- Parameters: source_id, space_id
-- Promise: one row: texts to embed, chunks already covered.
SELECT count(DISTINCT c.embed_key) FILTER (WHERE e.key IS NULL AND f.key IS NULL),
       count(*) FILTER (WHERE e.key IS NOT NULL)
FROM brain.staged_chunk c
LEFT JOIN brain.embedding_cache e ON e.space_id = %(space_id)s AND e.key = c.embed_key
LEFT JOIN brain.embedding_failure f ON f.space_id = %(space_id)s AND f.key = c.embed_key
WHERE c.source_id = %(source_id)s;

-- name: get_without_vector
-- Purpose: the different texts that neither the cache nor the list of failures covers.
-- Parameters: source_id, space_id
-- Promise: each text once, short ones first, so that a batch holds texts of like length and wastes no
--          padding; read through a server-side cursor.
SELECT embed_key, embed_text
FROM (
    SELECT DISTINCT ON (c.embed_key) c.embed_key, c.tokens,
           c.embed_header || E'\n' || coalesce(c.plain_text, c.text) AS embed_text
    FROM brain.staged_chunk c
    WHERE c.source_id = %(source_id)s AND c.embed_key IS NOT NULL
      AND NOT EXISTS (SELECT FROM brain.embedding_cache e
                      WHERE e.space_id = %(space_id)s AND e.key = c.embed_key)
      AND NOT EXISTS (SELECT FROM brain.embedding_failure f
                      WHERE f.space_id = %(space_id)s AND f.key = c.embed_key)
    ORDER BY c.embed_key
) AS missing
ORDER BY length(embed_text), embed_key;

-- name: forget_failures
-- Purpose: a new run tries again what the model could not embed last time.
-- Parameters: source_id, space_id
-- Promise: no staged chunk is covered by a failure of an earlier run.
DELETE FROM brain.embedding_failure f
USING brain.staged_chunk c
WHERE c.source_id = %(source_id)s AND f.space_id = %(space_id)s AND f.key = c.embed_key;

-- name: copy_vectors
-- Purpose: a batch of vectors into a temporary table.
-- Parameters: none (COPY)
-- Promise: rows arrive in the order written.
COPY incoming_vector (key, embedding) FROM STDIN (FORMAT BINARY);

-- name: create_incoming_vector
-- Purpose: a place for a batch of vectors to arrive in, gone with the transaction.
-- Parameters: none
-- Promise: an empty temporary table.
CREATE TEMPORARY TABLE incoming_vector (key bytea, embedding vector) ON COMMIT DROP;

-- name: insert_vectors
-- Purpose: fill the embedding cache.
-- Parameters: space_id, width
-- Promise: every incoming key is in the cache; a width other than the space's is refused by its keys.
INSERT INTO brain.embedding_cache (space_id, key, width, embedding)
SELECT %(space_id)s, key, %(width)s, embedding
FROM incoming_vector
ON CONFLICT (space_id, key) DO NOTHING;

-- name: insert_failure
-- Purpose: record a text the model could not turn into a usable vector (B3).
-- Parameters: space_id, key, reason
-- Promise: one row per text, counting the attempts.
INSERT INTO brain.embedding_failure (space_id, key, reason)
VALUES (%(space_id)s, %(key)s, %(reason)s)
ON CONFLICT (space_id, key) DO UPDATE
SET attempts = embedding_failure.attempts + 1, reason = EXCLUDED.reason, failed_at = now();
