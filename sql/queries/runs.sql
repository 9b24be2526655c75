-- name: try_claim
-- Purpose: take the one claim on a source for the life of this connection (A4, A6).
-- Parameters: source_id
-- Promise: true for one connection at a time; freed by the server when that connection ends.
SELECT pg_try_advisory_lock(hashtext('brain.source'), %(source_id)s);

-- name: get_running
-- Purpose: what the run that holds the claim says of itself.
-- Parameters: source_id
-- Promise: at most one row: run key, start.
SELECT run_key, started_at
FROM brain.sync_run
WHERE source_id = %(source_id)s AND state = 'running'
ORDER BY generation DESC
LIMIT 1;

-- name: close_abandoned
-- Purpose: runs whose process died are closed by the next claimant, which holds the claim itself.
-- Parameters: source_id
-- Promise: no run of this source is left "running".
UPDATE brain.sync_run
SET state = 'abandoned', finished_at = now(), error = 'the process that ran it ended before it was done'
WHERE source_id = %(source_id)s AND state = 'running';

-- name: close_all_abandoned
-- Purpose: close every run whose claim nobody holds, so that "running" is never a memory (A5).
-- Parameters: none
-- Promise: afterwards each running run has a live claim.
UPDATE brain.sync_run r
SET state = 'abandoned', finished_at = now(), error = 'the process that ran it ended before it was done'
WHERE r.state = 'running'
  AND NOT EXISTS (
      SELECT FROM pg_locks l
      WHERE l.locktype = 'advisory' AND l.objsubid = 2 AND l.granted
        AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND l.classid::bigint = hashtext('brain.source')::bigint & 4294967295
        AND l.objid = r.source_id)
RETURNING r.run_key;

-- name: get_last_state
-- Purpose: how a source's latest run ended.
-- Parameters: source_id
-- Promise: at most one row: its state.
SELECT state FROM brain.sync_run WHERE source_id = %(source_id)s ORDER BY generation DESC LIMIT 1;

-- name: next_generation
-- Purpose: a run that lists a source takes the source's next generation (A7).
-- Parameters: source_id
-- Promise: one row; the generation is larger than that of every earlier run.
UPDATE brain.source
SET generation = generation + 1, last_listed_at = now()
WHERE id = %(source_id)s
RETURNING generation;

-- name: insert_run
-- Purpose: record a run that has just listed its source.
-- Parameters: source_id, generation, run_key, revision, listing_token, listing_is_complete, recipe,
--             listed, excluded, problems
-- Promise: one row: its id.
INSERT INTO brain.sync_run
    (source_id, generation, run_key, state, revision, listing_token, listing_is_complete, recipe,
     listed, excluded, problems)
VALUES
    (%(source_id)s, %(generation)s, %(run_key)s, 'running', %(revision)s, %(listing_token)s,
     %(listing_is_complete)s, %(recipe)s, %(listed)s, %(excluded)s, %(problems)s)
RETURNING id;

-- name: get_run
-- Purpose: the run a stage belongs to: that of its own Dagster run, or else the source's latest.
-- Parameters: source_id, run_key
-- Promise: at most one row.
SELECT id, source_id, generation, run_key, state, revision, listing_is_complete, recipe
FROM brain.sync_run
WHERE source_id = %(source_id)s
ORDER BY (run_key = %(run_key)s) DESC, generation DESC
LIMIT 1;

-- name: reopen_run
-- Purpose: a stage that is materialized alone carries on with the delta a dead run left behind.
-- Parameters: run_id
-- Promise: the run is running again.
UPDATE brain.sync_run
SET state = 'running', finished_at = NULL, error = NULL
WHERE id = %(run_id)s AND state IN ('failed', 'abandoned');

-- name: close_run
-- Purpose: a run ends without publishing everything.
-- Parameters: run_id, state, error
-- Promise: a running run gets this end; one that has ended keeps its own.
UPDATE brain.sync_run
SET state = %(state)s, finished_at = now(), error = %(error)s
WHERE id = %(run_id)s AND state = 'running';

-- name: fail_run
-- Purpose: a stage failed, so the run it worked for is over.
-- Parameters: source_key, run_key, error
-- Promise: only a running run that this Dagster run opened is closed.
UPDATE brain.sync_run r
SET state = 'failed', finished_at = now(), error = %(error)s
FROM brain.source s
WHERE s.key = %(source_key)s AND r.source_id = s.id AND r.run_key = %(run_key)s AND r.state = 'running';

-- name: end_unfinished
-- Purpose: a Dagster run ended between two stages, as when a blocking check fails.
-- Parameters: run_key
-- Promise: none of its runs is left "running"; what they staged stays for whoever carries on.
UPDATE brain.sync_run
SET state = 'failed', finished_at = now(), error = 'the run ended before everything was published'
WHERE run_key = %(run_key)s AND state = 'running';

-- name: get_counts
-- Purpose: how the listed items of one run ended.
-- Parameters: source_id, run_key
-- Promise: at most one row: state, counts, problems, error.
SELECT state, counts, problems, error
FROM brain.sync_run
WHERE source_id = %(source_id)s AND run_key = %(run_key)s
ORDER BY generation DESC
LIMIT 1;

-- name: get_failures
-- Purpose: the items of a source that are failed now, for people.
-- Parameters: source_id, limit
-- Promise: path, reason code, reason, retry time, by path.
SELECT path, reason_code, reason, retry_at
FROM brain.document
WHERE source_id = %(source_id)s AND state = 'failed'
ORDER BY path_bytes
LIMIT %(limit)s;

-- name: get_freshness
-- Purpose: what decides whether a source needs a run at all.
-- Parameters: source_id
-- Promise: one row: last published token, recipe, whether an item waits for its retry, whether the
--          latest run ended without publishing everything.
SELECT s.listing_token,
       s.recipe,
       EXISTS (SELECT FROM brain.document d
               WHERE d.source_id = s.id AND (d.state = 'pending' OR d.retry_at <= now())) AS has_retry_due,
       EXISTS (SELECT FROM brain.staged_item i WHERE i.source_id = s.id) AS has_staged
FROM brain.source s
WHERE s.id = %(source_id)s;

-- name: get_last_listing
-- Purpose: what a source looked like when it was last listed, however that run ended.
-- Parameters: source_id
-- Promise: at most one row: the listing's token.
SELECT listing_token FROM brain.sync_run WHERE source_id = %(source_id)s ORDER BY generation DESC LIMIT 1;

-- name: count_documents
-- Purpose: the outcome counts of a source in which nothing changed.
-- Parameters: source_id
-- Promise: state and number of documents, one row a state.
SELECT state, count(*) FROM brain.document WHERE source_id = %(source_id)s GROUP BY state;
