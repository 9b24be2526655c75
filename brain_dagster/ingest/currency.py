"""Whether a source needs a run at all, decided before anything is launched."""

from __future__ import annotations

from brain_dagster.connectors.base import Connector
from brain_dagster.model import Source
from brain_dagster.store.pool import Database
from brain_dagster.store.runs import freshness, last_listed_token


def is_current(db: Database, source: Source, connector: Connector, recipe: str) -> bool:
    """Whether the store already holds exactly what the source holds now.

    True only if the source's token is the one last published completely, by the same recipe, with nothing
    staged half-way and no retry due. Reads no file and imports no model.
    Raises  SourceUnavailable - the source does not answer.
    """
    known = freshness(db, source)
    if known.listing_token is None or known.recipe != recipe or known.has_retry_due or known.has_staged:
        return False
    return connector.peek() == known.listing_token


def has_moved(db: Database, source: Source, connector: Connector) -> bool:
    """Whether the source shows another state than its latest run listed, however that run ended.

    What a run could not finish is for the timer to ask again: a trigger that asked for it too would start
    one run after the other for as long as the trouble lasts.
    Raises  SourceUnavailable - the source does not answer.
    """
    listed = last_listed_token(db, source)
    return listed is None or connector.peek() != listed
