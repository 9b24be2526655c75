"""nDCG@k: discounted gain of the right file, 1 when it is first.

    DCG@k = sum over places i <= k of gain(i) / log2(i + 1),   nDCG@k = DCG@k / best possible DCG@k

One file is right and its gain is 1, so the best possible DCG is 1/log2(2) = 1 and what remains is
1/log2(rank + 1). It punishes the way from place 1 to 5 less than MRR does.

Source      Jarvelin, Kekalainen, Cumulated gain-based evaluation of IR techniques, ACM TOIS 2002.
Edge cases  first place 1, second 0.6309..., third 0.5; a rank of None or beyond k counts 0; no question
            at all has no nDCG (see `mean`).
"""

from __future__ import annotations

from math import log2


def ndcg_at(rank: int | None, k: int) -> float:
    """Return 1/log2(rank + 1) if the file came back among the first k (ranks count from 1), else 0.0."""
    return 1.0 / log2(rank + 1) if rank is not None and rank <= k else 0.0
