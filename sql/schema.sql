-- The truth for new installs. Old installs get here through sql/migrations; a test proves both agree.
-- Names are the vocabulary of the project: docs/glossary.md.

CREATE SCHEMA IF NOT EXISTS brain;
CREATE EXTENSION IF NOT EXISTS vector;

-- The search role: what a query runs as. It reads and cannot write (fault D6).
-- Roles belong to the server, not to the database, so another Brain may have made it already; and where
-- this login may not make roles, searches run with its own rights, which `brain doctor` reports.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'brain_search') THEN
        CREATE ROLE brain_search NOLOGIN;
        -- Since PostgreSQL 16 making a role does not include the right to take it on.
        GRANT brain_search TO CURRENT_USER;
    END IF;
EXCEPTION
    WHEN duplicate_object OR unique_violation THEN NULL;
    WHEN insufficient_privilege THEN RAISE NOTICE 'the role brain_search could not be made';
END
$$;

CREATE TABLE brain.schema_migration (
    version    integer PRIMARY KEY,
    name       text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now()
);

-- Ownership and access ------------------------------------------------------------------------------

CREATE TABLE brain.collection (
    id                 integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name               text NOT NULL UNIQUE CHECK (name ~ '^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$'),
    owner              text NOT NULL CHECK (owner <> ''),
    description        text NOT NULL DEFAULT '',
    inline_token_limit integer NOT NULL DEFAULT 4000 CHECK (inline_token_limit >= 0),
    default_mode       text NOT NULL DEFAULT 'hybrid' CHECK (default_mode IN ('dense', 'lexical', 'hybrid')),
    created_at         timestamptz NOT NULL DEFAULT now()
);

-- Who may search it. No rows: nobody.
CREATE TABLE brain.collection_reader (
    collection_id integer NOT NULL REFERENCES brain.collection ON DELETE CASCADE,
    reader        text NOT NULL CHECK (reader <> ''),
    granted_by    text NOT NULL,
    granted_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection_id, reader)
);

-- Where an answer built from it may be spoken. No rows: nowhere but to the asker alone.
CREATE TABLE brain.collection_place (
    collection_id integer NOT NULL REFERENCES brain.collection ON DELETE CASCADE,
    place         text NOT NULL CHECK (place <> ''),
    granted_by    text NOT NULL,
    granted_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (collection_id, place)
);

-- Sources and their runs ----------------------------------------------------------------------------

CREATE TABLE brain.source (
    id             integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    key            text NOT NULL UNIQUE CHECK (key ~ '^[a-z0-9][a-z0-9._-]{0,99}$' AND key !~ '\.\.'),
    collection_id  integer NOT NULL REFERENCES brain.collection ON DELETE CASCADE,
    kind           text NOT NULL,
    location       text NOT NULL,
    ref            text,
    include        text[] NOT NULL DEFAULT '{}',
    exclude        text[] NOT NULL DEFAULT '{}',
    added_by       text NOT NULL,
    added_at       timestamptz NOT NULL DEFAULT now(),
    -- Each run that lists the source takes the next generation; publishing is compare-and-set on it (A7).
    generation     bigint NOT NULL DEFAULT 0,
    -- What the last completely published run saw: equal token and recipe mean there is nothing to do.
    revision       text,
    listing_token  text,
    recipe         text,
    last_listed_at timestamptz,
    last_synced_at timestamptz,
    UNIQUE (id, collection_id)
);

CREATE TABLE brain.sync_run (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id           integer NOT NULL REFERENCES brain.source ON DELETE CASCADE,
    generation          bigint NOT NULL,
    run_key             text NOT NULL,
    -- abandoned: its process died, and what it staged is good; failed: a stage or a check said no.
    state               text NOT NULL CHECK (
        state IN ('running', 'done', 'partial', 'failed', 'abandoned', 'superseded')),
    revision            text NOT NULL,
    listing_token       text NOT NULL,
    listing_is_complete boolean NOT NULL,
    recipe              text NOT NULL,
    listed              integer NOT NULL,
    excluded            integer NOT NULL DEFAULT 0,
    counts              jsonb NOT NULL DEFAULT '{}',
    problems            text[] NOT NULL DEFAULT '{}',
    error               text,
    outcomes_pruned     boolean NOT NULL DEFAULT false,
    started_at          timestamptz NOT NULL DEFAULT now(),
    finished_at         timestamptz,
    UNIQUE (source_id, generation),
    CHECK ((state = 'running') = (finished_at IS NULL))
);
CREATE INDEX sync_run_by_run_key ON brain.sync_run (run_key);

