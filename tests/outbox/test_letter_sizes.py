"""A page has at most 24 KB as it is sent, and a letter without its attachment 40 KB."""

from __future__ import annotations

import json
from collections.abc import Mapping
from email import message_from_bytes
from email.message import EmailMessage
from html import unescape
from pathlib import Path
from random import Random
from typing import Any

import pytest

from pbmserv.commands.manual import payload_of
from pbmserv.disclosure import fingerprint
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Call, Raise, Revealed
from pbmserv.games.perudo.notation import read_action
from pbmserv.games.perudo.rules import rules_named
from pbmserv.letters import shortening
from pbmserv.letters.catalogues import languages
from pbmserv.letters.document import TEXT, Document, Headline, Listing, Paragraph, Printed, Said
from pbmserv.letters.payloads.perudo import BOARDS, CHAT
from pbmserv.letters.render import WordedLetter, word
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.outbox.letter_sizes import LARGEST_LETTER, LARGEST_PAGE, Forms, formed
from pbmserv.outbox.outgoing_email import worded
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY
from tests.email_policies import READ
from tests.games.games import plain
from tests.letters.pages import read
from tests.letters.plays import Game
from tests.rows import each_row

SETTINGS = Settings(home=Path(), address="perudo@example.org")
LONG_NAMES = [f"{'longest-name'.ljust(17, 'e')}-{place}" for place in range(1, 7)]
ON_THE_PAGE = "The rest did not fit here. The text form of this email has all of it."
LEFT_OUT = "The rest did not fit into an email."
LINKS = LetterLinks("perudo@example.org", "A" * 26, "plus", "Hello")


def sent(kind: str, payload: Mapping[str, Any], language: str = "en") -> bytes:
    """A letter as it is sent."""
    row = {"kind": kind, "language": language, "payload": json.dumps(payload), "answers": ""}
    row |= {"address": "ann@example.org", "token": "A" * 26}
    numbers = {"id": 1, "board_id": None, "written_at": 1}
    return worded(SETTINGS, {**row, **numbers}, "A" * 26).data


def forms(data: bytes) -> tuple[str, str]:
    """The text of a letter, and its page or ""."""
    message = message_from_bytes(data, policy=READ)
    assert isinstance(message, EmailMessage)
    found = []
    for form in ("plain", "html"):
        part = message.get_body((form,))
        assert part is None or len(part.as_bytes()) <= LARGEST_PAGE or form == "plain"
        found.append("" if part is None else str(part.get_content()).replace("\r\n", "\n"))
    return found[0], found[1]


def turn(said: str = "", players: int = 6) -> dict[str, Any]:
    """The facts of a player on turn to whom another one writes."""
    game = Game.opened(rules_named("bga"), plain(Random(1)), players, LONG_NAMES)
    return game.facts(game.table.turn, message=(LONG_NAMES[1], said) if said else None)


def digest(boards: int) -> dict[str, Any]:
    """The facts of a digest with so many boards."""
    waiting = [{**turn(), "board": 100 + number} for number in range(boards)]
    return {
        **{"userid": LONG_NAMES[0], "boards": waiting, "news": [], "digest": True, "awake": ""},
        "zone": "Europe/Zurich",
    }


# --- words of people


@pytest.mark.slow
@each_row("said", ["x", "Щ", "漢", "🎲", "<", "x ", "🎲\n", "\n", "x\n"])
@each_row("times", [1, 300, 3_000, 10_000])
def test_a_letter_with_long_words_is_small(said: str, times: int) -> None:
    """Players may write 10,000 characters; a letter with 10,000 emoji had 240 KB."""
    data = sent(CHAT.name, turn((said * times)[:10_000]))
    assert len(data) <= LARGEST_LETTER
    text, page = forms(data)
    shown = (said * times)[:10_000].split()
    if LEFT_OUT not in text:
        assert "".join(shown) in "".join(text.replace("| ", "").split())
    assert page or len(text.encode()) > LARGEST_LETTER // 3 + 1_000


