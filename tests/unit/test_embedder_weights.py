"""The embedding model in the package is the one that the published figures are about."""

from __future__ import annotations

from brain_dagster.embed.sentence_transformer import MAX_TOKENS, WIDTH, SentenceTransformerEmbedder
from brain_dagster.settings import Settings

MINILM = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"


def test_weights_are_those_of_all_minilm_l6_v2_and_name_the_space() -> None:
    identity = SentenceTransformerEmbedder(Settings()).identity
    assert identity.revision == f"sha256:{MINILM}"
    assert (identity.width, identity.max_tokens) == (WIDTH, MAX_TOKENS) == (384, 256)
