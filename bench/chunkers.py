"""Chunks at declarations against fixed windows and against paragraphs, everything else being equal.

`python -m bench chunkers`: the packages of `python-libraries` are synced three times into one Brain, with the
same budget, model, contexts and search; only the function that cuts a text differs. How many chunks are whole
declarations is judged by Python's own `ast`, not by the grammar the product cuts with.
"""

from __future__ import annotations

import ast
import sys
import time
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from bench.corpora import READER, Folder, cache_folder, python_libraries
from bench.instance import brain_in
from brain_dagster.chunk.cuts import cut
from brain_dagster.chunk.lines import NO_CUT, chunk_lines, follows_blank_line
from brain_dagster.chunk.source import SourceText, Span
from brain_dagster.chunk.tokens import TokenCounter, default_counter
from brain_dagster.connectors import open_connector
from brain_dagster.contextualize.stage import stage_contexts
from brain_dagster.contextualize.structure import StructureContextualizer
from brain_dagster.embed import SpaceEmbedder, open_embedder
from brain_dagster.embed.stage import stage_embeddings
from brain_dagster.evals.compare import compare_paired
from brain_dagster.evals.goldset import Goldset
from brain_dagster.evals.result import Evaluation
from brain_dagster.evals.run import RememberingEmbedder, evaluate
from brain_dagster.ingest import stage
from brain_dagster.ingest.diff import diff_source
from brain_dagster.model import ParsedDocument
from brain_dagster.parse.worker import ParserPool
from brain_dagster.recipe import current_recipe
from brain_dagster.settings import Settings
from brain_dagster.store.claims import claim, release_all
from brain_dagster.store.clean import clean_text
from brain_dagster.store.pool import Database
from brain_dagster.store.publish import publish
from brain_dagster.store.sources import add_source, get_source

Chunker = Callable[[str, int, TokenCounter], ParsedDocument]
_CHILD = (
    "import sys\n"
    "from bench import chunkers\n"
    "from brain_dagster.parse import child\n"
    "chunker = chunkers.CHUNKERS[{name!r}]\n"
    "child.chunk_text = lambda text, language, budget, counter: chunker(text, budget, counter)\n"
    "child.main(sys.argv[1:])\n"
)


def windows(text: str, budget: int, counter: TokenCounter) -> ParsedDocument:
    """Cut as many whole lines as fit, one window after the other, without looking at them."""
    return _by_level(text, budget, counter, lambda source, offset: 0)


def paragraphs(text: str, budget: int, counter: TokenCounter) -> ParsedDocument:
    """Pack what stands between blank lines up to the budget; only what is larger is cut elsewhere."""
    return _by_level(
        text, budget, counter, lambda source, offset: int(not follows_blank_line(source, offset))
    )


def _by_level(
    text: str, budget: int, counter: TokenCounter, level: Callable[[SourceText, int], int]
) -> ParsedDocument:
    source = SourceText(clean_text(text), counter)
    if source.is_blank(0, len(source)):
        return chunk_lines(text, budget, counter=counter)
    starts = list(_greedy(source, budget, level))
    spans = [Span(a, b, "lines") for a, b in zip(starts, [*starts[1:], len(source)], strict=True)]
    drafts = tuple(source.draft(ordinal, span) for ordinal, span in enumerate(spans))
    return ParsedDocument(chunks=drafts, title="", char_count=len(text))


def _greedy(source: SourceText, budget: int, level: Callable[[SourceText, int], int]) -> Iterator[int]:
    """Yield where pieces begin: each ends at the last of the best line starts within reach."""
    start, end = 0, len(source)
    while True:
        yield start
        if source.fits(start, end, budget):
            return
        first, last = source.starts_between(start, end - 1)
        within = []
        for position in range(first, last):
            if not source.fits(start, source.line_starts[position], budget):
                break
            within.append(source.line_starts[position])
        if within:
            best = min(level(source, offset) for offset in within)
            start = max(offset for offset in within if level(source, offset) == best)
        else:
            pieces = cut(source, start, end, budget, lambda offset: NO_CUT)
            if len(pieces) < 2:
                return
            start = pieces[1]


# Absent from this table: the product's own, `declarations`.
CHUNKERS: Mapping[str, Chunker] = {"windows": windows, "paragraphs": paragraphs}
VARIANTS = ("declarations", *CHUNKERS)


@dataclass(frozen=True, slots=True)
class Wholeness:
    """How chunks lie upon the functions and classes of their files.

    whole         hold at least one function, and cut none
    parts         hold a part of a function over the budget, which must be cut somewhere, and cut no other
    cut           hold a part of a function that would fit into a chunk
    without       hold no function: imports, constants, headers of classes
    functions     of at most the budget; `kept` of them stand in one chunk
    """

    chunks: int
    whole: int
    parts: int
    cut: int
    without: int
    functions: int
    kept: int


def main() -> None:
    """Sync, evaluate and print."""
    corpus = python_libraries()
    with brain_in(cache_folder() / "chunkers") as (settings, db):
        embedder = open_embedder(settings, db)
        remembering = RememberingEmbedder(embedder)
        found: dict[str, Evaluation] = {}
        for variant in VARIANTS:
            started = time.perf_counter()
            for folder in corpus.folders:
                _sync(db, settings, embedder, variant, folder)
            print(f"{variant}: synced in {time.perf_counter() - started:.0f} s", flush=True)
            names = tuple(f"{variant}-{folder.name}" for folder in corpus.folders)
            found[variant] = evaluate(
                db, remembering, READER, _renamed(corpus.goldset, variant), collections=names
            )
        _print_shapes({variant: _wholeness(db, variant, settings.chunk_tokens) for variant in VARIANTS})
        _print_quality(found)