@pytest.mark.parametrize("said", ["salt & vinegar & chips ", "Обычные слова этого письма "])
def test_a_page_has_less_of_a_long_message_and_says_so(said: str) -> None:
    """The buttons stay, and the text has all of it."""
    message = said * (9_000 // len(said))
    text, page = forms(sent(CHAT.name, turn(message)))
    assert "".join(message.split()) in "".join(text.replace("| ", "").split())
    assert ON_THE_PAGE not in text and LEFT_OUT not in text
    if page:
        assert ON_THE_PAGE in " ".join(page.split())
        assert page.count("mailto:") > 6
    assert bool(page) == said.isascii()  # both together would be larger than 40 KB


def test_an_ordinary_message_is_whole_in_both_forms() -> None:
    text, page = forms(sent(CHAT.name, turn("A few words. " * 100)))
    for form in (page.partition("<h1")[2], text.replace("| ", "")):
        assert " ".join(form.split()).count("A few words.") == 100
    assert "did not fit" not in text + page


def test_russian_words_are_sent_in_base64() -> None:
    """It is chosen where it is smaller: quoted-printable takes six bytes for a letter."""
    said = "Честное слово, я не верю. " * 60
    data = sent(CHAT.name, turn(said))
    assert data.count(b"base64") == 2
    assert b"base64" not in sent(CHAT.name, turn("Je ne vous crois pas, désolé. " * 100))


# --- many boards


@pytest.mark.parametrize("boards", [2, 3, 4, 8, 20, 60, 100])
def test_a_digest_of_many_boards_is_small(boards: int) -> None:
    """The first boards are whole; each other one is a link to the command that shows it.

    The story and the table of each are left out, and dice are digits, if that makes room for more.
    """
    data = sent(BOARDS.name, digest(boards))
    assert len(data) <= LARGEST_LETTER
    text, page = forms(data)
    whole = [number for number in range(100, 100 + boards) if f"BOARD {number} " in text]
    assert whole == [*range(100, 100 + (boards if boards < 100 else 12))]
    for number in range(100 + len(whole), 100 + boards):
        assert f"perudo show {number}" in text
    if boards <= 20:
        assert all(f"Board {number} " in page.replace("&#160;", " ") for number in whole)
        brief = boards > 3
        shown = page.count("<h2") // (1 if brief else 2)  # the table of the board has a heading
        assert shown == min(boards, {20: 11}.get(boards, 8))
        assert page.count("perudo%20show") == boards - shown
        assert (ON_THE_PAGE in " ".join(page.split())) == brief


# --- many answers


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_long_answer_tells_all_that_has_happened(language: str) -> None:
    """Pages of help are left out before; the last line has resigned."""
    pages = [{"to": None, "kind": "help", "facts": payload_of("", ["commands"])}]
    left = [{"to": 1, "kind": "resign_pending", "facts": {"board": 12}}]
    lines = [{"line": "help commands", "code": "", "facts": {}, "letters": pages}] * 19
    lines.append({"line": "perudo resign 12", "code": "", "facts": {}, "letters": left})
    data = sent("lines", {"lines": lines, "zone": "UTC"}, language)
    assert len(data) <= LARGEST_LETTER
    text = " ".join(forms(data)[0].split())
    happened = word("resign_pending", {"board": 12}, language).text.strip().rpartition("\n\n")[2]
    assert " ".join(happened.split()) in text
    assert shortening.notes(language).text not in text


# --- anything else


def formed_of(*blocks: Any) -> Forms:
    document = Document("en", "Hello", blocks=[Headline("Hello"), *blocks])
    return formed(WordedLetter(document), (), LINKS, shortening.notes("en"))


def test_a_long_table_is_shorter_on_the_page() -> None:
    rows = tuple((name, "1", "22", "333", "on time: 98 %") for name in LONG_NAMES * 33)
    written = formed_of(Listing(("", "a", "b", "c", "d"), rows))
    assert written.text.count(LONG_NAMES[0]) == 33
    page = "".join(written.page)
    assert 3 < page.count(LONG_NAMES[0]) < 33
    assert ON_THE_PAGE in " ".join(page.split())
    assert set(fingerprint.of_lines(ON_THE_PAGE)) <= set(written.lines)


@pytest.mark.parametrize("language", languages())
def test_the_longest_page_of_help_is_whole_in_html(language: str) -> None:
    """Russian letters are sent in base64, so this table was cut there."""
    _, page = forms(sent("help", payload_of("", ["house"]), language))
    assert page.count(", honest<") == page.count(", threshold<") == 8  # all rows


def test_long_printed_text_is_shorter_on_the_page() -> None:
    written = formed_of(Printed("a line of a record\n" * 1_000))
    assert written.text.count("a line") == 1_000
    assert 50 < "".join(written.page).count("a line") < 1_000


def test_the_lines_of_a_letter_are_known_as_its_text_has_them() -> None:
    """A block is read once for all letters that have it, and the letter has the same lines."""
    written = formed_of(
        Paragraph("It is your turn. " * 9),
        Listing(("", "dice"), (("ann", "5"), ("bob", "4"))),
        Said("bob wrote:", "good luck to you all"),
        Paragraph("The last words of it."),
    )
    lines = fingerprint.of_lines(written.text)
    assert len(lines) > 5
    assert written.lines[: len(lines)] == lines


def test_a_letter_of_many_paragraphs_ends_early() -> None:
    """A reader without a page is told, too."""
    paragraphs = [Paragraph(f"Paragraph {number}. " + "Words. " * 20) for number in range(500)]
    document = Document("en", "Hello", blocks=[Headline("Hello"), *paragraphs])
    written = formed(
        WordedLetter(document),
        [Paragraph("The foot.")],
        None,
        shortening.notes("en"),
    )
    assert 20_000 < len(written.text) < LARGEST_LETTER
    assert written.text.endswith(f"\n{LEFT_OUT}\n\n-- \nThe foot.\n")
    (*_, last) = shortening.shorter(document, TEXT, LEFT_OUT)
    assert last.blocks == [
        Headline("Hello"),
        paragraphs[0],
        Paragraph(LEFT_OUT, small=True, only=TEXT),
    ]


@each_row("rules", ["pbmserv", "classic", "bga", "pyrudo"])
@each_row("players", [3, 4, 5, 6])
def test_a_russian_turn_letter_without_room_keeps_the_dice_the_bids_and_the_table(
    rules: str, players: int
) -> None:
    """Two rounds were opened since the reader's turn; each Russian letter has seven bytes."""
    game = Game.opened(rules_named(rules), plain(Random(1)), players)
    for _ in range(2):
        game.play(Raise(Bid(4, 6)))
        game.play(Call("dudo"))
    game.play(Raise(Bid(3, 2)))
    facts = game.facts(game.table.turn)
    _, page = forms(sent("perudo/moved", facts, "ru"))
    told = " ".join(unescape(page).split())
    assert told.count("mailto:perudo") > 6
    assert "Ставки раунда 3:" in told
    assert "На столе" in told.rpartition("<h2")[2]
    assert "Хеш партии" in told


def test_a_page_without_room_for_opened_cups_has_them_in_a_line() -> None:
    game = Game.opened(rules_named("classic"), plain(Random(4)), 6, LONG_NAMES)
    for move in ("7-2s", "8-2s", "8-4s", "10-4s", "10-6s", "dudo"):
        game.play(read_action(move))
    (cups,) = [each.cups for each in game.events if isinstance(each, Revealed)]
    for move in ("6-3s", "7-3s", "8-3s"):
        game.play(read_action(move))
    times = {"now": 0, "nag": DAY, "late": True, "standin": False, "forfeit": 3 * DAY, "closes": 0}
    facts = {**game.facts(game.table.turn), "times": times, "zone": "UTC"}
    _, page = forms(sent("perudo/nag", facts, "ru"))
    told = read(page).told
    assert "не поместилось" not in told
    for name, cup in zip(LONG_NAMES, cups, strict=True):
        assert " ".join([name, *map(str, sorted(cup))]) in " ".join(told.split())


def test_a_short_letter_is_left_alone() -> None:
    written = formed_of(Said("ann writes:", "Hello!"))
    assert written.text == "Hello.\n\nann writes:\n| Hello!\n"
    assert "Hello!" in "".join(written.page)


def test_a_letter_that_cannot_be_shortened_has_no_page() -> None:
    assert formed_of(Headline("x" * 25_000)).page == ()
