"""The rows of the table of languages, one file per language or family; no code, only kinds of nodes."""
