"""Precision and recall of the code map on real projects, against truths written by reading their sources."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.projects import PROJECTS, NotFetched, Project
from brain_dagster.chunk.filenames import language_of
from brain_dagster.codemap.base import MAX_FILE_CHARS
from brain_dagster.codemap.mapping import map_document

TRUTHS = Path(__file__).parent / "truth"
# Kinds whose detail is compared as well: it names the handler.
_WITH_HANDLER = {"route", "consumer", "rpc"}
_SHOWN = 12


@dataclass(frozen=True, slots=True, order=True)
class Entry:
    """One line of truth, or one entry of the map in the same words; `handler` is empty for other kinds."""

    kind: str
    name: str
    handler: str
    path: str
    line: int

    def __str__(self) -> str:
        words = (self.kind, self.name, self.handler, f"{self.path}:{self.line}")
        return " ".join(filter(None, words))


@dataclass(frozen=True, slots=True)
class Truth:
    """What a project declares; only the kinds in `kinds` are judged, and only outside `ignored` folders."""

    entries: tuple[Entry, ...]
    kinds: tuple[str, ...]
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How the found entries of one kind agree with the true ones; handler and line count."""

    kind: str
    true: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        """The share of what was found that is true; 1 if nothing was found."""
        return self.right / self.found if self.found else 1.0

    @property
    def recall(self) -> float:
        """The share of what is true that was found; 1 if there is nothing to find."""
        return self.right / self.true if self.true else 1.0


def read_truth(text: str) -> Truth:
    """Read a file of truth, see bench/truth/README.md.

    Errors  ValueError with the line's number for a line that is none of the format's.
    """
    entries: list[Entry] = []
    stated: dict[str, tuple[str, ...]] = {"kinds": (), "ignored": ()}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].rstrip(":") in stated:
            stated[words[0].rstrip(":")] += tuple(words[1:])
            continue
        try:
            entries.append(_entry(words))
        except ValueError as error:
            raise ValueError(f"line {number}: {error}") from error
    return Truth(tuple(entries), stated["kinds"], stated["ignored"])


def _entry(words: Sequence[str]) -> Entry:
    """Read `route METHOD /path handler file:line`; an rpc and a consumer have one word before the handler."""
    kind, place = words[0], words[-1]
    path, colon, line = place.rpartition(":")
    middle = words[1:-1]
    named = {"route": 2, "rpc": 1, "consumer": 1}.get(kind, len(middle))
    if not colon or not line.isdigit() or not middle or len(middle) < named:
        raise ValueError(f"kind, name and file:line are needed, not {' '.join(words)!r}")
    return Entry(kind, " ".join(middle[:named]), " ".join(middle[named:]), path, int(line))


def map_project(folder: Path, kinds: Sequence[str], ignored: Sequence[str] = ()) -> Iterator[Entry]:
    """Map every file below a folder as a sync would, and yield its entries of these kinds in path order."""
    for file in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        path = file.relative_to(folder).as_posix()
        if any(path.startswith(place) for place in ignored) or file.stat().st_size > 4 * MAX_FILE_CHARS:
            continue
        text = file.read_bytes().decode("utf-8", "replace")
        for entry in map_document(path, language_of(path, text.partition("\n")[0]), text):
            if entry.kind in kinds:
                handler = " ".join(entry.detail.split()) if entry.kind in _WITH_HANDLER else ""
                yield Entry(entry.kind, " ".join(entry.name.split()), handler, path, entry.line)


def score(true: Sequence[Entry], found: Sequence[Entry], kind: str) -> Score:
    """Compare the entries of one kind; an entry is right if name, handler, file and line all are."""
    true_ones = {entry for entry in true if entry.kind == kind}
    found_ones = {entry for entry in found if entry.kind == kind}
    return Score(kind, len(true_ones), len(found_ones), len(true_ones & found_ones))


def main() -> None:
    """Measure every project that has a file of truth, and print the sum of each kind."""
    sums: defaultdict[str, list[Score]] = defaultdict(list)
    counted = f"{'true':>6}{'found':>7}{'precision':>11}{'recall':>8}"
    print(f"{'project':<42}{'written with':<22}{'kind':<13}{counted}")
    for project in PROJECTS:
        try:
            for measured in _measured(project):
                sums[measured.kind].append(measured)
        except NotFetched as error:
            print(f"{project.name:<42}not measured: {error}")
    for kind, scores in sums.items():
        whole = Score(
            kind, *(sum(getattr(one, part) for one in scores) for part in ("true", "found", "right"))
        )
        _print_row("all", "", whole)


def _measured(project: Project) -> Iterator[Score]:
    truth = read_truth((TRUTHS / f"{project.name}.txt").read_text("utf-8"))
    found = list(map_project(project.fetch(), truth.kinds, truth.ignored))
    for kind in truth.kinds:
        measured = score(truth.entries, found, kind)
        _print_row(project.name, project.language, measured)
        yield measured
    _print_some("missed", set(truth.entries) - set(found))
    _print_some("false", set(found) - set(truth.entries))


def _print_row(name: str, language: str, row: Score) -> None:
    counts = f"{row.true:>6}{row.found:>7}{row.precision:>11.3f}{row.recall:>8.3f}"
    print(f"{name:<42}{language:<22}{row.kind:<13}{counts}", flush=True)


def _print_some(what: str, entries: set[Entry]) -> None:
    for entry in sorted(entries)[:_SHOWN]:
        print(f"    {what}: {entry}")
    if len(entries) > _SHOWN:
        print(f"    {what}: {len(entries) - _SHOWN} more")
