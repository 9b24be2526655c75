"""The arrows point down, SQL lives in its folder, and no text that was put together reaches a database."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from brain_dagster.settings import REPOSITORY_ROOT
from brain_dagster.store.queries import SQL_FOLDER, parse_queries, topics

ROOMS_ABOVE = {
    "model.py": {"store", "query", "ingest", "evals", "embed", "surface", "connectors"},
    "score.py": {"store", "query", "ingest", "evals", "embed", "surface", "connectors"},
    "errors.py": {"store", "query", "ingest", "evals", "embed", "surface", "connectors"},
    "store": {"query", "ingest", "evals", "surface", "connectors"},
    "query": {"surface", "ingest", "evals"},
    "ingest": {"surface", "query", "evals"},
    "evals": {"surface", "ingest"},
    "connectors": {"surface", "query", "ingest", "evals"},
    "parse": {"surface", "query", "evals", "ingest"},
    "chunk": {"surface", "query", "evals", "ingest"},
    "contextualize": {"surface", "query", "evals", "ingest"},
    "embed": {"surface", "query", "evals", "ingest"},
    "codemap": {"surface", "query", "evals"},
    "lexical": {"surface", "query", "evals", "ingest", "store"},
    "rerank": {"surface", "query", "evals", "ingest", "store", "connectors"},
}


def sources(*folders: str) -> list[Path]:
    found = [path for folder in folders for path in sorted((REPOSITORY_ROOT / folder).rglob("*.py"))]
    assert found, folders
    return found


@cache
def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


def imports(tree: ast.AST) -> Iterator[str]:
    """Yield every imported name, `a.b.c` for `from a.b import c`, but for those only type checkers follow."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "a relative import hides where it points"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        else:
            yield from imports(node)


def imported_from(path: Path, package: str) -> list[str]:
    return [name for name in imports(tree_of(path)) if name == package or name.startswith(f"{package}.")]


def test_only_the_composition_root_knows_dagster_and_its_skin() -> None:
    offenders = {
        str(path.relative_to(REPOSITORY_ROOT)): found
        for path in sources("brain_dagster")
        if path.name != "definitions.py"
        for package in ("dagster", "dagster_graphql", "dagster_postgres", "assets", "resources")
        if (found := imported_from(path, package))
    }
    assert offenders == {}
    root = REPOSITORY_ROOT / "brain_dagster" / "definitions.py"
    assert imported_from(root, "dagster"), "the search for imports finds none where there is one"
    assert imported_from(root, "assets")


def test_resources_do_not_import_assets() -> None:
    assert [path for path in sources("resources") if imported_from(path, "assets")] == []


@pytest.mark.parametrize("room", ROOMS_ABOVE)
def test_room_imports_nothing_from_the_rooms_above_it(room: str) -> None:
    start = REPOSITORY_ROOT / "brain_dagster" / room
    files = [start] if start.suffix == ".py" else sorted(start.rglob("*.py"))
    offenders = {
        str(path.relative_to(REPOSITORY_ROOT)): found
        for path in files
        for above in sorted(ROOMS_ABOVE[room])
        if (found := imported_from(path, f"brain_dagster.{above}"))
    }
    assert offenders == {}


def calls_of(tree: ast.AST, names: set[str]) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in names
            and node.args
        ):
            yield node


def is_put_together(query: ast.expr) -> bool:
    """Say whether a text is built from parts: f-string, `+`, `%`, `.format`, `.join`.

    `psycopg.sql` composes too, by its own `format`, which quotes; its calls start from `SQL(...)`.
    """
    if isinstance(query, (ast.JoinedStr, ast.BinOp)):
        return True
    if isinstance(query, ast.Call) and isinstance(query.func, ast.Attribute):
        if query.func.attr == "encode":
            return is_put_together(query.func.value)
        is_text = isinstance(query.func.value, (ast.Constant, ast.JoinedStr, ast.BinOp, ast.Name))
        return query.func.attr in {"format", "join", "replace"} and is_text
    return False


def test_d6_no_query_is_put_together_from_text() -> None:
    offenders = [
        f"{path.relative_to(REPOSITORY_ROOT)}:{call.lineno}"
        for path in sources("brain_dagster", "assets", "resources")
        for call in calls_of(tree_of(path), {"execute", "executemany", "copy", "all", "one", "run", "SQL"})
        if is_put_together(call.args[0])
    ]
    assert offenders == []


