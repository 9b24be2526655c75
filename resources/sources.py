"""The registered sources as a Dagster resource."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import dagster as dg

from brain_dagster.connectors import open_connector
from brain_dagster.connectors.base import Connector
from brain_dagster.model import Source
from brain_dagster.settings import settings


class SourcesResource(dg.ConfigurableResource):
    """Opens the connector of a source."""

    @contextmanager
    def connect(self, source: Source) -> Iterator[Connector]:
        """Open the connector of a source and close it afterwards."""
        connector = open_connector(source, settings())
        try:
            yield connector
        finally:
            connector.close()
