"""Mail as its reader sees it: headers, body, history apart, attachments named, whatever the encoding."""

from __future__ import annotations

import time
from email.message import EmailMessage

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brain_dagster.parse.errors import BrokenDocument
from tests.support.parts import chunks_of, opened, parts_of, texts_of


def mail(body: str = "Body.", html: str = "", **headers: str) -> EmailMessage:
    message = EmailMessage()
    for name, value in {"From": "Zoë Imker <zoe@bees.org>", "To": "bob@bees.org", **headers}.items():
        message[name.replace("_", "-")] = value
    message.set_content(body)
    if html:
        message.add_alternative(html, subtype="html")
    return message


def text_of(content: bytes) -> str:
    (part,) = parts_of("mail", content)
    return part.text


def test_message_is_its_headers_and_its_plain_body() -> None:
    sent = "Wed, 01 May 2024 10:22:00 +0200"
    content = mail("Two hives.\n", "<p>HTML</p>", Subject="Größe", Date=sent, Cc="ann@x.org").as_bytes()
    (part,) = parts_of("mail", content)
    assert part.text == (
        "From: Zoë Imker <zoe@bees.org>\nTo: bob@bees.org\nCc: ann@x.org\nDate: 2024-05-01 10:22 +0200\n"
        "Subject: Größe\n\nTwo hives.\n\n"
    )
    assert part.page.label == "message 1, 2024-05-01, Größe"
    assert part.page.headings == ("Größe", "from Zoë Imker to bob@bees.org, 2024-05-01")
    assert opened("mail", content).title == "Größe"


ANSWERS = {
    "marked": "On Tue, 30 Apr 2024 at 09:00, Bob <b@x.org>\nwrote:\n> Where is she?\n> Bob",
    "Outlook": "-----Original Message-----\nFrom: Bob\nSent: Tuesday\nTo: Zoë\n\nWhere is she?",
    "Outlook of today": f"{'_' * 32}\nFrom: Bob <b@x.org>\nSent: Tuesday\n\nWhere is she?",
    "headers only": "From: Bob <b@x.org>\nSent: Tuesday, 30 April 2024\nTo: Zoë\n\nWhere is she?",
    "German": "Am 30.04.2024 um 09:00 schrieb Bob <b@x.org>:\n> Where is she?",
    "unmarked": "On 30 Apr 2024 Bob wrote:\n\nWhere is she?",
    "forwarded": "---------- Forwarded message ---------\nFrom: Bob\n\nWhere is she?",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_quoted_history_is_a_chunk_of_its_own(name: str) -> None:
    (part,) = parts_of("mail", mail(f"In the second hive.\n\n{ANSWERS[name]}\n").as_bytes())
    body, history = texts_of(part)
    assert body.endswith("In the second hive.\n\n")
    assert history == f"{ANSWERS[name]}\n\n"
    assert [chunk.headings for chunk in chunks_of(part)] == [(), ("quoted",)]


@pytest.mark.parametrize("above", ["", "On 30 Apr 2024 Bob wrote:\n"])
def test_quotation_between_the_lines_of_an_answer_stays_with_it(above: str) -> None:
    body = f"{above}> Where is she?\n\nIn the second hive.\n\n> And the drones?\n\nGone.\n"
    (part,) = parts_of("mail", mail(body).as_bytes())
    assert [chunk.headings for chunk in chunks_of(part)] == [()]


def test_signature_is_cut_apart() -> None:
    (part,) = parts_of("mail", mail("Two hives.\n\n-- \nZoë\nApiary Ltd\n").as_bytes())
    assert [chunk.headings for chunk in chunks_of(part)] == [(), ("signature",)]
    assert texts_of(part)[1] == "--\nZoë\nApiary Ltd\n\n"


def test_attachments_are_named_in_the_text_and_as_not_read() -> None:
    message = mail("See the plan.")
    message.add_attachment(b"x" * 12_345, maintype="application", subtype="pdf", filename="plän.pdf")
    (part,) = parts_of("mail", message.as_bytes())
    assert "Attachments: plän.pdf (application/pdf, 12 kB)\n" in part.text
    assert part.warnings == ("message 1: attachments not read: plän.pdf (application/pdf, 12 kB)",)


def test_attached_message_is_read_with_its_own_headers() -> None:
    message = mail("See below.")
    message.add_attachment(mail("The needle.", Subject="Inner"))
    (part,) = parts_of("mail", message.as_bytes())
    assert "Subject: Inner\n\nThe needle." in texts_of(part)[1]
    assert chunks_of(part)[1].headings == ("attached message", "Inner")


def test_html_alone_is_read_without_its_markup() -> None:
    message = EmailMessage()
    message["Subject"] = "News"
    page = "<html><head><style>p {}</style></head><p>Two &amp; three<br>hives</p></html>"
    message.set_content(page, subtype="html")
    assert text_of(message.as_bytes()) == "Subject: News\n\nTwo & three\nhives\n\n"


RAW = {
    "declared Latin-1": (
        b"Subject: a\nContent-Type: text/plain; charset=iso-8859-1\n\nna\xefve \x93x\x94", "naïve “x”"),
    "wrong charset": (b"Subject: a\nContent-Type: text/plain; charset=utf-8\n\nna\xefve", "naïve"),
    "unknown charset": (b"Subject: a\nContent-Type: text/plain; charset=x-bee\n\nna\xc3\xafve", "naïve"),
    "codec that is no charset": (b"Subject: a\nContent-Type: text/plain; charset=rot13\n\nplain", "plain"),
    "raw bytes in a header": (b"Subject: na\xc3\xafve\n\nx", "Subject: naïve"),
    "encoded words": (b"Subject: =?utf-8?B?bmHDr3Zl?= =?iso-8859-1?q?_=E9t=E9?=\n\nx", "Subject: naïve été"),
    "broken encoded word": (b"Subject: =?utf-8?B?!!!?=\n\nx", "Subject: =?utf-8?B?!!!?="),
    "broken base64": (b"Subject: a\nContent-Transfer-Encoding: base64\n\nbmVlZGxl!*", "needle"),
    "no headers": (b"\nonly a needle", "only a needle"),
    "no end of a multipart": (
        b"Subject: a\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nneedle\n--b\n\nmore", "needle"),
    "multipart without a boundary": (b"Subject: a\nContent-Type: multipart/mixed\n\nneedle", "needle"),
    "delivery report": (
        b"Subject: a\nContent-Type: message/delivery-status\n\nReporting-MTA: dns; x\n\n"
        b"Diagnostic-Code: 550 no such hive\n", "Diagnostic-Code: 550 no such hive"),
    "NUL": (b"Subject: a\n\nnee\x00dle", "nee\ufffddle"),
}  # fmt: skip


@pytest.mark.parametrize("name", RAW)
def test_broken_mail_is_read_as_far_as_it_goes(name: str) -> None:
    content, expected = RAW[name]
    assert expected in text_of(content)


HOSTILE_HEADERS = {
    "comments in comments": b"To: " + b"(" * 200_000,
    "many addresses": b"To: " + b"a@b, " * 100_000,
    "many names": b'From: "a" ' * 50_000,
    "many parameters": b"Content-Type: text/plain; " + b"a=b; " * 40_000,
    "many encoded words": b"Subject: " + b"=?utf-8?q?a?= " * 20_000,
    "folded for ever": b"Subject: a" + b"\n a" * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE_HEADERS)
def test_hostile_header_takes_no_square_of_its_length(name: str) -> None:
    started = time.process_time()
    assert "needle" in text_of(HOSTILE_HEADERS[name] + b"\n\nneedle")
    assert time.process_time() - started < 4


def test_parts_nested_beyond_reason_are_refused() -> None:
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(5_000)
    )
    with pytest.raises(BrokenDocument, match="nested too deeply"):
        opened("mail", b"Subject: a\n" + nested + b"\nneedle")


