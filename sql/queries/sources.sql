-- The registry of sources: what there is to sync, and which collection it feeds.

-- name: list_sources
-- Purpose: show every registered source.
-- Parameters: none.
-- Promise: one row per source, by key; the columns of model.Source in order.
SELECT s.id, s.key, s.collection_id, c.name, s.kind, s.location, s.ref, s.include, s.exclude,
       s.generation, s.revision, s.listing_token, s.recipe
FROM brain.source s JOIN brain.collection c ON c.id = s.collection_id
ORDER BY s.key;

-- name: get_source
-- Purpose: read one source.
-- Parameters: key.
-- Promise: one row with the columns of model.Source, or none.
SELECT s.id, s.key, s.collection_id, c.name, s.kind, s.location, s.ref, s.include, s.exclude,
       s.generation, s.revision, s.listing_token, s.recipe
FROM brain.source s JOIN brain.collection c ON c.id = s.collection_id
WHERE s.key = %(key)s;

-- name: create_collection
-- Purpose: make the collection a new source names, owned by who adds it.
-- Parameters: name, owner, description.
-- Promise: a row with its id, or none if the name is taken.
INSERT INTO brain.collection (name, owner, description)
VALUES (%(name)s, %(owner)s, %(description)s)
ON CONFLICT (name) DO NOTHING
RETURNING id;

-- name: lock_collection
-- Purpose: read a collection and keep its owner what it is until the transaction ends.
-- Parameters: name.
-- Promise: one row: id, owner; or none.
SELECT id, owner FROM brain.collection WHERE name = %(name)s FOR UPDATE;

-- name: add_reader
-- Purpose: let somebody search a collection.
-- Parameters: collection_id, reader, granted_by.
-- Promise: idempotent; an earlier grant keeps its giver and its time.
INSERT INTO brain.collection_reader (collection_id, reader, granted_by)
VALUES (%(collection_id)s, %(reader)s, %(granted_by)s)
ON CONFLICT DO NOTHING;

-- name: describe_collection
-- Purpose: set the subject line of a collection.
-- Parameters: collection_id, description.
-- Promise: one row changed.
UPDATE brain.collection SET description = %(description)s WHERE id = %(collection_id)s;

-- name: insert_source
-- Purpose: register a source.
-- Parameters: key, collection_id, kind, location, ref, include, exclude, added_by.
-- Promise: a row with its id, or none if the key is taken.
INSERT INTO brain.source (key, collection_id, kind, location, ref, include, exclude, added_by)
VALUES (%(key)s, %(collection_id)s, %(kind)s, %(location)s, %(ref)s, %(include)s, %(exclude)s, %(added_by)s)
ON CONFLICT (key) DO NOTHING
RETURNING id;

-- name: replace_settings
-- Purpose: change what a source lists.
-- Parameters: id, kind, location, ref, include, exclude.
-- Promise: the next sync lists anew (no token says "unchanged"), and a run that is under way with the old
--          settings is superseded (its generation is no longer the source's, A7).
UPDATE brain.source
SET kind = %(kind)s, location = %(location)s, ref = %(ref)s, include = %(include)s, exclude = %(exclude)s,
    listing_token = NULL, generation = generation + 1
WHERE id = %(id)s;

-- name: lock_for_removal
-- Purpose: keep syncs away from a source that is about to go.
-- Parameters: id.
-- Promise: one row: whether the lock every sync of this source takes is now this transaction's.
SELECT pg_try_advisory_xact_lock(hashtext('brain.source'), %(id)s);

-- name: count_contents
-- Purpose: say what a removal takes along.
-- Parameters: id.
-- Promise: one row: documents, chunks.
SELECT (SELECT count(*) FROM brain.document WHERE source_id = %(id)s),
       (SELECT count(*) FROM brain.chunk WHERE source_id = %(id)s);

-- name: delete_source
-- Purpose: remove a source with everything made from it (A2).
-- Parameters: id.
-- Promise: documents, chunks, vectors, terms, code map, runs and staged rows go with it, or nothing does.
DELETE FROM brain.source WHERE id = %(id)s;
