"""The report of an evaluation: JSON of the contract, tables for people, Markdown for a run's page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from brain_dagster.evals.compare import Comparison
from brain_dagster.evals.metrics import METRICS
from brain_dagster.evals.result import CaseResult, Evaluation
from brain_dagster.model import Mode
from brain_dagster.store.clean import printable_path

SHOWN = 10  # cases in a table for people; the JSON and eval_case hold all
LONGEST_CELL = 120
HEADINGS = ("mode", *METRICS, "± recall@10", "won / lost / same")


@dataclass(frozen=True, slots=True)
class Section:
    """A table of the report; `left_out` rows are not shown."""

    title: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    left_out: int = 0


def evaluation_json(evaluation: Evaluation) -> dict[str, Any]:
    """Return what `brain eval --json` prints; other programs read it, so keys are only ever added.

    Metrics are fractions from 0 to 1 over the measurable cases, null if there is none. A rank is null
    where the file was not among the first 50.
    """
    return {
        "goldset": evaluation.goldset.name,
        "cases": len(evaluation.results),
        "measurable": len(evaluation.measurable),
        "modes": {mode: evaluation.metrics(mode) or dict.fromkeys(METRICS) for mode in evaluation.modes},
        "per_case": [
            {
                "id": result.case.id,
                "expect": result.case.expect,
                "measurable": result.is_measurable,
                "rank": dict(result.ranks),
            }
            for result in evaluation.results
        ],
        "unmeasurable": {result.case.id: result.why_not for result in evaluation.unmeasurable},
        "missing": [half.words for half in evaluation.missing],
        "verdict": evaluation.verdict
        and {"word": evaluation.verdict.word, "words": evaluation.verdict.words},
        "eval_run": evaluation.eval_run_id,
        "comparison": evaluation.comparison and _comparison(evaluation.comparison),
    }


def _comparison(comparison: Comparison) -> dict[str, Any]:
    return {
        "baseline": comparison.baseline_id,
        "common": comparison.common,
        "measurable_before": comparison.measurable_before,
        "measurable_now": comparison.measurable_now,
        "left_out": list(comparison.left_out),
        "modes": {
            mode: {
                "pairs": found.pairs,
                "one_case": found.one_case,
                "lost": list(found.lost),
                "won": list(found.won),
                "measures": {
                    name: {
                        "before": paired.before,
                        "now": paired.now,
                        "wins": paired.wins,
                        "losses": paired.losses,
                        "ties": paired.ties,
                        "standard_error": paired.standard_error,
                        "p": paired.p_changed,
                    }
                    for name, paired in found.measures.items()
                },
            }
            for mode, found in comparison.modes.items()
        },
    }


def summary(evaluation: Evaluation) -> str:
    """Say in one sentence what was measured and what one case is worth."""
    cases, measurable = len(evaluation.results), len(evaluation.measurable)
    text = f"{evaluation.series}: {cases} cases, {measurable} measurable"
    if not measurable:
        return f"{text}; there is no number to report"
    return f"{text}; one case is {_percent(1 / measurable)} points"


def sections(evaluation: Evaluation) -> tuple[Section, ...]:
    """Return the tables of the report: the modes, what could not be measured, what was missed, what moved."""
    modes = tuple((mode, *_numbers(evaluation, mode), _moved(evaluation, mode)) for mode in evaluation.modes)
    tables = [Section(f"{summary(evaluation)} (percent)", HEADINGS, modes)]
    if found := evaluation.unmeasurable:
        reasons = [(one.case.id, _file(one), one.why_not or "") for one in found]
        headings: tuple[str, ...] = ("case", "expected", "why not")
        tables.append(_cut(f"Not measurable: {_counted(found)}", headings, reasons))
    if missed := misses(evaluation):
        mode = _leading_mode(evaluation)
        lines = [(m.case.id, m.case.query, _file(m), m.first[mode] or "nothing", _ranks(m)) for m in missed]
        headings = ("case", "question", "expected", "came first", "ranks")
        tables.append(_cut(f"Not among the first ten in {mode}: {len(missed)}", headings, lines))
    if evaluation.comparison and (changed := list(_changed(evaluation.comparison))):
        headings = ("mode", "change", "cases")
        tables.append(
            Section(f"Since evaluation {evaluation.comparison.baseline_id}", headings, tuple(changed))
        )
    return tuple(tables)


def notes(evaluation: Evaluation) -> tuple[str, ...]:
    """Return the sentences of the report: what could not run or be compared, then the verdict's reasons."""
    lines = []
    if evaluation.comparison and evaluation.comparison.left_out:
        lines.append(f"not compared, as not measured now: {', '.join(evaluation.comparison.left_out)}")
    lines += _leaks(evaluation)
    if evaluation.verdict:
        lines += evaluation.verdict.reasons
    return tuple(_plain(line) for line in lines)


