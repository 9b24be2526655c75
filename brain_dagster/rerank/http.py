"""A reranker behind an HTTP endpoint."""

from __future__ import annotations

import asyncio
import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from pydantic import SecretStr

from brain_dagster.errors import Refused
from brain_dagster.rerank.background import BackgroundLoop
from brain_dagster.rerank.base import (
    RerankFailed,
    check_scores,
    finite_numbers,
    scores_in_order,
    sigmoid,
    timed_out,
)
from brain_dagster.rerank.wire import Shape, read_answer, write_request

if TYPE_CHECKING:
    import httpx2

# vLLM and others send the passages back; 100 of 4 kB and their scores fit many times over.
MAX_ANSWER_BYTES = 4_000_000
MAX_REDIRECTS = 3
# Statuses after which the same request may work at once, and how long to wait if the server does not say.
PASSING_STATUSES = frozenset({429, 502, 503, 504})
PAUSE_S = 0.25
# How servers say that they do not understand a request: FastAPI and TEI say 422, others 400.
NOT_UNDERSTOOD = frozenset({400, 422})


class RerankerMisconfigured(Refused):
    """The reranker's settings do not fit together; see BRAIN_RERANK and what follows it in the README."""


@dataclass(frozen=True, slots=True)
class _Reply:
    """What came back for one request; the body is read only where the status is 200."""

    status: int
    retry_after_s: float | None
    body: bytes = b""


