"""Quotations: how replies quote letters, and what others would learn from one.

The program knows none of these marks, introductions, widths and shapes.
"""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from html import escape
from pathlib import Path
from quopri import encodestring
from urllib.parse import quote

from sqlalchemy import select

from pbmserv.database.engine import reading
from pbmserv.database.models import OutboxLetter
from pbmserv.disclosure.redaction import Confidential
from pbmserv.intake.outgoing_text import passwords_commands
from pbmserv.intake.sender_secrets import of_writers
from pbmserv.mail.reading import read
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, town_at

MARKS = (
    "> ", ">", ">> ", "| ", "» ", "›", "« ", "~ ", "* ", "&gt; ", "&gt;", "ann> ", "ann>", "PG> ",
    "- ", "-- ", "│ ", "┃ ", "▌ ", "║ ", "¦ ", "# ", "## ", "; ", ": ", "% ", "= ", "+ ", "} ",
    "] ", "\t", "    ", "  ", "\xa0\xa0", "\u3000", "․ ", "• ", "◦ ", "· ", "→ ", "＞ ", "1) ",
    "[ann] ", "(1) ", "// ", "",
)  # fmt: skip
INTRODUCTIONS = (
    "", "On Mon, 20 Nov 2026 at 22:11, Perudo game server wrote:", "Perudo <{us}> wrote:",
    "Am 20.11.2026 um 22:11 schrieb Perudo:", "Le 20/11/2026 à 22:11, Perudo a écrit :",
    "El 20/11/2026, Perudo escribió:", "-----Original Message-----", "---- Перепратено ----",
    "От: Perudo <{us}>\nИзпратено: петък\nДо: {me}\nТема: {subject}",
    "De: Perudo\nEnviat el: divendres\nPer a: {me}\nAssumpte: {subject}",
    "Od: Perudo\nPoslano: petak\nPrima: {me}\nPredmet: {subject}",
    "Od: {us}\nPoslano: petek\nZa: {me}\nZadeva: {subject}",
    "Од: Perudo\nПослато: петак\nЗа: {me}\nНаслов: {subject}",
    "Od: Perudo\nPoslano: petak\nDo: {me}\nTema: {subject}",
    "De la: Perudo\nTrimis: vineri\nCătre: {me}\nSubiect: {subject}",
    "Frá: Perudo <{us}>\nSent: föstudagur\nTil: {me}\nEfni: {subject}",
    "No: Perudo\nNosūtīts: piektdien\nKam: {me}\nTēma: {subject}",
    "Nuo: Perudo\nIšsiųsta: penktadienis\nKam: {me}\nTema: {subject}",
    "Saatja: Perudo\nSaadetud: reede\nAdressaat: {me}\nTeema: {subject}",
    "差出人: Perudo <{us}>\n送信日時: 金曜日\n宛先: {me}\n件名: {subject}",
    "发件人: Perudo\n发送时间: 星期五\n收件人: {me}\n主题: {subject}",
    "From: Perudo\nDate: Friday\nTo: {me}\nSubject: {subject}",
    "Perudo skrev den 20.11.2026 kl. 22:11", "pe 20. marrask. 2026 Perudo kirjoitti:",
    "Dnia 20.11.2026 Perudo napisał(a):", "2026-11-20 22:11 GMT+01:00 Perudo <{us}>:",
    "In message <{id}> Perudo writes", "=== Perudo, 20 Nov ===", "Quoting Perudo <{us}>:",
    "{me} wrote, and you said",
)  # fmt: skip
WIDTHS = (20, 30, 45, 60, 72, 80, 100, 0)
OWN_WORDS = "Hello bob, what a round!"
# How Outlook calls From, Sent, To and Subject in many languages; From is a bare name there.
HEADS = tuple(
    tuple(line.split("|"))
    for line in (Path(__file__).parent / "heads.txt").read_text("utf-8").splitlines()
)
SECRET = re.compile(r"Your di(?:ce|e): \d|[⚀-⚅]|\b[A-Z2-7]{24,}\b|perudo move")
"""What makes a letter one that nobody else may read: dice, a token, a move."""