CREATE TABLE brain.document (
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id      integer NOT NULL,
    collection_id  integer NOT NULL,
    -- Identity is (source, path), never the hash. The raw bytes may be any length and any bytes (F6),
    -- more than a B-tree entry holds, so the key is their digest.
    path_bytes     bytea NOT NULL,
    path_key       bytea NOT NULL GENERATED ALWAYS AS (sha256(path_bytes)) STORED,
    path           text NOT NULL,
    content_hash   text NOT NULL,
    change_token   text NOT NULL,
    state          text NOT NULL CHECK (state IN ('pending', 'ready', 'failed', 'skipped')),
    reason_code    text,
    reason         text,
    retry_at       timestamptz,
    warnings       text[] NOT NULL DEFAULT '{}',
    media_type     text NOT NULL DEFAULT '',
    language       text NOT NULL DEFAULT '',
    encoding       text NOT NULL DEFAULT '',
    title          text NOT NULL DEFAULT '',
    size_bytes     bigint NOT NULL DEFAULT 0,
    char_count     bigint NOT NULL DEFAULT 0,
    chunk_count    integer NOT NULL DEFAULT 0,
    page_count     integer,
    recipe         text NOT NULL,
    generation     bigint NOT NULL,
    revision       text NOT NULL,
    indexed_at     timestamptz NOT NULL DEFAULT now(),
    -- The generation and recipe the code map was last made from; the map is due while they differ.
    mapped_generation bigint NOT NULL DEFAULT 0,
    mapped_recipe  text NOT NULL DEFAULT '',
    -- The document half of BM25 over the whole document: null until it is published by a recipe that has it.
    bm25           sparsevec,
    -- What the document says of itself: front matter, author, date.
    metadata       jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object'),
    UNIQUE (source_id, path_key),
    FOREIGN KEY (source_id, collection_id) REFERENCES brain.source (id, collection_id)
        ON DELETE CASCADE ON UPDATE CASCADE,
    -- A document without text is never "ready": an empty success cannot be stored (G4).
    CHECK (state <> 'ready' OR (chunk_count > 0 AND char_count > 0)),
    CHECK (state = 'ready' OR chunk_count = 0),
    CHECK (state NOT IN ('failed', 'skipped') OR (reason_code IS NOT NULL AND reason IS NOT NULL))
);
CREATE INDEX document_by_state ON brain.document (source_id, state);

-- Per run and listed item exactly one row. Rows that say "unchanged" are pruned after a few runs.
CREATE TABLE brain.outcome (
    run_id     bigint NOT NULL REFERENCES brain.sync_run ON DELETE CASCADE,
    path_key   bytea NOT NULL,
    path_bytes bytea NOT NULL,
    path       text NOT NULL,
    outcome    text NOT NULL CHECK (outcome IN ('indexed', 'unchanged', 'skipped', 'failed', 'deleted')),
    rule       text,
    reason     text,
    retry_at   timestamptz,
    PRIMARY KEY (run_id, path_key),
    CHECK (outcome NOT IN ('skipped', 'failed') OR (rule IS NOT NULL AND reason IS NOT NULL))
);

-- The index -----------------------------------------------------------------------------------------

