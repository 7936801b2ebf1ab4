"""Quoted lines of a letter go to no other player, in every way of quoting.

Every kind of letter that holds a secret is quoted in a sample of ways.  The sample is the same
every day.  All of them are tried with PBMSERV_EVERY_QUOTATION=1, which takes an hour of one
processor.  Each mark is a test of its own, so that several processes can share them.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from itertools import product
from pathlib import Path
from quopri import decodestring
from random import Random
from typing import Any

import pytest

from pbmserv.disclosure.decoding import without_addresses
from pbmserv.disclosure.redaction import Confidential, undisclosed
from pbmserv.letters import payloads, render
from pbmserv.letters.payloads.letter import Kind
from pbmserv.letters.wrapping import LEFT_OUT
from pbmserv.mail.reading import read
from pbmserv.timeunits import DAY
from tests.disclosure.quotations import (
    DAMAGES,
    HEADS,
    INTRODUCTIONS,
    MARKS,
    OWN_WORDS,
    PAGES,
    SECRET,
    UNMARKED,
    WIDTHS,
    head,
    introductions,
    kinds_to_ann,
    known_to_ann,
    leaks,
    quoted,
    read_from_page,
    town_of_many_letters,
)
from tests.letters.samples import SAMPLES
from tests.mail.typed_text import typed_lines
from tests.rows import each_row
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town

pytestmark = pytest.mark.long

DATA = Path(__file__).parents[1] / "mail" / "data"
EVERY = bool(os.environ.get("PBMSERV_EVERY_QUOTATION"))
NEVER_TO_PLAYERS = {"report", "incidents", "doctor"}  # but to the operator, who plays with nobody


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town in which ann has got a letter of every kind that holds a secret."""
    with town_of_many_letters(tmp_path_factory.mktemp("homes") / "home") as town:
        yield town


@pytest.fixture(scope="module")
def known(town: Town) -> Confidential:
    """What ann knows."""
    return known_to_ann(town)


@pytest.fixture(scope="module", autouse=True)
def to_ann(town: Town, known: Confidential) -> dict[str, Letter]:
    """The first letter of each kind to ann that `known` has, before a test brings others."""
    return kinds_to_ann(town)


@pytest.fixture(scope="module")
def secret(to_ann: Mapping[str, Letter]) -> list[Letter]:
    """A letter of each kind that holds a secret, or an address."""
    return [each for each in to_ann.values() if SECRET.search(each.text) or "@" in each.text]


def sample(ways: Iterable[Any], count: int, seed: int) -> Sequence[Any]:
    """All of the ways, or so many that are the same every day."""
    found = list(ways)
    return found if EVERY else Random(seed).sample(found, min(count, len(found)))


def requoted(raw: str, letter: Letter) -> str:
    """An email of a real program in which another letter is quoted, in the plain text and HTML."""
    quoted_lines = "".join(f"> {line}".rstrip() + "\n" for line in letter.text.split("\n"))
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in letter.text.split("\n"))
    if found := re.search("(?i)Transfer-Encoding: (quoted-printable)", raw):
        raw = f"{raw[: found.start(1)]}8bit{decodestring(raw[found.end() :].encode()).decode()}"
    raw = re.sub("(?m)(?:^>.*\n?)+", lambda _: quoted_lines, raw, count=1)
    page = f'<blockquote type="cite">{lines}</blockquote>'
    return re.sub(r"(?s)<blockquote.*</blockquote>", lambda _: page, raw)


def check(text: str, known: Confidential) -> None:
    """Nothing that only ann may know goes out of a text, and her own words do."""
    left, _ = undisclosed(text, known)
    assert left.startswith(OWN_WORDS), text
    assert not leaks(left, known), f"{text}\n--- became\n{left}"


def test_every_kind_of_letter_is_quoted_here_or_holds_no_secret(
    to_ann: Mapping[str, Letter],
) -> None:
    """A new kind of letter belongs into the town, or into the samples of `samples.py`."""
    declared = {
        kind.name
        for module in pkgutil.iter_modules(payloads.__path__)
        for kind in vars(importlib.import_module(f"{payloads.__name__}.{module.name}")).values()
        if isinstance(kind, Kind)
    }
    quoted_here = {kind for kind, letter in to_ann.items() if SECRET.search(letter.text)}
    assert {"perudo/boards", "perudo/nag", "perudo/show", "lines", "reset", "taken"} <= quoted_here
    for kind in sorted(declared - quoted_here - NEVER_TO_PLAYERS):
        texts = [render.word(kind, sample, "en").text for sample in SAMPLES.get(kind, ())]
        texts += [to_ann[kind].text] if kind in to_ann else []
        assert texts, f"no letter of the kind {kind}"
        for text in texts:
            assert not SECRET.search(text), f"{kind}: {text}"


@each_row("number", range(len(MARKS)))
def test_no_quotation_tells_dice_tokens_or_addresses(
    number: int, secret: Sequence[Letter], known: Confidential
) -> None:
    """This holds for all that the reader of replies finds; each mark is combined with all else."""
    mark = MARKS[number]
    for letter, introduction, width in sample(product(secret, INTRODUCTIONS, WIDTHS), 10, number):
        quotation = quoted(letter, mark, introduction, width)
        check(f"{OWN_WORDS}\n\n{quotation}", known)
        typed = "\n".join(typed_lines([OWN_WORDS, "", *quotation.split("\n")]))
        if typed.strip() != OWN_WORDS:
            check(typed, known)


