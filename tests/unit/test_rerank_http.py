"""The HTTP reranker against an endpoint that lies: words for every lie, no wait beyond the deadline."""

from __future__ import annotations

import json
import logging
import os
import time
import traceback
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest
from pydantic import SecretStr

from brain_dagster.rerank.base import RerankFailed
from brain_dagster.rerank.http import HttpReranker, RerankerMisconfigured
from brain_dagster.rerank.wire import Shape
from tests.support.rerank_server import Json, Lie, RerankServer, rerank_server

PASSAGES = ["about bees", "about ants", "about moths"]
QUESTION = "who makes honey?"
RELEVANCE = {"about bees": 0.9, "about ants": 0.25, "about moths": 0.5}
KEY = "key-3f9c1d"
PATIENCE_S = 5.0


@pytest.fixture(autouse=True)
def _no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.lower().endswith("_proxy")]:
        monkeypatch.delenv(name)


@pytest.fixture
def server() -> Iterator[RerankServer]:
    with rerank_server(lambda _question, passage: RELEVANCE[passage]) as running:
        yield running


@pytest.fixture
def reranker(server: RerankServer) -> Iterator[HttpReranker]:
    opened = HttpReranker(server.url, model="bees-1", api_key=SecretStr(KEY), shape=Shape.COHERE)
    yield opened
    opened.close()


def failure(reranker: HttpReranker, timeout_s: float = PATIENCE_S) -> str:
    with pytest.raises(RerankFailed) as caught:
        reranker.score(QUESTION, PASSAGES, timeout_s=timeout_s)
    return caught.value.message


def results(*entries: tuple[object, object]) -> Callable[[Json], Json]:
    return lambda _asked: {"results": [{"index": i, "relevance_score": s} for i, s in entries]}


def three(*scores: object) -> Callable[[Json], Json]:
    return results(*enumerate(scores))


# What is sent, and what honest answers give.


def test_the_request_is_what_cohere_jina_and_vllm_read(server: RerankServer, reranker: HttpReranker) -> None:
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
    (asked,) = server.asked
    assert asked.json == {"model": "bees-1", "query": QUESTION, "documents": PASSAGES, "top_n": 3}
    assert asked.path == "/v1/rerank"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.headers["content-type"] == "application/json"
    assert asked.headers["accept-encoding"] == "identity"


def test_the_request_is_what_text_embeddings_inference_reads(server: RerankServer) -> None:
    reranker = HttpReranker(server.url, shape=Shape.TEI)
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
    (asked,) = server.asked
    assert asked.json == {"query": QUESTION, "texts": PASSAGES, "raw_scores": False, "truncate": True}
    assert "authorization" not in asked.headers
    reranker.close()


@pytest.mark.parametrize(("speaks", "first_requests"), [("cohere", 1), ("tei", 2)])
def test_auto_finds_the_shape_once_and_remembers_it(speaks: str, first_requests: int) -> None:
    with rerank_server(lambda _question, passage: RELEVANCE[passage], speaks=[speaks]) as server:
        reranker = HttpReranker(server.url)
        for asked_so_far in (first_requests, first_requests + 1):
            assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
            assert len(server.asked) == asked_so_far
        reranker.close()


def test_auto_gives_up_where_neither_shape_is_understood() -> None:
    with rerank_server(lambda _question, _passage: 0.5, speaks=[]) as server:
        reranker = HttpReranker(server.url)
        assert failure(reranker) == "error status 422"
        assert ["texts" in asked.json for asked in server.asked] == [False, True]
        reranker.close()


def test_a_named_shape_is_not_guessed_at() -> None:
    with rerank_server(lambda _question, _passage: 0.5, speaks=["tei"]) as server:
        reranker = HttpReranker(server.url, shape=Shape.COHERE)
        assert failure(reranker) == "error status 422"
        assert len(server.asked) == 1
        reranker.close()


def test_the_answer_shows_its_own_shape(server: RerankServer, reranker: HttpReranker) -> None:
    server.script = [Lie(body=lambda _: [{"index": 1, "score": 0.1}, {"index": 0, "score": 0.2}])]
    assert reranker.score(QUESTION, PASSAGES[:2], timeout_s=PATIENCE_S) == (0.2, 0.1)


def test_b2_shuffled_indices_are_put_right(server: RerankServer, reranker: HttpReranker) -> None:
    server.script = [Lie(body=results((2, 0.3), (0, 0.1), (1, 0.2)))]
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.1, 0.2, 0.3)


def test_one_connection_serves_many_questions(server: RerankServer, reranker: HttpReranker) -> None:
    for _ in range(3):
        reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)
    assert server.connections == 1


def test_nothing_is_asked_about_no_passages(server: RerankServer, reranker: HttpReranker) -> None:
    assert reranker.score(QUESTION, [], timeout_s=PATIENCE_S) == ()
    assert server.asked == []


