"""Reads PowerPoint presentations (pptx): a part per slide, with its tables, charts and speaker notes."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING, Any

from brain_dagster.chunk.pages import Page
from brain_dagster.chunk.tokens import TokenCounter
from brain_dagster.parse.errors import BrokenDocument
from brain_dagster.parse.extracted import Part, PartedText
from brain_dagster.parse.formats.office import core_properties, one_line, table_row, titled
from brain_dagster.parse.formats.pieces import read_each
from brain_dagster.parse.packages import check_package
from brain_dagster.store.clean import clean_text

if TYPE_CHECKING:
    from pptx.presentation import Presentation
    from pptx.slide import Slide

MAX_SHAPES = 5_000
MAX_SERIES = 20
MAX_POINTS = 60
_DIAGRAM = "http://schemas.openxmlformats.org/drawingml/2006/diagram"
_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_P = "{http://schemas.openxmlformats.org/drawingml/2006/main}p"
_CHOICE = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Choice"
_REFERENCES = f"{{{_DIAGRAM}}}relIds"
_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_EMU_PER_BAND = 180_000  # shapes whose tops are less than half a centimetre apart stand beside each other


def extract(content: bytes, budget: int, counter: TokenCounter) -> PartedText:
    """Open a presentation.

    Errors  NeedsPassword, BrokenDocument - see check_package; or it is none of PowerPoint's.
    """
    check_package(content)
    presentation = _opened(content)
    slides = list(presentation.slides)
    titles = [_title(slide) for slide in slides]
    properties = core_properties(lambda: presentation.core_properties)
    numbered = enumerate(zip(slides, titles, strict=True), 1)
    pages = [_page(number, slide, title) for number, (slide, title) in numbered]
    return PartedText(
        kind="slide",
        part_count=len(slides),
        parts=read_each(pages, lambda position, page: [_slide_part(slides[position], page)]),
        title=titled(properties, "", *titles),
        outline=tuple(dict.fromkeys(filter(None, titles)))[:100],
        metadata=properties,
    )


def _opened(content: bytes) -> Presentation:
    """Open with python-pptx, which by itself refuses slide shows and templates."""
    from pptx.package import Package
    from pptx.parts.presentation import PresentationPart

    part = Package.open(BytesIO(content)).main_document_part
    if not isinstance(part, PresentationPart):
        raise BrokenDocument("The presentation is none that PowerPoint writes")
    presentation: Presentation = part.presentation
    return presentation


def _title(slide: Slide) -> str:
    try:
        shape = slide.shapes.title
        return one_line(shape.text_frame.text)[:300] if shape is not None else ""
    except (AttributeError, KeyError, ValueError, TypeError):
        return ""


def _page(number: int, slide: Slide, title: str) -> Page:
    hidden = " (hidden)" if slide._element.get("show") in ("0", "false") else ""
    return Page(number, "slide", f"slide {number}{hidden}", (title,) if title else ())


def _slide_part(slide: Slide, page: Page) -> Part:
    """Return the texts of a slide: its title, then from top to bottom and left to right, then the notes."""
    blocks: list[str] = []
    problems: list[str] = []
    for shape in _in_reading_order(slide):
        try:
            blocks.append(_shape_text(shape, slide))
        except (KeyError, ValueError, AttributeError, TypeError, NotImplementedError) as error:
            problems.append(f"slide {page.number}: a shape could not be read: {type(error).__name__}")
    blocks += _wrapped_texts(slide)
    notes = slide.notes_slide.notes_text_frame if slide.has_notes_slide else None
    if notes is not None and notes.text.strip():
        blocks.append(f"Notes:\n{_lines(notes.text)}")
    text = clean_text("\n\n".join(block for block in blocks if block.strip()))
    return Part(page, text, warnings=tuple(problems[:1]))


def _wrapped_texts(slide: Slide) -> Iterator[str]:
    """Yield the texts of shapes that are there twice, as formulas are; python-pptx knows none of them."""
    for choice in slide._element.iter(_CHOICE):
        yield "\n".join(
            one_line("".join(node.text or "" for node in each.iter(_TEXT))) for each in choice.iter(_P)
        )


def _in_reading_order(slide: Slide) -> list[Any]:
    title = slide.shapes.title
    title_id = title.shape_id if title is not None else None
    shapes = list(_ungrouped(slide))
    return sorted(shapes, key=lambda shape: (shape.shape_id != title_id, *_place(shape)))


def _ungrouped(slide: Slide) -> Iterator[Any]:
    """Yield the shapes, those of groups in their place; explicit stack, counted shapes (E6)."""
    from pptx.shapes.group import GroupShape

    stack = list(reversed(list(slide.shapes)))
    for _ in range(MAX_SHAPES):
        if not stack:
            return
        shape = stack.pop()
        if isinstance(shape, GroupShape):
            stack.extend(reversed(list(shape.shapes)))
        else:
            yield shape


def _place(shape: Any) -> tuple[int, int]:
    return (shape.top or 0) // _EMU_PER_BAND, shape.left or 0


def _shape_text(shape: Any, slide: Slide) -> str:
    if getattr(shape, "has_table", False):
        rows = [
            [one_line(cell.text) if not cell.is_spanned else "" for cell in row.cells]
            for row in shape.table.rows
        ]
        return "\n".join(filter(None, map(table_row, rows)))
    if getattr(shape, "has_chart", False):
        return _chart_text(shape.chart)
    if shape.has_text_frame:
        return _frame_text(shape.text_frame)
    description = shape._element._nvXxPr.cNvPr.get("descr")
    diagram = _diagram_text(shape, slide)
    return diagram or (f"[image: {one_line(description)[:300]}]" if description else "")


def _cell_text(cell: Any) -> str:
    return "" if cell.is_spanned else one_line(cell.text)


def _frame_text(frame: Any) -> str:
    """Return paragraphs as lines; those of deeper levels are indented list items."""
    lines = []
    for paragraph in frame.paragraphs:
        text = _lines(paragraph.text)
        lines.append(f"{'  ' * (paragraph.level - 1)}- {text}" if paragraph.level and text.strip() else text)
    return "\n".join(lines).strip("\n")


def _lines(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.replace("\v", "\n").replace("\r", "\n").split("\n"))


def _chart_text(chart: Any) -> str:
    """Return title and numbers of a chart: one row per series under the row of its categories."""
    title = chart.chart_title.text_frame.text if chart.has_title and chart.chart_title.has_text_frame else ""
    rows = [one_line(f"Chart: {title}") if title.strip() else "Chart:"]
    for plot in chart.plots:
        rows.append(table_row(["", *(one_line(each) for each in list(plot.categories)[:MAX_POINTS])]))
        for series in list(plot.series)[:MAX_SERIES]:
            numbers = [
                "" if number is None else f"{number:.15g}" for number in list(series.values)[:MAX_POINTS]
            ]
            rows.append(table_row([one_line(series.name), *numbers]))
    return "\n".join(filter(None, rows))


def _diagram_text(shape: Any, slide: Slide) -> str:
    """Return the texts of a SmartArt diagram, which lie in a part of their own."""
    from lxml import etree

    for references in shape._element.iter(_REFERENCES):
        part = slide.part.related_part(references.get(_DATA))
        root = etree.fromstring(part.blob, parser=etree.XMLParser(resolve_entities=False, no_network=True))
        return "\n".join(filter(None, (one_line(node.text or "") for node in root.iter(_TEXT))))
    return ""
