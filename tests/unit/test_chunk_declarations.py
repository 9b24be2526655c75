"""Code is cut where a reader would cut it; expected symbols and lines are written down by hand."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.languages import LANGUAGES
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.model import ChunkDraft, ParsedDocument

CODE = Path(__file__).resolve().parent.parent / "corpora" / "code"
BUDGET = 100

# What stands in each file of tests/corpora/code, top to bottom: symbol, first line, last line. A
# declaration begins with its comments and attributes; blank lines and closing braces belong to what is
# above them. One that is over the budget is several chunks with the same symbol.
EXPECTED: dict[str, list[tuple[str, int, int]]] = {
    "python.py": [
        ("EARTH_RADIUS_KM, STATES", 1, 15),
        ("distance_km", 16, 23),
        ("Parcel", 24, 31),
        ("Depot", 32, 36),
        ("Depot.__init__", 37, 40),
        ("Depot.load", 41, 48),
        ("Depot.accept", 49, 53),
        ("Depot.count, Depot.clear", 54, 61),
        ("", 62, 63),
    ],
    "javascript.js": [
        ("DEFAULT_WIDTH", 1, 6),
        ("wrapParagraph", 7, 20),
        ("countWords", 21, 26),
        ("NoteRenderer", 27, 31),
        ("NoteRenderer.constructor", 32, 37),
        ("NoteRenderer.visitHeading", 38, 44),
        ("NoteRenderer.visitInclude", 45, 50),
        ("NoteRenderer.depth", 51, 53),
        ("NoteRenderer.prototype.visitRule", 54, 56),
    ],
    "typescript.ts": [
        ("", 1, 3),
        ("RetryPolicy", 4, 11),
        ("JobState, Priority", 12, 15),
        ("Delays", 16, 21),
        ("JobQueue", 22, 26),
        ("JobQueue.constructor", 27, 32),
        ("JobQueue.run", 33, 34),
        ("JobQueue.runWithRetry", 35, 46),
        ("JobQueue.handleTick", 47, 53),
    ],
    "tsx.tsx": [("", 1, 3), ("PanelProps", 4, 5), ("Panel", 6, 16), ("Badge", 17, 20)],
    "go.go": [
        ("ErrUnbalanced, maxLines", 1, 15),
        ("Entry", 16, 21),
        ("Line", 22, 27),
        ("Book", 28, 34),
        ("Book.Post", 35, 49),
        ("Book.Balance", 50, 56),
        ("Book.Len, NewBook", 57, 59),
    ],
    "rust.rs": [
        ("DEFAULT_CAPACITY", 1, 8),
        ("Ring", 9, 16),
        ("Ring.with_capacity", 17, 23),
        ("Ring.push", 24, 31),
        ("Ring.len", 32, 36),
        ("Ring", 37, 45),
        ("tests", 46, 56),
    ],
    "java.java": [
        ("", 1, 6),
        ("LendingDesk", 7, 12),
        ("LendingDesk.LendingDesk", 13, 17),
        ("LendingDesk.lend", 18, 28),
        ("LendingDesk.overdue, LendingDesk.close", 29, 38),
        ("LendingDesk.Loan", 39, 44),
        ("Desk", 45, 47),
    ],
    "c.c": [
        ("GROWTH, MIN_ROOM", 1, 7),
        ("buffer_t", 8, 13),
        ("buffer_error, round_up, buffer_debug", 14, 18),
        ("reserve", 19, 36),
        ("", 37, 37),
        ("buffer_print_stats", 38, 45),
        ("round_up", 46, 52),
    ],
    "cpp.cpp": [
        ("", 1, 4),
        ("drawing, drawing.Points", 5, 8),
        ("drawing.Polygon", 9, 12),
        ("drawing.Polygon.Polygon, drawing.Polygon.~Polygon", 13, 18),
        ("drawing.Polygon.signed_area", 19, 29),
        ("drawing.Polygon.operator==", 30, 31),
        ("drawing.Polygon", 32, 36),
        ("drawing.Canvas.Canvas", 37, 41),
        ("drawing.Canvas.fill", 42, 51),
    ],
    "csharp.cs": [
        ("", 1, 6),
        ("Station", 7, 13),
        ("Station.Station", 14, 19),
        ("Station.IsSuspicious", 20, 28),
        ("Station.this", 29, 30),
        ("Station.operator.+", 31, 37),
        ("Station.Dispose", 38, 40),
        ("Reading, Sky", 41, 43),
    ],
    "ruby.rb": [
        ("", 1, 5),
        ("Kitchen.Recipe", 6, 13),
        ("Kitchen.Recipe.initialize", 14, 19),
        ("Kitchen.Recipe.scale_to", 20, 26),
        ("Kitchen.Recipe.load", 27, 31),
        ("Kitchen.Recipe.favourites, Kitchen.Recipe.to_s", 32, 41),
        ("Kitchen.Recipe.<=>", 42, 46),
    ],
    "php.php": [
        ("MAX_NIGHTS", 1, 11),
        ("BookingDesk", 12, 21),
        ("BookingDesk.__construct", 22, 27),
        ("BookingDesk.book", 28, 40),
        ("BookingDesk.count", 41, 43),
        ("Desk, price_of", 44, 53),
    ],
}

OUTLINES = {
    "python.py": ("distance_km", "Parcel", "Depot"),
    "javascript.js": ("wrapParagraph", "countWords", "NoteRenderer", "NoteRenderer.prototype.visitRule"),
    "typescript.ts": ("RetryPolicy", "JobState", "Priority", "Delays", "Delays.doubling", "JobQueue"),
    "go.go": ("Entry", "Line", "Book", "Book.Post", "Book.Balance", "Book.Len", "NewBook"),
    "cpp.cpp": ("drawing", "drawing.Polygon", "drawing.Canvas.Canvas", "drawing.Canvas.fill"),
    "ruby.rb": ("Kitchen", "Kitchen.Recipe"),
}

IMPORTS = {
    "python.py": ("math", "collections.abc", "dataclasses"),
    "javascript.js": ("node:fs/promises", "node:path", "./parse"),
    "typescript.ts": ("./clock", "events"),
    "go.go": ("errors", "sync", "example.org/money"),
    "rust.rs": ("std::collections::HashMap", "std::fmt", "super"),
    "java.java": ("java.time.LocalDate", "java.util.List", "java.util.Objects.requireNonNull"),
    "c.c": ("stdlib.h", "buffer.h"),
    "csharp.cs": ("System", "System.Collections.Generic", "System.Text.Json"),
    "ruby.rb": ("json", "recipe/step"),
    "php.php": ("App\\Calendar\\Day", "App\\Mail"),
}


def corpus(name: str) -> str:
    return (CODE / name).read_text(encoding="utf-8")


def chunked(name: str, budget: int = BUDGET) -> ParsedDocument:
    return chunk_text(corpus(name), name.partition(".")[0], budget)


def stretches(chunks: tuple[ChunkDraft, ...]) -> list[tuple[str, int | None, int | None]]:
    """Merge neighbouring chunks of one symbol: the pieces of a split declaration."""
    groups = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.symbol)]
    return [(group[0].symbol, group[0].start_line, group[-1].end_line) for group in groups]


def by_symbol(document: ParsedDocument, symbol: str) -> list[ChunkDraft]:
    return [chunk for chunk in document.chunks if chunk.symbol == symbol]


def test_every_language_has_a_corpus_file() -> None:
    assert {path.stem for path in CODE.iterdir()} == set(LANGUAGES) == {n.split(".")[0] for n in EXPECTED}


@pytest.mark.parametrize("name", EXPECTED)
def test_code_is_cut_at_the_declarations_a_reader_sees(name: str) -> None:
    assert stretches(chunked(name).chunks) == EXPECTED[name]


@pytest.mark.parametrize("name", OUTLINES)
def test_outline_lists_what_the_top_level_declares(name: str) -> None:
    assert chunked(name).outline == OUTLINES[name]


@pytest.mark.parametrize("name", IMPORTS)
def test_imports_are_listed_as_written(name: str) -> None:
    assert chunked(name).imports == IMPORTS[name]


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("budget", [16, 40, 100, 200, 5000])
def test_no_chunk_is_over_budget_and_counts_are_the_tokenizers(name: str, budget: int) -> None:
    for chunk in chunked(name, budget).chunks:
        assert chunk.tokens == default_counter().count(chunk.text) <= budget


def test_title_is_the_first_line_of_the_module_documentation() -> None:
    assert chunked("python.py").title == (
        "Parcels on their way: states, distances and the depot that moves them."
    )
    assert chunked("rust.rs").title == "A ring of fixed size that forgets its oldest entries."
    assert chunked("go.go").title == "Package ledger keeps accounts that always balance."
    assert chunked("java.java").title == ""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("#!/usr/bin/env python\n# comment\n\n'''\nPays invoices.\n'''\n", "Pays invoices."),
        ('"It\'s one line."\nx = 1\n', "It's one line."),
        ('x = """not a docstring"""\n', ""),
        ("\n" * 2000 + "x", ""),
    ],
)
def test_title_of_a_python_module(text: str, title: str) -> None:
    assert chunk_text(text, "python", BUDGET).title == title


def test_member_of_a_large_class_knows_the_headers_around_it() -> None:
    (accept,) = by_symbol(chunked("python.py"), "Depot.accept")
    assert accept.enclosing == ("class Depot:",)
    (operator,) = by_symbol(chunked("cpp.cpp"), "drawing.Polygon.operator==")
    assert operator.enclosing == ("namespace drawing", "class Polygon : public Shape")


def test_later_piece_of_a_large_function_knows_its_header() -> None:
    first, second = by_symbol(chunked("python.py"), "distance_km")
    assert first.enclosing == ()
    assert second.enclosing == ("def distance_km(a: tuple[float, float], b: tuple[float, float]) -> float:",)
    load = by_symbol(chunked("python.py"), "Depot.load")
    assert load[-1].enclosing == (
        "class Depot:",
        "def load(self, capacity_kg: float) -> Iterator[Parcel]:",
    )


def test_class_that_fits_is_one_chunk() -> None:
    document = chunked("python.py", budget=300)
    (depot,) = by_symbol(document, "Depot")
    assert (depot.kind, depot.start_line, depot.end_line) == ("container", 32, 61)


def test_kinds_say_what_a_chunk_holds() -> None:
    kinds = {chunk.symbol: chunk.kind for chunk in chunked("typescript.ts").chunks}
    assert kinds[""] == "imports"
    assert kinds["JobState, Priority"] == "declaration"
    assert kinds["JobQueue"] == "container"
    assert {chunk.kind for chunk in chunked("python.py").chunks if not chunk.symbol} == {"module"}


def test_tiny_functions_share_a_chunk_and_large_ones_do_not() -> None:
    tiny = "".join(f"def f{n}():\n    return {n}\n\n\n" for n in range(3))
    large = "".join(f"def g{n}():\n" + "    total += 1\n" * 12 + "\n\n" for n in range(2))
    symbols = [chunk.symbol for chunk in chunk_text(tiny + large, "python", BUDGET).chunks]
    assert symbols == ["f0, f1, f2", "g0", "g1"]


def test_nothing_is_packed_across_containers() -> None:
    body = "    def a(self):\n        return self.value + self.value + self.value\n" * 6
    text = f"class One:\n{body}\n\nclass Two:\n{body}"
    for chunk in chunk_text(text, "python", BUDGET).chunks:
        assert len({name.split(".")[0] for name in chunk.symbol.split(", ")}) == 1


def test_comment_above_a_class_member_stays_with_it_in_every_language() -> None:
    """Some grammars hang the comment above the first member outside the body."""
    text = "class A:\n    # why first\n" + "    def first(self):\n" + "        self.x()\n" * 20
    first = chunk_text(text + "    def second(self):\n" + "        y()\n" * 25, "python", BUDGET).chunks[0]
    assert first.symbol == "A.first"
    assert "# why first\n    def first" in first.text


def test_section_comment_leans_towards_what_follows() -> None:
    function = "def {}():\n" + "    total += 1\n" * 12
    text = function.format("a") + "\n\n# Below: the other side.\n\n" + function.format("b")
    first, second = chunk_text(text, "python", BUDGET).chunks
    assert "Below" not in first.text
    assert second.text.startswith("# Below")


def test_declarations_under_a_condition_keep_their_names() -> None:
    body = "        return compute(1, 2, 3, 4, 5, 6, 7, 8, 9)\n" * 4
    text = f"import sys\n\nif sys.version_info >= (3, 12):\n    def f():\n{body}else:\n    def g():\n{body}"
    symbols = [chunk.symbol for chunk in chunk_text(text, "python", BUDGET).chunks]
    assert [symbol for symbol in symbols if symbol] == ["f", "g"]


def test_import_under_try_is_an_import() -> None:
    text = "try:\n    import tomllib\nexcept ImportError:\n    import tomli as tomllib\n"
    assert chunk_text(text, "python", BUDGET).imports == ("tomllib", "tomli")


def test_header_with_c_in_its_name_is_read_as_cpp_when_only_that_makes_sense() -> None:
    text = "namespace a {\nclass Widget { public: int size() const; };\n}\n"
    document = chunk_text(text, "c", BUDGET)
    assert document.outline == ("a", "a.Widget")
    assert document.warnings == ()


def test_header_that_neither_grammar_reads_is_taken_by_the_one_that_understands_more() -> None:
    method = "  ALWAYS_INLINE {0} blend{1}(const Widget& other) {{ return other.mix({1}); }}\n"
    methods = "".join(method.format("Widget", n) for n in range(9))
    text = "BEGIN_NAMESPACE(a)\nclass Widget : public Base {\n public:\n" + methods + "};\nEND_NAMESPACE\n"
    document = chunk_text(text, "c", BUDGET)
    assert "Widget" in document.outline
    assert any("Widget.blend3" in chunk.symbol for chunk in document.chunks)
    assert document.warnings[0].startswith("parsed partially: syntax not understood at line ")


@pytest.mark.parametrize(
    ("declaration", "symbol"),
    [
        ("int plain(int a) { return a; }", "plain"),
        ("char *(*table[3])(void);", "table"),
        ("std::vector<int> Box<Pair<int, 3>>::items() const { return {}; }", "Box.items"),
        ("Box::operator bool() const { return true; }", "Box.operatorbool"),
        ("bool operator<(const Box& a, const Box& b) { return a.n < b.n; }", "operator<"),
        ("int operator()(int a) { return a; }", "operator()"),
        ("Box::~Box() {}", "Box.~Box"),
        ("struct Open { int a; };", "Open"),
        ("typedef unsigned long size;", "size"),
        ("template <typename T> T largest(T a, T b) { return a > b ? a : b; }", "largest"),
        ("enum class Sky { clear, cloudy };", "Sky"),
    ],
)
def test_name_of_a_cpp_declaration(declaration: str, symbol: str) -> None:
    (chunk,) = chunk_text(declaration + "\n", "cpp", BUDGET).chunks
    assert chunk.symbol == symbol


@pytest.mark.parametrize(
    ("language", "declaration", "symbol"),
    [
        ("javascript", "const load = async () => { await x; };", "load"),
        ("javascript", "module.exports = { go() { return 1; } };", "module.exports"),
        ("javascript", "function* steps() { yield 1; }", "steps"),
        ("typescript", "declare module 'x' { export const y: number; }", "x"),
        ("typescript", "export abstract class A<T> { abstract f(): void; }", "A"),
        ("typescript", "export default interface Shape { area(): number }", "Shape"),
        ("go", "package p\ntype (\n\tID int\n)", "ID"),
        ("go", "package p\nfunc (s *Stack[T]) Push(v T) {}", "Stack.Push"),
        ("rust", "impl<'a> From<&'a str> for Name<'a> { fn from(s: &'a str) -> Self { todo!() } }", "Name"),
        ("rust", "macro_rules! square { ($x:expr) => { $x * $x } }", "square"),
        ("java", "@interface Slow { int seconds(); }", "Slow"),
        ("java", "enum Coin { PENNY { int v() { return 1; } }; abstract int v(); }", "Coin"),
        ("csharp", "namespace A { public record struct Point(int X, int Y); }", "A"),
        ("ruby", "Point = Struct.new(:x, :y) do\n  def norm\n    x + y\n  end\nend", "Point"),
        ("ruby", "class Shop::Cart < Base; end", "Shop.Cart"),
        ("php", "<?php\nfunction &ref(array $a): ?int { return null; }", "ref"),
        ("php", "<?php\nenum Suit: string { case Hearts = 'H'; }", "Suit"),
        ("python", "async def fetch(): ...", "fetch"),
        ("python", "@cache\n@other(1)\nclass A: pass", "A"),
        ("python", "type Pair[T] = tuple[T, T]", "Pair"),
        ("python", "LIMIT: int = 3", "LIMIT"),
    ],
)
def test_name_of_a_declaration(language: str, declaration: str, symbol: str) -> None:
    (chunk,) = chunk_text(declaration + "\n", language, BUDGET).chunks
    assert chunk.symbol == symbol


def test_function_in_a_function_is_found_by_name() -> None:
    inner = "        total = total + other.value * 3\n" * 8
    text = (
        f"def outer():\n    start()\n\n    def helper(other):\n{inner}\n    finish()\n" + "    go(1)\n" * 20
    )
    symbols = [chunk.symbol for chunk in chunk_text(text, "python", BUDGET).chunks]
    assert "outer.helper" in symbols
    assert {symbol.split(".")[0] for symbol in symbols} == {"outer"}


def test_long_statement_is_cut_between_its_parts() -> None:
    rows = "".join(f'    ("row {n}", {n}, True),\n' for n in range(60))
    document = chunk_text(f"TABLE = [\n{rows}]\n", "python", BUDGET)
    assert len(document.chunks) > 2
    assert all(chunk.symbol == "TABLE" for chunk in document.chunks)
    assert all(chunk.text.endswith("),\n") for chunk in document.chunks[:-1])
