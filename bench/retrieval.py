"""Recall of every mode on real questions, beside what simple parts reach on the same files.

`python -m bench retrieval [NAME=GOLDSET.jsonl[:FOLDER]]...`: the goldset of this repository, and those given.
Ranks are those of `evals.run.evaluate`, so of the ranking that a search shows. Two checks follow: whether
unrelated questions get the same answer, and whether small packages in the way cost anything.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from time import perf_counter

from bench.corpora import LARGE, READER, Corpus, named_corpus, python_libraries, synced_brain
from bench.known_figures import AIMS, PARTLY, SHOWN, SIMPLE_PARTS, Figures
from brain_dagster.embed import open_embedder
from brain_dagster.evals.compare import MEASURES, compare_paired
from brain_dagster.evals.goldset import Case
from brain_dagster.evals.metrics import Rank, all_metrics
from brain_dagster.evals.result import Evaluation
from brain_dagster.evals.run import DEFAULT_MODES, RememberingEmbedder, evaluate
from brain_dagster.model import Excerpt, Mode
from brain_dagster.query.search import search
from brain_dagster.store.pool import Database

_LISTED = 10


def main(arguments: Sequence[str] = ()) -> None:
    """Print the tables and both checks."""
    corpora = [python_libraries(), *map(named_corpus, arguments)]
    with synced_brain(corpora) as (settings, db):
        # All checks ask the same questions, and embedding a bug report takes longer than answering it.
        embedder = RememberingEmbedder(open_embedder(settings, db))
        evaluations = [_measure(db, embedder, corpus) for corpus in corpora]
        _check_small_packages(db, embedder, evaluations[0])
        _check_unrelated(db, embedder, corpora)


def _measure(db: Database, embedder: RememberingEmbedder, corpus: Corpus) -> Evaluation:
    started = perf_counter()
    evaluation = evaluate(db, embedder, READER, corpus.goldset, collections=corpus.collections)
    seconds = perf_counter() - started
    cases, measurable = len(evaluation.results), len(evaluation.measurable)
    print(f"\n{corpus.name}: {measurable} of {cases} cases can be measured, in {seconds:.0f} s")
    print(f"searched at once: {', '.join(corpus.collections)}")
    for result in evaluation.unmeasurable[:_LISTED]:
        print(f"  cannot be measured: {result.case.id}: {result.why_not}")
    for missing in evaluation.missing:
        print(f"  MISSING {missing.words}")
    for mode in evaluation.unrelated:
        print(f"  {mode} gives two unrelated questions the same list")
    if measurable:
        print(f"one case is {100 / measurable:.2f} points; a row of ± holds standard errors\n")
        _print_table(corpus.name, evaluation)
    return evaluation


def _print_table(name: str, evaluation: Evaluation) -> None:
    print(f"{'mode':<8} {'':<14}" + "".join(f"{column.removeprefix('recall'):>8}" for column in SHOWN))
    for mode in evaluation.modes:
        metrics, errors = evaluation.metrics(mode), evaluation.standard_errors(mode)
        assert metrics is not None and errors is not None, "something could be measured"
        _print_row(mode, "measured", _figures(metrics))
        _print_row("", "±", _figures(errors))
        _print_row("", "simple parts", SIMPLE_PARTS.get((name, mode)), PARTLY.get(name, ""))
        _print_row("", "aim", AIMS.get((name, mode)))
        for half, ranks in _halves(evaluation, mode).items():
            _print_row("", f"{half} ({len(ranks)})", _figures(all_metrics(ranks)) if ranks else None)


def _figures(metrics: Mapping[str, float]) -> Figures:
    return tuple(metrics[name] * (1 if name.startswith("mrr") else 100) for name in SHOWN)


def _print_row(mode: str, what: str, figures: Figures | None, remark: str = "") -> None:
    if figures is None:
        return
    words = []
    for name, value in zip(SHOWN, figures, strict=True):
        digits = 3 if name.startswith("mrr") else 1
        words.append("-" if value is None else f"{value:.{digits}f}")
    print(f"{mode:<8} {what:<14}" + "".join(f"{word:>8}" for word in words) + f"  {remark}".rstrip())


def _halves(evaluation: Evaluation, mode: str) -> dict[str, list[Rank]]:
    """Split the ranks by the last bit of the case's digest: tuned on one half, judged on the other."""
    halves: dict[str, list[Rank]] = {"even half": [], "odd half": []}
    for result in evaluation.measurable:
        is_odd = hashlib.sha256(result.case.id.encode()).digest()[-1] % 2
        halves["odd half" if is_odd else "even half"].append(result.ranks[mode])
    return halves


