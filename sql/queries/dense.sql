-- name: configure_hnsw
-- Purpose: let an index scan go on until it has found enough rows that pass the filter (C1, C2).
-- Parameters: ef_search (text), max_scan_tuples (text)
-- Promise: holds in this transaction only. The vector literal loads the library first: until it is
--   loaded, PostgreSQL accepts any value and later falls back to 40 without a word.
SELECT vector_dims('[1]'::vector),
       set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('hnsw.max_scan_tuples', %(max_scan_tuples)s, true);

-- name: space_is_active
-- Purpose: whether the space a question was embedded in is still the one the store answers from (B5).
-- Parameters: space (integer), width (integer)
-- Promise: one row.
SELECT EXISTS (
    SELECT FROM brain.embedding_space e
    WHERE e.id = %(space)s AND e.width = %(width)s AND e.state = 'active'
);

-- name: count_vectors_up_to
-- Purpose: tell a scope small enough for an exact scan from a larger one.
-- Parameters: collections (integer[]), space (integer), at_most (integer)
-- Promise: one row: the number of vectors, or at_most if there are more.
SELECT count(*)
FROM (
    SELECT
    FROM brain.chunk_embedding e
    WHERE e.collection_id = ANY(%(collections)s::integer[]) AND e.space_id = %(space)s
    LIMIT %(at_most)s
) few;

-- name: rank_exactly
-- Purpose: the nearest chunks by cosine, every vector of the scope compared.
-- Parameters: collections (integer[]), space (integer), question (vector), depth (integer)
-- Promise: at most depth rows of live documents (A2), nearest first, ties by chunk id. The column is not
--   cast to a width, so no vector index matches the order and none is used.
SELECT near.chunk_id, d.id, d.collection_id, near.similarity
FROM (
    SELECT e.chunk_id, 1 - (e.embedding <=> %(question)s::vector) AS similarity
    FROM brain.chunk_embedding e
    WHERE e.space_id = %(space)s AND e.collection_id = ANY(%(collections)s::integer[])
    ORDER BY e.embedding <=> %(question)s::vector, e.chunk_id
    LIMIT %(depth)s
) near
JOIN brain.chunk c ON c.id = near.chunk_id
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
ORDER BY near.similarity DESC, near.chunk_id;

-- name: rank_by_index
-- Purpose: the nearest chunks by cosine, through the HNSW index of the space.
-- Parameters: collections (integer[]), question (vector), depth (integer); composed by the driver, as the
--   index is partial and its expression has a width: {space}, {width} (integers)
-- Promise: at most depth rows of live documents (A2), nearest first, ties by chunk id; may be fewer than
--   match, so the caller counts.
SELECT near.chunk_id, d.id, d.collection_id, near.similarity
FROM (
    SELECT e.chunk_id, 1 - (e.embedding::vector({width}) <=> %(question)s::vector({width})) AS similarity
    FROM brain.chunk_embedding e
    WHERE e.space_id = {space} AND e.collection_id = ANY(%(collections)s::integer[])
    ORDER BY e.embedding::vector({width}) <=> %(question)s::vector({width})
    LIMIT %(depth)s
) near
JOIN brain.chunk c ON c.id = near.chunk_id
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
ORDER BY near.similarity DESC, near.chunk_id;