@contextmanager
def town_of_many_letters(home: Path) -> Iterator[Town]:
    """A town in which ann has got a letter of every kind that holds a secret."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        hasty = "perudo challenge -inorder --nagtime=2 --forfeittime=100 ann bob"
        town.write("bob@example.org", hasty)
        town.waited(49)  # one board that waits is a letter of its own, several are one
        _play(town)
        _ask_for_tokens(town)
        town.write("bob@example.org", hasty)
        town.waited(49)
        town.write("ann@example.org", f"set ann {PASSWORD} digest=daily")
        town.challenge("cleo", "ann", "bob")
        town.waited(30)
        yield town


def _play(town: Town) -> None:
    """Boards that run, one of them with an offer, and one that is over."""
    ann, bob = "ann@example.org", "bob@example.org"
    town.challenge("ann", "bob")
    town.challenge("bob", "ann")
    town.move("ann", "2-2s", board=2)
    town.move("bob", "2-3s", board=2, text="Are you sure?")
    (refused,) = town.move("ann", "1-1s", board=2)  # it has her dice
    town.reply(refused, "4-2x")
    town.write(bob, f"perudo chat 2 bob {PASSWORD}", "I am!")
    town.write(ann, f"perudo showas ann {PASSWORD} 2")
    town.write(ann, "", f"perudo showas ann {PASSWORD} 2\nperudo showas ann {PASSWORD} 3")
    town.write(ann, f"perudo queue 3 ann {PASSWORD} 5-4s dudo")
    town.move("bob", "propose", board=3)
    town.challenge("ann", "bob", options=("-dice=1", "-inorder"))
    town.move("ann", "2-6s", board=4)
    town.move("bob", "dudo", board=4)
    town.write(bob, "perudo challenge -inorder ann bob")
    town.reply(town.last_letter_to(ann), "yes")  # the answer has her dice


def _ask_for_tokens(town: Town) -> None:
    """Letters with a token in their text."""
    ann = "ann@example.org"
    town.reply(town.last_letter_to("bob@example.org"), f"perudo challenge bob {ann}")
    town.write("stranger@example.net", "reset ann")
    town.write(ann, f"signoff ann {PASSWORD}")
    town.write(ann, f"change address ann {PASSWORD} ann2@example.org")
    told = next(each for each in town.letters if each.subject.startswith("The addresses of"))
    town.write(ann, f"confirm {told.token}")


def known_to_ann(town: Town) -> Confidential:
    """What ann knows and the others must not."""
    with reading(town.engine) as connection:
        return of_writers(connection, {1}, town.processor.tokens, [PASSWORD], passwords_commands())


def kinds_to_ann(town: Town) -> dict[str, Letter]:
    """The first letter of each kind that went to ann."""
    row = OutboxLetter
    with reading(town.engine) as connection:
        kinds = {each.id: each.kind for each in connection.execute(select(row.id, row.kind))}
    found: dict[str, Letter] = {}
    for letter in town.letters:
        if letter.to.startswith("ann"):
            found.setdefault(kinds[letter.number], letter)
    return found


def quoted(letter: Letter, mark: str, introduction: str, width: int) -> str:
    """The letter as a reply quotes it."""
    facts = {"us": letter.reply_to, "me": letter.to, "subject": letter.subject}
    above = introduction.format(**facts, id=str(letter.message["Message-ID"]).strip("<>"))
    lines = letter.text.split("\n")
    if width:
        lines = [piece for line in lines for piece in textwrap.wrap(line, width) or [""]]
    return "\n".join([above, *(f"{mark}{line}".rstrip() for line in lines)])


def leaks(text: str, known: Confidential) -> set[str]:
    """What others would learn from a text: dice, tokens, commands, addresses, passwords."""
    plain = unicodedata.normalize("NFKD", text.lower())
    found = set(re.findall("[⚀-⚅]", text)) | set(re.findall(r"[a-z2-7]{24,}", text.lower()))
    cups = {"".join(map(str, cup)) for cup in known.cups if len(cup) > 1}
    telling = {"perudo@", "ann@", "ann2@", "@example", "yourdice", "perudomove", PASSWORD, *cups}
    for each in (text.lower(), plain):
        bare = re.sub(r"[^a-z0-9@]", "", each)
        found |= {secret for secret in telling if secret in bare}
    return found


def head(labels: tuple[str, ...], letter: Letter) -> str:
    """The head of a quoted letter, as Outlook writes it where From is a bare name."""
    sender, sent, to, subject = labels
    above = f"{sender}: Perudo\n{sent}: 20.11.2026 22:11\n{to}: {letter.to}"
    return f"{above}\n{subject}: {letter.subject}"


# How a mail program repeats a letter without marks: what is above it, and its lines.
UNMARKED: Mapping[str, Callable[[list[str], list[str]], list[str]]] = {
    "right below": lambda above, lines: [*above, *lines],
    "below an empty line": lambda above, lines: [*above, "", *lines],
    "an empty line below each": lambda above, lines: [
        *above, *(each for line in lines for each in (line, "")),
    ],
    "wrapped at 72": lambda above, lines: [*above, *_wrapped(lines, 72)],
    "wrapped at 45": lambda above, lines: [*above, *_wrapped(lines, 45)],
    "indented": lambda above, lines: [*above, *(f"    {line}" for line in lines)],
}  # fmt: skip
# No program's words, or words that nobody knows.
UNKNOWN = (
    "Perudo game server:", "Perudo game server 20.11.2026 22:11", "20.11.2026 22:11",
    "Wen 20 gylta 2026, Perudo:", "Perudo <{us}> 22:11",
)  # fmt: skip


def introductions(letter: Letter) -> Iterator[list[str]]:
    """The lines above a repeated letter, by known and unknown programs, in many languages."""
    mails = Path(__file__).parents[1] / "mail"
    for table in ("repetitions.txt", "attributions.txt"):
        for entry in (mails / table).read_text("utf-8").strip("\n").split("\n\n"):
            lines = [line for line in entry.split("\n") if not line.startswith("# ")]
            yield ["" if line == "." else line for line in lines]
    facts = {"us": letter.reply_to, "me": letter.to, "subject": letter.subject}
    number = str(letter.message["Message-ID"]).strip("<>")
    for each in (*INTRODUCTIONS, *UNKNOWN):
        yield each.format(**facts, id=number).split("\n")
    for labels in HEADS:
        yield head(labels, letter).split("\n")


def _wrapped(lines: list[str], width: int) -> list[str]:
    return [piece for line in lines for piece in textwrap.wrap(line, width) or [""]]


def _marked(text: str) -> str:
    return re.sub(r"(\w+)", r"*\1*", text)


# What mail programs and servers make of the text that is quoted.
DAMAGES: Mapping[str, Callable[[str], str]] = {
    "lines run together": lambda text: " ".join(text.split("\n")),
    "lines glued together": lambda text: "".join(text.split("\n")),
    "line ends written out": lambda text: "\\n".join(text.split("\n")),
    "line ends in JSON": lambda text: "\\r\\n".join(text.split("\n")),
    "paragraphs of RTF": lambda text: "\\par ".join(text.split("\n")),
    "a word a line": lambda text: "\n".join(text.split()),
    "five words a line": lambda text: "\n".join(
        " ".join(text.split()[place : place + 5]) for place in range(0, len(text.split()), 5)
    ),
    "lines turned round": lambda text: "\n".join(reversed(text.split("\n"))),
    "numbered lines": lambda text: "\n".join(
        f"{number} {line}" for number, line in enumerate(text.split("\n"), 1)
    ),
    "lines with a time": lambda text: "\n".join(
        f"[22:{number:02d}] {line}" for number, line in enumerate(text.split("\n"))
    ),
    "angle brackets": lambda text: re.sub("(?m)^(.*)$", r"<<\1>>", text),
    "what looks like tags": lambda text: re.sub("(?m)^(.*)$", r"</\1>", text),
    "what looks like paragraphs": lambda text: re.sub("(?m)^(.*)$", r"&lt;p \1&gt;", text),
    "marks behind": lambda text: "\n".join(f"{line} <" for line in text.split("\n")),
    "a table": lambda text: "\n".join(f"| {line} |" for line in text.split("\n")),
    "cells": lambda text: text.replace(" ", " | "),
    "tabs": lambda text: text.replace(" ", "\t"),
    "two blanks": lambda text: text.replace(" ", "  "),
    "no-break blanks": lambda text: text.replace(" ", "\xa0"),
    "invisible characters": "\u200b".join,
    "bidi marks around lines": lambda text: re.sub("(?m)^(.*)$", "\u202b\\1\u202c", text),
    "bidi marks around digits": lambda text: re.sub(r"(\d)", "\u200e\\1\u200f", text),
    "soft hyphens": lambda text: re.sub(r"(\w\w)(\w)", "\\1\u00ad\\2", text),
    "smart quotes": lambda text: text.replace('"', "\u201d").replace("'", "\u2019"),
    "bold words": _marked,
    "quoted-printable": lambda text: encodestring(text.encode()).decode(),
    "quoted-printable blanks": lambda text: text.replace(" ", "=20"),
    "quoted-printable line ends": lambda text: "=0D=0A=\n".join(text.split("\n")),
    "soft breaks": lambda text: re.sub("(.{30})", "\\1=\n", text),
    "entities": lambda text: "".join(f"&#{ord(each)};" for each in text),
    "entities of entities": lambda text: escape("".join(f"&#x{ord(each):x};" for each in text)),
    "escapes": lambda text: text.encode("ascii", "backslashreplace").decode(),
    "a link": quote,
    "UTF-7": lambda text: text.encode("utf-7").decode(),
    "UTF-8 as cp1252": lambda text: text.encode().decode("cp1252", "replace"),
    "UTF-8 as Latin-1": lambda text: text.encode().decode("latin-1"),
    "UTF-8 as MacRoman": lambda text: text.encode().decode("mac-roman"),
    "UTF-8 as cp1252, twice": lambda text: (
        text.encode().decode("cp1252", "ignore").encode().decode("cp1252", "ignore")
    ),
    "ASCII": lambda text: text.encode("ascii", "replace").decode(),
    "capitals": str.upper,
    "full width": lambda text: text.translate({code: code + 0xFEE0 for code in range(33, 127)}),
    "Arabic digits": lambda text: text.translate(
        {48 + digit: 0x660 + digit for digit in range(10)}
    ),
    "digits with commas": lambda text: re.sub(r"(?<=\d) (?=\d)", ", ", text),
    "digits glued": lambda text: re.sub(r"(?<=\d) (?=\d)", "", text),
    "a digit a line": lambda text: re.sub(r"(?<=\d) (?=\d)", "\n", text),
}


def _each_line(before: str, after: str) -> Callable[[str], str]:
    """Each line as an element of HTML, or ended by one."""
    return lambda text: "".join(f"{before}{escape(line)}{after}" for line in text.split("\n"))


# Pages that quote a text without saying so.
PAGES: Mapping[str, Callable[[str], str]] = {
    "div": _each_line("<div>", "</div>"),
    "paragraphs": _each_line("<p>", "</p>"),
    "br": _each_line("", "<br>"),
    "br that were lost": _each_line("", " "),
    "lines glued together": _each_line("", ""),
    "items": lambda text: f"<ul>{_each_line('<li>', '</li>')(text)}</ul>",
    "numbered items": lambda text: f"<ol>{_each_line('<li>', '</li>')(text)}</ol>",
    "rows": lambda text: f"<table>{_each_line('<tr><td>', '</td></tr>')(text)}</table>",
    "cells": lambda text: "<table>{}</table>".format(
        _each_line("<tr><td>", "</td></tr>")(text).replace(" ", "</td><td>")
    ),
    "preformatted": lambda text: f"<pre>{escape(text)}</pre>",
    "a blockquote": lambda text: f"<blockquote>{_each_line('', '<br>')(text)}</blockquote>",
    "no-break blanks": lambda text: _each_line("<p>", "</p>")(text).replace(" ", "&nbsp;"),
    "bold words": lambda text: re.sub(r"(\w+)", r"<b>\1</b>", escape(text)).replace("\n", "<br>"),
    "a span each": lambda text: "".join(
        "<br>" if each == "\n" else f"<span>{escape(each)}</span>" for each in text
    ),
    "escaped twice": lambda text: escape(_each_line("<div>", "</div>")(text)),
}


def read_from_page(page: str) -> str:
    """What the server takes for typed in an email with this page."""
    raw = b"From: ann@example.org\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + page.encode()
    mail = read(raw, envelope_sender=None, recipient=OUR_ADDRESS, own=OUR_ADDRESS, authserv_id="")
    return "\n".join(mail.typed)
