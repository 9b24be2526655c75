"""A chunk knows which routes and entry points of its own file lead to it."""

from __future__ import annotations

from brain_dagster.chunk.api import chunk_text
from brain_dagster.codemap.reach import with_reach

BUDGET = 60
FILLER = "    total = total + price * amount\n" * 6

FASTAPI = f'''from fastapi import APIRouter

router = APIRouter(prefix="/orders")


@router.get("/{{number}}")
def show_order(number: int) -> Order:
    """Return one order."""
{FILLER}    return find(number)


@router.post("/")
@router.put("/draft")
async def place_order(order: Order) -> int:
{FILLER}    return store(order)


def find(number: int) -> Order:
{FILLER}    return SHELF[number]
'''


def reach(text: str, path: str, language: str, budget: int = BUDGET) -> dict[str, set[str]]:
    """What leads to each symbol of a file."""
    document = with_reach(chunk_text(text, language, budget), path, language, text)
    found: dict[str, set[str]] = {}
    for chunk in document.chunks:
        found.setdefault(chunk.symbol, set()).update(chunk.reached_by)
    return found


def test_a_handler_knows_its_routes_with_the_prefix_of_its_router() -> None:
    found = reach(FASTAPI, "shop/orders.py", "python")
    assert found["show_order"] == {"GET /orders/{number}"}
    assert found["place_order"] == {"POST /orders/", "PUT /orders/draft"}
    assert found["find"] == set()


def test_every_piece_of_a_long_handler_knows_its_route() -> None:
    document = with_reach(chunk_text(FASTAPI, "python", 40), "a.py", "python", FASTAPI)
    pieces = [chunk for chunk in document.chunks if chunk.symbol == "show_order"]
    assert len(pieces) > 1
    assert {piece.reached_by for piece in pieces} == {("GET /orders/{number}",)}


def test_a_route_written_in_place_belongs_to_the_chunk_it_stands_in() -> None:
    text = 'const app = express();\napp.get("/health", (req, res) => res.send("ok"));\n'
    assert reach(text, "server.js", "javascript") == {"app": {"GET /health"}}


def test_a_table_of_many_routes_is_not_called_by_each_of_them() -> None:
    routes = "".join(f'app.get("/x{n}", (req, res) => res.send("{n}"));\n' for n in range(9))
    found = reach("const app = express();\n" + routes, "server.js", "javascript", budget=2_000)
    assert set().union(*found.values()) == set()


def test_a_handler_that_another_file_registers_is_unknown_here() -> None:
    text = 'from django.urls import path\nfrom . import views\n\nurlpatterns = [path("a/", views.show)]\n'
    assert reach(text, "urls.py", "python") == {"urlpatterns": set()}


def test_the_main_function_is_an_entry_point() -> None:
    text = "package main\n\nfunc main() {\n\tserve()\n}\n"
    found = reach(text, "cmd/shop/main.go", "go")
    assert any(words.startswith("entry point") for words in found["main"])
