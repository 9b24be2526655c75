"""Numbered points at which a test may kill or hold the process; in production they do nothing.

A point is a name. `BRAIN_FAULT_POINTS=trace` writes every point passed to the file named by
`BRAIN_FAULT_LOG`; `BRAIN_FAULT_POINTS=kill:7` sends SIGKILL to this process at the seventh point it
passes; `kill:write.after_delete` at the first passage of that point. FAULTS technique 1.
"""

from __future__ import annotations

import os
import signal
import time
from itertools import count
from pathlib import Path

_PLAN = os.environ.get("BRAIN_FAULT_POINTS", "")
_passed = count(1)


def fault(point: str) -> None:
    """Mark a step between two effects; costs one comparison unless a test armed it."""
    if _PLAN:
        _act(point, next(_passed))


def _act(point: str, number: int) -> None:
    verb, _, target = _PLAN.partition(":")
    if verb == "trace":
        with Path(os.environ["BRAIN_FAULT_LOG"]).open("a", encoding="utf-8") as log:
            log.write(f"{point}\n")
    elif verb == "kill" and target in (point, str(number)):
        os.kill(os.getpid(), signal.SIGKILL)
    elif verb == "hold" and target in (point, str(number)):
        _hold()


def _hold() -> None:
    """Stand still until the test removes the file it named; used to interleave two runs."""
    gate = Path(os.environ["BRAIN_FAULT_GATE"])
    gate.touch()
    while gate.exists():
        time.sleep(0.02)