def _check_small_packages(db: Database, embedder: RememberingEmbedder, with_small: Evaluation) -> None:
    """Ask the questions of the large packages without the small ones, and say which got worse with them."""
    without = evaluate(db, embedder, READER, with_small.goldset, collections=LARGE)
    before = {result.case.id: result for result in without.measurable}
    after = {result.case.id: result for result in with_small.measurable}
    ids = [case.id for case in with_small.goldset.cases if case.id in before and case.id in after]
    print(f"\nsmall packages in scope: {len(LARGE)} collections against {len(with_small.collections or ())}")
    print(f"{'mode':<8} {'measure':<10}{'without':>9}{'with':>9}{'better':>8}{'worse':>8}{'sign test':>11}")
    for mode in with_small.modes:
        old, new = [before[i].ranks[mode] for i in ids], [after[i].ranks[mode] for i in ids]
        for measure in MEASURES:
            pair = compare_paired(measure, old, new)
            print(
                f"{mode:<8} {measure:<10}{pair.before:>9.4f}{pair.now:>9.4f}{pair.wins:>8}{pair.losses:>8}"
                f"{'p ' + format(pair.p_changed, '.3f'):>11}"
            )
        worse = [i for i, a, b in zip(ids, old, new, strict=True) if (b or 99) > (a or 99)]
        print(f"{mode:<8} {len(worse)} of {len(ids)} further down by any place: {', '.join(worse[:_LISTED])}")


@dataclass(frozen=True, slots=True)
class _Asked:
    """A question of a goldset and the file it is about; questions about one file are related."""

    goldset: str
    case: Case

    def is_related_to(self, other: _Asked) -> bool:
        mine, theirs = self.case, other.case
        is_same_file = (mine.source, mine.expect) == (theirs.source, theirs.expect)
        return is_same_file or mine.query.strip().casefold() == theirs.query.strip().casefold()


def _check_unrelated(db: Database, embedder: RememberingEmbedder, corpora: Sequence[Corpus]) -> None:
    """Ask every question of every goldset over all collections, and count equal answers in any order."""
    asked = [_Asked(corpus.name, case) for corpus in corpora for case in corpus.goldset.cases]
    scope = sorted({name for corpus in corpora for name in corpus.collections})
    print(f"\nsame excerpts for unrelated questions: {len(asked)} questions over {len(scope)} collections")
    for mode in DEFAULT_MODES:
        alike, empty = _answers(db, embedder, asked, scope, mode)
        pairs = [pair for group in alike for pair in combinations(group, 2)]
        collisions = [pair for pair in pairs if not pair[0].is_related_to(pair[1])]
        print(
            f"{mode:<8} {len(collisions)} collisions; {len(pairs) - len(collisions)} pairs about one file "
            f"or of the same words agree; {empty} questions without an answer"
        )
        for one, other in collisions[:_LISTED]:
            alike_by = embedder.embed_query(one.case.query) @ embedder.embed_query(other.case.query)
            print(f"  two questions of cosine {alike_by:.2f}:")
            print(f"    {one.goldset} {one.case.id}: {one.case.query[:90]!r}")
            print(f"    {other.goldset} {other.case.id}: {other.case.query[:90]!r}")


def _answers(
    db: Database, embedder: RememberingEmbedder, asked: Sequence[_Asked], scope: Sequence[str], mode: Mode
) -> tuple[list[list[_Asked]], int]:
    """Group the questions by what they got, and count those that got nothing, which agree on nothing."""
    groups: defaultdict[str, list[_Asked]] = defaultdict(list)
    for question in asked:
        found = search(db, embedder, READER, question.case.query, collections=scope, mode=mode)
        groups[_digest(found.excerpts)].append(question)
    empty = groups.pop(_digest(()), [])
    return [group for group in groups.values() if len(group) > 1], len(empty)


def _digest(excerpts: Sequence[Excerpt]) -> str:
    places = sorted(repr((e.source, e.path, e.start_line, e.end_line, e.page)) for e in excerpts)
    return hashlib.sha256("\n".join(places).encode()).hexdigest()
