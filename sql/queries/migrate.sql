-- What the program asks about a server and its schema before it trusts either.

-- name: read_versions
-- Purpose: say whether this server can hold Brain's tables.
-- Parameters: none.
-- Promise: one row: server version number, version of pgvector on offer (null: not installed on the
--          server), version of pgvector in this database (null: not created). Works on any database.
SELECT current_setting('server_version_num')::integer,
       (SELECT default_version FROM pg_catalog.pg_available_extensions WHERE name = 'vector'),
       (SELECT extversion FROM pg_catalog.pg_extension WHERE extname = 'vector');

-- name: find_schema
-- Purpose: tell a fresh database from one that Brain, or somebody else, has used.
-- Parameters: none.
-- Promise: one row: whether brain.schema_migration exists, whether any relation exists in schema brain.
SELECT to_regclass('brain.schema_migration') IS NOT NULL,
       EXISTS (SELECT FROM pg_catalog.pg_class WHERE relnamespace = to_regnamespace('brain'));

-- name: read_applied
-- Purpose: list the migrations this database has had.
-- Parameters: none.
-- Promise: one row per applied migration, in order; needs brain.schema_migration.
SELECT version FROM brain.schema_migration ORDER BY version;

-- name: lock_schema
-- Purpose: let one migration at a time touch this database.
-- Parameters: none.
-- Promise: returns when the caller holds the lock, which its transaction's end releases (A6).
SELECT pg_advisory_xact_lock(hashtext('brain.migrate'), 0);

-- name: record_applied
-- Purpose: note that a migration is in this database.
-- Parameters: version, name.
-- Promise: one new row, or an error if it was there.
INSERT INTO brain.schema_migration (version, name) VALUES (%(version)s, %(name)s);

-- name: update_vector
-- Purpose: bring an old pgvector in this database to the version the server has on offer.
-- Parameters: none.
-- Promise: needs the extension's owner; existing indexes stay valid.
ALTER EXTENSION vector UPDATE;

-- name: create_dagster_schema
-- Purpose: give Dagster's storage a schema of its own in the same database.
-- Parameters: none.
-- Promise: idempotent.
CREATE SCHEMA IF NOT EXISTS dagster;

-- name: admit_search_role
-- Purpose: give the search role exactly what a search reads, also where an administrator made it later (D6).
-- Parameters: none.
-- Promise: idempotent; does nothing where the role does not exist. A table that is not named in the procedure
--          stays closed, also one that a migration adds.
CALL brain.admit_search_role();

-- name: find_search_role
-- Purpose: say whether searches can run under the role that cannot write (D6).
-- Parameters: none.
-- Promise: one row: whether the role exists, whether this login may take it on. PostgreSQL 16 told "member"
--          and "may take it on" apart; where that privilege type is unknown, they are the same.
SELECT count(*) > 0,
       coalesce(bool_or(pg_has_role(
           current_user, oid,
           CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END)),
           false)
FROM pg_catalog.pg_roles WHERE rolname = 'brain_search';

-- name: find_wide_rights
-- Purpose: say what the search role may do that no search needs (D6, I3).
-- Parameters: none.
-- Promise: one row of words per right, by name; none where the role does not exist. Rights that it has as a
--          member of another role, or that everybody has, count as its own.
SELECT wide.words
FROM (
    SELECT 'is a superuser or may bypass row-level security' AS words
    FROM pg_catalog.pg_roles WHERE rolname = 'brain_search' AND (rolsuper OR rolbypassrls)
    UNION ALL
    SELECT format('may write brain.%s', c.relname)
    FROM pg_catalog.pg_roles r
    JOIN pg_catalog.pg_class c
      ON c.relnamespace = to_regnamespace('brain') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    WHERE r.rolname = 'brain_search'
      AND has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')
    UNION ALL
    SELECT format('reads every row of brain.%s', c.relname)
    FROM pg_catalog.pg_roles r
    JOIN pg_catalog.pg_class c
      ON c.relnamespace = to_regnamespace('brain') AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
    WHERE r.rolname = 'brain_search'
      AND NOT c.relrowsecurity
      AND c.relname <> 'embedding_space'
      AND has_table_privilege(r.oid, c.oid, 'SELECT')
    UNION ALL
    SELECT format('may create objects in schema %s', n.nspname)
    FROM pg_catalog.pg_roles r
    JOIN pg_catalog.pg_namespace n ON n.nspname IN ('brain', 'public')
    WHERE r.rolname = 'brain_search' AND has_schema_privilege(r.oid, n.oid, 'CREATE')
) wide
ORDER BY wide.words COLLATE "C";
