"""Reads Word documents (docx) as Markdown: headings by style, lists, tables, notes, comments, text boxes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import FlowText
from brain_dagster.parse.formats.office import core_properties, titled
from brain_dagster.parse.formats.word_blocks import Blocks, inline_text, tag
from brain_dagster.parse.formats.word_styles import Numbering, Styles
from brain_dagster.parse.packages import check_package

if TYPE_CHECKING:
    from docx.document import Document
    from docx.opc.part import Part as PackagePart

_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_MACRO_TYPES = (
    "application/vnd.ms-word.document.macroEnabled.main+xml",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml",
    "application/vnd.ms-word.template.macroEnabledTemplate.main+xml",
)
_STRICT = b"http://purl.oclc.org/ooxml/"


def extract(content: bytes, budget: int, counter: TokenCounter) -> FlowText:
    """Read a document as one Markdown text.

    Errors  NeedsPassword, BrokenDocument - see check_package; or the package lacks what Word puts there.
    """
    archive = check_package(content)
    if _STRICT in archive.read("_rels/.rels"):
        raise BrokenDocument("The document is saved as Strict Open XML; save it as an ordinary .docx")
    document = _opened(content)
    properties = core_properties(lambda: document.core_properties)
    blocks = Blocks(Styles(document), Numbering(_part_element(document, "numbering")))
    blocks.footnotes = dict(_notes(document, "footnote"))
    blocks.endnotes = dict(_notes(document, "endnote"))
    blocks.comments = dict(_comments(document))
    text = "\n\n".join(filter(None, [*blocks.of(document.element.body), *_margins(document)]))
    warnings = ("parsed partially: the document holds more elements than are read",) if blocks.is_cut else ()
    title = titled(properties, blocks.title)
    return FlowText(text + "\n" if text else "", "markdown", title, properties, warnings)


def _opened(content: bytes) -> Document:
    """Open with python-docx, which by itself refuses templates and documents with macros."""
    from docx.opc.part import PartFactory
    from docx.package import Package
    from docx.parts.document import DocumentPart

    for kind in _MACRO_TYPES:
        PartFactory.part_type_for[kind] = DocumentPart
    part = Package.open(BytesIO(content)).main_document_part
    if not isinstance(part, DocumentPart):
        raise BrokenDocument(f"The document is none that Word writes: {part.content_type[:100]}")
    document: Document = part.document
    return document


def _related(document: Document, relation: str) -> Iterator[PackagePart]:
    for related in document.part.rels.values():
        if related.reltype == _RELATIONS + relation and not related.is_external:
            yield related.target_part


def _part_element(document: Document, relation: str) -> Any:
    """Return the root element of a related part, None if there is none that can be read."""
    from docx.oxml.parser import parse_xml
    from lxml.etree import XMLSyntaxError

    for part in _related(document, relation):
        try:
            return parse_xml(part.blob)
        except XMLSyntaxError:
            return None
    return None


def _notes(document: Document, kind: str) -> Iterator[tuple[str, str]]:
    """Yield id and text of foot- or endnotes; those with a type are the lines that separate them."""
    root = _part_element(document, f"{kind}s")
    for note in root if root is not None else ():
        if tag(note) == kind and _attribute(note, "type") in ("", "normal"):
            yield _attribute(note, "id"), inline_text(note)


def _comments(document: Document) -> Iterator[tuple[str, str]]:
    root = _part_element(document, "comments")
    for comment in root if root is not None else ():
        if tag(comment) == "comment" and (text := inline_text(comment)):
            yield _attribute(comment, "id"), f"{_attribute(comment, 'author') or 'somebody'}: {text}"


def _margins(document: Document) -> Iterator[str]:
    """Yield what stands at the top and the bottom of pages, each once."""
    from docx.oxml.parser import parse_xml
    from lxml.etree import XMLSyntaxError

    for relation in ("header", "footer"):
        seen: dict[str, None] = {}
        for part in _related(document, relation):
            try:
                text = inline_text(parse_xml(part.blob))
            except XMLSyntaxError:
                continue
            if any(character.isalpha() for character in text):
                seen[text[:500]] = None
        yield f"Page {relation}: {' / '.join(seen)}" if seen else ""


def _attribute(element: Any, name: str) -> str:
    from docx.oxml.ns import qn

    return str(element.get(qn(f"w:{name}")) or "")
