"""MRR@k: how far down the right file is, on average, as 1 over its rank.

    MRR@k = (1/n) * sum over questions of (1/rank if rank <= k else 0)

Source      Voorhees, The TREC-8 Question Answering Track Report, 1999.
Edge cases  first place 1, second 0.5, third 0.333...; a rank of None or beyond k counts 0; no question
            at all has no MRR (see `mean`).
"""

from __future__ import annotations


def reciprocal_rank_at(rank: int | None, k: int) -> float:
    """Return 1/rank if the file came back among the first k (ranks count from 1), else 0.0."""
    return 1.0 / rank if rank is not None and rank <= k else 0.0
