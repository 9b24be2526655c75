"""What the assets are partitioned by."""

from __future__ import annotations

import dagster as dg

from brain_dagster.settings import REPOSITORY_ROOT

# One partition per registered source; its key is the source's key. Dagster's list of keys follows
# Brain's own registry: see assets/triggers.py.
SOURCES = dg.DynamicPartitionsDefinition(name="sources")

GOLDSET_FOLDER = REPOSITORY_ROOT / "goldsets"
# One partition per goldset file that ships with the project.
GOLDSETS = dg.StaticPartitionsDefinition(sorted(path.stem for path in GOLDSET_FOLDER.glob("*.jsonl")))

OWNERS = ["team:knowledge"]
