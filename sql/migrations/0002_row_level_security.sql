-- One function that says who may search what, and row-level security as the second line behind it.
--
-- A search runs as brain_search. It may call readable_collections, which reads the tables of access with the
-- owner's rights; their rows themselves it never sees. Then it names the collections it was allowed in the
-- setting brain.collections, for its transaction, and from there on the rows of these exist and no others: a
-- query that forgets its filter finds nothing it should not (I3). Before that, and after the transaction, no
-- row exists. Tables that no search reads are closed to the role altogether.
--
-- The owner of the tables, who syncs, is not subject to the policies, and they are not forced on it: foreign
-- keys, copies and backups go on as before.

-- Not in the language SQL: it would be copied into each policy of each query, and planned there each time,
-- which cost 0.2 ms a query; measured 2026-12-01.
CREATE FUNCTION brain.searched_collections() RETURNS integer[]
    LANGUAGE plpgsql STABLE PARALLEL SAFE
AS $$
DECLARE
    written CONSTANT text := current_setting('brain.collections', true);
BEGIN
    IF written OPERATOR(pg_catalog.~) '^[0-9]{1,9}(,[0-9]{1,9})*$' THEN
        RETURN string_to_array(written, ',')::integer[];
    END IF;
    RETURN '{}';
END
$$;
COMMENT ON FUNCTION brain.searched_collections() IS
    'The collections this transaction may read. Absent, empty or no list of numbers with commas between: none.';

CREATE FUNCTION brain.readable_collections(asker text, groups text[], spoken_in text)
    RETURNS TABLE (
        id integer, name text, description text, inline_token_limit integer, default_mode text, reason text
    )
    LANGUAGE sql STABLE SECURITY DEFINER ROWS 20
BEGIN ATOMIC
    SELECT c.id, c.name, c.description, c.inline_token_limit, c.default_mode,
           'reader ' || granted.reader
               || CASE WHEN spoken_in IS NULL THEN ', in private' ELSE ', spoken in ' || spoken_in END
    FROM brain.collection c
    CROSS JOIN LATERAL (
        SELECT r.reader
        FROM unnest(ARRAY[asker] || ARRAY(
            SELECT 'group:' || g.name FROM unnest(groups) WITH ORDINALITY AS g (name, n) ORDER BY g.n
        )) WITH ORDINALITY AS asking (reader, n)
        JOIN brain.collection_reader r ON r.collection_id = c.id AND r.reader = asking.reader
        -- A user and a group share no name, whatever somebody may call themselves.
        WHERE asking.n > 1 OR NOT starts_with(asking.reader, 'group:')
        ORDER BY asking.n
        LIMIT 1
    ) granted
    WHERE spoken_in IS NULL
       OR EXISTS (
           SELECT FROM brain.collection_place p WHERE p.collection_id = c.id AND p.place = spoken_in
       );
END;
COMMENT ON FUNCTION brain.readable_collections(text, text[], text) IS
    'The one rule of access: what a user in these groups may search if the answer is spoken there, and why.';

-- What reads many rows to find a few does so in here. Under a policy PostgreSQL uses no index for a condition
-- whose operator might tell of rows that the policy hides, and it does not trust those of arrays: each question
-- would read all chunks of its collections for its terms. And comparing 27,000 vectors took 6 % longer with ten
-- collections in scope, six times as long with 1,000, as each row was held against each of them (measured
-- 2026-12-01). These functions apply the transaction's collections themselves and return numbers; what a chunk
-- holds is then read under the policy. They are not in the language SQL, as its plans do not know how rare a
-- term is before PostgreSQL 18.

CREATE FUNCTION brain.permitted(collections integer[]) RETURNS integer[]
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN ARRAY(SELECT unnest(collections) INTERSECT SELECT unnest(brain.searched_collections()));
COMMENT ON FUNCTION brain.permitted(integer[]) IS 'Those of these collections that this transaction may read.';

-- A question may consist of nothing but common words. Then a chunk must hold `every` of some of them, and if
-- that is still too much, only a share of the documents is looked at, the same ones each time.
CREATE FUNCTION brain.is_sampled(document_id bigint, share double precision) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashint8extended(document_id, 0) & 65535 < share * 65536;
COMMENT ON FUNCTION brain.is_sampled(bigint, double precision) IS
    'Whether a document is among a share of all, 0 to 1, that depends on nothing but its number.';

