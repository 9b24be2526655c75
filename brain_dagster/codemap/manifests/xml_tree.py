"""XML as elements that know their lines, read by expat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

from brain_dagster.codemap.base import MappedFile, NotParsable

_MAX_DEPTH = 200


@dataclass
class Element:
    """An element with its local name, attributes, own text in pieces, and line."""

    tag: str
    attributes: dict[str, str]
    line: int
    pieces: list[str] = field(default_factory=list)
    children: list[Element] = field(default_factory=list)

    def child(self, tag: str) -> Element | None:
        """Return the first child of that name."""
        return next((child for child in self.children if child.tag == tag), None)

    def within(self, *tags: str) -> Iterator[Element]:
        """Yield the elements of these names anywhere inside, in no order of interest."""
        waiting = list(self.children)
        while waiting:
            here = waiting.pop()
            waiting.extend(here.children)
            if here.tag in tags:
                yield here

    def text(self) -> str:
        """Return the element's own text."""
        return "".join(self.pieces).strip()

    def text_of(self, tag: str) -> str:
        """Return the text of the first child of that name; empty if there is none."""
        child = self.child(tag)
        return child.text() if child else ""


def load_xml(file: MappedFile) -> Element:
    """Return the root element.

    Errors  NotParsable for broken XML, and for any document type: entities are how XML attacks its reader,
            and no manifest needs one.
    """
    top = Element("", {}, 1)
    open_elements = [top]
    parser = expat.ParserCreate()

    def start(tag: str, attributes: dict[str, str]) -> None:
        file.deadline.check()
        if len(open_elements) > _MAX_DEPTH:
            raise NotParsable(parser.CurrentLineNumber)
        element = Element(tag.rpartition(":")[2], attributes, parser.CurrentLineNumber)
        open_elements[-1].children.append(element)
        open_elements.append(element)

    def end(_tag: str) -> None:
        open_elements.pop()

    def characters(text: str) -> None:
        open_elements[-1].pieces.append(text)

    def refuse(*_doctype: Any) -> None:
        raise NotParsable(parser.CurrentLineNumber)

    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = characters, refuse
    parser.buffer_text = True
    try:
        parser.Parse(file.text, True)
    except expat.ExpatError as error:
        raise NotParsable(error.lineno) from error
    return top.children[0]
