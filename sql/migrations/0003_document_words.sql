-- A document's words weighed as a whole, and how many documents hold a term. Documents get their vectors with
-- the next sync, as the lexical recipe changed; the counts are made from what is there.

ALTER TABLE brain.document ADD COLUMN bm25 sparsevec;
ALTER TABLE brain.staged_item ADD COLUMN bm25 sparsevec;
ALTER TABLE brain.source_term ADD COLUMN documents integer NOT NULL DEFAULT 0 CHECK (documents >= 0);

UPDATE brain.source_term t
SET documents = n.documents
FROM (
    SELECT c.source_id, u.term, count(DISTINCT c.document_id) AS documents
    FROM brain.chunk c
    CROSS JOIN LATERAL unnest(c.terms) AS u (term)
    GROUP BY c.source_id, u.term
) n
WHERE n.source_id = t.source_id AND n.term = t.term;