class HttpReranker:
    """Sends the question and all passages in one request, and once more if that may help.

    url      the endpoint itself, such as `https://api.jina.ai/v1/rerank`
    shape    how requests are written; None: found out by the first question, then remembered
    is_raw   the endpoint's scores are logits, which a sigmoid maps to 0 to 1
    Raises   RerankerMisconfigured - the address or the key cannot be used.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str | None = None,
        api_key: SecretStr | None = None,
        shape: Shape | None = None,
        is_raw: bool = False,
    ) -> None:
        self._url = url
        self._model = model
        self._key = _checked_key(api_key)
        self._shape = shape
        self._is_raw = is_raw
        self.name = f"{model or 'reranker'} at {_checked_host(url)}"
        self._loop = BackgroundLoop("rerank")
        self._opening = threading.Lock()
        self._client: httpx2.AsyncClient | None = None

    def score(self, question: str, passages: Sequence[str], *, timeout_s: float) -> tuple[float, ...]:
        """Score every passage from 0 to 1; one number per passage, in their order.

        timeout_s  for all of it: connecting, both attempts and the pause between them, the whole answer; not
                   for loading the client library, once in a process, 0.2 s on two busy cores
        Raises     RerankFailed.
        """
        if not passages:
            return ()
        client = self._opened()
        asking = self._ask(client, question, passages, time.monotonic() + timeout_s)
        try:
            body = self._loop.run(asking, timeout_s=timeout_s)
        except TimeoutError:
            raise timed_out(timeout_s) from None
        scores = scores_in_order(read_answer(body), len(passages))
        if self._is_raw:
            return tuple(sigmoid(logit) for logit in finite_numbers(scores, len(passages)))
        return check_scores(scores, len(passages))

    def close(self) -> None:
        """Close the connections that wait for another question."""
        with self._opening:
            client, self._client = self._client, None
        if client is not None:
            self._loop.run(client.aclose(), timeout_s=5)
        self._loop.stop()

    def _opened(self) -> httpx2.AsyncClient:
        import httpx2

        with self._opening:
            if self._client is None:
                headers = {
                    "Content-Type": "application/json",
                    "Accept": "application/json",
                    # What is not compressed cannot be a bomb: bytes are counted as they arrive.
                    "Accept-Encoding": "identity",
                }
                if self._key is not None:
                    headers["Authorization"] = f"Bearer {self._key.get_secret_value()}"
                # Its time limits hold for one read each; the deadline of the whole is the caller's.
                self._client = httpx2.AsyncClient(headers=headers, timeout=None, follow_redirects=False)
            return self._client

    async def _ask(
        self, client: httpx2.AsyncClient, question: str, passages: Sequence[str], deadline: float
    ) -> bytes:
        """Return the body of the answer. Sends two requests at most.

        Raises  RerankFailed, TimeoutError.
        """
        shape = self._shape or Shape.COHERE
        async with asyncio.timeout_at(deadline):
            for is_last in (False, True):
                request = write_request(shape, self._model, question, passages, is_raw=self._is_raw)
                reply = await self._send(client, request)
                if isinstance(reply, _Reply) and reply.status == 200:
                    self._shape = shape
                    return reply.body
                failure, pause_s = _judge(reply)
                if isinstance(reply, _Reply) and self._shape is None and reply.status in NOT_UNDERSTOOD:
                    shape, pause_s = shape.other, 0.0
                if is_last or pause_s is None or time.monotonic() + pause_s >= deadline:
                    raise failure
                await asyncio.sleep(pause_s)
        raise AssertionError("the last attempt returns or raises")

    async def _send(self, client: httpx2.AsyncClient, content: bytes) -> _Reply | httpx2.HTTPError:
        """Send one request, following redirects that stay with the same server."""
        import httpx2

        try:
            request = client.build_request("POST", self._url, content=content)
            for _ in range(MAX_REDIRECTS + 1):
                response = await client.send(request, stream=True)
                try:
                    if not response.has_redirect_location:
                        return await _read(response)
                    request = _redirected(request, response)
                finally:
                    await response.aclose()
        except httpx2.HTTPError as error:
            return error
        except httpx2.InvalidURL:
            raise RerankFailed("BRAIN_RERANK_URL is not an address") from None
        raise RerankFailed("too many redirects")


def _redirected(request: httpx2.Request, response: httpx2.Response) -> httpx2.Request:
    """Return the request a redirect asks for: the same one, to another path of the same server.

    Anything else would hand passages and key to whoever the redirect names.
    """
    following = response.next_request
    if following is None or following.url.origin != request.url.origin:
        raise RerankFailed("a redirect to another server")
    if following.method != request.method:
        raise RerankFailed(f"error status {response.status_code}")
    return following


async def _read(response: httpx2.Response) -> _Reply:
    """Read an answer, no further than MAX_ANSWER_BYTES; that of an error status is not read at all."""
    retry_after_s = _retry_after_s(response.headers.get("retry-after"))
    if response.status_code != 200:
        return _Reply(response.status_code, retry_after_s)
    media_type = response.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if not re.fullmatch(r"application/(?:[\w.-]+\+)?json", media_type):
        raise RerankFailed("an answer that is not JSON")
    if response.headers.get("content-encoding", "identity").lower() != "identity":
        raise RerankFailed("a compressed answer, which was not asked for")
    body = bytearray()
    async for part in response.aiter_raw():
        body += part
        if len(body) > MAX_ANSWER_BYTES:
            raise RerankFailed(f"an answer of more than {MAX_ANSWER_BYTES:,} bytes")
    return _Reply(200, retry_after_s, bytes(body))


def _judge(reply: _Reply | httpx2.HTTPError) -> tuple[RerankFailed, float | None]:
    """Say what failed, and after which pause the same request may work; None: not while this question waits.

    The client's errors are not chained: they can quote what was received, and hold the request (I12).
    """
    import httpx2

    if isinstance(reply, httpx2.ConnectError):
        return RerankFailed("no connection"), 0.0
    if isinstance(reply, httpx2.HTTPError):
        return RerankFailed("the connection broke off"), 0.0
    words = f"error status {reply.status}"
    if reply.status in (401, 403):
        words += "; see BRAIN_RERANK_API_KEY"
    if reply.status not in PASSING_STATUSES:
        return RerankFailed(words), None
    if reply.retry_after_s is None:
        return RerankFailed(words), PAUSE_S
    words += f", asks to wait {reply.retry_after_s:.0f} s"
    return RerankFailed(words, retry_after_s=reply.retry_after_s), reply.retry_after_s


def _retry_after_s(header: str | None) -> float | None:
    """Read Retry-After: seconds or a date. None if there is none, or none that can be read."""
    text = (header or "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    # A date without a zone is UTC, as RFC 9110 has it.
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())


def _checked_host(url: str) -> str:
    """Return the host of the address. The message does not quote the address: it may hold a password."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port  # both are read only now, and the port may be none
    except ValueError:
        raise RerankerMisconfigured("BRAIN_RERANK_URL is not an address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise RerankerMisconfigured("BRAIN_RERANK_URL must begin with http:// or https:// and a host")
    if parts.username is not None or parts.password is not None:
        raise RerankerMisconfigured("BRAIN_RERANK_URL must not hold a password; see BRAIN_RERANK_API_KEY")
    return host


def _checked_key(api_key: SecretStr | None) -> SecretStr | None:
    """Return the key without the line end that files add.

    A key that no header may hold is refused here, because the client's own error would quote it (I12).
    """
    if api_key is None:
        return None
    key = api_key.get_secret_value().strip()
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise RerankerMisconfigured("BRAIN_RERANK_API_KEY holds characters that no HTTP header may hold")
    return SecretStr(key)