@pytest.mark.parametrize(
    ("query", "is_unsafe"),
    [
        ("f'SELECT {x}'", True),
        ("'SELECT ' + x", True),
        ("'SELECT %s' % x", True),
        ("'SELECT {}'.format(x)", True),
        ("f'SELECT {x}'.encode()", True),
        ("'SELECT 1'", False),
        ("sql('topic.name')", False),
        ("SQL('SELECT {}').format(Identifier(x))", False),
    ],
)
def test_the_check_for_texts_that_were_put_together_sees_them(query: str, is_unsafe: bool) -> None:
    assert is_put_together(ast.parse(query, mode="eval").body) is is_unsafe


SQL_WORDS = re.compile(
    r"\s*(SELECT\s|INSERT\s+INTO\s|UPDATE\s+\w+(\.\w+)?\s+SET\s|DELETE\s+FROM\s|MERGE\s+INTO\s|CREATE\s+(TABLE|INDEX|SCHEMA)\s"
    r"|ALTER\s+TABLE\s|DROP\s+(TABLE|INDEX|SCHEMA)\s|COPY\s+\w+\.\w+|WITH\s+\w+\s+AS\s*\()"
)


def test_sql_is_written_in_the_store_and_nowhere_else() -> None:
    offenders = [
        f"{path.relative_to(REPOSITORY_ROOT)}:{node.lineno}: {node.value[:40]}"
        for path in sources("brain_dagster", "assets", "resources")
        if "store" not in path.parts
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL_WORDS.match(node.value)
    ]
    assert offenders == []


SESSION_SETTING = re.compile(r"^\s*SET\s+(?!TRANSACTION\b)(SESSION\s|LOCAL\s|\w+(\.\w+)?\s*(=|TO\b))", re.I)


def test_c3_settings_go_through_set_config_and_never_through_set() -> None:
    """SET TRANSACTION is the exception: it cannot outlive its transaction."""
    statements = {
        f"{path.name}:{name}": statement
        for path in topics()
        for name, text in parse_queries(path.read_text(encoding="utf-8"), path.stem).items()
        for statement in re.sub(r"--.*", "", text).split(";")
    }
    in_code = {
        f"{path.name}:{node.lineno}": node.value
        for path in sources("brain_dagster", "assets", "resources")
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }
    offenders = [where for where, text in (statements | in_code).items() if SESSION_SETTING.match(text)]
    assert offenders == []
    assert SESSION_SETTING.match("SET hnsw.ef_search = 100")
    assert SESSION_SETTING.match("set local work_mem to '1GB'")
    assert not SESSION_SETTING.match("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")


@pytest.mark.parametrize("path", topics(), ids=lambda path: path.stem)
def test_every_named_query_says_purpose_parameters_and_promise(path: Path) -> None:
    queries = parse_queries(path.read_text(encoding="utf-8"), path.stem)
    assert queries
    for name, text in queries.items():
        header = [line for line in text.splitlines() if line.startswith("--")]
        starts = [line.split(":")[0] for line in header if re.match(r"-- [A-Z]\w+:", line)]
        assert starts[:3] == ["-- Purpose", "-- Parameters", "-- Promise"], f"{path.name}: {name}"
        assert text.splitlines()[: len(header)] == header, f"{path.name}: {name} has its header elsewhere"


def test_every_named_query_is_used() -> None:
    """A query nobody loads is a promise nobody keeps; the invariants are loaded by the file."""
    code = "\n".join(path.read_text(encoding="utf-8") for path in sources("brain_dagster", "assets"))
    unused = [
        f"{path.stem}.{name}"
        for path in topics()
        if path.stem != "invariants"
        for name in parse_queries(path.read_text(encoding="utf-8"), path.stem)
        if f'"{path.stem}.{name}"' not in code
    ]
    assert unused == []


def test_tables_are_named_with_their_schema() -> None:
    """A search_path set elsewhere must not change what a query reads."""
    tables = re.findall(r"CREATE (?:TABLE|VIEW) brain\.(\w+)", (SQL_FOLDER / "schema.sql").read_text())
    bare = re.compile(rf"\b(?:FROM|JOIN|INTO|UPDATE)\s+({'|'.join(tables)})\b")
    offenders = [
        f"{path.name}: {match.group(0)}"
        for path in topics()
        for match in bare.finditer(re.sub(r"--.*", "", path.read_text(encoding="utf-8")))
    ]
    assert offenders == []
