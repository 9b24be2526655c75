"""What retrieval is measured against: the same questions on the same files with simple parts, and the aims.

Simple parts are chunks of about 1,200 characters packed by lines with the path as first line, BM25 (k1 1.2,
b 0.75) over stemmed words, whole identifiers and their parts, all-MiniLM-L6-v2 at 256 tokens, fusion by rank
with k = 60 of 100 chunks a list; a file ranks by its best chunk. Measured on the same files, which is all
that is known of them: their cases are not at hand, so a comparison with them is not paired.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

Figures = tuple[float | None, ...]
"""recall@1, @3, @5, @10 in percent, MRR@10 as a fraction; None where nothing is known."""

SHOWN = ("recall@1", "recall@3", "recall@5", "recall@10", "mrr@10")
# These questions are a part of the 233 that were measured.
PARTLY = MappingProxyType({"django-long": "of 233 cases, these among them"})

SIMPLE_PARTS: Mapping[tuple[str, str], Figures] = MappingProxyType(
    {
        ("python-libraries", "lexical"): (54.0, 72.7, 77.3, 83.3, 0.641),
        ("python-libraries", "dense"): (49.3, 67.3, 74.0, 84.0, 0.602),
        ("python-libraries", "hybrid"): (56.7, 78.7, 85.3, 90.0, 0.689),
        ("django-short", "lexical"): (46.0, 68.7, None, 85.3, 0.588),
        ("django-short", "dense"): (41.3, 66.7, None, 92.0, 0.572),
        ("django-short", "hybrid"): (48.7, 73.3, None, 91.3, 0.633),
        ("django-long", "lexical"): (41.2, 61.8, 72.5, 82.4, 0.541),
        ("django-long", "dense"): (45.1, 70.4, 80.7, 88.8, 0.595),
        ("django-long", "hybrid"): (47.2, 75.1, 84.5, 91.8, 0.631),
        ("gitlab-handbook", "lexical"): (82.1, 97.0, 98.8, 100.0, 0.890),
        ("gitlab-handbook", "dense"): (79.2, 95.8, 98.8, 99.4, 0.877),
        ("gitlab-handbook", "hybrid"): (83.3, 95.8, 99.4, 100.0, 0.902),
        ("meetings", "lexical"): (66.0, 80.2, 87.5, 93.4, 0.748),
        ("meetings", "dense"): (54.1, 73.6, 80.2, 88.1, 0.653),
        ("meetings", "hybrid"): (63.0, 79.5, 86.1, 94.1, 0.729),
    }
)

# BM25 within one point is the aim of Django's lexical half; elsewhere the simple parts are.
AIMS: Mapping[tuple[str, str], Figures] = MappingProxyType(
    {
        ("python-libraries", "lexical"): (60.0, None, None, 86.0, None),
        ("python-libraries", "hybrid"): (64.0, None, None, 91.0, 0.73),
        ("django-short", "lexical"): (45.0, None, None, 84.3, None),
        ("django-short", "hybrid"): (54.0, None, None, 94.0, None),
        ("django-long", "lexical"): (40.2, None, None, 81.4, None),
        ("django-long", "hybrid"): (54.0, None, None, 94.0, None),
    }
)
