"""What a question quotes letter by letter: an identifier, a path, a message.

Ranking by meaning and by words finds what a question is about. A question that *is* a name wants the one
place that bears it, and neither half promises that: `get_user` is also `get` and `user`. So what is quoted
is looked up as well, and the places found make a list of their own (`query.exact`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Beyond this a question is a text that contains names and not one that asks for them: on 150 long bug
# reports, pinning every identifier they name cost 12 points of recall@1 (measured 2026-12-01).
LONGEST_ASKED_CHARACTERS = 300
MOST_WORDS_AROUND = 12
MOST_NAMES = 4
FEWEST_PHRASE_WORDS = 3
LONGEST_NAME = 200

_NAME = re.compile(r"[^\W\d]\w*(?:(?:\.|::|->|#)[^\W\d]\w*)*(?:\(\))?")
_PATH = re.compile(
    r"(?:~?[/\\]|[A-Za-z]:[/\\])?(?:[\w.@+-]+[/\\])+[\w.@+-]+"  # parts with separators, rooted or not
    r"|[\w@+-][\w.@+-]*\.[A-Za-z]\w{0,9}"  # a file name with a suffix
)
_QUOTED = re.compile(r"`([^`\n]+)`|\"([^\"\n]+)\"|\u201c([^\u201d\n]+)\u201d|(?<!\w)'([^'\n]+)'(?!\w)")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")


@dataclass(frozen=True, slots=True)
class Mentions:
    """What a question quotes.

    names     identifiers as written, dotted or not, without a call's brackets
    paths     file names or paths, with `/` between the parts
    phrases   runs of words that must stand in the text in this order
    is_whole  the question is nothing but the one thing it quotes
    """

    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()
    is_whole: bool = False

    def __bool__(self) -> bool:
        """Whether there is anything to look up."""
        return bool(self.names or self.paths or self.phrases)


def read_mentions(text: str) -> Mentions:
    """Return what a question of one line quotes; a text of several lines quotes nothing."""
    asked = text.strip()
    if "\n" in asked or not 0 < len(asked) <= LONGEST_ASKED_CHARACTERS:
        return Mentions()
    bare = asked.strip("`\"'\u201c\u201d").strip()
    whole = _whole(bare)
    if whole:
        return whole
    quoted = ["".join(match) for match in _QUOTED.findall(asked)]
    names, paths = _named_in_prose(asked, quoted) if len(asked.split()) <= MOST_WORDS_AROUND else ([], [])
    phrases = [bare, *(phrase for phrase in quoted if phrase != bare)]
    return Mentions(
        names=tuple(names[:MOST_NAMES]),
        paths=tuple(paths[:MOST_NAMES]),
        phrases=tuple(p for p in phrases if len(re.findall(r"\w+", p)) >= FEWEST_PHRASE_WORDS)[:MOST_NAMES],
    )


def is_no_word(token: str) -> bool:
    """Whether a token is written as code is: `a_b`, `aB`, `HTTPServer`, `a.b`, `a::b`, `a()`."""
    last = re.split(r"\.|::|->|#", token)[-1]
    return (
        "_" in token.strip("_")
        or token.endswith("()")
        or _INNER_CAPITAL.search(token) is not None
        or (token.startswith("__") and len(token) > 4)
        or (last != token and len(last.removesuffix("()")) > 2 and len(token) > 5)
    )


def _whole(bare: str) -> Mentions | None:
    """Read a question that is one name or one path."""
    if len(bare) > LONGEST_NAME:
        return None
    paths = (_slashed(bare),) if _PATH.fullmatch(bare) else ()
    names = (_bare_name(bare),) if _NAME.fullmatch(bare) else ()
    return Mentions(names, paths, is_whole=True) if names or paths else None


def _named_in_prose(asked: str, quoted: list[str]) -> tuple[list[str], list[str]]:
    """Find names that no sentence would spell by accident, and paths, in a short question."""
    names: dict[str, None] = {}
    paths: dict[str, None] = {}
    for word in [*quoted, *re.split(r"[\s,;?!]+", asked)]:
        token = word.strip("`\"'\u201c\u201d([{<>}])") if not word.endswith("()") else word.strip("`\"'")
        token = token.rstrip(".:")
        if ("/" in token or "\\" in token) and "." in token and _PATH.fullmatch(token):
            paths.setdefault(_slashed(token))
        elif _NAME.fullmatch(token) and (word in quoted or is_no_word(token)):
            names.setdefault(_bare_name(token))
    return list(names), list(paths)


def _bare_name(token: str) -> str:
    return re.sub(r"::|->|#", ".", token.removesuffix("()"))


def _slashed(token: str) -> str:
    return re.sub(r"^(?:[A-Za-z]:|~|\.)?/+", "", token.replace("\\", "/"))