CREATE FUNCTION brain.rank_words(
    collections integer[], gate integer[], question sparsevec, breadth integer,
    every integer[] DEFAULT '{}', share double precision DEFAULT 1
)
    RETURNS TABLE (chunk_id bigint, document_id bigint, score double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
AS $$
DECLARE
    permitted CONSTANT integer[] := brain.permitted(collections);
BEGIN
    IF share < 1 THEN
        -- Fenced off: the index of terms would read the long lists that are to be avoided here.
        RETURN QUERY
        WITH looked_at AS MATERIALIZED (
            SELECT c.id, c.document_id, c.bm25 <#> question AS distance,
                   c.terms OPERATOR(pg_catalog.&&) gate AND c.terms OPERATOR(pg_catalog.@>) every AS passes
            FROM brain.chunk c
            WHERE c.document_id = ANY (ARRAY(
                      SELECT d.id FROM brain.document d
                      WHERE d.collection_id = ANY (permitted) AND d.state = 'ready'
                        AND brain.is_sampled(d.id, share)
                  ))
        )
        SELECT l.id, l.document_id, -l.distance
        FROM looked_at l
        WHERE l.passes
        ORDER BY l.distance, l.id
        LIMIT breadth;
    ELSIF every <> '{}' THEN
        RETURN QUERY
        SELECT c.id, c.document_id, -(c.bm25 <#> question)
        FROM brain.chunk c
        WHERE c.terms OPERATOR(pg_catalog.@>) every AND c.collection_id = ANY (permitted)
        ORDER BY c.bm25 <#> question, c.id
        LIMIT breadth;
    ELSE
        RETURN QUERY
        SELECT c.id, c.document_id, -(c.bm25 <#> question)
        FROM brain.chunk c
        WHERE c.terms OPERATOR(pg_catalog.&&) gate AND c.collection_id = ANY (permitted)
        ORDER BY c.bm25 <#> question, c.id
        LIMIT breadth;
    END IF;
END
$$;
COMMENT ON FUNCTION brain.rank_words(
    integer[], integer[], sparsevec, integer, integer[], double precision
) IS 'The best chunks by their own BM25 among those that pass the gate, best first, ties by id.';

CREATE FUNCTION brain.rank_vectors(collections integer[], space integer, question vector, depth integer)
    RETURNS TABLE (chunk_id bigint, distance double precision)
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 1000
AS $$
DECLARE
    permitted CONSTANT integer[] := brain.permitted(collections);
BEGIN
    RETURN QUERY
    SELECT best.chunk_id, best.distance
    FROM unnest(permitted) AS scope (id)
    CROSS JOIN LATERAL (
        SELECT e.chunk_id, e.embedding <=> question AS distance
        FROM brain.chunk_embedding e
        WHERE e.space_id = space AND e.collection_id = scope.id
        ORDER BY e.embedding <=> question, e.chunk_id
        LIMIT depth
    ) best;
END
$$;
COMMENT ON FUNCTION brain.rank_vectors(integer[], integer, vector, integer) IS
    'The nearest chunks of each collection by cosine, every vector compared.';

CREATE FUNCTION brain.count_better_by_words(
    collections integer[], gate integer[], question sparsevec, distance double precision, chunk_id bigint,
    every integer[] DEFAULT '{}', share double precision DEFAULT 1
) RETURNS bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER
AS $$
DECLARE
    permitted CONSTANT integer[] := brain.permitted(collections);
BEGIN
    RETURN (
        SELECT count(*)
        FROM brain.chunk c
        WHERE c.terms OPERATOR(pg_catalog.&&) gate
          AND (every = '{}' OR c.terms OPERATOR(pg_catalog.@>) every)
          AND (share >= 1 OR brain.is_sampled(c.document_id, share))
          AND c.collection_id = ANY (permitted)
          AND (c.bm25 <#> question, c.id) < (distance, chunk_id)
    );
END
$$;
COMMENT ON FUNCTION brain.count_better_by_words(
    integer[], integer[], sparsevec, double precision, bigint, integer[], double precision
) IS 'How many chunks rank_words would put before this one if it knew no end.';

CREATE FUNCTION brain.find_declared(collections integer[], words integer[], pattern text, at_most integer)
    RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 20
AS $$
DECLARE
    permitted CONSTANT integer[] := brain.permitted(collections);
BEGIN
    RETURN QUERY
    SELECT c.id
    FROM brain.chunk c
    JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
    WHERE c.terms OPERATOR(pg_catalog.@>) words AND c.collection_id = ANY (permitted) AND c.symbol ~ pattern
    ORDER BY length(c.symbol), c.document_id, c.ordinal
    LIMIT at_most;
END
$$;
COMMENT ON FUNCTION brain.find_declared(integer[], integer[], text, integer) IS
    'Live chunks that hold all these terms and whose symbol matches, shortest symbol first.';

CREATE FUNCTION brain.find_holding(collections integer[], words integer[], at_most integer)
    RETURNS SETOF bigint
    LANGUAGE plpgsql STABLE SECURITY DEFINER ROWS 200
AS $$
DECLARE
    permitted CONSTANT integer[] := brain.permitted(collections);
BEGIN
    RETURN QUERY
    SELECT c.id
    FROM brain.chunk c
    JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
    WHERE c.terms OPERATOR(pg_catalog.@>) words AND c.collection_id = ANY (permitted)
    ORDER BY c.tokens, c.id
    LIMIT at_most;
END
$$;
COMMENT ON FUNCTION brain.find_holding(integer[], integer[], integer) IS
    'Live chunks that hold all these terms, shortest first.';

-- Nobody's search_path decides what runs with the owner's rights: theirs is fixed, and has to name the schema
-- that pgvector is in, wherever that is.
DO $$
DECLARE
    called regprocedure;
BEGIN
    FOR called IN
        SELECT p.oid FROM pg_proc p WHERE p.pronamespace = 'brain'::regnamespace AND p.prosecdef
    LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', called);
        EXECUTE format('ALTER FUNCTION %s SET search_path = pg_catalog, %I, pg_temp', called, (
            SELECT n.nspname
            FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
            WHERE e.extname = 'vector'
        ));
    END LOOP;
END
$$;

-- What the search role reads, and under which condition. The setting is read once for each query, not row by
-- row, and its array can be looked up in an index.

ALTER TABLE brain.collection ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.collection FOR SELECT
    USING (id = ANY ((SELECT brain.searched_collections())::integer[]));
ALTER TABLE brain.source ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.source FOR SELECT
    USING (collection_id = ANY ((SELECT brain.searched_collections())::integer[]));
ALTER TABLE brain.document ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.document FOR SELECT
    USING (collection_id = ANY ((SELECT brain.searched_collections())::integer[]));
ALTER TABLE brain.chunk ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.chunk FOR SELECT
    USING (collection_id = ANY ((SELECT brain.searched_collections())::integer[]));
ALTER TABLE brain.chunk_embedding ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.chunk_embedding FOR SELECT
    USING (collection_id = ANY ((SELECT brain.searched_collections())::integer[]));

-- What hangs on a source, or on the text of a chunk, is seen with it: the policies of those tables apply here.
ALTER TABLE brain.source_term ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.source_term FOR SELECT USING (source_id IN (SELECT s.id FROM brain.source s));
ALTER TABLE brain.code_map ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.code_map FOR SELECT USING (source_id IN (SELECT s.id FROM brain.source s));
ALTER TABLE brain.staged_item ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.staged_item FOR SELECT USING (source_id IN (SELECT s.id FROM brain.source s));
ALTER TABLE brain.embedding_failure ENABLE ROW LEVEL SECURITY;
CREATE POLICY searched ON brain.embedding_failure FOR SELECT
    USING (EXISTS (SELECT FROM brain.chunk c WHERE c.embed_key = key));

-- Access, and content on its way: without a policy there is no row, even if somebody grants the right to read.
ALTER TABLE brain.collection_reader ENABLE ROW LEVEL SECURITY;
ALTER TABLE brain.collection_place ENABLE ROW LEVEL SECURITY;
ALTER TABLE brain.sync_run ENABLE ROW LEVEL SECURITY;
ALTER TABLE brain.outcome ENABLE ROW LEVEL SECURITY;
ALTER TABLE brain.staged_chunk ENABLE ROW LEVEL SECURITY;
ALTER TABLE brain.context_cache ENABLE ROW LEVEL SECURITY;
ALTER TABLE brain.embedding_cache ENABLE ROW LEVEL SECURITY;

-- Done again by every `brain init`, as an administrator may make the role later.
CREATE PROCEDURE brain.admit_search_role()
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    called regprocedure;
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'brain_search') THEN
        RETURN;
    END IF;
    REVOKE ALL ON ALL TABLES IN SCHEMA brain FROM brain_search;
    GRANT USAGE ON SCHEMA brain TO brain_search;
    GRANT SELECT ON brain.collection, brain.source, brain.document, brain.chunk, brain.chunk_embedding,
        brain.source_term, brain.code_map, brain.staged_item, brain.embedding_failure, brain.embedding_space
        TO brain_search;
    FOR called IN
        SELECT p.oid FROM pg_proc p
        WHERE p.pronamespace = 'brain'::regnamespace
          AND p.proname IN ('readable_collections', 'rank_words', 'rank_vectors', 'count_better_by_words',
                            'find_declared', 'find_holding')
    LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO brain_search', called);
    END LOOP;
END
$$;
REVOKE ALL ON PROCEDURE brain.admit_search_role() FROM PUBLIC;
CALL brain.admit_search_role();
