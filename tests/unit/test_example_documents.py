"""The example documents that ship with the repository are what their generator writes."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
from pypdf import PdfReader

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


@pytest.mark.parametrize(
    "name, write", [("travel-policy.pdf", "write_travel_policy"), ("signed-lease.pdf", "write_signed_lease")]
)
def test_generator_writes_the_same_bytes_every_time(name: str, write: str, tmp_path: Path) -> None:
    spec = importlib.util.spec_from_file_location("make_documents", EXAMPLES / "make_documents.py")
    assert spec is not None
    assert spec.loader is not None
    generator = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(generator)
    for copy in ("first", "second"):
        getattr(generator, write)(tmp_path / copy)
    assert (tmp_path / "first").read_bytes() == (tmp_path / "second").read_bytes()


def test_policy_has_text_on_every_page_and_the_lease_on_none() -> None:
    policy = PdfReader(EXAMPLES / "handbook" / "travel-policy.pdf")
    lease = PdfReader(EXAMPLES / "handbook" / "signed-lease.pdf")
    assert [page.extract_text().split("\n")[0] for page in policy.pages] == [
        "Travel policy",
        "3. Trains first",
        "6. Daily allowance",
        "8. Expenses",
        "10. Carbon budget",
    ]
    assert [(page.extract_text(), len(page.images)) for page in lease.pages] == [("", 1), ("", 1)]


def test_shipped_documents_are_small() -> None:
    sizes = {path.name: path.stat().st_size for path in (EXAMPLES / "handbook").iterdir()}
    assert len(sizes) == 10
    assert max(sizes.values()) < 100_000
