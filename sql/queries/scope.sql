-- name: readable_collections
-- Purpose: the one rule of access. Which collections a principal may search, if the answer is spoken in
--   this place, and why.
-- Parameters: readers (text[]: the user, then the user's groups), place (text; null: to the asker alone)
-- Promise: a collection without a matching reader is not returned; with a place, neither is one without a
--   row for exactly that place (I3: nothing is inherited, empty means nobody). Ordered by name.
SELECT c.id, c.name, c.description, c.inline_token_limit, c.default_mode,
       'reader ' || granted.reader
           || CASE WHEN %(place)s::text IS NULL THEN ', in private' ELSE ', spoken in ' || %(place)s::text END
           AS reason
FROM brain.collection c
CROSS JOIN LATERAL (
    SELECT r.reader
    FROM brain.collection_reader r
    WHERE r.collection_id = c.id AND r.reader = ANY(%(readers)s::text[])
    ORDER BY array_position(%(readers)s::text[], r.reader)
    LIMIT 1
) granted
WHERE %(place)s::text IS NULL
   OR EXISTS (
       SELECT FROM brain.collection_place p WHERE p.collection_id = c.id AND p.place = %(place)s::text
   )
ORDER BY c.name COLLATE "C";

-- name: tokens_up_to
-- Purpose: tell a collection small enough to be handed over whole from a larger one, without counting
--   the larger one to its end.
-- Parameters: collection (integer), rows (integer: how many chunks to look at)
-- Promise: one row: the tokens of the first `rows` chunks, and how many chunks were looked at.
SELECT coalesce(sum(few.tokens), 0)::bigint, count(*)
FROM (
    SELECT c.tokens
    FROM brain.chunk c
    WHERE c.collection_id = %(collection)s
    LIMIT %(rows)s
) few;
