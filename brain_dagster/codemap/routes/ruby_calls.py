"""What the readers of Ruby sources share: the words and the options of a call."""

from __future__ import annotations

from tree_sitter import Node

from brain_dagster.codemap.syntax import SyntaxTree


def options(tree: SyntaxTree, node: Node) -> tuple[list[str], dict[str, Node]]:
    """Return the plain words (strings and symbols) and the named options of a call."""
    words: list[str] = []
    named: dict[str, Node] = {}
    listed = tree.field(node, "arguments")
    for argument in listed.named_children if listed is not None else ():
        if argument.type == "pair":
            key, value = tree.field(argument, "key"), tree.field(argument, "value")
            # `get "/x" => "a#b"` is a pair whose key is the path.
            if key is not None and value is not None and key.type == "string":
                words.append(word(tree, key))
                named.setdefault("to", value)
            elif key is not None and value is not None:
                named[tree.short_text(key).strip(":")] = value
        elif word(tree, argument):
            words.append(word(tree, argument))
    return words, named


def word(tree: SyntaxTree, node: Node | None) -> str:
    """Return what a string or a symbol says; empty for anything else."""
    if node is None:
        return ""
    if node.type in ("simple_symbol", "hash_key_symbol", "bare_symbol", "bare_string"):
        return tree.short_text(node).removeprefix(":")
    return tree.literal(node) or ""


def words_of(tree: SyntaxTree, node: Node | None) -> list[str]:
    """Return the names in `[:index, :show]`, `%i[index show]` or `:index`."""
    if node is None:
        return []
    found = [word(tree, child) for child in (node.named_children if "array" in node.type else [node])]
    return [name for name in found if name]


def has_block(tree: SyntaxTree, node: Node) -> bool:
    """Whether a call is given a block."""
    return tree.field(node, "block") is not None
