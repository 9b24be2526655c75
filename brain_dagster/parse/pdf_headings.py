"""Which headings the lines of a page stand under, by its bookmarks or by the type of the headings."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from brain_dagster.parse.pdf_lines import Line, PageLines

Trail = tuple[str, ...]

MAX_CHARS = 120
MAX_WORDS = 16
MAX_DEPTH = 6
_LARGER = 1.15  # than the type of the text: headings of LaTeX and Word begin at 1.2
_MUCH_LARGER = 1.35  # at the edge of a page only this is not a running head
_EDGE = 0.08  # of the page's height, above and below
_MOSTLY = 0.25  # a page that has so much large or bold type has no headings: a poster, a list of names
_LINES_OF_A_HEADING = 3
_BEFORE_TITLE = 12  # letters: `Chapter IV`
_MAX_EDGE_LINES = 400
_NUMBER = re.compile(r"(?:[A-Z]|[IVXLC]{1,7}|\d{1,3})(?:\.\d{1,3}){0,4}[.)]?")
_CAPTION = re.compile(r"(?:fig(?:ure)?|table|abb(?:ildung)?|tab(?:elle)?|tableau)\.?\s*\d", re.IGNORECASE)
_DIGITS = re.compile(r"\d+")
_PAGE_NUMBER = re.compile(
    r"\W*(?:page\W*)?(?:\d{1,5}|[ivxlc]{1,8})(?:\W+(?:of\W+)?\d{1,5})?\W*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Section:
    """From this line of the page on, its text stands under these headings; lines count from 0."""

    line: int
    trail: Trail


@dataclass
class HeadingFinder:
    """Follows a document from its first page to its last, and knows at each page what came before.

    Nothing of a later page is looked at: a page must be finished before the next one is touched (G3).
    """

    _sizes: Counter[float] = field(default_factory=Counter)
    _bold_chars: int = 0
    _edges: Counter[str] = field(default_factory=Counter)
    _open: list[tuple[tuple[float, bool], str]] = field(default_factory=list)

    def sections(self, page: PageLines) -> list[Section]:
        """Return the sections of the next page; the first begins where the page does."""
        self._weigh(page.lines)
        found = [Section(0, self.trail)]
        headings = list(self._headings(page))
        if sum(len(group) for group in headings) <= max(2, _MOSTLY * len(page.lines)):
            for group in headings:
                self._enter(page, group)
                section = Section(group[0], self.trail)
                found[-1:] = [section] if group[0] == found[-1].line else [found[-1], section]
        self._remember_edges(page)
        return found

    @property
    def trail(self) -> Trail:
        """The headings that are open where the last page ended."""
        return tuple(title for _, title in self._open)

    def _weigh(self, lines: Iterable[Line]) -> None:
        for line in lines:
            self._sizes[_rounded(line.size)] += len(line.text)
            self._bold_chars += len(line.text) * line.is_bold

    def _headings(self, page: PageLines) -> Iterator[list[int]]:
        """Yield the numbers of lines that make up one heading each."""
        group: list[int] = []
        for number, line in enumerate(page.lines):
            if not self._is_heading(line, page):
                continue
            if group and self._goes_on(page.lines[group[-1]], line) and group[-1] == number - 1:
                group.append(number)
                continue
            if group:
                yield group
            group = [number]
        if group:
            yield group

    def _is_heading(self, line: Line, page: PageLines) -> bool:
        text = line.text
        if line.turn or not _stands_alone(line) or not _can_be_heading(text):
            return False
        body = self._sizes.most_common(1)[0][0] or 1.0
        larger = line.size / body
        if _is_at_edge(line, page) and (larger < _MUCH_LARGER or self._edges[_edge_key(text)]):
            return False
        if larger >= _LARGER:
            return True
        stands_out = line.is_bold and 2 * self._bold_chars < self._sizes.total()
        return stands_out and larger > 0.95 and not text.endswith((".", ",", ";", ":"))

    def _goes_on(self, before: Line, line: Line) -> bool:
        is_alike = (_rounded(before.size), before.is_bold) == (_rounded(line.size), line.is_bold)
        return is_alike and 0 <= line.box.top - before.box.top < 1.8 * before.box.height

    def _enter(self, page: PageLines, group: Sequence[int]) -> None:
        first = page.lines[group[0]]
        rank = (_rounded(first.size), first.is_bold)
        while self._open and self._open[-1][0] <= rank:
            self._open.pop()
        title = " ".join(page.lines[number].text for number in group[:_LINES_OF_A_HEADING])
        self._open.append((rank, " ".join(title.split())[:200]))
        del self._open[MAX_DEPTH:]

    def _remember_edges(self, page: PageLines) -> None:
        if len(self._edges) < _MAX_EDGE_LINES:
            self._edges.update(_edge_key(line.text) for line in page.lines if _is_at_edge(line, page))


def bookmarked_sections(lines: Sequence[str], before: Trail, trails: Sequence[Trail]) -> list[Section]:
    """Return the sections of a page whose bookmarks are known, each at the line that bears its title.

    before  the trail that the page before ended with
    trails  those of the bookmarks that point to this page, in order

    A title that no line bears is taken to begin the page, as its bookmark says, if no other is found on it.
    """
    plain = [_plain(line) for line in lines]
    found: list[Section] = []
    start = 0
    for trail in trails:
        title = _plain(trail[-1])
        place = next((n for n in range(start, len(plain)) if title and _bears(plain[n], title)), None)
        if place is not None:
            start = place
            found = [section for section in found if section.line < place] + [Section(place, trail)]
    if not found and trails:
        return [Section(0, trails[-1])]
    return found if found and found[0].line == 0 else [Section(0, before), *found]


def _bears(line: str, title: str) -> bool:
    """A line may have a number before its title, and a long title may go on in the next line."""
    line = line.lstrip("0123456789")
    title = title.lstrip("0123456789")
    if title and line.endswith(title):
        return len(line) <= len(title) + _BEFORE_TITLE
    return len(line) >= 10 and title.startswith(line)


def _stands_alone(line: Line) -> bool:
    """Say whether a line is in one piece, but for a number that stands apart from its title."""
    return len(line.boxes) == 1 or (
        len(line.boxes) == 2 and _NUMBER.fullmatch(line.boxes[0].text) is not None
    )


def _can_be_heading(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    if letters < 2 or len(text) > MAX_CHARS or len(text.split()) > MAX_WORDS:
        return False
    if _CAPTION.match(text):
        return False
    first = next(character for character in text if character.isalnum())
    return not first.islower() and _PAGE_NUMBER.fullmatch(text) is None


def _is_at_edge(line: Line, page: PageLines) -> bool:
    return line.box.bottom < _EDGE * page.height or line.box.top > (1 - _EDGE) * page.height


def _edge_key(text: str) -> str:
    return _DIGITS.sub("#", text.casefold())[:200]


def _rounded(size: float) -> float:
    return round(2 * size) / 2


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