def _leaks(evaluation: Evaluation) -> Iterator[str]:
    """Tell where the goldset found itself: its questions are in it word for word, so nothing ranks higher."""
    name = f"{evaluation.goldset.name}.jsonl"
    found = Counter(
        file
        for result in evaluation.results
        for file in {*result.first.values()}
        if file and PurePosixPath(file.partition(":")[2]).name == name
    )
    for file, questions in found.items():
        yield f"{file} holds the questions and came first for {questions} of them: exclude it from its source"


def misses(evaluation: Evaluation) -> list[CaseResult]:
    """Return the measurable cases outside the first ten in the leading mode, the furthest first."""
    mode = _leading_mode(evaluation)

    def place(result: CaseResult) -> float:
        return result.ranks[mode] or float("inf")

    return sorted((one for one in evaluation.measurable if place(one) > 10), key=place, reverse=True)


def evaluation_markdown(evaluation: Evaluation) -> str:
    """Return the report as Markdown, for the metadata of a run."""
    word = evaluation.verdict.word if evaluation.verdict else "not judged"
    lines = [f"**{word}**", "", *(f"- {_escaped(note)}" for note in notes(evaluation))]
    for section in sections(evaluation):
        lines += ["", f"**{_escaped(_plain(section.title))}**", "", *_grid(section)]
        if section.left_out:
            lines += ["", f"and {section.left_out} more"]
    return "\n".join(lines) + "\n"


def _grid(section: Section) -> Iterator[str]:
    yield f"| {' | '.join(section.headings)} |"
    yield f"|{'---|' * len(section.headings)}"
    for row in section.rows:
        yield f"| {' | '.join(map(_escaped, row))} |"


def _cut(title: str, headings: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Section:
    """Make a section of the first rows, each cell on one line and not too long."""
    shown = tuple(tuple(_short(cell) for cell in row) for row in rows[:SHOWN])
    return Section(title, headings, shown, max(0, len(rows) - SHOWN))


def _numbers(evaluation: Evaluation, mode: str) -> list[str]:
    """Return every metric in percent and one standard error; dashes if nothing was measurable."""
    metrics, errors = evaluation.metrics(mode), evaluation.standard_errors(mode)
    if metrics is None or errors is None:
        return ["-"] * (len(METRICS) + 1)
    return [*(_percent(metrics[name]) for name in METRICS), _percent(errors["recall@10"])]


def _moved(evaluation: Evaluation, mode: str) -> str:
    """Say how many cases entered and left the first ten since the baseline."""
    compared = evaluation.comparison.modes.get(mode) if evaluation.comparison else None
    if compared is None:
        return "-"
    recall = compared.measures["recall@10"]
    return f"{recall.wins} / {recall.losses} / {recall.ties} (p {recall.p_changed:.2g})"


def _changed(comparison: Comparison) -> Iterator[tuple[str, ...]]:
    for mode in comparison.modes.values():
        for word, cases in (("left the first ten", mode.lost), ("entered the first ten", mode.won)):
            if cases:
                more = f" and {len(cases) - SHOWN} more" if len(cases) > SHOWN else ""
                yield mode.mode, word, _plain(", ".join(cases[:SHOWN])) + more


def _leading_mode(evaluation: Evaluation) -> str:
    """Misses are told for hybrid where it ran: it is what people search with."""
    return Mode.HYBRID.value if Mode.HYBRID.value in evaluation.modes else evaluation.modes[-1]


def _counted(results: Sequence[CaseResult]) -> str:
    """Say how many cases cannot be measured for which reason, the most frequent first."""
    reasons = Counter(result.why_not or "" for result in results)
    return ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())


def _file(result: CaseResult) -> str:
    return f"{result.case.source}:{result.case.expect}" if result.case.source else result.case.expect


def _ranks(result: CaseResult) -> str:
    return ", ".join(f"{mode} {rank or '-'}" for mode, rank in result.ranks.items())


def _percent(fraction: float) -> str:
    return f"{100 * fraction:.1f}"


def _plain(text: str) -> str:
    """Return text of a goldset on one line, without characters that steer or deceive a terminal."""
    return printable_path(" ".join(text.split()).encode("utf-8", "replace"))


def _short(text: str) -> str:
    shown = _plain(text)
    return shown if len(shown) <= LONGEST_CELL else f"{shown[: LONGEST_CELL - 1]}…"


def _escaped(text: str) -> str:
    """Return text that cannot leave its Markdown cell or become markup."""
    return "".join(f"\\{c}" if c in "\\|`*_[]" else c for c in text).replace("<", "&lt;")
