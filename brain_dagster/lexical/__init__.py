"""Words: what counts as one, and what a chunk's words weigh."""
