-- What must hold after any fault. Each query returns the rows that break its rule, at most 100: a subject
-- and the words for it; no row means that the rule holds. `brain doctor` and the fault tests run them all.
--
-- Rules that need no query, because the schema refuses to break them: one active embedding space at a
-- time (embedding_space_one_active), one width per space (foreign key on space and width), no zero vector,
-- one chunk per document and ordinal, one outcome per run and item.

-- name: chunk_without_document
-- Purpose: an orphan could answer for a document that is gone (A2).
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT 'chunk ' || c.id, 'its document ' || c.document_id || ' does not exist'
FROM brain.chunk c
LEFT JOIN brain.document d ON d.id = c.document_id
WHERE d.id IS NULL
ORDER BY c.id LIMIT 100;

-- name: ready_without_chunks
-- Purpose: a document that claims to be searchable has something to find (G4).
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT s.key || ':' || d.path, 'ready, but without a chunk'
FROM brain.document d
JOIN brain.source s ON s.id = d.source_id
WHERE d.state = 'ready' AND NOT EXISTS (SELECT FROM brain.chunk c WHERE c.document_id = d.id)
ORDER BY d.id LIMIT 100;

-- name: chunk_count_wrong
-- Purpose: what a document says it has is what it has.
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT s.key || ':' || d.path, d.chunk_count || ' chunks recorded, ' || coalesce(c.found, 0) || ' found'
FROM brain.document d
JOIN brain.source s ON s.id = d.source_id
LEFT JOIN (SELECT document_id, count(*) AS found FROM brain.chunk GROUP BY document_id) c
       ON c.document_id = d.id
WHERE d.chunk_count <> coalesce(c.found, 0)
ORDER BY d.id LIMIT 100;

-- name: mixed_generations
-- Purpose: all chunks of a document come from the version the document is at (A1).
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT s.key || ':' || d.path,
       count(*) || ' chunks of another generation than ' || d.generation
FROM brain.document d
JOIN brain.source s ON s.id = d.source_id
JOIN brain.chunk c ON c.document_id = d.id AND c.generation <> d.generation
GROUP BY s.key, d.id
ORDER BY d.id LIMIT 100;

-- name: spans_with_gaps
-- Purpose: the chunks of a text file tile it: no byte lost, none twice.
-- Parameters: none.
-- Promise: no row unless the rule is broken. Documents by page have no byte spans and are not looked at.
SELECT s.key || ':' || d.path,
       'chunk ' || min(t.ordinal) || ' should start at byte ' || (array_agg(t.expected ORDER BY t.ordinal))[1]
       || ' and starts at ' || (array_agg(t.start_byte ORDER BY t.ordinal))[1]
FROM (
    SELECT document_id, ordinal, start_byte,
           coalesce(lag(end_byte) OVER (PARTITION BY document_id ORDER BY ordinal), 0) AS expected
    FROM brain.chunk
    WHERE start_byte IS NOT NULL
) t
JOIN brain.document d ON d.id = t.document_id
JOIN brain.source s ON s.id = d.source_id
WHERE t.start_byte <> t.expected
GROUP BY s.key, d.id
ORDER BY d.id LIMIT 100;

-- name: ordinals_with_gaps
-- Purpose: no chunk in the middle of a document is missing.
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT s.key || ':' || d.path, count(*) || ' chunks, but the last one is number ' || max(c.ordinal)
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id
JOIN brain.source s ON s.id = d.source_id
GROUP BY s.key, d.id
HAVING count(*) <> max(c.ordinal) + 1
ORDER BY d.id LIMIT 100;

-- name: chunk_in_wrong_source
-- Purpose: a chunk may be read by whoever may read its source, and by nobody else.
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT 'chunk ' || c.id,
       'says source ' || c.source_id || ' and collection ' || c.collection_id || ', its document says source '
       || d.source_id || ' of collection ' || s.collection_id
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id
JOIN brain.source s ON s.id = d.source_id
WHERE c.source_id <> d.source_id OR c.collection_id <> s.collection_id OR d.collection_id <> s.collection_id
ORDER BY c.id LIMIT 100;

-- name: embedding_in_wrong_collection
-- Purpose: a vector is found in the collection of its chunk only.
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT 'chunk ' || c.id, 'in collection ' || c.collection_id || ', its vector in ' || e.collection_id
FROM brain.chunk_embedding e
JOIN brain.chunk c ON c.id = e.chunk_id
WHERE e.collection_id <> c.collection_id
ORDER BY c.id LIMIT 100;

