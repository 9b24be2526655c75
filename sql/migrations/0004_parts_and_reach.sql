-- What a document says of itself, what leads to a chunk, and the words to index where a chunk's own characters
-- are mostly markup. The code map learns workspaces, remote procedures and consumers of messages.

ALTER TABLE brain.document ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(metadata) = 'object');
ALTER TABLE brain.staged_item ADD COLUMN metadata jsonb NOT NULL DEFAULT '{}';
ALTER TABLE brain.staged_chunk ADD COLUMN reached_by text[] NOT NULL DEFAULT '{}';
ALTER TABLE brain.staged_chunk ADD COLUMN plain_text text;
ALTER TABLE brain.code_map DROP CONSTRAINT code_map_kind_check;
ALTER TABLE brain.code_map ADD CONSTRAINT code_map_kind_check
    CHECK (kind IN ('manifest', 'dependency', 'workspace', 'entry_point', 'route', 'rpc', 'consumer'));