CREATE TABLE brain.chunk (
    id                  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    document_id         bigint NOT NULL REFERENCES brain.document ON DELETE CASCADE,
    source_id           integer NOT NULL,
    collection_id       integer NOT NULL,
    generation          bigint NOT NULL,
    ordinal             integer NOT NULL CHECK (ordinal >= 0),
    kind                text NOT NULL,
    symbol              text NOT NULL DEFAULT '',
    start_byte          integer,
    end_byte            integer,
    start_line          integer,
    end_line            integer,
    page                integer,
    page_label          text,
    text                text NOT NULL CHECK (text <> ''),
    context             text NOT NULL,
    context_kind        text NOT NULL CHECK (context_kind IN ('structure', 'model')),
    context_model       text NOT NULL,
    context_prompt_hash bytea NOT NULL,
    context_state       text NOT NULL CHECK (context_state IN ('ok', 'failed', 'skipped')),
    tokens              integer NOT NULL CHECK (tokens >= 0),
    -- sha256 of exactly the text that was embedded, the key into the caches.
    embed_key           bytea NOT NULL,
    -- Hashes of the distinct lexemes, and per lexeme the document half of BM25 (docs/lexical.md).
    terms               integer[] NOT NULL,
    bm25                sparsevec NOT NULL,
    UNIQUE (document_id, ordinal),
    CHECK (start_line IS NOT NULL OR page IS NOT NULL),
    CHECK (start_line IS NULL OR (start_line >= 1 AND end_line >= start_line)),
    CHECK (start_byte IS NULL OR end_byte > start_byte)
);
CREATE INDEX chunk_by_source ON brain.chunk (source_id);
CREATE INDEX chunk_by_collection ON brain.chunk (collection_id);
CREATE INDEX chunk_by_embed_key ON brain.chunk (embed_key);
-- fastupdate = off: a pending list would make the first search after a load pay for the load.
CREATE INDEX chunk_by_term ON brain.chunk USING gin (terms) WITH (fastupdate = off);

-- Identity of an embedding space is what produced the vectors, never where it was hosted.
CREATE TABLE brain.embedding_space (
    id              integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    model           text NOT NULL,
    revision        text NOT NULL,
    width           integer NOT NULL CHECK (width BETWEEN 1 AND 16000),
    query_prefix    text NOT NULL DEFAULT '',
    passage_prefix  text NOT NULL DEFAULT '',
    is_normalised   boolean NOT NULL,
    max_tokens      integer NOT NULL CHECK (max_tokens > 0),
    state           text NOT NULL CHECK (state IN ('building', 'active', 'retired')),
    created_at      timestamptz NOT NULL DEFAULT now(),
    UNIQUE (id, width),
    UNIQUE (model, revision, width, query_prefix, passage_prefix, is_normalised, max_tokens)
);
CREATE UNIQUE INDEX embedding_space_one_active ON brain.embedding_space (state) WHERE state = 'active';

-- The width travels with the row so that a foreign key can hold it to the width of its space (B4);
-- pgvector itself refuses NaN and infinity, and the norm check refuses the zero vector, which HNSW
-- would never return (B3).
CREATE TABLE brain.chunk_embedding (
    chunk_id      bigint NOT NULL REFERENCES brain.chunk ON DELETE CASCADE,
    space_id      integer NOT NULL,
    width         integer NOT NULL,
    collection_id integer NOT NULL,
    embedding     vector NOT NULL,
    PRIMARY KEY (chunk_id, space_id),
    FOREIGN KEY (space_id, width) REFERENCES brain.embedding_space (id, width) ON DELETE CASCADE,
    CHECK (vector_dims(embedding) = width),
    CHECK (vector_norm(embedding) > 0)
);
CREATE INDEX chunk_embedding_by_collection ON brain.chunk_embedding (collection_id, space_id);

-- Statistics of the lexical index, kept in the transaction that publishes a document. Per source, so
-- that two sources never wait for each other, a removed source takes its counts along, and a search
-- counts only what its principal may read.
CREATE TABLE brain.source_term (
    source_id integer NOT NULL REFERENCES brain.source ON DELETE CASCADE,
    term      integer NOT NULL,
    chunks    integer NOT NULL CHECK (chunks >= 0),
    documents integer NOT NULL DEFAULT 0 CHECK (documents >= 0),
    PRIMARY KEY (term, source_id)
);
CREATE INDEX source_term_by_source ON brain.source_term (source_id);