-- name: embedding_without_chunk
-- Purpose: an orphaned vector could still be the nearest (A2).
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT 'chunk ' || e.chunk_id, 'has a vector and does not exist'
FROM brain.chunk_embedding e
LEFT JOIN brain.chunk c ON c.id = e.chunk_id
WHERE c.id IS NULL
ORDER BY e.chunk_id LIMIT 100;

-- name: chunk_without_embedding
-- Purpose: every searchable chunk has a vector in the active space, or a recorded reason why not (B3).
-- Parameters: none.
-- Promise: no row unless the rule is broken; one per document.
SELECT s.key || ':' || d.path,
       count(*) || ' of ' || d.chunk_count || ' chunks have neither a vector in the active space nor a recorded failure'
FROM brain.chunk c
JOIN brain.document d ON d.id = c.document_id AND d.state = 'ready'
JOIN brain.source s ON s.id = d.source_id
LEFT JOIN brain.embedding_space a ON a.state = 'active'
WHERE NOT EXISTS (SELECT FROM brain.chunk_embedding e WHERE e.chunk_id = c.id AND e.space_id = a.id)
  AND NOT EXISTS (SELECT FROM brain.embedding_failure f WHERE f.space_id = a.id AND f.key = c.embed_key)
GROUP BY s.key, d.id
ORDER BY d.id LIMIT 100;

-- name: term_counts_wrong
-- Purpose: the lexical scorer weighs words by how many chunks and documents hold them: the counts are theirs.
-- Parameters: none.
-- Promise: no row unless the rule is broken; one per source.
SELECT s.key, count(*) || ' terms are counted wrong'
FROM (SELECT source_id, term, chunks, documents FROM brain.source_term WHERE chunks > 0) kept
FULL JOIN (
    SELECT c.source_id, t.term, count(*) AS chunks, count(DISTINCT c.document_id) AS documents
    FROM brain.chunk c CROSS JOIN LATERAL unnest(c.terms) AS t (term)
    GROUP BY c.source_id, t.term
) actual USING (source_id, term)
LEFT JOIN brain.source s ON s.id = source_id
WHERE kept.chunks IS DISTINCT FROM actual.chunks OR kept.documents IS DISTINCT FROM actual.documents
GROUP BY s.key
ORDER BY s.key LIMIT 100;

-- name: item_without_outcome
-- Purpose: every item a finished run listed ended in exactly one outcome.
-- Parameters: none.
-- Promise: no row unless the rule is broken. Runs whose old outcomes were pruned are not looked at.
SELECT s.key || ' run ' || r.id, r.listed || ' items listed, ' || count(o.run_id) || ' outcomes'
FROM brain.sync_run r
JOIN brain.source s ON s.id = r.source_id
LEFT JOIN brain.outcome o ON o.run_id = r.id AND o.outcome <> 'deleted'
WHERE r.state IN ('done', 'partial') AND NOT r.outcomes_pruned
GROUP BY s.key, r.id
HAVING count(o.run_id) <> r.listed
ORDER BY r.id LIMIT 100;

-- name: running_without_lock
-- Purpose: "running" is a claim, and a claim is a lock some live connection holds (A4, A5).
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT s.key || ' run ' || r.id, 'says it has been running since ' || r.started_at || ', but nobody holds its lock'
FROM brain.sync_run r
JOIN brain.source s ON s.id = r.source_id
WHERE r.state = 'running'
  AND NOT EXISTS (
      SELECT FROM pg_catalog.pg_locks l
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 2
        AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = current_database())
        AND l.classid::bigint = hashtext('brain.source')::bigint & 4294967295
        AND l.objid::bigint = r.source_id)
ORDER BY r.id LIMIT 100;

-- name: two_runs_of_one_source
-- Purpose: a source is synced by one run at a time (A4).
-- Parameters: none.
-- Promise: no row unless the rule is broken.
SELECT s.key, count(*) || ' runs say they are running'
FROM brain.sync_run r
JOIN brain.source s ON s.id = r.source_id
WHERE r.state = 'running'
GROUP BY s.key
HAVING count(*) > 1
ORDER BY s.key LIMIT 100;

-- name: invalid_index
-- Purpose: an index whose build was interrupted answers nothing and slows every write (C4).
-- Parameters: none.
-- Promise: no row unless the rule is broken; an index that is being built right now is not one.
SELECT 'index ' || c.relname, 'is not valid; rebuild it by materializing hnsw_index'
FROM pg_catalog.pg_index i
JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
WHERE c.relnamespace = 'brain'::regnamespace AND NOT i.indisvalid
  AND NOT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index p WHERE p.index_relid = i.indexrelid)
ORDER BY c.relname LIMIT 100;
