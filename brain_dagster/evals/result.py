"""What an evaluation found, case by case, and the numbers that follow from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from brain_dagster.evals.compare import Comparison
from brain_dagster.evals.gate import MissingHalf, Verdict
from brain_dagster.evals.goldset import Case, Goldset
from brain_dagster.evals.metrics import METRICS, Rank, all_metrics, standard_error


@dataclass(frozen=True, slots=True)
class CaseResult:
    """Where the right file of one case came back.

    why_not  why the case cannot be measured (its file is not listed, skipped, failed, not embedded, or the
             path is ambiguous); None: it is measurable
    ranks    per mode the place of the file's best chunk among distinct files, from 1; None: not among the
             first 50 files
    first    per mode the file in the first place as `source:path`, None where nothing came back
    """

    case: Case
    why_not: str | None
    ranks: Mapping[str, Rank]
    first: Mapping[str, str | None]

    @property
    def is_measurable(self) -> bool:
        """Whether the file that must come back is indexed and embedded, so that it could."""
        return self.why_not is None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """One run of a goldset.

    collections  the search was limited to these; None: everything the principal may search
    space        the embedding space, `` if the store has none
    recipe       the recipes of the documents in scope
    unrelated    modes that gave two unrelated questions the same list, byte for byte
    missing      halves of the search that could not contribute to some questions
    comparison, verdict, eval_run_id   set once the evaluation is judged and stored
    """

    goldset: Goldset
    principal: str
    collections: tuple[str, ...] | None
    modes: tuple[str, ...]
    results: tuple[CaseResult, ...]
    space: str
    recipe: str
    started_at: datetime
    unrelated: tuple[str, ...] = ()
    missing: tuple[MissingHalf, ...] = ()
    comparison: Comparison | None = None
    verdict: Verdict | None = None
    eval_run_id: int | None = None

    @property
    def series(self) -> str:
        """The name under which it is stored and compared.

        A search limited to some collections is another measurement than one over everything, so it makes
        its own series with its own baseline.
        """
        if self.collections is None:
            return self.goldset.name
        return f"{self.goldset.name} in {', '.join(sorted(self.collections))}"

    @property
    def measurable(self) -> tuple[CaseResult, ...]:
        """The cases whose file could come back: the only ones that metrics are computed over."""
        return tuple(result for result in self.results if result.is_measurable)

    @property
    def unmeasurable(self) -> tuple[CaseResult, ...]:
        """The cases that say nothing about the search, because their file is not in the index."""
        return tuple(result for result in self.results if not result.is_measurable)

    @property
    def is_failed(self) -> bool:
        """Whether it was judged, and failed."""
        return self.verdict is not None and self.verdict.word == "failed"

    def ranks(self, mode: str) -> list[Rank]:
        """Return the ranks of the measurable cases in one mode, in the order of the goldset."""
        return [result.ranks[mode] for result in self.measurable]

    def metrics(self, mode: str) -> dict[str, float] | None:
        """Return every metric of one mode over the measurable cases, or None if there is none."""
        return all_metrics(self.ranks(mode)) if self.measurable else None

    def standard_errors(self, mode: str) -> dict[str, float] | None:
        """Return the standard error of every metric of one mode, or None if nothing was measurable."""
        if not self.measurable:
            return None
        ranks = self.ranks(mode)
        return {name: standard_error([metric(rank) for rank in ranks]) for name, metric in METRICS.items()}