CREATE TABLE brain.code_map (
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    source_id   integer NOT NULL REFERENCES brain.source ON DELETE CASCADE,
    document_id bigint NOT NULL REFERENCES brain.document ON DELETE CASCADE,
    kind        text NOT NULL CHECK (kind IN ('manifest', 'dependency', 'workspace', 'entry_point', 'route', 'rpc',
                                          'consumer')),
    name        text NOT NULL,
    detail      text NOT NULL DEFAULT '',
    line        integer NOT NULL CHECK (line >= 1),
    generation  bigint NOT NULL
);
CREATE INDEX code_map_by_source ON brain.code_map (source_id, kind);
CREATE INDEX code_map_by_document ON brain.code_map (document_id);

-- The delta of a source on its way through the stages -------------------------------------------------

-- One row per listed or removed item of the run in progress. A null state: not read yet.
CREATE TABLE brain.staged_item (
    source_id    integer NOT NULL REFERENCES brain.source ON DELETE CASCADE,
    path_bytes   bytea NOT NULL,
    path_key     bytea NOT NULL GENERATED ALWAYS AS (sha256(path_bytes)) STORED,
    path         text NOT NULL,
    change       text NOT NULL CHECK (change IN ('added', 'changed', 'stale', 'retry', 'unchanged', 'removed')),
    item_kind    text NOT NULL,
    token        text NOT NULL,
    listed_hash  text,
    listed_bytes bigint,
    recipe       text NOT NULL,
    state        text CHECK (state IN ('ready', 'failed', 'skipped')),
    content_hash text,
    reason_code  text,
    reason       text,
    retry_at     timestamptz,
    warnings     text[] NOT NULL DEFAULT '{}',
    media_type   text NOT NULL DEFAULT '',
    language     text NOT NULL DEFAULT '',
    encoding     text NOT NULL DEFAULT '',
    title        text NOT NULL DEFAULT '',
    size_bytes   bigint NOT NULL DEFAULT 0,
    char_count   bigint NOT NULL DEFAULT 0,
    page_count   integer,
    outline      text[] NOT NULL DEFAULT '{}',
    imports      text[] NOT NULL DEFAULT '{}',
    bm25         sparsevec,
    metadata     jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (source_id, path_key)
);

CREATE TABLE brain.staged_chunk (
    source_id   integer NOT NULL,
    path_key    bytea NOT NULL,
    ordinal     integer NOT NULL,
    kind        text NOT NULL,
    symbol      text NOT NULL,
    enclosing   text[] NOT NULL,
    headings    text[] NOT NULL,
    text        text NOT NULL,
    start_byte  integer,
    end_byte    integer,
    start_line  integer,
    end_line    integer,
    page        integer,
    page_label  text,
    tokens      integer NOT NULL,
    -- Filled by the contexts stage: keys into the caches, what precedes the text when it is embedded,
    -- and the lexical columns.
    context_key bytea,
    embed_header text,
    embed_key   bytea,
    terms       integer[],
    bm25        sparsevec,
    -- Routes and entry points that lead to the chunk.
    reached_by  text[] NOT NULL DEFAULT '{}',
    -- What is embedded and indexed in place of the text, where that is mostly markup; null: the text itself.
    plain_text  text,
    PRIMARY KEY (source_id, path_key, ordinal),
    FOREIGN KEY (source_id, path_key) REFERENCES brain.staged_item (source_id, path_key) ON DELETE CASCADE
);
CREATE INDEX staged_chunk_by_embed_key ON brain.staged_chunk (source_id, embed_key);

-- Content-addressed results: the key is the hash of exactly what was sent. Durable batch by batch, so a
-- killed run loses the batch in flight and a retry or a move pays nothing.
CREATE TABLE brain.context_cache (
    key         bytea PRIMARY KEY,
    kind        text NOT NULL CHECK (kind IN ('structure', 'model')),
    model       text NOT NULL,
    prompt_hash bytea NOT NULL,
    state       text NOT NULL CHECK (state IN ('ok', 'failed', 'skipped')),
    sentence    text NOT NULL,
    used_at     timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE brain.embedding_cache (
    space_id  integer NOT NULL,
    key       bytea NOT NULL,
    width     integer NOT NULL,
    embedding vector NOT NULL,
    used_at   timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space_id, key),
    FOREIGN KEY (space_id, width) REFERENCES brain.embedding_space (id, width) ON DELETE CASCADE,
    CHECK (vector_dims(embedding) = width),
    CHECK (vector_norm(embedding) > 0)
);

