-- Collections as their owner and their readers see them. Access for searches: scope.sql.

-- name: list_visible
-- Purpose: show the collections somebody owns or may search.
-- Parameters: user, readers (text[]: the user and the user's groups, as they stand among the readers).
-- Promise: by name; a collection the user neither owns nor reads is not mentioned.
SELECT c.id, c.name, c.owner, c.description, c.inline_token_limit, c.default_mode,
       ARRAY(SELECT r.reader FROM brain.collection_reader r
             WHERE r.collection_id = c.id ORDER BY r.reader COLLATE "C"),
       ARRAY(SELECT p.place FROM brain.collection_place p
             WHERE p.collection_id = c.id ORDER BY p.place COLLATE "C"),
       ARRAY(SELECT s.key FROM brain.source s WHERE s.collection_id = c.id ORDER BY s.key)
FROM brain.collection c
WHERE c.owner = %(user)s
   OR EXISTS (SELECT FROM brain.collection_reader r
              WHERE r.collection_id = c.id AND r.reader = ANY(%(readers)s::text[]))
ORDER BY c.name COLLATE "C";

-- name: lock_visible
-- Purpose: read who owns a collection before changing it.
-- Parameters: name, user, readers (text[], as above).
-- Promise: one row: id, owner, held until the transaction ends; none where the user neither owns nor reads
--          it, so that a name cannot be probed.
SELECT c.id, c.owner
FROM brain.collection c
WHERE c.name = %(name)s
  AND (c.owner = %(user)s
       OR EXISTS (SELECT FROM brain.collection_reader r
                  WHERE r.collection_id = c.id AND r.reader = ANY(%(readers)s::text[])))
FOR UPDATE OF c;

-- name: describe
-- Purpose: set the subject line.
-- Parameters: id, description.
-- Promise: rows changed: 1, or 0 if it says that already.
UPDATE brain.collection SET description = %(description)s
WHERE id = %(id)s AND description <> %(description)s;

-- name: set_default_mode
-- Purpose: set the mode of searches that ask for none.
-- Parameters: id, mode.
-- Promise: rows changed: 1, or 0 if it is that already.
UPDATE brain.collection SET default_mode = %(mode)s
WHERE id = %(id)s AND default_mode <> %(mode)s;

-- name: set_inline_limit
-- Purpose: set up to how many tokens the collection is handed over whole.
-- Parameters: id, tokens.
-- Promise: rows changed: 1, or 0 if it is that already.
UPDATE brain.collection SET inline_token_limit = %(tokens)s
WHERE id = %(id)s AND inline_token_limit <> %(tokens)s;

-- name: grant_reader
-- Purpose: let a user or a group search.
-- Parameters: id, who, granted_by.
-- Promise: rows changed: 1, or 0 if they might already.
INSERT INTO brain.collection_reader (collection_id, reader, granted_by)
VALUES (%(id)s, %(who)s, %(granted_by)s)
ON CONFLICT DO NOTHING;

-- name: revoke_reader
-- Purpose: stop a user or a group from searching; effective for the next question (I3).
-- Parameters: id, who.
-- Promise: rows changed: 1, or 0 if they could not.
DELETE FROM brain.collection_reader WHERE collection_id = %(id)s AND reader = %(who)s;

-- name: allow_place
-- Purpose: let answers from this collection be spoken in a place.
-- Parameters: id, who (the place), granted_by.
-- Promise: rows changed: 1, or 0 if they might already.
INSERT INTO brain.collection_place (collection_id, place, granted_by)
VALUES (%(id)s, %(who)s, %(granted_by)s)
ON CONFLICT DO NOTHING;

-- name: forbid_place
-- Purpose: stop answers from this collection from being spoken in a place.
-- Parameters: id, who (the place).
-- Promise: rows changed: 1, or 0 if they could not.
DELETE FROM brain.collection_place WHERE collection_id = %(id)s AND place = %(who)s;
