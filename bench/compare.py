"""Brain beside llama-index and langchain-postgres: same server, same chunks, same vectors, same questions.

What differs is retrieval alone. Each system has its own database on the bench's embedded server, and answers
from a question whose vector is ready. The libraries run in an environment of their own, as one child process;
blocks of questions go round the systems in turn, so that a machine whose speed drifts drifts for all of them.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import venv
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from statistics import quantiles
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from psycopg import sql as compose
from psycopg.conninfo import conninfo_to_dict

from bench.corpora import READER, Corpus, cache_folder, python_libraries, synced_brain
from brain_dagster.embed import open_embedder
from brain_dagster.evals.compare import sign_test
from brain_dagster.evals.metrics import Rank, all_metrics
from brain_dagster.evals.ranks import distinct_files, rank_of
from brain_dagster.evals.run import RememberingEmbedder
from brain_dagster.evals.targets import FileKey
from brain_dagster.model import Mode
from brain_dagster.query import rank_files, search
from brain_dagster.query.ranking import LIST_DEPTH
from brain_dagster.store.pool import Database

FILES = 10
ROUNDS = 2  # timed; one more goes before them to warm every cache
_BLOCK = 30
# Candidates a half and passages returned: as many as Brain takes, and what both guides' examples are near.
_DEPTHS = ((LIST_DEPTH, 100), (10, 10))
_DATABASES = {"llama_index": "compare_llama_index", "langchain": "compare_langchain"}
_HERE = Path(__file__).parent
_WORKER = _HERE / "compare_worker.py"
_CONSTRAINTS = _HERE / "constraints-compare.txt"
_LIBRARIES = ("llama-index-vector-stores-postgres", "langchain-postgres", "psycopg[binary]")

Question = tuple[str, list[float]]
Answers = tuple[list[list[FileKey]], list[float]]
"""Per question distinct files, best first, and milliseconds."""
System = Callable[[Sequence[Question]], Answers]


@dataclass(slots=True)
class _Tally:
    """What one system did: the rank of the right file per case, and the milliseconds of every timed call."""

    ranks: list[Rank] = field(default_factory=list)
    ms: list[float] = field(default_factory=list)


def main() -> None:
    """Print recall and latency side by side."""
    corpus = python_libraries()
    with synced_brain([corpus]) as (settings, db):
        embedder = RememberingEmbedder(open_embedder(settings, db))
        questions = [(c.query, embedder.embed_query(c.query).tolist()) for c in corpus.goldset.cases]
        files = _dump_chunks(db, corpus, embedder.space.id)
        with _libraries(db, embedder.space.width, files) as (versions, libraries):
            _print_versions(db, versions, len(files))
            systems = {**_brain(db, embedder, corpus), **libraries}
            tallies = _measure(systems, questions, corpus)
    _print_table(tallies)


def _measure(systems: dict[str, System], questions: Sequence[Question], corpus: Corpus) -> dict[str, _Tally]:
    tallies = {name: _Tally() for name in systems}
    right = [frozenset({(case.source or "", case.expect)}) for case in corpus.goldset.cases]
    names = list(systems)
    for turn in range(ROUNDS + 1):
        print(f"round {turn + 1} of {ROUNDS + 1}", file=sys.stderr, flush=True)
        for number, start in enumerate(range(0, len(questions), _BLOCK)):
            block = slice(start, start + _BLOCK)
            first = (turn + number) % len(names)
            for name in (*names[first:], *names[:first]):
                found, ms = systems[name](questions[block])
                if turn:
                    tallies[name].ms += ms
                else:
                    tallies[name].ranks += map(rank_of, found, right[block])
    return tallies


def _brain(db: Database, embedder: RememberingEmbedder, corpus: Corpus) -> dict[str, System]:
    """Brain's answer as a person gets it, with access rules and excerpts, and the ranking alone."""

    def excerpts(text: str) -> list[FileKey]:
        found = search(
            db, embedder, READER, text, collections=corpus.collections, mode=Mode.HYBRID, limit=FILES
        )
        return distinct_files((excerpt.source, excerpt.path) for excerpt in found.excerpts)

    def ranking(text: str) -> list[FileKey]:
        found = rank_files(
            db, embedder, READER, text, collections=corpus.collections, mode=Mode.HYBRID, files=FILES
        )
        return list(found.files)

    def asked(ask: Callable[[str], list[FileKey]], questions: Sequence[Question]) -> Answers:
        found, spent = [], []
        for text, _ in questions:
            started = perf_counter()
            found.append(ask(text))
            spent.append((perf_counter() - started) * 1000)
        return found, spent

    return {
        f"Brain, {FILES} excerpts": lambda questions: asked(excerpts, questions),
        f"Brain, ranking, {LIST_DEPTH}": lambda questions: asked(ranking, questions),
    }


