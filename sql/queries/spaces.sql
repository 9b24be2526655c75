-- name: get_active
-- Purpose: the embedding space that queries compare in.
-- Parameters: none
-- Promise: at most one row.
SELECT id, model, revision, width, query_prefix, passage_prefix, is_normalised, max_tokens
FROM brain.embedding_space
WHERE state = 'active';

-- name: create_active
-- Purpose: the first space of a store becomes its active one.
-- Parameters: model, revision, width, query_prefix, passage_prefix, is_normalised, max_tokens
-- Promise: afterwards there is exactly one active space; of two racing callers one creates it.
INSERT INTO brain.embedding_space
    (model, revision, width, query_prefix, passage_prefix, is_normalised, max_tokens, state)
VALUES
    (%(model)s, %(revision)s, %(width)s, %(query_prefix)s, %(passage_prefix)s, %(is_normalised)s,
     %(max_tokens)s, 'active')
ON CONFLICT DO NOTHING;
