"""The table of the languages that are cut at declarations, by the names `language_of` gives.

To add a language, write its row in `rows/` and name it here (and its endings in `filenames.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from brain_dagster.chunk.filenames import language_of
from brain_dagster.chunk.language import Language
from brain_dagster.chunk.rows.c import CPP, C
from brain_dagster.chunk.rows.csharp import CSHARP
from brain_dagster.chunk.rows.go import GO
from brain_dagster.chunk.rows.java import JAVA
from brain_dagster.chunk.rows.javascript import JAVASCRIPT, TSX, TYPESCRIPT
from brain_dagster.chunk.rows.php import PHP
from brain_dagster.chunk.rows.python import PYTHON
from brain_dagster.chunk.rows.ruby import RUBY
from brain_dagster.chunk.rows.rust import RUST

__all__ = ["LANGUAGES", "Language", "language_of"]

LANGUAGES: Mapping[str, Language] = {
    "python": PYTHON,
    "javascript": JAVASCRIPT,
    "typescript": TYPESCRIPT,
    "tsx": TSX,
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "c": C,
    "cpp": CPP,
    "csharp": CSHARP,
    "ruby": RUBY,
    "php": PHP,
}