def test_long_list_of_readers_ends_with_how_many_more() -> None:
    readers = ", ".join(f"r{n}@x.org" for n in range(40))
    assert "r11@x.org and 28 more\n" in text_of(f"From: a@x.org\nTo: {readers}\n\nx".encode())


def mailbox(*messages: bytes) -> bytes:
    return b"".join(b"From a@b Wed May  1 10:22:00 2024\n" + each + b"\n\n" for each in messages)


def test_mailbox_has_a_part_per_message() -> None:
    head = b"From: Ann <ann@x.org>\nDate: Thu, 2 May 2024 08:00:00 +0000\nSubject: Second\n\n"
    second = head + b">From the hive\nneedle"
    parts = parts_of(
        "mbox", mailbox(b"Subject: First\n\nFrom here on it is text.", second, b"Subject: Third\n\nz")
    )
    assert [part.page.label for part in parts] == [
        "message 1, First", "message 2, 2024-05-02, Second", "message 3, Third",
    ]  # fmt: skip
    assert "From here on it is text." in parts[0].text
    assert parts[1].text.endswith("\n\nFrom the hive\nneedle\n\n")


def test_mailbox_with_other_line_ends_is_the_same() -> None:
    content = mailbox(b"Subject: First\n\nx", b"Subject: Second\n\ny")
    labels = [part.page.label for part in parts_of("mbox", content.replace(b"\n", b"\r\n"))]
    assert labels == ["message 1, First", "message 2, Second"]


def test_g2_broken_message_leaves_the_others_of_its_mailbox() -> None:
    nested = b"".join(
        b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (n, n) for n in range(5_000)
    )
    first, broken, third = parts_of("mbox", mailbox(b"Subject: a\n\nx", nested, b"Subject: c\n\nneedle"))
    assert broken.problem.startswith("BrokenDocument The mail cannot be read")
    assert "needle" in third.text and not first.problem


BODY = st.text(st.sampled_from("ab \n>-_:é\x00"), max_size=300)


@settings(max_examples=60, deadline=None)
@given(BODY, st.sampled_from([20, 60]))
def test_e7_chunks_tile_whatever_a_mail_says(body: str, budget: int) -> None:
    parts_of(
        "mail",
        b"From: a@x.org\nSubject: s\nContent-Type: text/plain; charset=utf-8\n\n" + body.encode(),
        budget,
    )
