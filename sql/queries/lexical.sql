-- name: count_chunks
-- Purpose: the N of BM25: how many chunks the searched collections hold.
-- Parameters: collections (integer[])
-- Promise: one row.
SELECT coalesce(sum(d.chunk_count), 0)::bigint
FROM brain.source s
JOIN brain.document d ON d.source_id = s.id AND d.state = 'ready'
WHERE s.collection_id = ANY(%(collections)s::integer[]);

-- name: document_frequencies
-- Purpose: in how many chunks of the searched collections each term of a question occurs.
-- Parameters: collections (integer[]), terms (integer[])
-- Promise: one row per term that occurs, summed over the sources: one set of statistics per question, so
--   that the scores of all collections are in one unit. Counts nothing the collections do not hold.
SELECT t.term, sum(t.chunks)::bigint
FROM brain.source s
JOIN brain.source_term t ON t.source_id = s.id
WHERE s.collection_id = ANY(%(collections)s::integer[])
  AND t.term = ANY(%(terms)s::integer[])
  AND t.chunks > 0
GROUP BY t.term;

-- name: rank
-- Purpose: the best chunks by BM25 among those that hold one of the gate's terms.
-- Parameters: collections (integer[]), gate (integer[]), question (sparsevec: idf times the weight in the
--   question), depth (integer)
-- Promise: at most depth rows of live documents (A2), best first, ties by chunk id. The score is exact
--   BM25 over all terms of the question: the gate only decides which rows are scored.
SELECT best.id, best.document_id, d.collection_id, best.score
FROM (
    SELECT c.id, c.document_id, -(c.bm25 <#> %(question)s::sparsevec) AS score
    FROM brain.chunk c
    WHERE c.terms && %(gate)s::integer[]
      AND c.collection_id = ANY(%(collections)s::integer[])
    ORDER BY c.bm25 <#> %(question)s::sparsevec, c.id
    LIMIT %(depth)s
) best
JOIN brain.document d ON d.id = best.document_id AND d.state = 'ready'
ORDER BY best.score DESC, best.id;
