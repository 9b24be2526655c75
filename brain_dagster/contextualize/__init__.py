"""A sentence that places each chunk in its document, and the header that is embedded in front of it."""
