"""Code is cut where a reader would cut it; expected symbols and lines are written down by hand."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import pytest

from brain_dagster.chunk.api import chunk_text
from brain_dagster.chunk.languages import LANGUAGES
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.model import ChunkDraft, ParsedDocument

CODE = Path(__file__).resolve().parent.parent / "corpora" / "code"
EXPECTED = CODE / "expected"
NAMES = sorted(path.name.removesuffix(".txt") for path in EXPECTED.glob("*.txt"))
BUDGET = 100


def corpus(name: str) -> str:
    return (CODE / name).read_text(encoding="utf-8")


@dataclass(frozen=True)
class Expected:
    """What a reader wrote down of a file; tests/corpora/code/expected/README.md explains the form."""

    outline: tuple[str, ...]
    imports: tuple[str, ...]
    stretches: list[tuple[str, int, int]]


def expected(name: str) -> Expected:
    outline, imports, *rows = (EXPECTED / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert (outline.split()[0], imports.split()[0]) == ("outline", "imports")
    return Expected(_names(outline), _names(imports), [_stretch(row) for row in rows])


def _names(line: str) -> tuple[str, ...]:
    return tuple(filter(None, line.partition(" ")[2].strip().split(" | ")))


def _stretch(row: str) -> tuple[str, int, int]:
    lines, _, symbol = row.partition(" ")
    first, last = lines.split("-")
    return symbol.strip(), int(first), int(last)


def chunked(name: str, budget: int = BUDGET) -> ParsedDocument:
    return chunk_text(corpus(name), name.partition(".")[0], budget)


def stretches(chunks: tuple[ChunkDraft, ...]) -> list[tuple[str, int | None, int | None]]:
    """Merge neighbouring chunks of one symbol: the pieces of a split declaration."""
    groups = [list(group) for _, group in groupby(chunks, key=lambda chunk: chunk.symbol)]
    return [(group[0].symbol, group[0].start_line, group[-1].end_line) for group in groups]


def by_symbol(document: ParsedDocument, symbol: str) -> list[ChunkDraft]:
    return [chunk for chunk in document.chunks if chunk.symbol == symbol]


def test_every_language_has_a_corpus_file_and_what_a_reader_expects_of_it() -> None:
    files = [path for path in CODE.iterdir() if path.is_file()]
    assert {path.stem for path in files} == set(LANGUAGES)
    assert {path.name for path in files} == set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_code_is_cut_at_the_declarations_a_reader_sees(name: str) -> None:
    assert stretches(chunked(name).chunks) == expected(name).stretches


@pytest.mark.parametrize("name", NAMES)
def test_outline_lists_what_the_top_level_declares(name: str) -> None:
    assert chunked(name).outline == expected(name).outline


@pytest.mark.parametrize("name", NAMES)
def test_imports_are_listed_as_written(name: str) -> None:
    assert chunked(name).imports == expected(name).imports


@pytest.mark.parametrize("name", NAMES)
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
