"""What a string in a source says, following constants of the same file, as far as reading it would tell."""

from __future__ import annotations

from functools import cached_property

from tree_sitter import Node

from brain_dagster.codemap.syntax import SyntaxTree

# Node kinds that give a name a value, with the fields that hold both; "" is the last named child.
_NAMINGS: dict[str, tuple[str, str]] = {
    "assignment": ("left", "right"),  # Python, Ruby
    "variable_declarator": ("name", "value"),  # JavaScript, Java; C# names no field
    "const_spec": ("name", "value"),  # Go
    "var_spec": ("name", "value"),
    "short_var_declaration": ("left", "right"),
    "const_item": ("name", "value"),  # Rust
    "static_item": ("name", "value"),
    "const_element": ("", ""),  # PHP
    "property_declaration": ("", ""),  # Kotlin
    "lexical_declaration": ("", ""),
}
_SUMS = {"binary_expression", "binary_operator", "binary", "additive_expression"}
_NAMES = {"identifier", "constant", "name", "simple_identifier"}
_MEMBERS = {"field_access", "member_access_expression", "navigation_expression", "attribute",
            "class_constant_access_expression", "member_expression"}  # fmt: skip
_BOXES = {"parenthesized_expression", "concatenated_string", "expression_list", "string_concatenation"}
_MAX_PARTS = 64
_MAX_CHARS = 500


class Strings:
    """Reads the string that an expression gives."""

    def __init__(self, tree: SyntaxTree) -> None:
        self._tree = tree

    def value(self, node: Node | None) -> str | None:
        """Return what an expression says: a literal, a constant of this file, or their sum; else None."""
        if node is None:
            return None
        said = ""
        waiting = [node]
        for _ in range(_MAX_PARTS):
            if not waiting:
                return said
            part = waiting.pop()
            literal = self._tree.literal(part)
            if literal is None and part.type in ("string_content", "string_fragment"):
                literal = self._tree.text(part).replace("{{", "{").replace("}}", "}")
            if literal is not None:
                said += literal
                if len(said) > _MAX_CHARS:
                    return None
                continue
            parts = self._parts(part)
            if parts is None:
                return None
            waiting.extend(reversed(parts))
        return None

    def _parts(self, node: Node) -> list[Node] | None:
        """Return the expressions that one is the sum of; None if it cannot be told by reading."""
        if node.type in _SUMS:
            operator = self._tree.field_text(node, "operator") or self._operator(node)
            return list(node.named_children) if operator in ("+", ".") else None
        if node.type in _BOXES:
            return list(node.named_children) or None
        if node.type in ("string", "template_string"):
            return self._template(node)
        name = ""
        if node.type in _NAMES:
            name = self._tree.short_text(node)
        elif node.type in _MEMBERS and node.named_children:
            # `Paths.USERS`, `self::PREFIX`: by its last word, which must mean one thing in this file.
            name = self._tree.short_text(node.named_children[-1])
        meant = self._constants.get(name)
        return None if meant is None else [meant]

    def _operator(self, node: Node) -> str:
        return next((child.type for child in node.children if not child.is_named), "")

    def _template(self, node: Node) -> list[Node] | None:
        """Return the parts of `f"{PREFIX}/x"` and of a template string in backticks."""
        parts: list[Node] = []
        for child in node.named_children:
            if child.type in ("interpolation", "template_substitution"):
                if len(child.named_children) != 1:
                    return None
                parts.append(child.named_children[0])
            elif child.type in ("string_content", "string_fragment"):
                parts.append(child)
            elif child.type not in ("string_start", "string_end"):
                return None
        return parts or None

    @cached_property
    def _constants(self) -> dict[str, Node]:
        """The names of this file that are given one value, once."""
        found: dict[str, Node | None] = {}
        for node in self._tree.find(*_NAMINGS):
            name_field, value_field = _NAMINGS[node.type]
            name = self._tree.field(node, name_field) if name_field else None
            value = self._tree.field(node, value_field) if value_field else None
            named = node.named_children
            if (name is None or value is None) and len(named) > 1:
                name, value = name or named[0], value or named[-1]
            if name is None or value is None or name == value:
                continue
            if name.type in ("variable_declaration", "expression_list") and name.named_children:
                name = name.named_children[0]
            word = self._tree.short_text(name)
            found[word] = None if word in found else value
        return {word: value for word, value in found.items() if value is not None}
