"""Rows of a scan as candidates."""

from __future__ import annotations

from typing import Any

import psycopg

from brain_dagster.model import Candidate
from brain_dagster.score import Score, ScoreKind


def candidates(rows: psycopg.Cursor[tuple[Any, ...]], kind: ScoreKind) -> list[Candidate]:
    return [
        Candidate(chunk, document, collection, Score(kind, float(value)))
        for chunk, document, collection, value in rows
    ]
