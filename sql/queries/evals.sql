-- name: find_targets
-- Purpose: which documents the expected files of a goldset are, and whether they could come back.
-- Parameters: ordinals, paths, sources (arrays of one length; a null source means any),
--             collection_ids (the readable scope), space_id (null: no space is active)
-- Promise: in the order of ordinals, then source key; no row for a file that is not in the scope. A source
--          is meant by its key; only where no source in scope has that key, by its collection's name.
WITH wanted AS (
    SELECT *
    FROM unnest(%(ordinals)s::integer[], %(paths)s::text[], %(sources)s::text[]) AS w (ordinal, path, source)
),
readable AS (
    SELECT s.id, s.key, c.name AS collection
    FROM brain.source s
    JOIN brain.collection c ON c.id = s.collection_id
    WHERE s.collection_id = ANY (%(collection_ids)s::integer[])
)
SELECT w.ordinal, r.key, d.path, d.state, d.reason_code,
       d.state = 'ready' AND NOT EXISTS (
           SELECT FROM brain.chunk k
           WHERE k.document_id = d.id
             AND NOT EXISTS (SELECT FROM brain.chunk_embedding e
                             WHERE e.chunk_id = k.id AND e.space_id = %(space_id)s::integer)
       ) AS is_embedded
FROM wanted w
JOIN brain.document d ON d.path = w.path
JOIN readable r ON r.id = d.source_id
WHERE w.source IS NULL
   OR r.key = w.source
   OR (r.collection = w.source AND NOT EXISTS (SELECT FROM readable x WHERE x.key = w.source))
ORDER BY w.ordinal, r.key, d.id;

-- name: list_recipes
-- Purpose: which recipes produced what is searched, so that a number says what it was measured on.
-- Parameters: collection_ids
-- Promise: distinct, sorted.
SELECT DISTINCT recipe
FROM brain.document
WHERE collection_id = ANY (%(collection_ids)s::integer[]) AND state = 'ready'
ORDER BY recipe;

-- name: insert_run
-- Purpose: the head row of an evaluation.
-- Parameters: goldset, goldset_hash, principal, space, recipe, code_version, run_key, modes, cases,
--             measurable, verdict, verdict_words, baseline_id, started_at
-- Promise: exactly one row, the new id.
INSERT INTO brain.eval_run
    (goldset, goldset_hash, principal, space, recipe, code_version, run_key, modes, cases, measurable,
     verdict, verdict_words, baseline_id, started_at)
VALUES
    (%(goldset)s, %(goldset_hash)s, %(principal)s, %(space)s, %(recipe)s, %(code_version)s, %(run_key)s,
     %(modes)s, %(cases)s, %(measurable)s, %(verdict)s, %(verdict_words)s, %(baseline_id)s, %(started_at)s)
RETURNING id;

-- name: copy_metrics
-- Purpose: the metrics of an evaluation, as a stream.
-- Parameters: none; rows of (eval_run_id, mode, metric, value)
-- Promise: all rows or none.
COPY brain.eval_metric (eval_run_id, mode, metric, value) FROM STDIN;

-- name: copy_cases
-- Purpose: every case of an evaluation in every mode, as a stream.
-- Parameters: none; rows of (eval_run_id, case_id, mode, query, expect, source, measurable, why_not, rank)
-- Promise: all rows or none.
COPY brain.eval_case (eval_run_id, case_id, mode, query, expect, source, measurable, why_not, rank) FROM STDIN;

-- name: get_baseline
-- Purpose: the evaluation that later ones of the same goldset are compared with.
-- Parameters: goldset
-- Promise: at most one row: the one accepted last.
SELECT id, principal, modes
FROM brain.eval_run
WHERE goldset = %(goldset)s AND accepted_at IS NOT NULL
ORDER BY accepted_at DESC, id DESC
LIMIT 1;

-- name: list_cases
-- Purpose: every case of a stored evaluation in every mode.
-- Parameters: eval_run_id
-- Promise: by case id, then mode.
SELECT case_id, mode, query, expect, source, why_not, rank
FROM brain.eval_case
WHERE eval_run_id = %(eval_run_id)s
ORDER BY case_id, mode;

-- name: accept_run
-- Purpose: from now on later evaluations are compared with this one.
-- Parameters: eval_run_id, accepted_by
-- Promise: one row if the evaluation exists and measured anything, else none and nothing changed.
UPDATE brain.eval_run
SET accepted_by = %(accepted_by)s, accepted_at = clock_timestamp()
WHERE id = %(eval_run_id)s AND measurable > 0
RETURNING id;

-- name: get_latest
-- Purpose: what the last evaluation of a goldset found, in a few numbers.
-- Parameters: goldset, metrics (text[])
-- Promise: one row per mode and metric that was measured, in the order of the run's modes, then of
--          metrics; one row with nulls for both if nothing was measurable; none if it never ran.
SELECT r.id, r.cases, r.measurable, r.verdict, r.verdict_words, m.mode, m.metric, m.value
FROM brain.eval_run r
LEFT JOIN brain.eval_metric m ON m.eval_run_id = r.id AND m.metric = ANY (%(metrics)s::text[])
WHERE r.id = (SELECT max(id) FROM brain.eval_run WHERE goldset = %(goldset)s)
ORDER BY array_position(r.modes, m.mode), array_position(%(metrics)s::text[], m.metric);
