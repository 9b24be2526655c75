"""Write the two PDF files of the example handbook: the travel policy as text, the lease as a scan.

Run `python examples/make_documents.py` after changing a text here, and commit what it writes. The same texts
always give the same bytes: the date is fixed, and the specks of the scan come from a seeded generator.
"""

from __future__ import annotations

import random
from datetime import UTC, datetime
from io import BytesIO
from pathlib import Path

from fpdf import FPDF
from fpdf.enums import XPos, YPos
from PIL import Image, ImageDraw, ImageFont

HANDBOOK = Path(__file__).resolve().parent / "handbook"
WRITTEN_AT = datetime(2026, 2, 2, 9, 0, tzinfo=UTC)

# Pages are parted by a line of dashes, sections begin with ##, paragraphs are parted by an empty line.
TRAVEL_POLICY = """\
## 1. Purpose and scope

This policy covers every journey made for Brightwater Cargo: visits to a terminal, a customer or another
office, conferences, and the yearly meeting in Bergen. It applies to employees, to contractors whose
contract says so, and to candidates whom we invite.

Travelling is work. Time on the way counts as working time between 07:00 and 20:00, and nobody has to
travel on a Sunday to be somewhere on a Monday.

## 2. Before you book

Write down what the trip is for, whom you meet and what it may cost. Up to 400 EUR nobody has to agree:
you are the best judge. From 400 EUR to 2,500 EUR your team lead agrees. Above 2,500 EUR, and for every
trip out of Europe, the head of your department agrees as well.

A trip that is agreed has a number. The number goes on every ticket and receipt; without one the desk
cannot pay.

----

## 3. Trains first

We move freight by rail and travel by rail ourselves. Take the train where the journey takes less than
seven hours from door to door, or where a night train runs. First class is allowed for journeys of more
than three hours, so that you can work.

Fly where the train takes longer, in economy class. The desk buys the flight; do not pay for flights with
your own card.

## 4. Hotels

A room may cost 140 EUR a night with breakfast, 190 EUR in Lisbon from June to September, and 210 EUR in
Oslo and Zurich. Staying with friends is paid with 30 EUR a night, without a receipt.

## 5. Cars

Rent a car only where the terminal cannot be reached otherwise. Drive no more than two hours after a night
shift; the company pays for a taxi or a room instead, without asking.

----

## 6. Daily allowance

The allowance covers meals: 42 EUR for a whole day, 21 EUR for the day of departure and of return. It is
reduced by 10 EUR for each meal that somebody else pays for. Receipts for meals are not collected.

## 7. When a trip costs more than planned

Trains are cancelled and hotels fill up. If the costs rise by up to 15 percent, go on and note the reason.
If they rise further, the person who agreed to the trip has to approve the difference before it is spent;
at night or at the weekend the duty planner may approve it in their place, up to 600 EUR.

Safety needs no approval. If you feel unsafe, take the taxi, change the hotel or go home, and report it
afterwards.

----

## 8. Expenses

Hand in receipts within thirty days of your return, as photographs, in Ledger under My trips. The desk
pays within ten working days. After ninety days an expense is no longer paid, unless you were ill.

Private extensions are welcome. You pay what they add; the desk compares the price of the journey with and
without them on the day of booking.

## 9. Insurance and emergencies

All travellers are insured for illness, accidents and luggage. The number of the insurer is on the back of
your company card and answers at any hour. Tell the desk when you need a visa; it takes up to six weeks.

----

## 10. Carbon budget

Each department has a carbon budget for a year, in kilograms, published beside its budget in euros. A
flight within Europe is counted with 250 kg, one beyond with 1,400 kg, a train journey with 10 kg. What is
left over in December does not move to the next year.

## 11. Exceptions

The head of operations may grant an exception, in writing, before the trip. Exceptions are published at
the end of each quarter with their reasons and without names.

Owner of this policy: Helena Duarte, travel desk. In force since 2 February 2026.
"""

