"""Runs coroutines for callers that are not asynchronous, so that what takes too long can be cancelled."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")

# How long after its own time limit a coroutine is waited for, should the loop itself be stuck.
_GRACE_S = 1.0


class BackgroundLoop:
    """An event loop on a daemon thread of its own, started by the first coroutine.

    A blocking socket call has a time limit for each read and none for the whole answer: a server that sends
    a byte a second holds its caller for hours. A coroutine is cancelled wherever it waits, and its
    connection is closed with it. Callers may be on any thread, also one that runs a loop of its own.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._starting = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def run(self, coroutine: Coroutine[Any, Any, Result], *, timeout_s: float) -> Result:
        """Run a coroutine to its end, which it should reach by itself within `timeout_s`.

        Raises  TimeoutError - it did not; and whatever the coroutine raises.
        """
        future = asyncio.run_coroutine_threadsafe(coroutine, self._started())
        try:
            return future.result(timeout_s + _GRACE_S)
        finally:
            future.cancel()  # does nothing to one that has ended; an interrupted caller leaves none behind

    def stop(self) -> None:
        """End the loop and its thread; the next coroutine starts another."""
        with self._starting:
            if self._loop is None or self._thread is None:
                return
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()
            self._loop = self._thread = None

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._starting:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name=self._name, daemon=True)
                self._thread.start()
            return self._loop