def test_no_head_of_a_quotation_tells_an_address(
    secret: Sequence[Letter], known: Confidential
) -> None:
    """Outlook's, in languages that the program does not know, too; From is a bare name."""
    for labels, letter in product(HEADS, secret):
        if not (EVERY or letter is secret[0]):
            continue
        for mark, text in product(("", "> ", "» "), (letter.text, "")):
            lines = f"{head(labels, letter)}\n\n{text}".rstrip().split("\n")
            check("\n".join([OWN_WORDS, "", *(mark + line for line in lines)]), known)


def test_a_letter_repeated_without_marks_passes_on_none_of_its_words(
    to_ann: Mapping[str, Letter], known: Confidential
) -> None:
    """At most one in 2,000 tries may; what mail programs write above it does not count here."""
    # Letters to an address that is not confirmed are not known: anybody can name it.
    letters = [each for each in to_ann.values() if each.to == "ann@example.org"]
    ways = product(letters, UNMARKED)
    tries = [(letter, way, above) for letter, way in ways for above in introductions(letter)]
    tries = list(sample(tries, 1500, 9))
    passed = []
    for letter, way, above in tries:
        lines = UNMARKED[way](above, letter.text.split("\n"))
        left, _ = undisclosed("\n".join(typed_lines([OWN_WORDS, "", *lines])), known)
        blanked = {without_addresses(line).strip() for line in above}
        assert left.startswith(OWN_WORDS), (letter.subject, way, above)
        rest = [line for line in left.split("\n")[1:] if line.strip() not in {"", *blanked}]
        if rest:
            passed.append((letter.subject, way, above, rest))
    assert len(passed) <= max(1, len(tries) // 2000), "\n".join(map(repr, passed))


@each_row(
    ("program", "typed"),
    [
        ("mutt-top", ("5-5s",)),
        ("s-nail-bottom", ("5-5s",)),
        ("thunderbird-html-top", ("5-5s", "Good luck :-)")),
        ("real-alpine-top", ("2-4s", "Good luck!")),
        ("real-alpine-below", ("2-4s", "Good luck!")),
    ],
)
def test_real_mail_programs_quote_every_letter_of_ours_and_none_of_it_is_typed(
    program: str, typed: tuple[str, ...], to_ann: Mapping[str, Letter]
) -> None:
    """These are replies that the programs wrote; only the quoted text is changed."""
    for letter in to_ann.values():
        raw = requoted((DATA / f"{program}.eml").read_text("utf-8"), letter)
        mail = read(raw.encode(), envelope_sender=None, recipient=OUR_ADDRESS, own=OUR_ADDRESS)
        assert mail.automatic == ""
        assert mail.typed == typed, letter.subject


@each_row("damage", DAMAGES)
def test_damaged_quotations_are_recognized(
    damage: str, secret: Sequence[Letter], known: Confidential
) -> None:
    for letter, mark in sample(product(secret, MARKS), 25, 7):
        lines = DAMAGES[damage](letter.text).split("\n")
        check("\n".join([OWN_WORDS, "", *(mark + line for line in lines)]), known)


@each_row("page", PAGES)
def test_no_html_page_hides_the_text_of_a_letter(
    page: str, secret: Sequence[Letter], known: Confidential
) -> None:
    """These are whole emails in HTML, without any mark of a quotation."""
    for letter, mark in sample(product(secret, ("", *MARKS)), 12, 8):
        text = "\n".join(mark + line for line in letter.text.split("\n"))
        check(read_from_page(f"<p>{OWN_WORDS}</p>{PAGES[page](text)}"), known)


@pytest.mark.parametrize("number", range(0, len(MARKS), 1 if EVERY else 9))
def test_no_letter_to_an_opponent_reveals_quoted_text(
    number: int, town: Town, to_ann: Mapping[str, Letter], known: Confidential
) -> None:
    """The same by the whole server: replies with a token, chats and messages, and their letters."""
    mark, chance = MARKS[number], Random(number)
    town.now += DAY // 2  # for bob gets no more letters in a day than the settings say
    for kind, letter in to_ann.items():
        if not SECRET.search(letter.text) or kind in {"reset", "signoff", "confirm"}:
            continue
        quotation = quoted(letter, mark, chance.choice(INTRODUCTIONS), chance.choice(WIDTHS))
        subject = chance.choice([f"perudo chat 1 ann {PASSWORD}", f"message ann {PASSWORD} bob"])
        letters = town.write("ann@example.org", subject, f"{OWN_WORDS}\n\n{quotation}")
        to_bob = [each.text for each in letters if each.to == "bob@example.org"]
        assert to_bob
        assert all(OWN_WORDS in text for text in to_bob)
        for text in to_bob:
            said = [line[1:].strip() for line in text.split("\n") if line.startswith("|")]
            assert text.count(LEFT_OUT) <= 1
            assert not leaks("\n".join(said), known), quotation
