"""Values of cells as a spreadsheet shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache

from brain_dagster.parse.formats.office import one_line

MAX_CELL_CHARS = 5_000
_DECIMALS = re.compile(r"[0#?][.]([0#?]+)")
_THOUSANDS = re.compile(r"[#0],[#0]")
_CURRENCY = re.compile(r"\[\$([^\]-]{1,5})(?:-[^\]]*)?\]|\"([^\"]{1,5})\"|([$€£¥])")
_MAX_DECIMALS = 10


def shown(value: object, number_format: str | None) -> str:
    """Return a value as its number format shows it: dates by day, percentages, thousands, currencies."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        return _style(number_format or "General").shown(value)
    if isinstance(value, (date, time, timedelta)):
        return _moment(value)
    return one_line(str(value)[:MAX_CELL_CHARS])


def _moment(value: date | time | timedelta) -> str:
    """Return a date, a time or a span; midnight is what a day has that says no time."""
    if isinstance(value, timedelta):
        minutes = round(value.total_seconds() / 60)
        return f"{minutes // 60}:{minutes % 60:02}"
    if isinstance(value, time):
        return f"{value:%H:%M:%S}" if value.second else f"{value:%H:%M}"
    is_day = not isinstance(value, datetime) or value.time() == time()
    return f"{value:%Y-%m-%d}" if is_day else f"{value:%Y-%m-%d %H:%M}"


@dataclass(frozen=True, slots=True)
class _Style:
    """How a number format shows a number; `form` is a format of Python's own."""

    form: str
    is_percent: bool = False
    before: str = ""
    after: str = ""

    def shown(self, value: float) -> str:
        """Return a number in this style; one beyond all floats as it is."""
        try:
            number = f"{value * 100 if self.is_percent else value:{self.form}}"
        except OverflowError:
            number = f"{value:d}"[:MAX_CELL_CHARS] if isinstance(value, int) else str(value)
        return f"{self.before}{number}{self.after}"


@lru_cache(maxsize=1_000)
def _style(number_format: str) -> _Style:
    """Read the part of a number format that is for positive numbers."""
    form = number_format.partition(";")[0][:200]
    literal = _CURRENCY.search(form)
    plain = _CURRENCY.sub("", form)
    found = _DECIMALS.search(plain)
    decimals = min(len(found[1]), _MAX_DECIMALS) if found else 0
    if "%" in plain:
        return _Style(f".{decimals}f", is_percent=True, after="%")
    comma = "," if _THOUSANDS.search(plain) else ""
    is_fixed = found is not None or bool(comma) or plain.strip(" _()*-") in ("0", "#")
    is_other = any(mark in plain.upper() for mark in ("E+", "E-", "/", "@"))  # scientific, fraction, text
    digits = f"{comma}.{decimals}f" if is_fixed and not is_other else ".15g"
    symbol = next(filter(None, literal.groups()), "").strip() if literal else ""
    if literal is None or not symbol:
        return _Style(digits)
    stands_before = not any(place in form[: literal.start()] for place in "0#?")
    return _Style(digits, before=symbol) if stands_before else _Style(digits, after=f" {symbol}")
