"""Ruby's background jobs: Sidekiq, ActiveJob, Sneakers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tree_sitter import Node

from brain_dagster.codemap.base import MapEntry
from brain_dagster.codemap.routes.ruby_calls import options
from brain_dagster.codemap.syntax import SyntaxTree

_PARENTS = re.compile(r"^<\s*(?:::)?(?:ApplicationJob|ActiveJob::Base)$")
_MIXINS = {"Sidekiq::Worker", "Sidekiq::Job"}


def read_jobs(tree: SyntaxTree) -> Iterator[MapEntry]:
    """Yield each class that workers run, by its name, or by the queue that Sneakers takes from."""
    for node in tree.find("class"):
        name = tree.field_text(node, "name")
        body = tree.field(node, "body")
        statements = body.named_children if body is not None else []
        is_job = _PARENTS.match(tree.field_text(node, "superclass")[:100].strip()) is not None
        queue = ""
        for call in (child for child in statements if child.type == "call"):
            called = tree.field_text(call, "method")
            listed = tree.field(call, "arguments")
            mixed = {
                tree.short_text(item).removeprefix("::")
                for item in (listed.named_children if listed is not None else ())
            }
            is_job = is_job or (called == "include" and bool(mixed & _MIXINS))
            if called == "from_queue":
                queue = next(iter(options(tree, call)[0]), "")
        for method in _methods(tree, statements):
            action = tree.field_text(method, "name")
            if (is_job and action == "perform") or (queue and action in ("work", "work_with_params")):
                yield MapEntry("consumer", queue or name, f"{name}.{action}", tree.line(method))


def _methods(tree: SyntaxTree, statements: list[Node]) -> Iterator[Node]:
    yield from (child for child in statements if child.type == "method")
