-- name: narrow
-- Purpose: say which collections this transaction may read; row-level security holds it to them (I3).
-- Parameters: collections (integer[])
-- Promise: holds until the transaction ends (C3), and replaces what was said before.
SELECT set_config('brain.collections', array_to_string(%(collections)s::integer[], ','), true);

-- name: readable_collections
-- Purpose: the one rule of access. Which collections a principal may search, if the answer is spoken in
--   this place, and why. The rule itself is in sql/schema.sql, as the search role may not read its tables.
-- Parameters: user (text), groups (text[]: bare names), place (text; null: to the asker alone)
-- Promise: a collection without a matching reader is not returned; with a place, neither is one without a
--   row for exactly that place (I3: nothing is inherited, empty means nobody). Ordered by name.
SELECT c.id, c.name, c.description, c.inline_token_limit, c.default_mode, c.reason
FROM brain.readable_collections(%(user)s::text, %(groups)s::text[], %(place)s::text) c
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
