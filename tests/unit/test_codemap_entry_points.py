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
    "stages/Dockerfile": (
        'FROM golang AS build\nRUN make\nCMD ["make"]\n\nFROM scratch\nENTRYPOINT /app --port 80 \\\n'
        "    --verbose\nRUN <<EOF\nCMD no\nEOF\n# CMD no\n",
        [("CMD", '["make"] (stage build)', 3), ("ENTRYPOINT", "/app --port 80 --verbose", 6)],
    ),
    "compose.prod.yml": (
        'x-base: &base\n  command: ["celery", worker]\nservices:\n  web:\n    image: x\n'
        "    entrypoint: /run.sh\n    command: serve --port 80\n  db:\n    image: postgres\n"
        "  jobs:\n    <<: *base\n    image: y\n",
        [
            ("web", "compose service: /run.sh serve --port 80", 4),
            ("jobs", "compose service: celery worker", 10),
        ],
    ),
    "docker-compose.yaml": ("services:\n  a: {image: b}\n", []),
    "serverless.yml": (
        "service: s\nprovider: {name: aws}\nfunctions:\n  hello:\n    handler: src/h.hello\n"
        "    timeout: 3\n  boxed: {image: an-image}\n",
        [
            ("hello", "serverless function: src/h.hello", 4),
            ("boxed", "serverless function: an-image", 7),
        ],
    ),
    "template.yaml": (
        "Resources:\n  Fn:\n    Type: AWS::Serverless::Function\n    Properties:\n"
        "      Handler: app.handler\n      Role: !GetAtt Role.Arn\n  Role:\n    Type: AWS::IAM::Role\n",
        [("Fn", "lambda function: app.handler", 2)],
    ),
    "deploy/acme.service": (
        "[Unit]\nExecStart=/not/this\n[Service]\n# ExecStart=/nor/this\nExecStartPre=/before\n"
        "ExecStart=/usr/bin/acme \\\n    --serve\n",
        [("acme.service", "systemd unit: /usr/bin/acme --serve", 6)],
    ),
    "a/server.kt": (
        "package a\n\nclass X { fun main() {} }\n\nfun main(args: Array<String>) = run(args)\n",
        [("ServerKt.main", "fun main", 5)],
    ),
    "a/App.kt": (
        "object App {\n    @JvmStatic\n    fun main(a: Array<String>) {\n        fun main() {}\n    }\n}\n",
        [("App.main", "fun main", 2)],
    ),
    "a/Ext.kt": ("fun Route.main() {}\n", []),
    "a/Main.scala": (
        "object Main extends App { run() }\n\nobject Old {\n  def main(args: Array[String]): Unit = ()\n"
        "  def main(n: Int): Unit = ()\n}\n\n@main def hello(n: Int) = n\nclass C extends App2\n",
        [
            ("Main", "object Main is an App", 1),
            ("Old.main", "def main", 4),
            ("hello", "@main def", 8),
        ],
    ),
    "web/Program.cs": (
        "using System;\n\n// starts here\nvar app = Build(args);\napp.Run();\n\nclass Other {}\n",
        [("Program.cs", "top-level statements", 4)],
    ),
    "web/Plain.cs": ("using System;\nnamespace A;\nclass Plain { int x = 1; }\n", []),
    "tool/src/bin/two/main.rs": ("mod a { fn main() {} }\nfn main() {}\n", [("two", "fn main()", 2)]),
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