def test_text_of_any_kind_arrives_as_it_is(server: RerankServer) -> None:
    odd = ["NUL \0 and a lone surrogate \ud800", "שלום", "🐝" * 3, ""]
    reranker = HttpReranker(server.url, shape=Shape.COHERE)
    server.scorer = lambda _question, passage: 0.25 * odd.index(passage)
    assert reranker.score("\ud83d?", odd, timeout_s=PATIENCE_S) == (0.0, 0.25, 0.5, 0.75)
    assert server.asked[0].json["documents"] == odd
    reranker.close()


# Lies in the answer.

NAN, INFINITY = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (results((0, 0.1), (1, 0.2)), "2 scores for 3 passages"),
        (results(), "0 scores for 3 passages"),
        (results((0, 0.1), (1, 0.2), (2, 0.3), (2, 0.3)), "4 scores for 3 passages"),
        (results((0, 0.1), (1, 0.2), (1, 0.2)), "two scores for one passage"),
        (results((1, 0.1), (2, 0.2), (3, 0.3)), "a score for a passage that was not sent"),
        (results((-1, 0.1), (0, 0.2), (1, 0.3)), "a score for a passage that was not sent"),
        (results(("0", 0.1), (1, 0.2), (2, 0.3)), "a score for a passage that was not sent"),
        (results((False, 0.1), (1, 0.2), (2, 0.3)), "a score for a passage that was not sent"),
        (results((None, 0.1), (1, 0.2), (2, 0.3)), "a score for a passage that was not sent"),
        (three(0.1, NAN, 0.3), "a score that is not finite"),
        (three(0.1, INFINITY, 0.3), "a score that is not finite"),
        (three(0.1, 10**400, 0.3), "a score that is not finite"),
        (three(0.1, None, 0.3), "a score that is not a number"),
        (three(0.1, "0.2", 0.3), "a score that is not a number"),
        (three(0.1, True, 0.3), "a score that is not a number"),
        (three(0.1, [0.2], 0.3), "a score that is not a number"),
        (three(0.1, 1.01, 0.3), "scores beyond 0 and 1; BRAIN_RERANK_SCORES=raw reads logits"),
        (three(0.1, -4.5, 0.3), "scores beyond 0 and 1; BRAIN_RERANK_SCORES=raw reads logits"),
        (lambda _: {"error": "no such model"}, "an error in place of scores"),
        (lambda _: {"results": {"index": 0}}, "an answer without a list of scores"),
        (lambda _: {"results": [1, 2, 3]}, "an answer without a list of scores"),
        (lambda _: {"results": None}, "an answer without a list of scores"),
        (lambda _: {"message": "fine"}, "an answer without a list of scores"),
        (lambda _: "fine", "an answer without a list of scores"),
        (b"", "an answer that is not JSON"),
        (b'{"results": [', "an answer that is not JSON"),
        (b"[" * 100_000, "an answer that is not JSON"),
        (b"\xff\xfe\x00", "an answer that is not JSON"),
        (b"[" + b"0," * 2_000_000 + b"0]", "an answer of more than 4,000,000 bytes"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else "",
)
def test_b2_b3_an_answer_that_cannot_be_trusted_is_refused_in_words(
    server: RerankServer, reranker: HttpReranker, body: bytes | Callable[[Json], Json], words: str
) -> None:
    server.script = [Lie(body=body)]
    assert failure(reranker) == words
    assert len(server.asked) == 1, "a lie is not asked for twice"


@pytest.mark.parametrize(
    ("lie", "words"),
    [
        (Lie(body=three(0.1, 0.2, 0.3), media_type="text/html"), "an answer that is not JSON"),
        (
            Lie(body=b"\x1f\x8b", headers={"Content-Encoding": "gzip"}),
            "a compressed answer, which was not asked for",
        ),
        (Lie(status=400), "error status 400"),
        (Lie(status=401), "error status 401; see BRAIN_RERANK_API_KEY"),
        (Lie(status=403), "error status 403; see BRAIN_RERANK_API_KEY"),
        (Lie(status=404), "error status 404"),
        (Lie(status=413), "error status 413"),
        (Lie(status=500), "error status 500"),
        (Lie(status=204), "error status 204"),
    ],
)
def test_what_will_not_pass_is_not_tried_again(
    server: RerankServer, reranker: HttpReranker, lie: Lie, words: str
) -> None:
    server.script = [lie]
    assert failure(reranker) == words
    assert len(server.asked) == 1


@pytest.mark.parametrize("media_type", ["application/json; charset=utf-8", "application/problem+json", None])
def test_json_under_its_other_names_is_read(
    server: RerankServer, reranker: HttpReranker, media_type: str | None
) -> None:
    server.script = [Lie(body=three(0.1, 0.2, 0.3), media_type=media_type)]
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.1, 0.2, 0.3)


