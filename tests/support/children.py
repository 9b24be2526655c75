"""Child processes that share the test's imports, so that killing one costs little.

They come from a fork server that has imported but not used the libraries: polars and tokenizers start
threads on first use, and a fork of a process with such threads stands still for ever.
"""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Callable
from itertools import count
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from brain_dagster import faults

CONTEXT = multiprocessing.get_context("forkserver")
CONTEXT.set_forkserver_preload(["tests.support.pipeline", "brain_dagster.store.doctor"])


def start(
    work: Callable[..., None], *arguments: Any, plan: str = "", environment: dict[str, str] | None = None
) -> BaseProcess:
    """Start a child that calls `work(*arguments)` under a fault plan (see brain_dagster.faults)."""
    process = CONTEXT.Process(target=_child, args=(work, arguments, plan, environment or {}))
    process.start()
    return process


def run(work: Callable[..., None], *arguments: Any, plan: str = "", log: Path | None = None) -> int:
    """Run `work(*arguments)` in a child and return its exit code; -9 where the plan killed it."""
    process = start(work, *arguments, plan=plan, environment={"BRAIN_FAULT_LOG": str(log)} if log else None)
    process.join(60)
    assert process.exitcode is not None, "the child did not end within a minute"
    return process.exitcode


def _child(
    work: Callable[..., None], arguments: tuple[Any, ...], plan: str, environment: dict[str, str]
) -> None:
    os.environ.update(environment)
    faults._PLAN = plan
    faults._passed = count(1)
    try:
        work(*arguments)
    except BaseException:  # noqa: BLE001 - a child of a test reports everything and never unwinds further
        traceback.print_exc()
        os._exit(1)
    os._exit(0)