-- A text the model could not turn into a usable vector: its chunk is published without one, found by
-- its words, and counted in `brain status` (B3).
CREATE TABLE brain.embedding_failure (
    space_id  integer NOT NULL REFERENCES brain.embedding_space ON DELETE CASCADE,
    key       bytea NOT NULL,
    reason    text NOT NULL,
    attempts  integer NOT NULL DEFAULT 1,
    failed_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (space_id, key)
);

-- Evaluation and index health -------------------------------------------------------------------------

CREATE TABLE brain.eval_run (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    goldset       text NOT NULL,
    goldset_hash  text NOT NULL,
    principal     text NOT NULL,
    space         text NOT NULL,
    recipe        text NOT NULL,
    code_version  text NOT NULL,
    run_key       text NOT NULL DEFAULT '',
    modes         text[] NOT NULL,
    cases         integer NOT NULL,
    measurable    integer NOT NULL,
    verdict       text NOT NULL CHECK (verdict IN ('passed', 'failed', 'no-baseline')),
    verdict_words text NOT NULL DEFAULT '',
    baseline_id   bigint REFERENCES brain.eval_run,
    accepted_by   text,
    accepted_at   timestamptz,
    started_at    timestamptz NOT NULL,
    finished_at   timestamptz NOT NULL DEFAULT now(),
    CHECK ((accepted_by IS NULL) = (accepted_at IS NULL))
);
CREATE INDEX eval_run_by_goldset ON brain.eval_run (goldset, id);

CREATE TABLE brain.eval_metric (
    eval_run_id bigint NOT NULL REFERENCES brain.eval_run ON DELETE CASCADE,
    mode        text NOT NULL,
    metric      text NOT NULL,
    value       double precision NOT NULL,
    PRIMARY KEY (eval_run_id, mode, metric)
);

CREATE TABLE brain.eval_case (
    eval_run_id  bigint NOT NULL REFERENCES brain.eval_run ON DELETE CASCADE,
    case_id      text NOT NULL,
    mode         text NOT NULL,
    query        text NOT NULL,
    expect       text NOT NULL,
    source       text,
    measurable   boolean NOT NULL,
    why_not      text,
    rank         integer CHECK (rank >= 1),
    PRIMARY KEY (eval_run_id, case_id, mode),
    CHECK (measurable = (why_not IS NULL))
);

CREATE TABLE brain.index_health (
    id            bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    space_id      integer NOT NULL REFERENCES brain.embedding_space ON DELETE CASCADE,
    reflects_run  bigint NOT NULL,
    is_valid      boolean NOT NULL,
    vectors       bigint NOT NULL,
    dead_share    double precision NOT NULL,
    recall        double precision,
    fill_rate     double precision,
    measured_at   timestamptz NOT NULL DEFAULT now()
);

-- What analysts ask: how did each goldset move over time, and which cases moved with it.
CREATE VIEW brain.eval_history AS
SELECT r.goldset, r.id AS eval_run_id, r.finished_at, r.verdict, r.accepted_at IS NOT NULL AS is_accepted,
       r.cases, r.measurable, m.mode, m.metric, m.value,
       m.value - lag(m.value) OVER (PARTITION BY r.goldset, m.mode, m.metric ORDER BY r.id) AS change
FROM brain.eval_run r
JOIN brain.eval_metric m ON m.eval_run_id = r.id;

CREATE VIEW brain.eval_case_history AS
SELECT r.goldset, c.case_id, c.mode, r.id AS eval_run_id, r.finished_at, c.measurable, c.rank,
       lag(c.rank) OVER (PARTITION BY r.goldset, c.case_id, c.mode ORDER BY r.id) AS previous_rank
FROM brain.eval_run r
JOIN brain.eval_case c ON c.eval_run_id = r.id;

-- Access: the rule, and row-level security as the second line behind it ------------------------------

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
