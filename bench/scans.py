"""Pages that are scanned on purpose: set in a typeface, and put askew, blurred and noisy on the glass."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from io import BytesIO
from itertools import cycle
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFilter, ImageFont

DRAWN_DPI = 300
POINTS_PER_INCH = 72
A4_INCHES = (8.27, 11.69)
FONT_POINTS = 11
_FOLDERS = ("/usr/share/fonts/truetype/dejavu", "/usr/share/fonts/truetype/liberation")
_FACES = (
    "DejaVuSerif.ttf",
    "LiberationSans-Regular.ttf",
    "LiberationSerif-Regular.ttf",
    "DejaVuSans.ttf",
    "LiberationMono-Regular.ttf",
    "LiberationSerif-Italic.ttf",
    "LiberationSansNarrow-Regular.ttf",
    "DejaVuSansCondensed-Bold.ttf",
)

PROSE = {
    "English": (
        "The lock-keeper writes down every boat that passes, its name, its load and the height of the"
        " water, and reads the gauge again at six in the evening. On 14 March 1887 the upper gate "
        'leaked; the carpenter charged £3 12s. 6d. for oak and two days\' work. "Nobody," he said, '
        '"builds a gate like this any more." Between May and October the traffic doubled: 1,204 '
        "barges in all, 87% of them with coal, the rest with grain, bricks and (twice) a circus. When"
        " the river rose above nine feet the keeper closed both paddles, hung out the red lamp and "
        "waited; he was paid for waiting, too. The inspector's letter of 2 June asks why invoice No. "
        "4471-B was paid twice. It was not: the second sum went to the ropemaker, whose bill had been"
        " lost since Easter."
    ),
    "German": (
        "Der Müller öffnet die Schleuse früh um fünf; über Nacht ist das Wasser um zwölf Zentimeter "
        "gestiegen. Für größere Fässer gilt seit dem 1. Juli ein höheres Entgelt von 3,75 € je Stück,"
        " für kleine bleibt es bei 0,90 €. Übermäßig schwere Säcke dürfen nur mit dem Kran gehoben "
        "werden, heißt es in § 14 der Hausordnung. „Wer daran vorbeifährt, zahlt“, steht auf dem "
        "Schild. Die Gäste aßen Käse, Möhren und süßes Gebäck, während draußen der Föhn über die "
        "Dächer blies. Im Kassenbuch fehlen zwei Einträge; die Prüfung führte Frau Strößner am 23. "
        "November durch. Ihr Bericht umfaßt 48 Seiten, davon 17 mit Tabellen."
    ),
    "French": (
        "L'éclusier note l'heure, le nom du bateau et la hauteur de l'eau. À l'été 1893, le château "
        "fut reconstruit à côté de la forêt ; les travaux coûtèrent 12 450 francs, déjà payés en "
        "août. « Où sont les clés ? » demanda le maître d'œuvre. Personne ne répondit, car l'employé "
        "préposé aux archives était allé dîner. Çà et là, des élèves ramassaient des châtaignes près "
        "du pont. Le règlement prévoit, à l'article 7, une pénalité de 5 % par mois de retard. Il "
        "fallut attendre la fin de l'hiver pour que la société règle la facture n° 218, après maints "
        "rappels."
    ),
}
_TABLE_HEAD = ("Station", "Opened", "Height m", "Visitors", "Cost")
_TABLE_ROWS = tuple(
    (name, str(1861 + 7 * n), f"{113.4 + 41.7 * n:.1f}", f"{2_310 + 1_877 * n:,}", f"${480 + 129 * n:,}.50")
    for n, name in enumerate(
        [
            "Ashford",
            "Briar",
            "Colne",
            "Dunmore",
            "Elswick",
            "Farrow",
            "Garth",
            "Hallam",
            "Iver",
            "Jarrow",
            "Kelso",
            "Lunt",
            "Marsh",
            "Norton",
        ]
    )
)


@dataclass(frozen=True, slots=True)
class Condition:
    """What the scanner does to a page.

    skew_degrees  anticlockwise
    blur_pixels   radius of a Gaussian at the scanner's resolution
    noise         standard deviation of what is added to each pixel, of 255
    """

    name: str
    dpi: int = 200
    skew_degrees: float = 0.0
    blur_pixels: float = 0.0
    noise: float = 0.0


CONDITIONS = (
    Condition("clean, 200 dpi"),
    Condition("clean, 150 dpi", dpi=150),
    Condition("askew by +2 degrees", skew_degrees=2.0),
    Condition("askew by -2 degrees", skew_degrees=-2.0),
    Condition("noise", noise=30.0),
    Condition("blur", blur_pixels=1.1),
    Condition("150 dpi, askew, noise", dpi=150, skew_degrees=1.3, noise=20.0),
    Condition("150 dpi, askew, noise, blur", dpi=150, skew_degrees=-1.1, noise=14.0, blur_pixels=0.7),
)


@dataclass(frozen=True, slots=True)
class Scan:
    """A scanned page, and what stands on it."""

    condition: str
    kind: str
    face: str
    truth: str
    pdf: bytes


def scans() -> list[Scan]:
    """Return every kind of page under every condition; the typefaces take turns."""
    faces = cycle(installed_faces())
    made = []
    for turn, condition in enumerate(CONDITIONS):
        for kind in (*PROSE, "table"):
            face = next(faces)
            lines = _table_lines() if kind == "table" else _prose_lines(kind, turn)
            made.append(Scan(condition.name, kind, face.stem, "\n".join(lines), scan(lines, face, condition)))
        next(faces)  # so that each kind meets other typefaces under the next condition
    return made


def installed_faces() -> list[Path]:
    found = [Path(folder) / face for face in _FACES for folder in _FOLDERS if (Path(folder) / face).is_file()]
    if not found:
        raise SystemExit("no typeface to scan: install fonts-dejavu and fonts-liberation")
    return found


def _prose_lines(language: str, turn: int) -> list[str]:
    """The same text begins at another sentence on each page."""
    sentences = PROSE[language].replace(". ", ".|").split("|")
    turned = sentences[turn % len(sentences) :] + sentences[: turn % len(sentences)]
    return textwrap.wrap(" ".join(turned), 74)


def _table_lines() -> list[str]:
    return ["\t".join(row) for row in (_TABLE_HEAD, *_TABLE_ROWS)]


def scan(lines: list[str], face: Path, condition: Condition) -> bytes:
    size = tuple(round(inches * DRAWN_DPI) for inches in A4_INCHES)
    page = Image.new("L", (size[0], size[1]), 255)
    _write(ImageDraw.Draw(page), lines, ImageFont.truetype(face, FONT_POINTS * DRAWN_DPI // POINTS_PER_INCH))
    if condition.skew_degrees:
        page = page.rotate(condition.skew_degrees, Image.Resampling.BICUBIC, fillcolor=255)
    scale = condition.dpi / DRAWN_DPI
    page = page.resize((round(size[0] * scale), round(size[1] * scale)), Image.Resampling.LANCZOS)
    if condition.blur_pixels:
        page = page.filter(ImageFilter.GaussianBlur(condition.blur_pixels))
    if condition.noise:
        grain = np.random.default_rng(17).normal(0, condition.noise, (page.height, page.width))
        page = Image.fromarray((np.asarray(page) + grain).clip(0, 255).astype(np.uint8))
    target = BytesIO()
    page.save(target, "PDF", resolution=condition.dpi)
    return target.getvalue()


def _write(draw: ImageDraw.ImageDraw, lines: list[str], font: ImageFont.FreeTypeFont) -> None:
    top = DRAWN_DPI
    for line in lines:
        for column, cell in enumerate(line.split("\t")):
            draw.text((0.9 * DRAWN_DPI + column * 1.35 * DRAWN_DPI, top), cell, font=font, fill=25)
        top += round(1.45 * FONT_POINTS * DRAWN_DPI / POINTS_PER_INCH)