def _dump_chunks(db: Database, corpus: Corpus, space_id: int) -> dict[str, FileKey]:
    """Write the chunks and their vectors for the libraries; return the file of every chunk by its id.

    The text is that of the chunk under the sentence that places it, which names path and symbols: full-text
    search in the libraries gets the same words to find as Brain's.
    """
    rows = db.all(
        "SELECT c.id, s.key, d.path, c.context || E'\\n' || c.text, e.embedding"
        " FROM brain.chunk c"
        " JOIN brain.document d ON d.id = c.document_id"
        " JOIN brain.source s ON s.id = d.source_id"
        " JOIN brain.chunk_embedding e ON e.chunk_id = c.id AND e.space_id = %s"
        " WHERE s.key = ANY(%s) ORDER BY c.id",
        (space_id, list(corpus.collections)),
    )
    folder = _exchange_folder()
    vectors: NDArray[np.float32] = np.array([row[4].to_numpy() for row in rows])
    np.save(folder / "vectors.npy", vectors)
    with (folder / "chunks.jsonl").open("w", encoding="utf-8") as lines:
        for chunk_id, source, path, text, _ in rows:
            file = {"source": source, "path": path}
            print(json.dumps({"id": str(chunk_id), "text": text, "file": file}), file=lines)
    return {str(row[0]): (row[1], row[2]) for row in rows}


def _exchange_folder() -> Path:
    folder = cache_folder() / "compare"
    folder.mkdir(exist_ok=True)
    return folder


@contextmanager
def _libraries(
    db: Database, width: int, files: dict[str, FileKey]
) -> Iterator[tuple[dict[str, str], dict[str, System]]]:
    """Start the child process with the libraries, loaded; it ends when the block does."""
    state = _state()
    is_loaded = all(_comment(db, database) == state for database in _DATABASES.values())
    if not is_loaded:
        _create_databases(db)
    # -P: the files beside the script must not be mistaken for modules of the libraries.
    command = [str(_environment()), "-P", str(_WORKER)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        parts = conninfo_to_dict(db.url)
        opened = _exchange(
            child,
            {
                "do": "open",
                "load": not is_loaded,
                "folder": str(_exchange_folder()),
                "depths": _DEPTHS,
                "width": width,
                "host": parts["host"],
                "port": parts["port"],
                "user": parts["user"],
                **_DATABASES,
            },
        )
        for database in _DATABASES.values():
            _set_comment(db, database, state)
        yield opened["versions"], {name: _remote(child, name, files) for name in opened["systems"]}
        assert child.stdin is not None
        child.stdin.close()


def _remote(child: subprocess.Popen[str], name: str, files: dict[str, FileKey]) -> System:
    def ask(questions: Sequence[Question]) -> Answers:
        reply = _exchange(child, {"do": "ask", "system": name, "questions": questions})
        found = [distinct_files(files[chunk_id] for chunk_id in ids) for ids in reply["found"]]
        return found, reply["ms"]

    return ask


def _exchange(child: subprocess.Popen[str], job: dict[str, Any]) -> dict[str, Any]:
    assert child.stdin is not None and child.stdout is not None
    print(json.dumps(job), file=child.stdin, flush=True)
    line = child.stdout.readline()
    if not line:
        sys.exit("the process with the libraries ended; its last words are above")
    reply: dict[str, Any] = json.loads(line)
    return reply


def _environment() -> Path:
    """Return the interpreter of the libraries' own environment, made if need be."""
    wanted = hashlib.sha256(_CONSTRAINTS.read_bytes()).hexdigest()
    folder = cache_folder() / "compare-venv"
    python, mark = folder / "bin" / "python", folder / "installed"
    if not mark.exists() or mark.read_text() != wanted:
        print("installing llama-index and langchain-postgres into an environment of their own", flush=True)
        venv.create(folder, clear=True, with_pip=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "-c", str(_CONSTRAINTS), *_LIBRARIES], check=True)
        mark.write_text(wanted)
    return python


