"""`python -m bench [NAME]...`: run all benchmarks, or those named."""

from __future__ import annotations

import importlib
import sys

BENCHMARKS = ("first_load", "nothing_changed", "memory")


def main(names: list[str]) -> None:
    """Run benchmarks one after the other, in this process."""
    unknown = set(names) - set(BENCHMARKS)
    if unknown:
        sys.exit(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(BENCHMARKS)}")
    for name in names or BENCHMARKS:
        print(f"\n== {name}", flush=True)
        importlib.import_module(f"bench.{name}").main()


if __name__ == "__main__":
    main(sys.argv[1:])
