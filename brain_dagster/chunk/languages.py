"""The table of the languages that are cut at declarations, by the names `language_of` gives.

To add a language, write its row in `rows/` and name it here (and its endings in `filenames.py`).
"""

from __future__ import annotations

from collections.abc import Mapping

from brain_dagster.chunk.filenames import language_of
from brain_dagster.chunk.language import Language
from brain_dagster.chunk.rows.c import CPP, C
from brain_dagster.chunk.rows.clojure import CLOJURE
from brain_dagster.chunk.rows.csharp import CSHARP
from brain_dagster.chunk.rows.dart import DART
from brain_dagster.chunk.rows.elixir import ELIXIR
from brain_dagster.chunk.rows.erlang import ERLANG
from brain_dagster.chunk.rows.fsharp import FSHARP
from brain_dagster.chunk.rows.go import GO
from brain_dagster.chunk.rows.groovy import GROOVY
from brain_dagster.chunk.rows.haskell import HASKELL
from brain_dagster.chunk.rows.java import JAVA
from brain_dagster.chunk.rows.javascript import JAVASCRIPT, TSX, TYPESCRIPT
from brain_dagster.chunk.rows.julia import JULIA
from brain_dagster.chunk.rows.kotlin import KOTLIN
from brain_dagster.chunk.rows.lua import LUA
from brain_dagster.chunk.rows.nix import NIX
from brain_dagster.chunk.rows.objc import OBJC
from brain_dagster.chunk.rows.ocaml import OCAML, OCAML_INTERFACE
from brain_dagster.chunk.rows.perl import PERL
from brain_dagster.chunk.rows.php import PHP
from brain_dagster.chunk.rows.powershell import POWERSHELL
from brain_dagster.chunk.rows.python import PYTHON
from brain_dagster.chunk.rows.r import R
from brain_dagster.chunk.rows.ruby import RUBY
from brain_dagster.chunk.rows.rust import RUST
from brain_dagster.chunk.rows.scala import SCALA
from brain_dagster.chunk.rows.schemas import GRAPHQL, PROTOBUF
from brain_dagster.chunk.rows.shell import SHELL
from brain_dagster.chunk.rows.solidity import SOLIDITY
from brain_dagster.chunk.rows.sql import SQL
from brain_dagster.chunk.rows.swift import SWIFT
from brain_dagster.chunk.rows.terraform import TERRAFORM
from brain_dagster.chunk.rows.zig import ZIG

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
    "kotlin": KOTLIN,
    "scala": SCALA,
    "groovy": GROOVY,
    "swift": SWIFT,
    "objc": OBJC,
    "fsharp": FSHARP,
    "dart": DART,
    "zig": ZIG,
    "solidity": SOLIDITY,
    "graphql": GRAPHQL,
    "protobuf": PROTOBUF,
    "perl": PERL,
    "lua": LUA,
    "r": R,
    "julia": JULIA,
    "haskell": HASKELL,
    "ocaml": OCAML,
    "ocaml_interface": OCAML_INTERFACE,
    "elixir": ELIXIR,
    "erlang": ERLANG,
    "clojure": CLOJURE,
    "shell": SHELL,
    "powershell": POWERSHELL,
    "sql": SQL,
    "terraform": TERRAFORM,
    "nix": NIX,
}
