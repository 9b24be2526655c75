"""Entry points that are not in a manifest: main guards, main functions, commands, containers."""

from __future__ import annotations

import pytest

from brain_dagster.codemap.mapping import map_document

Expected = list[tuple[str, str, int]]

CASES: dict[str, tuple[str, Expected]] = {
    "tools/run.py": (
        'def main(): ...\n\nif __name__ == "__main__":\n    main()\n',
        [("run.py", 'if __name__ == "__main__"', 3)],
    ),
    "tools/reversed.py": (
        "if ('__main__' == __name__):\n    main()\n",
        [("reversed.py", 'if __name__ == "__main__"', 1)],
    ),
    "tools/template.py": ('TEXT = """\nif __name__ == "__main__":\n    pass\n"""\n', []),
    "acme/__main__.py": (
        "from acme.cli import main\n\nmain()\n",
        [("__main__.py", "runs with python -m", 1)],
    ),
    "acme/cli.py": (
        "import click\n\n@click.group()\ndef cli(): ...\n\n"
        '@cli.command("sync-all")\n@click.option("--x")\ndef sync(): ...\n\n'
        "@cli.command\ndef show_it(): ...\n",
        [
            ("cli", "command line group: cli", 3),
            ("sync-all", "command line command: sync", 6),
            ("show-it", "command line command: show_it", 10),
        ],
    ),
    "acme/registry.py": ("@bus.command('x')\ndef handle(): ...\n", []),
    "cmd/tool/main.go": (
        "package main\n\nfunc helper() {}\n\nfunc main() {}\n",
        [("main", "func main() of package main", 5)],
    ),
    "lib/other.go": ("package lib\n\nfunc main() {}\n", []),
    "tool/src/main.rs": ("fn helper() {}\n\nfn main() {}\n", [("tool", "fn main()", 3)]),
    "src/bin/convert.rs": (
        "#[tokio::main]\nasync fn main() {}\n",
        [("convert", "fn main()", 2)],
    ),
    "src/lib.rs": ("fn main() {}\n", []),
    "a/App.java": (
        "package a;\nclass App {\n  public static void main(String[] args) {}\n  void main() {}\n}\n",
        [("App.main", "public static void main", 3)],
    ),
    "Program.cs": (
        "class Program\n{\n    static async Task Main(string[] args) {}\n    void Main(int x) {}\n}\n",
        [("Program.Main", "static Main", 3)],
    ),
    "Dockerfile": (
        "FROM python\nHEALTHCHECK --interval=5s \\\n  CMD curl localhost\n"
        'ENTRYPOINT ["python", \\\n  # why not\n  "-m", "acme"]\ncmd serve\n',
        [("ENTRYPOINT", '["python", "-m", "acme"]', 4), ("CMD", "serve", 7)],
    ),
    "docker/Dockerfile.web": ("FROM x\nCMD web\n", [("CMD", "web", 2)]),
    "Procfile": (
        "web: gunicorn acme:app\n# off: no\nworker: celery\n",
        [("web", "gunicorn acme:app", 1), ("worker", "celery", 3)],
    ),
}


@pytest.mark.parametrize("path", CASES)
def test_entry_points_are_found_with_their_lines(path: str) -> None:
    text, expected = CASES[path]
    found = map_document(path, "", text)
    assert [(e.name, e.detail, e.line) for e in found] == expected
    assert {e.kind for e in found} <= {"entry_point"}


def test_script_without_suffix_is_read_by_its_language() -> None:
    text = '#!/usr/bin/env python3\nif __name__ == "__main__":\n    pass\n'
    assert [e.line for e in map_document("bin/tool", "python", text)] == [2]
    assert map_document("bin/tool", "", text) == ()
