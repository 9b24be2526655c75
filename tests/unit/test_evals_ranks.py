"""The rank of a file is the place of its best chunk among distinct files."""

from __future__ import annotations

from brain_dagster.evals.ranks import distinct_files, rank_of

A, B, C = ("lib", "a.py"), ("lib", "b.py"), ("other", "a.py")


def test_a_files_further_chunks_take_no_place() -> None:
    files = distinct_files([A, A, B, A, B, C])
    assert files == [A, B, C]
    assert rank_of(files, frozenset({B})) == 2


def test_the_right_path_in_the_wrong_source_is_not_the_right_file() -> None:
    assert rank_of([A, B], frozenset({C})) is None
    assert rank_of([A, B, C], frozenset({C})) == 3


def test_any_of_several_right_files_counts_at_its_best_place() -> None:
    assert rank_of([B, C, A], frozenset({A, C})) == 2


def test_only_the_first_fifty_files_count() -> None:
    chunks = [("lib", f"{number}.py") for number in range(60) for _ in range(3)]
    files = distinct_files(chunks)
    assert len(files) == 50
    assert rank_of(files, frozenset({("lib", "49.py")})) == 50
    assert rank_of(files, frozenset({("lib", "50.py")})) is None
