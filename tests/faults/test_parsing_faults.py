"""Parsers meet hostile files in a child process; the parent survives and says what was not read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil
import pytest

from brain_dagster.errors import BrainError
from brain_dagster.model import ParsedDocument
from brain_dagster.parse.errors import BrokenDocument, NeedsPassword, ParserUnavailable, ParseTimedOut
from brain_dagster.parse.process import _environment
from brain_dagster.parse.worker import ParseRequest, ParserPool
from brain_dagster.settings import Settings
from tests.corpora import pdfs

BUDGET = 200


@pytest.fixture(scope="module")
def pool() -> Iterator[ParserPool]:
    with ParserPool(Settings(parse_timeout_s=30, vision="none")) as parsers:
        yield parsers


def code(text: str, language: str = "python") -> ParseRequest:
    return ParseRequest(f"file.{language}", language, text, None, BUDGET)


def pdf(content: bytes) -> ParseRequest:
    return ParseRequest("file.pdf", "pdf", None, content, BUDGET)


def pool_with(patch: str, timeout_s: float = 30, memory_bytes: int = 1_500_000_000) -> ParserPool:
    """A pool whose children run `patch` before they serve."""
    program = (
        "import os, signal, sys, time\n"
        "from brain_dagster.parse import child, pdf\n"
        f"{patch}\n"
        "child.main(sys.argv[1:])\n"
    )
    limits = Settings(parse_timeout_s=timeout_s, parse_memory_bytes=memory_bytes, vision="none")
    return ParserPool(limits, command=[sys.executable, "-c", program])


def assert_covered(document: ParsedDocument, text: str) -> None:
    assert "".join(chunk.text for chunk in document.chunks) == text
    assert max(chunk.tokens for chunk in document.chunks) <= BUDGET


# E6: trees that are deep or wide ---------------------------------------------------------------------

DEEP_INPUTS = {
    "parentheses": "x = " + "(" * 2_100 + "needle" + ")" * 2_100 + "\n",
    "sum": "x = " + " + ".join(f"term{n}" for n in range(5_000)) + " + needle\n",
    "levels": "x = " + "[" * 100_000 + "needle" + "]" * 100_000 + "\n",
    "nested lines": "".join(f"{'(' * 1}\n" for _ in range(3_000)) + "needle\n" + ")\n" * 3_000,
    "gperf table": "static const struct entry words[] = {\n"
    + '    {""}, {""}, {""}, {"word", 17},\n' * 8_000
    + '    {"needle", 1}\n};\n',
    "else if": "int f(int x) {\n"
    + "".join(f"  if (x == {n}) return {n}; else\n" for n in range(2_000))
    + "  return needle;\n}\n",
}


@pytest.mark.parametrize("name", DEEP_INPUTS)
def test_e6_deep_trees_leave_the_parent_alive_and_the_file_searchable(pool: ParserPool, name: str) -> None:
    text = DEEP_INPUTS[name]
    document = pool.parse(code(text, "c" if name in ("gperf table", "else if") else "python"))
    assert_covered(document, text)
    assert any("needle" in chunk.text for chunk in document.chunks)


def test_e6_nesting_over_the_budget_is_said(pool: ParserPool) -> None:
    document = pool.parse(code(DEEP_INPUTS["nested lines"]))
    assert document.warnings[0].startswith("parsed partially: nested deeper than 256")


def test_e6_too_many_statements_are_cut_by_lines() -> None:
    text = "f();\n" * 5_000
    with pool_with("from brain_dagster.chunk import syntax\nsyntax.MAX_CHILDREN = 4_000\n") as parsers:
        document = parsers.parse(code(text, "javascript"))
    assert document.warnings == ("parsed partially: a node with 5,000 parts at line 1; cut by lines",)
    assert_covered(document, text)


TEXT = "def survives():\n    return 'needle'\n"
FATAL_PARSERS = {
    "crashes": ("os.kill(os.getpid(), signal.SIGSEGV)", "the parser ended with signal 11"),
    "exits": ("os._exit(3)", "the parser ended with exit code 3"),
    "hangs": ("time.sleep(60)", "the parser did not finish within 1 s"),
    "spins": ("exec('while True: pass')", "the parser did not finish within 1 s"),
    "runs out of memory": ("bytearray(2**40)", "it needs more memory than a parser may use"),
    "raises": ("1 // 0", "ZeroDivisionError integer division or modulo by zero"),
    "recurses": ("(lambda f: f(f))(lambda f: f(f))", "RecursionError maximum recursion depth exceeded"),
    "talks nonsense": ("os.write(replies_fd, b'x' * 64)", "the parser ended with"),
}


@pytest.mark.parametrize("name", FATAL_PARSERS)
def test_e6_text_whose_parser_fails_is_still_cut_by_lines(name: str) -> None:
    action, reason = FATAL_PARSERS[name]
    patch = (
        "real, calls, replies_fd = child.chunk_text, [], 0\n"
        "pipes = child.private_pipes\n"
        "def watched():\n"
        "    global replies_fd\n"
        "    requests, replies = pipes()\n"
        "    replies_fd = replies.fileno()\n"
        "    return requests, replies\n"
        "child.private_pipes = watched\n"
        "def chunk(text, *rest, **more):\n"
        f"    'needle' in text and {action}\n"
        "    return real(text, *rest, **more)\n"
        "child.chunk_text = chunk\n"
    )
    with pool_with(patch, timeout_s=1) as parsers:
        failed = parsers.parse(code(TEXT))
        after = parsers.parse(code("def next_file():\n    pass\n"))
    assert len(failed.warnings) == 1
    assert failed.warnings[0].startswith(f"parsed partially: {reason}")
    assert failed.warnings[0].endswith("; cut by lines")
    assert_covered(failed, TEXT)
    assert {chunk.kind for chunk in failed.chunks} == {"lines"}
    assert after.outline == ("next_file",)
    assert after.warnings == ()


def test_child_that_may_use_too_little_memory_is_an_error_of_the_system_not_of_the_file() -> None:
    with ParserPool(Settings(parse_memory_bytes=1_000_000)) as parsers:
        with pytest.raises(ParserUnavailable, match="BRAIN_PARSE_MEMORY_BYTES"):
            parsers.parse(code(TEXT))
        (result,) = parsers.parse_many([code(TEXT)])
        assert isinstance(result, ParserUnavailable)


def test_parser_that_prints_disturbs_nobody(capfd: pytest.CaptureFixture[str]) -> None:
    patch = (
        "real = child.chunk_text\n"
        "def chunk(*rest, **more):\n"
        "    print('noise', flush=True)\n"
        "    print('noise', file=sys.stderr, flush=True)\n"
        "    os.write(1, b'noise')\n"
        "    return real(*rest, **more)\n"
        "child.chunk_text = chunk\n"
    )
    with pool_with(patch) as parsers:
        assert parsers.parse(code(TEXT)).outline == ("survives",)
    assert capfd.readouterr() == ("", "")


def test_child_cannot_read_the_parents_stdin_or_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BRAIN_DATABASE_URL", "postgresql://user:secret@host/db")
    assert "secret" not in str(_environment())
    patch = "sys.stdin = open(0)\nreal = child.chunk_text\n"
    patch += "child.chunk_text = lambda text, *r, **m: real(text + os.read(0, 10).decode(), *r, **m)\n"
    with pool_with(patch) as parsers:
        assert "".join(chunk.text for chunk in parsers.parse(code(TEXT)).chunks) == TEXT


# The life of a child ---------------------------------------------------------------------------------

PARENT = """
import sys
from brain_dagster.parse.worker import ParserPool, ParseRequest
from brain_dagster.settings import Settings
stub = "import sys; from brain_dagster.parse import child\\n"
stub += "def spin(*a, **k):\\n    while True: pass\\n"
stub += "child.chunk_text = spin\\n" if sys.argv[1] == "busy" else ""
stub += "child.main(sys.argv[1:])\\n"
pool = ParserPool(Settings(parse_timeout_s=60), command=[sys.executable, "-c", stub])
pool._all[0].start()
print(pool._all[0]._process.pid, flush=True)
pool.parse(ParseRequest("a.py", "python", "x = 1", None, 100))
print("parsed", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("state", ["idle", "busy"])
def test_child_ends_when_its_parent_is_killed(state: str) -> None:
    command = [sys.executable, "-c", PARENT, state]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        if state == "idle":
            assert parent.stdout.readline() == "parsed\n"
        else:
            time.sleep(0.3)
        assert child.is_running()
        parent.kill()
    deadline = time.monotonic() + 10
    while child.is_running() and child.status() != psutil.STATUS_ZOMBIE and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not child.is_running() or child.status() == psutil.STATUS_ZOMBIE


def test_closed_pool_leaves_no_child(pool: ParserPool) -> None:
    with ParserPool(Settings()) as parsers:
        parsers.parse(code(TEXT))
        process = parsers._all[0]._process
        assert process is not None
        child = psutil.Process(process.pid)
    assert not child.is_running()


def test_child_killed_between_two_files_is_replaced() -> None:
    with ParserPool(Settings()) as parsers:
        parsers.parse(code(TEXT))
        process = parsers._all[0]._process
        assert process is not None
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert parsers.parse(code(TEXT)).outline == ("survives",)


def test_child_that_dies_of_old_age_is_replaced_and_the_file_tried_again() -> None:
    """The second file kills the first child, but not a fresh one: it did nothing wrong."""
    patch = (
        "real, served = child.chunk_text, []\n"
        "def chunk(*rest, **more):\n"
        "    served.append(1)\n"
        "    len(served) > 1 and os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return real(*rest, **more)\n"
        "child.chunk_text = chunk\n"
    )
    with pool_with(patch) as parsers:
        documents = [parsers.parse(code(TEXT)) for _ in range(2)]
    assert [(document.outline, document.warnings) for document in documents] == [(("survives",), ())] * 2


def test_results_come_in_the_order_of_the_requests_with_errors_in_their_place() -> None:
    requests = [code(f"def f{n}():\n    pass\n" * (40 - n)) for n in range(20)]
    requests[5] = pdf(b"no pdf")
    requests[11] = pdf(pdfs.text_pdf(["Page."]))
    with ParserPool(Settings(), workers=2) as parsers:
        results = list(parsers.parse_many(requests))
    assert isinstance(results[5], BrokenDocument)
    assert results[5].subject == "file.pdf"
    assert isinstance(results[11], ParsedDocument)
    assert results[11].page_count == 1
    names = [r.outline[0] for r in results if isinstance(r, ParsedDocument) and r.outline]
    assert names == [f"f{n}" for n in range(20) if n not in (5, 11)]


def test_only_a_few_requests_are_read_ahead(pool: ParserPool) -> None:
    taken = 0

    def requests() -> Iterator[ParseRequest]:
        nonlocal taken
        for _ in range(1_000):
            taken += 1
            yield code(TEXT)

    results: Iterator[ParsedDocument | BrainError] = pool.parse_many(requests())
    next(results)
    assert taken <= 6
    results.close()  # type: ignore[attr-defined]
    assert pool.parse(code(TEXT)).outline == ("survives",)


def test_large_text_passes_through_the_pipe(pool: ParserPool) -> None:
    text = "".join(f"def function_{n}():\n    return {n}\n\n\n" for n in range(5_000))
    document = pool.parse(code(text))
    assert_covered(document, text)
    assert document.warnings == ()


# G: PDF ----------------------------------------------------------------------------------------------


def test_g1_user_password_is_refused_and_owner_password_is_not(pool: ParserPool) -> None:
    with pytest.raises(NeedsPassword, match="opens only with a password"):
        pool.parse(pdf(pdfs.protected_pdf("Secret words.", user_password="hunter2")))
    document = pool.parse(pdf(pdfs.protected_pdf("Readable words.", user_password="")))
    assert [chunk.text for chunk in document.chunks] == ["Readable words."]


def test_g2_wrong_xref_is_recovered_and_said(pool: ParserPool, capfd: pytest.CaptureFixture[str]) -> None:
    document = pool.parse(pdf(pdfs.wrong_xref(pdfs.text_pdf(["Words that survive."]))))
    assert [chunk.text for chunk in document.chunks] == ["Words that survive."]
    assert document.warnings[0].startswith("recovered a damaged file: ")
    assert capfd.readouterr() == ("", "")


WHOLE = pdfs.text_pdf(["Page one.", "Page two."])
BROKEN = {
    "truncated": (WHOLE[: len(WHOLE) // 2], "Stream has ended unexpectedly"),
    "empty": (b"", "Cannot read an empty file"),
    "HTML": (b"<!doctype html><title>Not found</title>" * 50, "it does not begin as a PDF does"),
    "garbage": (bytes(range(256)) * 200, "it does not begin as a PDF does"),
    "cyclic tree": (pdfs.cyclic_page_tree(), "Detected cyclic page references."),
}


@pytest.mark.parametrize("name", BROKEN)
def test_g2_broken_files_are_refused_with_the_parsers_reason(pool: ParserPool, name: str) -> None:
    content, reason = BROKEN[name]
    with pytest.raises(BrokenDocument) as refusal:
        pool.parse(pdf(content))
    assert refusal.value.message == f"The PDF cannot be read: {reason}"
    assert refusal.value.subject == "file.pdf"


SPIN_ON_PAGE = (
    "read = pdf.PdfFile.page\n"
    "def page(self, number):\n"
    "    while number == {}:\n"
    "        pass\n"
    "    return read(self, number)\n"
    "pdf.PdfFile.page = page\n"
)


def test_g3_parser_that_spins_on_page_2_keeps_page_1() -> None:
    content = pdfs.text_pdf(["First page.", "Second page.", "Third page."])
    with pool_with(SPIN_ON_PAGE.format(2), timeout_s=2) as parsers:
        document = parsers.parse(pdf(content))
        assert parsers.parse(code(TEXT)).warnings == ()
    assert [(chunk.page, chunk.text) for chunk in document.chunks] == [(1, "First page.")]
    assert document.page_count == 3
    assert document.pages_not_read == (2, 3)
    assert document.warnings == ("partial: pages 2-3 not read: not finished within 2 s",)


def test_g3_parser_that_finishes_no_page_in_time_is_an_error() -> None:
    with (
        pool_with(SPIN_ON_PAGE.format(1), timeout_s=1) as parsers,
        pytest.raises(ParseTimedOut, match="BRAIN_PARSE_TIMEOUT_S"),
    ):
        parsers.parse(pdf(pdfs.text_pdf(["First page."])))


def test_g3_parser_that_dies_on_page_2_keeps_page_1() -> None:
    patch = SPIN_ON_PAGE.format(2).replace("pass", "os.kill(os.getpid(), signal.SIGSEGV)")
    with pool_with(patch) as parsers:
        document = parsers.parse(pdf(pdfs.text_pdf(["First page.", "Second page."])))
    assert [chunk.page for chunk in document.chunks] == [1]
    assert document.warnings == ("partial: pages 2-2 not read: the parser ended with signal 11",)


def test_g4_pages_are_judged_one_by_one(pool: ParserPool) -> None:
    document = pool.parse(pdf(pdfs.page_mix(["text", "scan", "blank", "text", "drawing", "stamped"])))
    assert document.page_count == 6
    assert [chunk.page for chunk in document.chunks] == [1, 4, 6]
    assert document.pages_without_text == (2, 5, 6)
    assert document.pages_not_read == ()
    assert document.warnings == ("page 6 is an image with a line of text; what the image shows was not read",)


def test_g4_scan_has_no_chunk_and_names_every_page(pool: ParserPool) -> None:
    document = pool.parse(pdf(pdfs.page_mix(["scan", "scan", "scan"])))
    assert document.chunks == ()
    assert document.pages_without_text == (1, 2, 3)


def test_g4_blank_page_is_not_a_page_without_text(pool: ParserPool) -> None:
    document = pool.parse(pdf(pdfs.page_mix(["text", "blank"])))
    assert document.pages_without_text == ()
    assert [chunk.page for chunk in document.chunks] == [1]


@pytest.mark.parametrize("declared", [0, 1_000, 10**9])
def test_g6_declared_page_count_is_not_believed(pool: ParserPool, declared: int) -> None:
    document = pool.parse(pdf(pdfs.lying_page_count(declared)))
    assert document.page_count == 2
    assert document.warnings == (f"the file declares {declared} pages, 2 were found",)


def test_d1_nul_from_a_font_is_replaced(pool: ParserPool) -> None:
    (chunk,) = pool.parse(pdf(pdfs.text_with_nul())).chunks
    assert chunk.text == "A \ufffd B and more words"


def test_pdf_chunks_know_page_label_and_bookmark(pool: ParserPool) -> None:
    labelled = pool.parse(pdf(pdfs.labelled_pages()))
    assert [(chunk.page, chunk.page_label) for chunk in labelled.chunks] == [(1, "i"), (2, "ii"), (3, "1")]
    pages = ["Sowing\nIn March.", "Harvest\nIn August."]
    marked = pool.parse(pdf(pdfs.text_pdf(pages, title="Year of a field", bookmarks=True)))
    assert [chunk.headings for chunk in marked.chunks] == [("Sowing",), ("Harvest",)]
    assert (marked.title, marked.outline) == ("Year of a field", ("Sowing", "Harvest"))


def test_no_chunk_straddles_two_pages(pool: ParserPool) -> None:
    words = "Every page says that it is page number {} and then says it once more. "
    document = pool.parse(pdf(pdfs.text_pdf([words.format(n) * 40 for n in range(1, 4)])))
    for chunk in document.chunks:
        assert f"number {chunk.page}" in " ".join(chunk.text.split())
        assert chunk.tokens <= BUDGET
    assert [chunk.page for chunk in document.chunks] == sorted(chunk.page or 0 for chunk in document.chunks)
    assert len(document.chunks) > 6


def test_g5_text_is_capped_in_total() -> None:
    patch = "from brain_dagster.parse import extracted\nextracted.MAX_TEXT_CHARS = 30\n"
    with pool_with(patch) as parsers:
        document = parsers.parse(pdf(pdfs.text_pdf(["Twenty characters..."] * 4)))
    assert document.pages_not_read == (2, 3, 4)
    assert document.warnings == ("partial: pages 2-4 not read: more than 30 characters of text",)


def test_g6_pages_are_capped() -> None:
    with pool_with("pdf.MAX_PAGES = 2\n") as parsers:
        document = parsers.parse(pdf(pdfs.text_pdf(["One.", "Two.", "Three."])))
    assert document.pages_not_read == (3,)
    assert document.warnings == ("partial: pages 3-3 not read: more than 2 pages",)


def test_parser_room_never_imports_pypdf_in_the_parent() -> None:
    """The parent must not be able to run the parsers that it keeps in children."""
    program = "import sys; import brain_dagster.parse.worker; print('pypdf' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
