"""Hostile files: the map never raises, never hangs, and never stores what cannot be stored."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_dagster.codemap import mapping
from brain_dagster.codemap.base import MAX_ENTRIES_PER_FILE, MAX_FIELD_CHARS, MAX_FILE_CHARS, Deadline
from brain_dagster.codemap.mapping import map_document, mapped_names

PATHS = [
    "pyproject.toml",
    "setup.cfg",
    "requirements.txt",
    "package.json",
    "composer.json",
    "go.mod",
    "Cargo.toml",
    "pom.xml",
    "build.gradle",
    "Gemfile",
    "a.csproj",
    "setup.py",
    "Pipfile",
    "pnpm-workspace.yaml",
    "go.work",
    "settings.gradle.kts",
    "libs.versions.toml",
    "a.gemspec",
    "a.sln",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
    "compose.yaml",
    "serverless.yml",
    "a.service",
    "a.kt",
    "a.scala",
    "Dockerfile",
    "Procfile",
    "a.py",
    "a.go",
    "a.java",
    "a.cs",
    "a.php",
    "config/routes.rb",
    "src/main.rs",
    "a.proto",
    "app.rb",
    "template.yaml",
    "app/[id]/route.ts",
    "pages/api/x.js",
    "a.js",
    "a.tsx",
]

# Fragments that get past the cheap look at a file and into its reader.
FRAGMENTS = st.sampled_from(
    [
        "@app.get('/x')\n",
        "def f(): ...\n",
        "urlpatterns = [path('a', b)]\n",
        "app.get('/x', f)\n",
        "Route::get(",
        "'/x', [A::class, 'b']);",
        "<?php ",
        "func main() {",
        'r.Get("/x", f)\n',
        '@GetMapping("/x") void f() {}',
        "class A {",
        "}",
        '[HttpGet("x")]',
        'app.MapGet("/x", f);',
        "routes.draw do\n",
        "resources :a do\n",
        "# sinatra\nget '/x' do\n",
        "namespace '/x' do\n",
        "service A { rpc B(C) returns (D); }",
        '#[get("/x")]\n',
        'Router::new().route("/x", get(f)).nest("/y", ',
        "routing { route('/x') {",
        "#[Route('/x')]",
        "$app->group('/x', function () {",
        "@Controller('x') class A { @Get(':id') f() {} ",
        "fastify.register(async (a) => {",
        'r.Route("/x", func(r chi.Router) {',
        "import celery\n@app.task\n",
        "class A(pb.AServicer):\n",
        "functions: {a: {handler: b, events: [{http: GET /x}]}}\n",
        "end\n",
        "[project]\n",
        'dependencies = ["a"]\n',
        '{"dependencies":',
        "require (\n",
        "<project>",
        "dependencies {\n",
        "gem 'a', '1'\n",
        "setup(install_requires=[",
        "deps: [{:a, ",
        "  - &a *a\n",
        "<<: *a\n",
        "services:\n",
        "implementation('a:b:1')\n",
        "fun main() ",
        "[Service]\nExecStart=x\\\n",
        "group :a do\n",
        "CMD x\\\n",
        "\x00",
        "\ud800",
        "\u2028",
        "((((",
        "\t",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(PATHS), st.lists(FRAGMENTS | st.text(max_size=12), max_size=12).map("".join))
def test_no_text_makes_the_map_raise_or_give_what_cannot_be_stored(path: str, text: str) -> None:
    for entry in map_document(path, "", text):
        assert entry.name
        assert 1 <= entry.line <= len(re.split(r"\r\n|\r|\n", text))
        for field in (entry.name, entry.detail):
            assert len(field) <= MAX_FIELD_CHARS
            field.encode("utf-8")
            assert not re.search(r"[\x00-\x1f\x7f]", field)


SLOW = {
    "open parentheses": ("a.py", "@app.get('/x')\n" + "(" * 400_000),
    "a chain of calls": ("a.js", "app.get('/x', f)\n" + "a" + ".b()" * 200_000),
    "undecidable generics": ("a.cs", "[HttpGet]\n" + "a?b:<c," * 100_000),
    "nested resources": ("config/routes.rb", "x.routes.draw do\n" + "resources :a do\n" * 50_000),
    "one line of spaces": ("Gemfile", "group" + " " * 900_000),
    "many groups": ("Gemfile", ("group" + " " * 990 + "\n") * 900),
    "a dotted key": ("pyproject.toml", "a" + ".a" * 200_000 + " = 1\n"),
    "many dotted tables": ("Cargo.toml", ("[" + "a." * 9_000 + "b]\n") * 20),
    "text between elements": ("pom.xml", "<project>" + "x<a/>" * 150_000 + "</project>"),
    "a line of brackets": ("package.json", '{"a":' * 150_000),
    "nested groups": ("Gemfile", "group :a do\ngem 'a'\n" * 40_000),
    "nested blocks": ("build.gradle", "a {\nb 'c'\n" * 90_000),
    "nested lambdas": ("build.gradle.kts", 'a("b") {\n' * 90_000),
    "nested lists": ("mix.exs", "use Mix.Project\n[" + "deps: [" * 100_000),
    "nested calls": ("Package.swift", "Package(name: " * 60_000),
    "nested setup": ("setup.py", "setup(name=" * 80_000),
    "indented YAML": ("compose.yml", "".join(" " * n + "a:\n" for n in range(1_300))),
    "flow YAML": ("pubspec.yaml", "a: " + "{a: " * 200_000),
    "keys of YAML": ("pnpm-workspace.yaml", "? a\n" * 200_000),
    "a chain of merges": (
        "compose.yaml",
        "services:\n" + "".join(f"  s{n}: &a{n} {{<<: *a{n - 1}}}\n" for n in range(1, 5_000)),
    ),
    "a longer chain of merges": (
        "serverless.yml",
        "functions:\n" + "".join(f"  s{n}: &a{n} {{<<: *a{n - 1}}}\n" for n in range(1, 6_000)),
    ),
    "one large table many times": (
        "pnpm-workspace.yaml",
        "catalog: &t {"
        + ",".join(f"a{n}: 1" for n in range(3_000))
        + "}\ncatalogs:\n"
        + "".join(f"  c{n}: *t\n" for n in range(5_000)),
    ),
    "one long command many times": (
        "compose.yaml",
        "x: &t ["
        + "a," * 5_000
        + "]\nservices:\n"
        + "".join(f"  s{n}: {{command: *t}}\n" for n in range(5_000)),
    ),
    "nested mains": ("a.kt", "object A { fun main() {\n" * 30_000),
    "nested groups of Go": ("a.go", "package a\nfunc f() {\n" + "r.Group(func(r chi.Router) {\n" * 30_000),
    "a chain of Go": ("a.go", "package a\nfunc f() { r" + '.Get("/x", f)' * 40_000 + " }"),
    "nested classes": ("a.java", '@GetMapping("/x")\n' + "class A {\n" * 60_000),
    "nested routes of Ktor": ("a.kt", "// ktor\nfun f() { routing {\n" + 'route("/a") {\n' * 30_000),
    "a chain of groups": ("a.cs", "var a = app" + '.MapGroup("/a")' * 30_000 + ".MapGet(b, c);"),
    "nested groups of PHP": ("a.php", "<?php\n" + "$app->group('/a', function () {\n" * 30_000),
    "nested namespaces": ("a.rb", "# sinatra\n" + "namespace '/a' do\n" * 30_000),
    "a chain of routes": ("a.rs", "fn f() { Router::new()" + '.route("/x", get(f))' * 20_000 + " }"),
    "nested nests": ("a.rs", "fn f() {" + 'Router::new().nest("/x", ' * 20_000 + ")" * 20_000 + "}"),
    "many decorators": ("a.ts", "class A {" + "@Get('/x')\n" * 60_000 + "f() {} }"),
    "nested plugins": ("a.js", "app.get('/x', f)\n" + "app.register((app) => {\n" * 30_000),
    "nested includes": ("urls.py", "# django\nurlpatterns = [" + "path('a', include([" * 30_000),
    "nested mounts": ("a.py", "routes = [" + "Mount('/a', routes=[" * 30_000),
    "doubling constants": (
        "a.py",
        "A0 = '/a'\n"
        + "".join(f"A{n + 1} = A{n} + A{n}\n" for n in range(1_000))
        + "@app.get(A1000)\ndef f(): ...\n",
    ),
    "doubling mounts": (
        "a.py",
        "".join(f"r{n} = APIRouter(prefix='/a')\n" for n in range(300))
        + "".join(f"r{n}.include_router(r{n + 1}, prefix='/{k}')\n" for n in range(299) for k in range(9))
        + "".join(f"@r299.get('/{n}')\ndef f(): ...\n" for n in range(3_000)),
    ),
    "many routes": ("a.js", "".join(f"app.get('/{n}', f)\n" for n in range(40_000))),
    "many routes of Go": (
        "a.go",
        "package a\nfunc f() {\n" + 'r.HandleFunc("/x", f).Methods("GET")\n' * 20_000 + "}\n",
    ),
    "a long doc comment": ("a.php", "<?php /** " + "@Route(" * 100_000 + " */ class A {}"),
    "many services": ("a.proto", "service A {" * 60_000),
    "continued lines": ("Dockerfile", "CMD x \\\n" * 100_000),
}


@pytest.mark.parametrize("path, text", SLOW.values(), ids=SLOW.keys())
def test_one_file_costs_a_bounded_time(path: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mapping, "Deadline", lambda: Deadline(0.5))
    started = time.monotonic()
    map_document(path, "", text)
    # Twice the budget and more: the machine may be busy. Without its guard the worst of these takes minutes.
    assert time.monotonic() - started < 4


def test_what_was_found_before_the_time_was_over_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = iter(range(1_000_000))
    monkeypatch.setattr(mapping, "Deadline", lambda: Deadline(100, clock=lambda: float(next(ticks))))
    text = "\n".join(f"process{number}: run" for number in range(1_000))
    found = map_document("Procfile", "", text)
    assert [entry.name for entry in found] == [f"process{number}" for number in range(100)]


def test_a_manifest_above_the_limit_is_named_and_a_source_is_not_read() -> None:
    large = " " * (MAX_FILE_CHARS + 1)
    assert [(e.name, e.detail) for e in map_document("a/package.json", "", large)] == [
        ("package.json", "too large to be read")
    ]
    assert map_document("a.py", "", '@app.get("/x")\ndef f(): ...\n' + large) == ()


def test_one_file_gives_a_bounded_number_of_entries() -> None:
    text = "".join(f"package{number}\n" for number in range(MAX_ENTRIES_PER_FILE + 500))
    assert len(map_document("requirements.txt", "", text)) == MAX_ENTRIES_PER_FILE


@pytest.mark.parametrize(
    "path", [*PATHS, "deep/in/a/Requirements/base.txt", "x/Dockerfile.web", "web.dockerfile"]
)
def test_the_pattern_for_the_store_covers_every_file_that_has_a_reader(path: str) -> None:
    assert re.search(mapped_names(), path.lower())


@pytest.mark.parametrize(
    "path", ["README.md", "a.pyc", "notpackage.json", "gemfile.lock", "a/dockerfiles/x.txt"]
)
def test_the_pattern_for_the_store_leaves_other_files_unread(path: str) -> None:
    assert not re.search(mapped_names(), path.lower())