LEASE = (
    (
        "LEASE AGREEMENT",
        "",
        "between Stocznia Office Park sp. z o.o., the landlord,",
        "and Brightwater Cargo AS, the tenant.",
        "",
        "1. The landlord lets to the tenant the third floor of",
        "   building 7, ul. Doki 14, Gdansk, 640 square metres.",
        "2. The lease begins on 1 April 2025 and ends on",
        "   31 March 2030. It is not renewed by silence.",
        "3. The monthly rent is 11,840 EUR plus value added tax,",
        "   due on the fifth working day of each month.",
        "4. The rent follows the consumer price index once a",
        "   year, by no more than four percent.",
        "5. The deposit is three monthly rents, held by a bank.",
    ),
    (
        "6. The tenant may end the lease after three years with",
        "   nine months' notice and a payment of two rents.",
        "7. Repairs of roof, lifts and heating are the landlord's;",
        "   everything behind the front door is the tenant's.",
        "8. Bicycles may be parked in the yard. Freight may not.",
        "9. Changes to this agreement need the written form.",
        "",
        "Gdansk, 14 February 2025",
        "",
        "",
        "for the landlord: K. Zielinska",
        "",
        "for the tenant: H. Duarte",
    ),
)


def write_travel_policy(target: Path) -> None:
    """Write the travel policy: five pages of text with headings and bookmarks."""
    pdf = FPDF(format="A4")
    pdf.set_creation_date(WRITTEN_AT)
    pdf.set_title("Travel policy")
    pdf.set_author("Brightwater Cargo")
    pdf.set_margin(22)
    for number, page in enumerate(TRAVEL_POLICY.split("\n\n----\n\n"), start=1):
        pdf.add_page()
        if number == 1:
            _line(pdf, "Travel policy", size=22, style="B", height=16)
        for block in page.strip().split("\n\n"):
            _write_block(pdf, " ".join(block.split("\n")))
    target.write_bytes(bytes(pdf.output()))


def _write_block(pdf: FPDF, text: str) -> None:
    if text.startswith("## "):
        heading = text.removeprefix("## ")
        pdf.start_section(heading)
        _line(pdf, heading, size=14, style="B", height=11)
    else:
        _line(pdf, text, size=11, style="", height=6)
        pdf.ln(3)


def _line(pdf: FPDF, text: str, *, size: int, style: str, height: float) -> None:
    pdf.set_font("Helvetica", style=style, size=size)
    pdf.multi_cell(0, height, text, new_x=XPos.LMARGIN, new_y=YPos.NEXT)


def write_signed_lease(target: Path) -> None:
    """Write the lease as a scanner does: one image per page, slightly turned, with specks, and no text."""
    specks = random.Random(7)
    pdf = FPDF(format="A4")
    pdf.set_creation_date(WRITTEN_AT)
    pdf.set_title("Scan 2025-02-14")
    for lines in LEASE:
        pdf.add_page()
        pdf.image(_scanned(lines, specks), x=0, y=0, w=210, h=297)
    target.write_bytes(bytes(pdf.output()))


def _scanned(lines: tuple[str, ...], specks: random.Random) -> BytesIO:
    """Return a page as a black-and-white PNG of 150 dots per inch."""
    width, height = 1240, 1754
    page = Image.new("L", (width, height), 255)
    draw = ImageDraw.Draw(page)
    font = ImageFont.load_default(size=32)
    for row, line in enumerate(lines):
        draw.text((150, 180 + row * 62), line, fill=0, font=font)
    for _ in range(300):
        draw.point((specks.randrange(width), specks.randrange(height)), fill=0)
    turned = page.rotate(specks.uniform(-0.7, 0.7), resample=Image.Resampling.BILINEAR, fillcolor=255)
    scan = BytesIO()
    turned.point(lambda shade: 255 if shade > 150 else 0).convert("1").save(scan, "PNG", optimize=True)
    scan.seek(0)
    return scan


if __name__ == "__main__":
    write_travel_policy(HANDBOOK / "travel-policy.pdf")
    write_signed_lease(HANDBOOK / "signed-lease.pdf")
