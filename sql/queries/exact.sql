-- What a question quotes letter by letter: looked up, not ranked.

-- name: find_declared
-- Purpose: the chunks that declare a name.
-- Parameters: collections (integer[]), terms (integer[]: the lexemes of the name's last part), pattern (text:
--   a regular expression over the symbol), rows (integer)
-- Promise: at most rows chunks of live documents (A2), shortest symbol first, then by document and position:
--   id, document, collection, symbol.
SELECT c.id, c.document_id, c.collection_id, c.symbol
FROM brain.find_declared(
    %(collections)s::integer[], %(terms)s::integer[], %(pattern)s::text, %(rows)s::integer
) AS found (id)
JOIN brain.chunk c ON c.id = found.id
ORDER BY length(c.symbol), c.document_id, c.ordinal;

-- name: find_holding
-- Purpose: the chunks that hold all words of a name or a phrase; whether in this order, the caller reads.
-- Parameters: collections (integer[]), terms (integer[]), rows (integer)
-- Promise: at most rows chunks of live documents (A2), shortest first, ties by id: id, document,
--   collection, text.
SELECT c.id, c.document_id, c.collection_id, c.text
FROM brain.find_holding(%(collections)s::integer[], %(terms)s::integer[], %(rows)s::integer) AS found (id)
JOIN brain.chunk c ON c.id = found.id
ORDER BY c.tokens, c.id;

-- name: find_at_path
-- Purpose: the first chunk of each file whose path ends as asked, or of which the asked path is a longer form.
-- Parameters: collections (integer[]), path (text), rows (integer)
-- Promise: at most rows chunks of live documents (A2), those spelled exactly so first, then the shortest
--   path, then by document: id, document, collection.
SELECT c.id, d.id, d.collection_id
FROM brain.document d
JOIN LATERAL (
    SELECT k.id FROM brain.chunk k WHERE k.document_id = d.id ORDER BY k.ordinal LIMIT 1
) c ON true
WHERE d.state = 'ready'
  AND d.collection_id = ANY(%(collections)s::integer[])
  AND (right(lower('/' || d.path), length(%(path)s) + 1) = lower('/' || %(path)s)
       OR right(lower('/' || %(path)s), length(d.path) + 1) = lower('/' || d.path))
ORDER BY right('/' || d.path, length(%(path)s) + 1) <> '/' || %(path)s,
         length(d.path) < length(%(path)s), length(d.path), d.id
LIMIT %(rows)s;
