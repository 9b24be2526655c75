"""recall@k: the share of questions whose file is among the first k.

    recall@k = (1/n) * sum over questions of [rank <= k]

One file is right for each question, so recall, hit rate and success at k are the same number.

Source      Manning, Raghavan, Schuetze, Introduction to Information Retrieval, 2008, chapter 8.
Edge cases  a rank of None did not come back and counts 0; k = rank counts; fewer than k files came back:
            nothing changes; no question at all has no recall (see `mean`).
"""

from __future__ import annotations


def hit_at(rank: int | None, k: int) -> float:
    """Return 1.0 if the file came back among the first k (ranks count from 1), else 0.0."""
    return 1.0 if rank is not None and rank <= k else 0.0
