"""Names the language of a file from its name, or from the interpreter its first line asks for."""

from __future__ import annotations

import re

_EXTENSIONS: dict[str, str] = {
    "python": "py pyi pyw",
    "javascript": "js mjs cjs jsx",
    "typescript": "ts mts cts",
    "tsx": "tsx",
    "go": "go",
    "rust": "rs",
    "java": "java",
    "c": "c h",
    "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp inl tpp",
    "csharp": "cs csx",
    "ruby": "rb rake gemspec ru podspec",
    "php": "php php5 php7 phtml",
    "markdown": "md markdown mdx mkd",
    "rst": "rst rest",
    "asciidoc": "adoc asciidoc",
    "org": "org",
    "tex": "tex sty cls",
    "text": "txt text",
    "log": "log",
    "vtt": "vtt",
    "srt": "srt",
    "pdf": "pdf",
    "html": "html htm xhtml",
    "xml": "xml xsd xsl xslt svg plist csproj fsproj vbproj props targets pom wsdl rss atom resx nuspec xaml",
    "css": "css",
    "scss": "scss",
    "sass": "sass",
    "less": "less",
    "json": "json jsonc json5 geojson webmanifest",
    "jsonl": "jsonl ndjson jsonlines",
    "yaml": "yaml yml",
    "toml": "toml",
    "ini": "ini cfg conf editorconfig service desktop",
    "properties": "properties",
    "csv": "csv",
    "tsv": "tsv",
    "sql": "sql psql pgsql",
    "shell": "sh bash zsh ksh fish bats ebuild",
    "powershell": "ps1 psm1 psd1",
    "batch": "bat cmd",
    "dockerfile": "dockerfile",
    "makefile": "mk mak",
    "cmake": "cmake",
    "terraform": "tf tfvars hcl tofu nomad",
    "protobuf": "proto",
    "graphql": "graphql gql",
    "kotlin": "kt kts",
    "swift": "swift",
    "scala": "scala sc",
    "groovy": "groovy gradle",
    "dart": "dart",
    "elixir": "ex exs",
    "erlang": "erl hrl escript",
    "haskell": "hs",
    "ocaml": "ml mli",
    "fsharp": "fs fsi fsx",
    "clojure": "clj cljs cljc bb edn",
    "lua": "lua rockspec luau",
    "perl": "pl pm t psgi",
    "r": "r rprofile",
    "julia": "jl",
    "objc": "m mm",
    "vue": "vue",
    "svelte": "svelte",
    "nix": "nix",
    "zig": "zig",
    "solidity": "sol",
    "jinja": "j2 jinja jinja2",
    "diff": "diff patch",
    "notebook": "ipynb",
}

_NAMES: dict[str, str] = {
    "python": "sconstruct sconscript wscript",
    "ruby": "gemfile rakefile vagrantfile podfile guardfile capfile brewfile",
    "dockerfile": "dockerfile containerfile",
    "makefile": "makefile gnumakefile",
    "cmake": "cmakelists.txt",
    "groovy": "jenkinsfile",
    "shell": ".bashrc .bash_profile .profile .zshrc .envrc",
    "ini": ".editorconfig .gitconfig .npmrc .pylintrc .flake8 .coveragerc",
    "json": ".babelrc .eslintrc .prettierrc composer.lock pipfile.lock",
    "toml": "pipfile cargo.lock poetry.lock uv.lock",
    "text": "license licence copying notice authors contributors maintainers changelog changes news readme "
    "todo install codeowners owners version requirements.txt constraints.txt .gitignore .gitattributes "
    ".dockerignore go.sum",
    "go.mod": "go.mod",
}

_INTERPRETERS: dict[str, str] = {
    "python": "python pypy",
    "shell": "sh bash zsh ksh dash fish ash",
    "javascript": "node nodejs bun",
    "typescript": "deno ts-node tsx",
    "ruby": "ruby jruby",
    "php": "php",
    "perl": "perl",
    "lua": "lua luajit",
    "julia": "julia",
    "elixir": "elixir",
    "erlang": "escript",
    "haskell": "runghc runhaskell stack",
    "ocaml": "ocaml",
    "clojure": "bb clojure",
    "powershell": "pwsh",
    "r": "rscript",
    "groovy": "groovy",
    "makefile": "make",
}

_SHEBANG = re.compile(r"^#!\s*(?:\S*/env\s+(?:-\S+\s+|\w+=\S*\s+)*)?(\S+)")


def _by_word(table: dict[str, str]) -> dict[str, str]:
    return {word: language for language, words in table.items() for word in words.split()}


_BY_EXTENSION = _by_word(_EXTENSIONS)
_BY_NAME = _by_word(_NAMES)
_BY_INTERPRETER = _by_word(_INTERPRETERS)


def language_of(path: str, first_line: str = "") -> str:
    """Return the language of a file, `` when its name and first line do not tell.

    The whole name decides before its ending (`CMakeLists.txt`), the ending before the first line. A `.h`
    is called C; the chunker reads it as C++ when only that makes sense of it.
    """
    name = path.replace("\\", "/").rpartition("/")[2].lower()
    if name in _BY_NAME:
        return _BY_NAME[name]
    stem, dot, extension = name.rpartition(".")
    if dot and extension in _BY_EXTENSION:
        return _BY_EXTENSION[extension]
    if stem in ("dockerfile", "containerfile", "makefile"):
        return _BY_NAME[stem]
    return _by_shebang(first_line)


def _by_shebang(first_line: str) -> str:
    found = _SHEBANG.match(first_line)
    if found is None:
        return "php" if first_line.startswith("<?php") else ""
    interpreter = found.group(1).rpartition("/")[2].lower()
    return _BY_INTERPRETER.get(interpreter) or _BY_INTERPRETER.get(interpreter.rstrip("0123456789.-"), "")
