-- name: begin
-- Purpose: make a search one consistent, read-only look at the store. First statement of its transaction.
-- Parameters: none
-- Promise: scope, candidates and excerpts see the same commit; nothing can be written (D6).
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;

-- name: export_snapshot
-- Purpose: let other connections see what this transaction sees, for as long as it lasts.
-- Parameters: none
-- Promise: one row: the name of the snapshot, and this transaction's time limit.
SELECT pg_export_snapshot(), current_setting('statement_timeout');

-- name: join_snapshot
-- Purpose: make a transaction on a second connection a part of a search: the same commit, read-only. First
--   statements of its transaction.
-- Parameters: composed by the driver, as PostgreSQL takes no parameter here: {snapshot}
-- Promise: an error if the transaction that exported the snapshot has ended.
SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY;
SET TRANSACTION SNAPSHOT {snapshot};

-- name: configure
-- Purpose: the limits of a search, for this transaction only (C3).
-- Parameters: timeout_ms (text)
-- Promise: one row. The role brain_search is taken on where this login may; generic plans are off, as
--   they cannot know how rare the terms of a question are, and so is JIT, which costs more than it saves.
SELECT set_config('statement_timeout', %(timeout_ms)s, true),
       set_config('plan_cache_mode', 'force_custom_plan', true),
       set_config('jit', 'off', true),
       (SELECT set_config('role', r.rolname, true)
        FROM pg_roles r
        WHERE r.rolname = 'brain_search'
          AND pg_has_role(
              current_user, r.oid,
              CASE WHEN current_setting('server_version_num')::integer >= 160000 THEN 'SET' ELSE 'MEMBER' END
          ));