def _renamed(goldset: Goldset, variant: str) -> Goldset:
    cases = (replace(case, source=f"{variant}-{case.source}") for case in goldset.cases)
    return replace(goldset, cases=tuple(cases))


def _sync(db: Database, settings: Settings, embedder: SpaceEmbedder, variant: str, folder: Folder) -> None:
    key = f"{variant}-{folder.name}"
    add_source(
        db,
        key=key,
        kind="folder",
        location=str(folder.path),
        collection=key,
        added_by=READER.user,
        include=folder.include,
        exclude=folder.exclude,
        replace=True,
    )
    source = get_source(db, key)
    held = claim(db, source, key)
    connector = open_connector(source, settings)
    try:
        run = diff_source(db, source, connector, recipe=current_recipe(settings), run_key=key).run
        with _cutting_with(variant):
            stage.stage_chunks(db, source, run, connector, settings)
        limit = embedder.space.identity.max_tokens
        stage_contexts(db, source, StructureContextualizer(), default_counter(), limit)
        stage_embeddings(db, source, embedder)
        publish(db, source, run, embedder.space, held)
    finally:
        connector.close()
        release_all(key)


class _cutting_with:  # noqa: N801 - read as a sentence where it is used
    """Makes the chunks stage use another chunker for as long as it lasts."""

    def __init__(self, variant: str) -> None:
        self._variant = variant

    def __enter__(self) -> None:
        if self._variant in CHUNKERS:
            command = [sys.executable, "-c", _CHILD.format(name=self._variant)]
            vars(stage)["ParserPool"] = partial(ParserPool, command=command)

    def __exit__(self, *_: object) -> None:
        vars(stage)["ParserPool"] = ParserPool


def _wholeness(db: Database, variant: str, budget: int) -> Wholeness:
    rows = db.all(
        "SELECT d.id, array_agg(c.start_line ORDER BY c.ordinal), array_agg(c.end_line ORDER BY c.ordinal),"
        " string_agg(c.text, '' ORDER BY c.ordinal) FROM brain.chunk c JOIN brain.document d"
        " ON d.id = c.document_id JOIN brain.source s ON s.id = d.source_id"
        " WHERE starts_with(s.key, %(prefix)s) AND d.state = 'ready' GROUP BY d.id",
        {"prefix": f"{variant}-"},
    )
    counts: Counter[str] = Counter()
    for _, starts, ends, text in rows:
        counts.update(_judged(text, list(zip(starts, ends, strict=True)), budget))
    return Wholeness(**{name: counts[name] for name in Wholeness.__dataclass_fields__})


def _judged(text: str, chunks: Sequence[tuple[int, int]], budget: int) -> Counter[str]:
    """Judge the chunks of one file; one that Python cannot parse is left out."""
    counts: Counter[str] = Counter()
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return counts
    functions = [_lines(node) for node in ast.walk(tree) if isinstance(node, _FUNCTIONS)]
    lines = text.splitlines(keepends=True)
    counter = default_counter()
    starts = [start for start, _ in chunks]
    touched: dict[int, set[str]] = {}
    for first, last in functions:
        holder = bisect_right(starts, first) - 1
        is_kept = last <= chunks[holder][1]
        would_fit = counter.count("".join(lines[first - 1 : last])) <= budget
        counts["functions"] += would_fit
        counts["kept"] += would_fit and is_kept
        how = "whole" if is_kept else "cut" if would_fit else "parts"
        for index in range(holder, bisect_left(starts, last + 1)):
            touched.setdefault(index, set()).add(how)
    counts["chunks"] += len(chunks)
    counts["without"] += len(chunks) - len(touched)
    for hows in touched.values():
        counts["cut" if "cut" in hows else "parts" if "parts" in hows else "whole"] += 1
    return counts


_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def _lines(node: ast.FunctionDef | ast.AsyncFunctionDef) -> tuple[int, int]:
    first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    return first, node.end_lineno or first


def _print_shapes(found: Mapping[str, Wholeness]) -> None:
    print("\nchunks by what they hold of functions, and functions within the budget that stand in one chunk")
    print(f"{'':<14}{'chunks':>8}{'whole':>8}{'parts':>8}{'cut':>8}{'without':>9}")
    for variant, shape in found.items():
        share = shape.whole / max(1, shape.whole + shape.parts + shape.cut)
        kept = shape.kept / max(1, shape.functions)
        print(
            f"{variant:<14}{shape.chunks:>8,}{shape.whole:>8,}{shape.parts:>8,}{shape.cut:>8,}{shape.without:>9,}"
            f"   {kept:.1%} of {shape.functions:,} functions; {share:.1%} of chunks with functions are whole"
        )


def _print_quality(found: Mapping[str, Evaluation]) -> None:
    base = found["declarations"]
    print(f"\n{'mode':<9}{'chunker':<14}{'recall@1':>9}{'@10':>7}{'MRR@10':>8}   declarations better / worse")
    for mode in base.modes:
        mine = [result.ranks[mode] for result in base.results]
        for variant, evaluation in found.items():
            metrics = evaluation.metrics(mode)
            assert metrics is not None, "nothing could be measured"
            theirs = [result.ranks[mode] for result in evaluation.results]
            pair = compare_paired("mrr@10", theirs, mine)
            against = (
                f"   {pair.wins} / {pair.losses}, p {pair.p_changed:.3f}" if variant != "declarations" else ""
            )
            print(
                f"{mode:<9}{variant:<14}{100 * metrics['recall@1']:>9.1f}{100 * metrics['recall@10']:>7.1f}"
                f"{metrics['mrr@10']:>8.3f}{against}"
            )