def test_raw_scores_go_through_a_sigmoid(server: RerankServer) -> None:
    reranker = HttpReranker(server.url, shape=Shape.TEI, is_raw=True)
    server.script = [Lie(body=lambda _: [{"index": i, "score": s} for i, s in enumerate([0.0, 2.0, -2.0])])]
    # 1 / (1 + e^-2) = 0.880797
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == pytest.approx(
        (0.5, 0.880797, 0.119203)
    )
    assert server.asked[0].json["raw_scores"] is True
    server.script = [
        Lie(body=lambda _: [{"index": i, "score": s} for i, s in enumerate([1e300, -1e300, NAN])])
    ]
    assert failure(reranker) == "a score that is not finite"
    server.script = [Lie(body=lambda _: [{"index": i, "score": s} for i, s in enumerate([1e300, -1e300])])]
    assert reranker.score(QUESTION, PASSAGES[:2], timeout_s=PATIENCE_S) == (1.0, 0.0)
    reranker.close()


# Trouble that passes.


@pytest.mark.parametrize("status", [429, 502, 503, 504])
def test_i11_passing_trouble_is_tried_once_more(
    server: RerankServer, reranker: HttpReranker, status: int
) -> None:
    server.script = [Lie(status=status)]
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
    assert len(server.asked) == 2


def test_i11_and_no_more_than_once(server: RerankServer, reranker: HttpReranker) -> None:
    server.script = [Lie(status=503), Lie(status=503), Lie(status=503)]
    assert failure(reranker) == "error status 503"
    assert len(server.asked) == 2


def test_i11_retry_after_is_waited_for(server: RerankServer, reranker: HttpReranker) -> None:
    server.script = [Lie(status=429, headers={"Retry-After": "1"})]
    started = time.monotonic()
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
    assert 1.0 <= time.monotonic() - started < 3


@pytest.mark.parametrize("is_date", [False, True])
def test_i11_retry_after_beyond_the_deadline_is_not(
    server: RerankServer, reranker: HttpReranker, is_date: bool
) -> None:
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=90), usegmt=True)
    server.script = [Lie(status=429, headers={"Retry-After": later if is_date else "90"})]
    started = time.monotonic()
    with pytest.raises(RerankFailed, match=r"^error status 429, asks to wait (89|90) s$") as caught:
        reranker.score(QUESTION, PASSAGES, timeout_s=2)
    assert time.monotonic() - started < 1
    assert caught.value.retry_after_s == pytest.approx(90, abs=2)
    assert len(server.asked) == 1


@pytest.mark.parametrize("header", ["soon", "-1", "1e9", "", "Wed, 99 Foo 2026 25:61:00 GMT"])
def test_i11_a_retry_after_nobody_can_read_counts_as_none(
    server: RerankServer, reranker: HttpReranker, header: str
) -> None:
    server.script = [Lie(status=503, headers={"Retry-After": header})]
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)


def test_a_retry_that_has_no_time_left_is_not_begun(
    server: RerankServer, reranker: HttpReranker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("brain_dagster.rerank.http.PAUSE_S", PATIENCE_S + 1)
    server.script = [Lie(status=503)]
    assert failure(reranker) == "error status 503"
    assert len(server.asked) == 1


@pytest.mark.parametrize("manner", ["hang-up", "half"])
def test_a_broken_connection_is_tried_once_more(
    server: RerankServer, reranker: HttpReranker, manner: str
) -> None:
    broken = Lie(body=three(0.1, 0.2, 0.3), manner=manner)
    server.script = [broken]
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
    server.script = [broken, broken, broken]
    assert failure(reranker) == "the connection broke off"
    assert len(server.asked) == 4


def test_an_endpoint_that_is_not_there_is_named_and_costs_no_time(server: RerankServer) -> None:
    reranker = HttpReranker(server.url)
    server.stop()
    started = time.monotonic()
    assert failure(reranker) == "no connection"
    assert time.monotonic() - started < 2
    reranker.close()


# Nothing outlives the deadline.


@pytest.mark.parametrize("manner", ["hang", "hang-in-body", "trickle"])
def test_i11_nothing_is_waited_for_beyond_the_deadline(
    server: RerankServer, reranker: HttpReranker, manner: str
) -> None:
    """A server that sends a byte now and then is as late as one that sends none."""
    server.script = [Lie(body=lambda _: {"results": "x" * 4_000}, manner=manner)]
    started = time.monotonic()
    assert failure(reranker, timeout_s=0.8) == "timed out after 0.8 s"
    assert 0.8 <= time.monotonic() - started < 2
    assert server.was_closed.wait(2), "the connection was left open"
    assert len(server.asked) == 1


def test_a_timeout_leaves_the_next_question_alone(server: RerankServer, reranker: HttpReranker) -> None:
    server.script = [Lie(manner="hang")]
    failure(reranker, timeout_s=0.8)
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)


