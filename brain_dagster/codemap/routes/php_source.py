"""PHP sources: one walk over a file's tree for Laravel, Symfony, Slim and Lumen, and queued jobs."""

from __future__ import annotations

from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry, MappedFile
from brain_dagster.codemap.routes import php_laravel, php_slim, php_symfony
from brain_dagster.codemap.routes.hints import Hint, pattern
from brain_dagster.codemap.routes.php_calls import CALLS, CLASSES, CLOSURES, PhpFile
from brain_dagster.codemap.syntax import SyntaxTree

_HINT = Hint(
    words=("Route::", "ShouldQueue", "AsMessageHandler"),
    patterns=(
        pattern(r"#\[\s*(?:\w+\\)*(?:Route|Get|Post|Put|Patch|Delete|Any)\b"),
        pattern(r"@(?:\w+\\)?(?:Route|Get|Post|Put|Patch|Delete)\s*\("),
        pattern(r"->\s*(?:get|post|put|patch|delete|options|any)\s*\(\s*[\"'](?:/|[\"'])"),
        pattern(r"->\s*(?:map|match|addRoute)\s*\(\s*[\"'\[]"),
    ),
)


def map_php(file: MappedFile) -> Iterator[MapEntry]:
    """Map a PHP source; files without the shape of a route are not parsed."""
    if not _HINT.fits(file.text):
        return
    source = PhpFile(SyntaxTree("php", file), file)
    for node, place in source.tree.find_within((*CALLS, *CLASSES), (*CALLS, *CLASSES, *CLOSURES)):
        if node.type in CLASSES:
            yield from php_symfony.read_class(source, node)
            yield from _job(source, node)
        elif php_laravel.is_of_router(source, node):
            yield from php_laravel.read_call(source, node, place)
        else:
            yield from php_slim.read_call(source, node, place)


def _job(source: PhpFile, node: Node) -> Iterator[MapEntry]:
    """Read a job that Laravel's workers run: its class says that it should be queued."""
    name = source.tree.field_text(node, "name")
    bases = next((child for child in node.named_children if child.type == "class_interface_clause"), None)
    if "ShouldQueue" not in source.tree.text(bases)[:300]:
        return
    for method in source.methods(node):
        if source.tree.field_text(method, "name") == "handle":
            yield MapEntry("consumer", name, f"{name}.handle", source.tree.line(method))
