-- Where one chunk stands: the questions behind `brain why`. The orders are those of dense.sql and lexical.sql,
-- counted to their end instead of being cut at a depth.

-- name: find_chunks
-- Purpose: the chunks a person means: one by its number, or those of a file, of a line or of a page of it.
-- Parameters: collections (integer[]), chunk (bigint, null), source (text, null: a source's key), path (text),
--   line (integer, null), page (integer, null), whole_path (text, null: another path, meant as a whole)
-- Promise: numbers of chunks of live documents in these collections, in reading order; none for what does
--   not exist and none for what may not be read (I3).
SELECT c.id
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
JOIN brain.source s ON s.id = d.source_id
WHERE d.collection_id = ANY(%(collections)s::integer[])
  AND (c.id = %(chunk)s::bigint
       OR (s.key = %(source)s::text AND d.path = %(whole_path)s::text)
       OR (s.key = %(source)s::text AND d.path = %(path)s::text
           AND (%(line)s::integer IS NULL OR %(line)s::integer BETWEEN c.start_line AND c.end_line)
           AND (%(page)s::integer IS NULL OR c.page = %(page)s::integer)))
ORDER BY c.document_id, c.ordinal;

-- name: find_vectors
-- Purpose: how near each chunk is to the question, and why it is not where it has no vector.
-- Parameters: chunks (bigint[]), space (integer), question (vector)
-- Promise: one row per chunk that exists: id, cosine similarity (null: no vector in this space), the reason
--   why embedding it failed (null: it did not).
SELECT c.id,
       (SELECT 1 - (e.embedding <=> %(question)s::vector)
        FROM brain.chunk_embedding e WHERE e.chunk_id = c.id AND e.space_id = %(space)s),
       (SELECT f.reason FROM brain.embedding_failure f WHERE f.space_id = %(space)s AND f.key = c.embed_key)
FROM brain.chunk c
WHERE c.id = ANY(%(chunks)s::bigint[]);

-- name: count_nearer
-- Purpose: the exact place of a chunk among all vectors in scope.
-- Parameters: collections (integer[]), space (integer), question (vector), chunk (bigint: it has a vector)
-- Promise: one row: how many chunks come before it, nearest first, ties by chunk id; every vector compared.
WITH mine AS MATERIALIZED (
    SELECT e.chunk_id, e.embedding <=> %(question)s::vector AS distance
    FROM brain.chunk_embedding e
    WHERE e.chunk_id = %(chunk)s AND e.space_id = %(space)s
)
SELECT count(*)
FROM mine
JOIN brain.chunk_embedding other
  ON other.space_id = %(space)s
 AND other.collection_id = ANY(%(collections)s::integer[])
 AND (other.embedding <=> %(question)s::vector, other.chunk_id) < (mine.distance, mine.chunk_id);

-- name: find_words
-- Purpose: which of the question's terms each chunk and its document hold, and what they are worth by BM25.
-- Parameters: chunks (bigint[]), question (sparsevec: idf times the weight in the question),
--   document_question (the same with the idf among documents), gate and every
--   (integer[]), share (float8), as in lexical.rank
-- Promise: one row per chunk that exists: id, own score, its document's score (0: none stored), whether the
--   chunk passes the gate, the document half of BM25 of chunk and document (sparsevec, the
--   latter may be null).
SELECT c.id, -(c.bm25 <#> %(question)s::sparsevec),
       coalesce(-(d.bm25 <#> %(document_question)s::sparsevec), 0),
       c.terms && %(gate)s::integer[] AND c.terms @> %(every)s::integer[]
           AND brain.is_sampled(c.document_id, %(share)s::float8),
       c.bm25, d.bm25
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id
WHERE c.id = ANY(%(chunks)s::bigint[]);

-- name: count_better
-- Purpose: the place of a chunk by its own score among all that the gate lets in: whether its document counts.
-- Parameters: collections (integer[]), gate and every (integer[]), share (float8), question (sparsevec),
--   chunk (bigint)
-- Promise: one row: how many chunks come before it, best own score first, ties by chunk id.
WITH mine AS MATERIALIZED (
    SELECT c.id, c.bm25 <#> %(question)s::sparsevec AS distance
    FROM brain.chunk c
    WHERE c.id = %(chunk)s
)
SELECT coalesce((
    SELECT brain.count_better_by_words(
        %(collections)s::integer[], %(gate)s::integer[], %(question)s::sparsevec, mine.distance, mine.id,
        %(every)s::integer[], %(share)s::float8
    )
    FROM mine
), 0);