def test_a_reranker_that_was_closed_opens_again(server: RerankServer, reranker: HttpReranker) -> None:
    for _ in range(2):
        assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
        reranker.close()


# Whom passages and key are sent to.


def test_a_redirect_on_the_same_server_is_followed(server: RerankServer, reranker: HttpReranker) -> None:
    server.script = [Lie(status=307, headers={"Location": "/v2/rerank"})]
    assert reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S) == (0.9, 0.25, 0.5)
    assert [asked.path for asked in server.asked] == ["/v1/rerank", "/v2/rerank"]


def test_a_redirect_to_another_server_is_not(server: RerankServer, reranker: HttpReranker) -> None:
    with rerank_server(lambda _question, _passage: 0.5) as other:
        for status in (301, 302, 303, 307, 308):
            server.script = [Lie(status=status, headers={"Location": other.url})]
            assert failure(reranker) == "a redirect to another server"
        assert other.connections == 0


@pytest.mark.parametrize(
    ("location", "words"),
    [("/v1/rerank", "too many redirects"), ("http://[", "a redirect to another server")],
)
def test_a_redirect_that_leads_nowhere_is_left(
    server: RerankServer, reranker: HttpReranker, location: str, words: str
) -> None:
    server.script = [Lie(status=308, headers={"Location": location})] * 6
    assert failure(reranker) == words
    assert len(server.asked) <= 4


def test_a_redirect_that_would_lose_the_passages_is_an_error(
    server: RerankServer, reranker: HttpReranker
) -> None:
    server.script = [Lie(status=303, headers={"Location": "/elsewhere"})]
    assert failure(reranker) == "error status 303"


# What leaks.


def test_i12_no_failure_tells_key_question_or_passages(
    server: RerankServer, reranker: HttpReranker, caplog: pytest.LogCaptureFixture
) -> None:
    """The endpoint repeats everything it was sent in every answer, as some do in their error messages."""
    caplog.set_level(logging.DEBUG)

    def repeats(asked: Json) -> Json:
        return {"error": json.dumps([asked, KEY])}

    in_body = [
        Lie(body=repeats),
        Lie(status=400, body=repeats),
        Lie(body=repeats, manner="half"),
        Lie(body=f"{QUESTION} {PASSAGES} {KEY}".encode()),
        Lie(body=lambda asked: {"results": [{"index": p, "relevance_score": p} for p in asked["documents"]]}),
    ]
    # The client library logs the headers of answers at level DEBUG, so these are held against errors only.
    in_headers = [
        Lie(body=repeats, media_type="text/plain; " + KEY),
        Lie(status=307, headers={"Location": f"http://elsewhere/{KEY}"}),
        Lie(status=503, headers={"Retry-After": KEY}),
    ]
    for lie in [*in_body, *in_headers]:
        server.script = [lie, lie]
        with pytest.raises(RerankFailed) as caught:
            reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)
        told = "".join(traceback.format_exception(caught.value)) + repr(vars(reranker))
        told += caplog.text if lie in in_body else ""
        assert [secret for secret in (KEY, QUESTION, *PASSAGES) if secret in told] == []
    assert server.asked[0].headers["authorization"].endswith(KEY), "the search for the key would find none"


@pytest.mark.parametrize("key", ["two words", "line\nend", "schlüssel", "\x07", ""])
def test_i12_a_key_that_no_header_can_hold_is_refused_without_being_told(key: str) -> None:
    with pytest.raises(RerankerMisconfigured) as caught:
        HttpReranker("http://localhost/rerank", api_key=SecretStr(key))
    assert caught.value.message == "BRAIN_RERANK_API_KEY holds characters that no HTTP header may hold"


def test_the_line_end_of_a_key_from_a_file_is_dropped(server: RerankServer) -> None:
    reranker = HttpReranker(server.url, api_key=SecretStr(f" {KEY}\r\n"))
    reranker.score(QUESTION, PASSAGES, timeout_s=PATIENCE_S)
    assert server.asked[0].headers["authorization"] == f"Bearer {KEY}"
    reranker.close()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "localhost/rerank",
        "ftp://localhost/",
        "http:///rerank",
        "http://[::1",
        "http://h:x/",
        "https://me:pw@h/",
    ],
)
def test_i12_an_address_that_cannot_be_used_is_refused_without_being_told(url: str) -> None:
    with pytest.raises(RerankerMisconfigured, match=r"^BRAIN_RERANK_URL ") as caught:
        HttpReranker(url)
    assert not url or url not in str(caught.value)
    assert "pw" not in str(caught.value)
