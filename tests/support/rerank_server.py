"""A rerank endpoint on loopback that lies as it is told, and remembers what was asked of it."""

from __future__ import annotations

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

Json = Any
Scorer = Callable[[str, str], float]


@dataclass(frozen=True)
class Lie:
    """One scripted answer.

    body     bytes as they are, or what makes the JSON from the request
    manner   whole | hang (not a byte) | hang-in-body | half (closes early) | trickle (byte by byte) | hang-up
    """

    status: int = 200
    body: bytes | Callable[[Json], Json] = b""
    headers: dict[str, str] = field(default_factory=dict)
    manner: str = "whole"
    media_type: str | None = "application/json"


@dataclass(frozen=True)
class Asked:
    """One request as it arrived; header names in lower case."""

    path: str
    headers: dict[str, str]
    json: Json


class RerankServer:
    """Answers from its script, one entry per request, and honestly once the script has ended.

    speaks      the shapes it understands; a request in another gets a 422
    was_closed  set when a client closed its connection while it waited for an answer
    """

    def __init__(self, scorer: Scorer, speaks: Sequence[str] = ("cohere", "tei")) -> None:
        self.scorer = scorer
        self.speaks = tuple(speaks)
        self.script: list[Lie] = []
        self.asked: list[Asked] = []
        self.was_closed = threading.Event()
        self.connections = 0
        self.is_over = threading.Event()
        handler = type("Handler", (_Handler,), {"rerank": self})
        self._http = _Server(("127.0.0.1", 0), handler)
        self.port: int = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Address of the endpoint."""
        return f"http://127.0.0.1:{self.port}/v1/rerank"

    def stop(self) -> None:
        """Close the server; handlers that hang let go."""
        self.is_over.set()
        self._http.shutdown()
        self._http.server_close()

    def honest(self, asked: Json) -> Json:
        """The answer to a request in the shape it was made in, best first as real endpoints send it."""
        if "texts" in asked:
            return sorted(
                (
                    {"index": position, "score": self.scorer(asked["query"], text)}
                    for position, text in enumerate(asked["texts"])
                ),
                key=lambda entry: -entry["score"],
            )
        scored = [
            {
                "index": position,
                "relevance_score": self.scorer(asked["query"], text),
                "document": {"text": text},
            }
            for position, text in enumerate(asked["documents"])
        ]
        return {"results": sorted(scored, key=lambda entry: -entry["relevance_score"]), "usage": {}}


@contextmanager
def rerank_server(scorer: Scorer, speaks: Sequence[str] = ("cohere", "tei")) -> Iterator[RerankServer]:
    """A running server, stopped afterwards."""
    server = RerankServer(scorer, speaks)
    try:
        yield server
    finally:
        server.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: object, client_address: object) -> None:
        """Clients that go away are what these tests are about; no traceback for them."""


class _Handler(BaseHTTPRequestHandler):
    rerank: ClassVar[RerankServer]
    protocol_version = "HTTP/1.1"
    timeout = 30

    def setup(self) -> None:
        super().setup()
        self.rerank.connections += 1

    def log_message(self, *arguments: object) -> None:
        """Be quiet."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.rerank.asked.append(Asked(self.path, headers, body))
        lie = self.rerank.script.pop(0) if self.rerank.script else self._truth(body)
        if lie.manner == "hang":
            self._hang()
            return
        if lie.manner == "hang-up":
            self.close_connection = True
            return
        self._answer(lie, body)

    def _truth(self, body: Json) -> Lie:
        shape = "tei" if "texts" in body else "cohere"
        if shape not in self.rerank.speaks:
            return Lie(422, b'{"error": "missing field"}')
        return Lie(body=self.rerank.honest)

    def _answer(self, lie: Lie, asked: Json) -> None:
        body = lie.body if isinstance(lie.body, bytes) else json.dumps(lie.body(asked)).encode()
        self.send_response(lie.status)
        self.send_header("Content-Length", str(len(body)))
        if lie.media_type is not None:
            self.send_header("Content-Type", lie.media_type)
        for name, value in lie.headers.items():
            self.send_header(name, value)
        self.end_headers()
        if lie.manner == "whole":
            self.wfile.write(body)
            return
        self.wfile.write(body[: len(body) // 2])
        self.wfile.flush()
        if lie.manner == "hang-in-body":
            self._hang()
        elif lie.manner == "trickle":
            self._trickle(body[len(body) // 2 :])
        self.close_connection = True

    def _trickle(self, rest: bytes) -> None:
        try:
            for byte in rest:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                if self.rerank.is_over.wait(0.02):
                    return
        except OSError:
            self.rerank.was_closed.set()

    def _hang(self) -> None:
        """Say nothing until the client is gone, or the test is over."""
        self.close_connection = True
        give_up = time.monotonic() + 20
        while time.monotonic() < give_up and not self.rerank.is_over.is_set():
            readable, _, _ = select.select([self.connection], [], [], 0.02)
            if readable and not self._has_more():
                self.rerank.was_closed.set()
                return

    def _has_more(self) -> bool:
        try:
            return self.connection.recv(1, socket.MSG_PEEK) != b""
        except OSError:
            return False
