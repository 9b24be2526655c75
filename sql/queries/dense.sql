-- name: configure_hnsw
-- Purpose: let an index scan go on until it has found enough rows that pass the filter (C1, C2).
-- Parameters: ef_search (text), max_scan_tuples (text)
-- Promise: holds in this transaction only. The vector literal loads the library first: until it is
--   loaded, PostgreSQL accepts any value and later falls back to 40 without a word.
SELECT vector_dims('[1]'::vector),
       set_config('hnsw.iterative_scan', 'strict_order', true),
       set_config('hnsw.ef_search', %(ef_search)s, true),
       set_config('hnsw.max_scan_tuples', %(max_scan_tuples)s, true);

-- name: space_state
-- Purpose: whether the space a question was embedded in is still the one the store answers from (B5), and
--   how many vectors its index holds.
-- Parameters: space (integer), width (integer), index_name (text)
-- Promise: one row; the vectors as the statistics know them, 0 without a valid index. The system catalogs
--   are read, as an estimate is enough and a count of all vectors is not cheap.
SELECT EXISTS (
           SELECT FROM brain.embedding_space e
           WHERE e.id = %(space)s AND e.width = %(width)s AND e.state = 'active'
       ),
       coalesce((
           SELECT greatest(c.reltuples, 0)::bigint
           FROM pg_class c
           JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'brain'
           JOIN pg_index i ON i.indexrelid = c.oid AND i.indisvalid
           WHERE c.relname = %(index_name)s
       ), 0);

-- name: find_large
-- Purpose: tell collections that are cheaper to ask the index for from those that are cheaper to compare
--   whole.
-- Parameters: collections (integer[]), space (integer), vectors (integer, at least 1)
-- Promise: the ids of those that hold at least so many vectors. Reads no more than that of each, from an
--   index alone, and counts nothing: over 136,000 entries this took 11 ms and counting them 36 (2026-12-01,
--   two busy cores).
SELECT scope.id
FROM unnest(%(collections)s::integer[]) AS scope (id)
WHERE EXISTS (
    SELECT
    FROM brain.chunk_embedding e
    WHERE e.collection_id = scope.id AND e.space_id = %(space)s
    OFFSET %(vectors)s::bigint - 1
    LIMIT 1
);

-- name: rank_exactly
-- Purpose: the nearest chunks of each collection by cosine, every vector compared.
-- Parameters: collections (integer[]), space (integer), question (vector), depth (integer)
-- Promise: per collection at most depth rows of live documents (A2); all rows nearest first, ties by chunk
--   id. The column is not cast to a width, so no vector index matches the order and none is used.
SELECT near.chunk_id, d.id, d.collection_id, 1 - near.distance
FROM brain.rank_vectors(
    %(collections)s::integer[], %(space)s::integer, %(question)s::vector, %(depth)s::integer
) near
JOIN brain.chunk c ON c.id = near.chunk_id
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
ORDER BY near.distance, near.chunk_id;

-- name: rank_by_index
-- Purpose: the nearest chunks of one collection by cosine, through the HNSW index of the space.
-- Parameters: collection (integer), question (vector), depth (integer); composed by the driver, as the
--   index is partial and its expression has a width: {space}, {width} (integers)
-- Promise: at most depth rows of live documents (A2), nearest first, ties by chunk id; may be fewer than
--   match, so the caller counts.
SELECT near.chunk_id, d.id, d.collection_id, 1 - near.distance
FROM (
    SELECT e.chunk_id, e.embedding::vector({width}) <=> %(question)s::vector({width}) AS distance
    FROM brain.chunk_embedding e
    WHERE e.space_id = {space} AND e.collection_id = %(collection)s
    ORDER BY distance
    LIMIT %(depth)s
) near
JOIN brain.chunk c ON c.id = near.chunk_id
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
ORDER BY near.distance, near.chunk_id;
