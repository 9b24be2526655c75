"""The Dagster skin: one file per stage, in pipeline order, checks beside assets.

Modules that define assets do without `from __future__ import annotations`: Dagster reads the annotation of
`context` as an object and refuses a string.
"""

import warnings

from dagster import PreviewWarning

# Checks per partition are a preview since 1.13; without them the last source checked would overwrite the
# records of all others. The version is pinned, so the warning tells nothing new at every start.
warnings.filterwarnings("ignore", category=PreviewWarning)
