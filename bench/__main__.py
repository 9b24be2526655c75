"""`python -m bench [NAME]... [GOLDSET]... [CHUNKS]...`: run all benchmarks, or those named.

A word with `=` in it is a further goldset for `retrieval`, as NAME=GOLDSET.jsonl:FOLDER. A number is how many
chunks `gather` gathers from, instead of its usual sizes.
"""

from __future__ import annotations

import importlib
import sys

BENCHMARKS = (
    "first_load",
    "nothing_changed",
    "memory",
    "retrieval",
    "chunkers",
    "parsing",
    "compare",
    "gather",
    "filtered_index",
    "codemap",
    "ocr",
    "pages",
)


def main(words: list[str]) -> None:
    """Run benchmarks one after the other, in this process."""
    names = [word for word in words if "=" not in word and not word.isdigit()]
    chunks = [int(word) for word in words if word.isdigit()]
    goldsets = [word for word in words if "=" in word]
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        print(f"\n== {name}", flush=True)
        benchmark = importlib.import_module(f"bench.{name}")
        if name == "retrieval":
            benchmark.main(goldsets)
        elif name == "gather":
            benchmark.main(chunks)
        else:
            benchmark.main()


if __name__ == "__main__":
    main(sys.argv[1:])