def _state() -> str:
    """Return the digest of all that decides what the libraries' databases hold."""
    digest = hashlib.sha256()
    for path in (_WORKER, _CONSTRAINTS, *(_exchange_folder() / n for n in ("chunks.jsonl", "vectors.npy"))):
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def _create_databases(db: Database) -> None:
    with db.direct() as connection:
        for database in _DATABASES.values():
            name = compose.Identifier(database)
            connection.execute(compose.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(name))
            connection.execute(compose.SQL("CREATE DATABASE {}").format(name))


def _comment(db: Database, database: str) -> str | None:
    row = db.one(
        "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s", (database,)
    )
    return row[0] if row else None


def _set_comment(db: Database, database: str, text: str) -> None:
    statement = compose.SQL("COMMENT ON DATABASE {} IS {}")
    with db.direct() as connection:
        connection.execute(statement.format(compose.Identifier(database), compose.Literal(text)))


def _print_versions(db: Database, libraries: dict[str, str], chunks: int) -> None:
    row = db.one("SELECT version(), (SELECT extversion FROM pg_extension WHERE extname = 'vector')")
    assert row is not None
    names = {"brain-dagster": version("brain-dagster"), "psycopg": version("psycopg"), **libraries}
    print(f"{row[0].split(' on ')[0]}, pgvector {row[1]}; {chunks:,} chunks for each system")
    print(", ".join(f"{name} {number}" for name, number in names.items()))


def _print_table(tallies: dict[str, _Tally]) -> None:
    """One row a system; `ahead` and `behind` count the cases where Brain's excerpts name the file earlier."""
    own = [_place(rank) for rank in next(iter(tallies.values())).ranks]
    print(
        f"{len(own)} questions, {ROUNDS} timed rounds; ahead and behind: Brain's {FILES} excerpts, by case\n"
    )
    headings = f"{'@1':>7}{'@10':>7}{'MRR@10':>8}{'p50 ms':>8}{'p95 ms':>8}{'ahead':>7}{'behind':>8}{'p':>7}"
    print(f"{'':<34}{headings}")
    for name, tally in tallies.items():
        metrics, cuts = all_metrics(tally.ranks), quantiles(tally.ms, n=20)
        theirs = [_place(rank) for rank in tally.ranks]
        ahead = sum(mine < other for mine, other in zip(own, theirs, strict=True))
        behind = sum(mine > other for mine, other in zip(own, theirs, strict=True))
        print(
            f"{name:<34}{100 * metrics['recall@1']:>7.1f}{100 * metrics['recall@10']:>7.1f}"
            f"{metrics['mrr@10']:>8.3f}{cuts[9]:>8.1f}{cuts[18]:>8.1f}{ahead:>7}{behind:>8}"
            f"{sign_test(ahead, behind)[0]:>7.3f}"
        )


def _place(rank: Rank) -> int:
    """Return the rank, or one more than the last place that counts."""
    return min(rank or FILES + 1, FILES + 1)
