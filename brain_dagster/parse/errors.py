"""What can be wrong with a file that is to be parsed, and with the process that parses it."""

from __future__ import annotations

from brain_dagster.errors import BrainError, Refused, Transient


class NeedsPassword(Refused):
    """The document opens only with a password; store a copy without one, it is not tried again until then."""


class BrokenDocument(Refused):
    """The file is damaged or not of the type its name says; replace it with a copy that opens in a viewer."""


class ParseTimedOut(Refused):
    """Nothing of it could be read in time; raise BRAIN_PARSE_TIMEOUT_S if the file is worth the wait."""


class ParserDied(Refused):
    """The parser crashed or ran out of memory on this file before it could read anything from it."""


class ParserUnavailable(Transient):
    """The process that parses files does not start; see whether BRAIN_PARSE_MEMORY_BYTES is too small."""


REFUSALS: dict[str, type[BrainError]] = {
    kind.__name__: kind for kind in (NeedsPassword, BrokenDocument, ParseTimedOut, ParserDied)
}
"""The refusals a child may report by name."""
