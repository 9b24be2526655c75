"""The local embedder: sentence-transformers with all-MiniLM-L6-v2 from its PyPI package."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from brain_dagster.embed.base import Vectors
from brain_dagster.embed.question import embed_long_question
from brain_dagster.embed.weights import model_folder
from brain_dagster.errors import Defect
from brain_dagster.model import SpaceIdentity
from brain_dagster.settings import Settings

# all-MiniLM-L6-v2 reads 256 word pieces by its own configuration, two of them special.
MAX_TOKENS = 256
_SPECIAL_TOKENS = 2
WIDTH = 384
# Batches are padded to a multiple of this. The math library keeps compiled kernels and buffers for every
# length it has seen: without it a process grew from 0.6 to 3.0 GB over 240 lengths, with it to 0.7 GB, and
# it is a tenth to a fifth faster (measured 2026-11-30). The cosine to the unpadded vector is 0.99997 or more.
_PAD_TO_TOKENS = 32


class SentenceTransformerEmbedder:
    """Embeds on this machine. Importing the library takes 8 to 10 s, so it waits for the first text."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._folder: Path = model_folder(settings)

    @cached_property
    def identity(self) -> SpaceIdentity:
        """The weights' digest is the revision: the same file anywhere is the same space."""
        return SpaceIdentity(
            model=self._settings.embed_model,
            revision=f"sha256:{_digest(self._folder / 'model.safetensors')}",
            width=WIDTH,
            query_prefix="",
            passage_prefix="",
            is_normalised=True,
            max_tokens=MAX_TOKENS,
        )

    @cached_property
    def _model(self) -> Any:
        os.environ["HF_HUB_OFFLINE"] = "1"
        os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
        os.environ.setdefault("TOKENIZERS_PARALLELISM", "true")
        import torch
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        transformers_logging.disable_progress_bar()  # type: ignore[no-untyped-call]
        torch.set_num_threads(self._settings.embed_threads or os.cpu_count() or 1)
        model: Any = SentenceTransformer(str(self._folder), device="cpu")
        if self._uses_bfloat16():
            model = model.to(torch.bfloat16)
        model[0].processing_kwargs = {"text": {"pad_to_multiple_of": _PAD_TO_TOKENS}}
        if model.max_seq_length != MAX_TOKENS:
            raise Defect(f"{self._folder}: reads {model.max_seq_length} tokens, not {MAX_TOKENS}")
        return model

    def _uses_bfloat16(self) -> bool:
        """Whether to compute in bfloat16: only where the processor has tiles for it (Intel AMX).

        There it is 1.8 to 3.6 times as fast, with a cosine to the float32 vector of 0.99995 on average and
        0.99992 at worst over 150 code chunks (measured 2026-11-30); elsewhere it is slower.
        """
        import torch

        wanted = self._settings.embed_precision
        return wanted == "bfloat16" or (wanted == "auto" and bool(torch.cpu._is_amx_tile_supported()))

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Embed passages. Shape (n, 384), float32, unit length, row i for text i."""
        vectors = self._model.encode(
            list(texts), batch_size=32, convert_to_tensor=True, show_progress_bar=False
        )
        matrix = vectors.float().numpy()
        # Normalised here and not by the model: a norm taken in bfloat16 would be off by half a percent.
        norms = np.linalg.norm(matrix, axis=1, keepdims=True)
        normalised: Vectors = np.divide(matrix, norms, out=np.zeros_like(matrix), where=norms > 0)
        return normalised

    def embed_query(self, text: str) -> Vectors:
        """Embed one question, however long. Shape (384,), float32, unit length."""
        return embed_long_question(text, windows=self._windows, embed=self.embed_passages)

    def _windows(self, text: str) -> list[str]:
        """Cut a text into parts that the model reads whole; a short text is one part."""
        room = MAX_TOKENS - _SPECIAL_TOKENS
        spans: list[tuple[int, int]] = self._model.tokenizer(
            text, add_special_tokens=False, return_offsets_mapping=True, truncation=False, verbose=False
        )["offset_mapping"]
        if len(spans) <= room:
            return [text]
        return [
            text[spans[first][0] : spans[min(first + room, len(spans)) - 1][1]]
            for first in range(0, len(spans), room)
        ]


def _digest(weights: Path) -> str:
    with weights.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
