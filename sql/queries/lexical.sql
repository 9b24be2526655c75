-- name: count_chunks
-- Purpose: the N of BM25: how many chunks, and how many documents, the searched collections hold.
-- Parameters: collections (integer[])
-- Promise: one row.
SELECT coalesce(sum(d.chunk_count), 0)::bigint, count(d.id)
FROM brain.source s
JOIN brain.document d ON d.source_id = s.id AND d.state = 'ready'
WHERE s.collection_id = ANY(%(collections)s::integer[]);

-- name: document_frequencies
-- Purpose: in how many chunks, and how many documents, of the searched collections each term occurs.
-- Parameters: collections (integer[]), terms (integer[])
-- Promise: one row per term that occurs, summed over the sources: one set of statistics per question, so
--   that the scores of all collections are in one unit. Counts nothing the collections do not hold.
SELECT t.term, sum(t.chunks)::bigint, sum(t.documents)::bigint
FROM brain.source s
JOIN brain.source_term t ON t.source_id = s.id
WHERE s.collection_id = ANY(%(collections)s::integer[])
  AND t.term = ANY(%(terms)s::integer[])
  AND t.chunks > 0
GROUP BY t.term;

-- name: rank
-- Purpose: the best chunks by BM25 among those that hold one of the gate's terms: a chunk's own score and
--   its document's, added.
-- Parameters: collections (integer[]), gate (integer[]), question (sparsevec: idf times the weight in the
--   question), document_question (the same with the idf among documents), breadth (integer: how many
--   chunks, best by their own score, have their documents looked at), depth (integer), every (integer[]:
--   terms a chunk must hold all of; none as a rule), share (float8: of the documents; 1 as a rule)
-- Promise: at most depth rows of live documents (A2), best first, ties by chunk id. The gate decides which
--   rows are scored, the breadth for which of them the document counts; both scores are exact BM25.
WITH own AS MATERIALIZED (
    SELECT w.chunk_id AS id, w.document_id, w.score
    FROM brain.rank_words(
        %(collections)s::integer[], %(gate)s::integer[], %(question)s::sparsevec, %(breadth)s::integer,
        %(every)s::integer[], %(share)s::float8
    ) w
), whole AS MATERIALIZED (
    SELECT d.id, d.collection_id,
           coalesce(-(d.bm25 <#> %(document_question)s::sparsevec), 0) AS score
    FROM brain.document d
    WHERE d.state = 'ready' AND d.id = ANY(ARRAY(SELECT DISTINCT o.document_id FROM own o))
)
SELECT own.id, own.document_id, whole.collection_id, own.score + whole.score AS score
FROM own
JOIN whole ON whole.id = own.document_id
ORDER BY score DESC, own.id
LIMIT %(depth)s;
