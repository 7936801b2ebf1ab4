"""Quoted lines of a letter go to no other player: no dice, no tokens, no lines of the letter.

The ways of quoting are in `quotations.py`, and test_quotations.py tries all of that.
"""

from __future__ import annotations

import re
import sys
import textwrap
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from itertools import combinations_with_replacement, product
from pathlib import Path
from random import Random

import pytest

from pbmserv.database.engine import reading
from pbmserv.disclosure import fingerprint
from pbmserv.disclosure.decoding import joined
from pbmserv.disclosure.redaction import Confidential, is_short_remark, undisclosed
from pbmserv.intake.sender_secrets import of_writers
from tests.disclosure.quotations import OWN_WORDS, leaks, quoted
from tests.rows import each_row
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, town_at

pytestmark = pytest.mark.long

ORDINARY = (
    "dudo again? you must have lots of 3s", "good game", "It is your turn, bob", "gg :-)",
    "I think there are fewer than three 3s", "you have 5 dice, I have 2", "3 3s? no way, 4-3s!",
    "my dice are awful today", "what a round! you bid 3-3s and I called", "it's your turn!!",
    "see you at 16:45 on 22.11.2026", "aaaaaaaaaaaaaaaaaaaaaaaaaargh", "haha :-)\n:-)", "1 2 3 go!",
    "How many dice do you have left? 5?", "It's bob's turn", "Round 2 will be mine!",
    "Geschwindigkeitsbegrenzung: 50", "ones are wild, aren't they?", "Bids: I say 5-3s, you 6-3s",
    "PS: I like Perudo board games a lot", "look here: https://example.org/a?b=c%20d&e=f",
    "Tomorrow:\n- shopping\n- Perudo\n- sleep", "ann> that is me, ann: hello", "calza!", "ok",
    "I call you\nI call you\nI call you", "x = 3 * 4 - 2", "Danke, schönes Spiel, Würfelpech!",
    "Your queue was long. No move of it was legal? Bad luck.", "the cups of round 1 were nice",
)  # fmt: skip


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    """A town with two boards: on the first a few moves were made and words were said."""
    with town_at(tmp_path_factory.mktemp("homes") / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.challenge("bob", "ann")
        town.move("ann", "2-2s")
        town.move("bob", "2-3s", text="Are you sure?")
        town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "I am!")
        town.write("ann@example.org", f"perudo showas ann {PASSWORD} 1")
        town.write("ann@example.org", f"perudo move 1 ann {PASSWORD} 1-1s")  # refused
        yield town


@pytest.fixture(scope="module")
def known(town: Town) -> Confidential:
    """What ann knows."""
    with reading(town.engine) as connection:
        return of_writers(connection, {1}, town.processor.tokens, [PASSWORD], {"move", "chat"})


@pytest.fixture(scope="module", autouse=True)
def to_ann(town: Town, known: Confidential) -> list[Letter]:
    """The latest letter of each kind to ann that `known` has, before a test brings others."""
    mine = [each for each in town.letters if each.to == "ann@example.org"]
    kinds = {str(each.message["X-Perudo"] or each.subject).partition(";")[0]: each for each in mine}
    return list(kinds.values())


def _as_html(text: str) -> str:
    return "<br>".join(
        escape(line).encode("ascii", "xmlcharrefreplace").decode() for line in text.split("\n")
    )


WAYS: Mapping[str, Callable[[str], str]] = {
    "bold": lambda text: re.sub(r"(\d)", r"*\1*", text),
    "glued": lambda text: re.sub(r"(?<=\d) (?=\d)", "", text),
    "spread": lambda text: re.sub(r"(?<=\d) (?=\d)", "  ,  ", text),
    "no-break": lambda text: text.replace(" ", "\xa0"),
    "zero width": "\u200b".join,
    "full width": lambda text: text.translate({48 + n: 0xFF10 + n for n in range(10)}),
    "entities": lambda text: text.encode("ascii", "xmlcharrefreplace").decode(),
    "HTML": _as_html,
    "tags": lambda text: re.sub(r"(\d)", r"<b>\1</b>", text),
    "quoted-printable": lambda text: re.sub(
        "[⚀-⚅]", lambda die: "".join(f"={byte:02X}" for byte in die[0].encode()), text
    ),
    "soft breaks": lambda text: re.sub("(.{17})", "\\1=\n", text),
    "blank lines": lambda text: text.replace("\n", "\n\n"),
    "run together": lambda text: " ".join(text.split()),
    "reversed": lambda text: "\n".join(
        " ".join(reversed(line.split())) if "dice:" not in line else re.sub(
            r"(\d) (\d) (\d) (\d) (\d)", r"\5 \4 \3 \2 \1", line
        )
        for line in text.split("\n")
    ),
    "capitals": str.upper,
    "accents": lambda text: re.sub("[aeiou]", lambda vowel: vowel[0] + "\u0301", text),
}  # fmt: skip


@each_row("way", WAYS)
def test_no_line_folding_hides_the_text_of_a_letter(
    way: str, to_ann: Sequence[Letter], known: Confidential
) -> None:
    for letter in to_ann:
        for mark in ("", "» ", "ann> "):
            text = WAYS[way](quoted(letter, mark, "", 0))
            left, _ = undisclosed(text, known)
            assert not leaks(left, known), text
            assert not re.search(r"&#98[56]\d", left)


def test_dice_in_words_are_dice(known: Confidential) -> None:
    names = ["", "one", "two", "three", "four", "five", "six"]
    for cup in known.cups:
        assert undisclosed("my dice: " + " ".join(names[die] for die in cup), known) == ("", True)


def test_ordinary_text_is_sent_unchanged(known: Confidential) -> None:
    for text in ORDINARY:
        assert undisclosed(text, known) == (text, False)


def test_quoted_letters_are_removed_completely(
    to_ann: Sequence[Letter], known: Confidential
) -> None:
    """If a player only quotes, the others get no piece of it."""
    for letter in to_ann:
        for mark, width in product(("» ", "~ ", "ann> ", "│ ", ""), (0, 33, 72)):
            text = "\n".join(line for line in letter.text.split("\n") if not line.startswith("|"))
            lines = [each for line in text.split("\n") for each in textwrap.wrap(line, width or 99)]
            left, is_out = undisclosed("\n".join(mark + line for line in lines), known)
            assert (left, is_out) == ("", True), (letter.subject, mark, width)


def test_a_line_that_introduces_an_unmarked_letter_goes_with_it(
    to_ann: Sequence[Letter], known: Confidential
) -> None:
    """It names the sender and the day or the time, without a colon behind it."""
    letter = to_ann[-1].text
    for intro in (
        "Perudo skrev den 20.11.2026 kl. 22:11",
        "perudo@perudo.example 22:11",
        "Perudo game server, 20 Nov 2026 22:11",
    ):
        left, _ = undisclosed(f"{OWN_WORDS}\n\n{intro}\n\n{letter}", known)
        assert left == OWN_WORDS
    for own in ("It was 12:30 when I saw your bid", "see you at 16:45 on 22.11.2026", "Perudo!"):
        left, _ = undisclosed(f"{OWN_WORDS}\n\n{own}\n\n{letter}", known)
        assert left == f"{OWN_WORDS}\n\n{own}"


def test_a_short_line_below_an_unmarked_letter_is_its_rest_only_right_below(
    known: Confidential,
) -> None:
    """Such as `yes`, which a letter asks for, or the rule below a heading."""
    told = "It is your turn, ann.\nYou open the round: bid any number up to 10, of any face."
    for rest, is_out in (
        ("yes", True), ("  yes", True), ("\n=====", True), ("\nyes", False), ("\n:-)", False),
        ("you dare", False), (":-)", False), ("yes\n\nno", False),
    ):  # fmt: skip
        left, _ = undisclosed(f"{OWN_WORDS}\n\n{told}\n{rest}", known)
        assert left.strip() == (OWN_WORDS if is_out else f"{OWN_WORDS}\n\n{rest}".strip()), rest


def test_lines_of_a_letter_about_others_are_not_text_of_its_reader(
    to_ann: Sequence[Letter], known: Confidential
) -> None:
    """A line above the marked words is of a letter, too; anybody's own line is not."""
    (said,) = [each for each in to_ann if "| I am!" in each.text][:1]
    start = said.text.index("bob writes:")
    quoted_words = said.text[start : said.text.index("| I am!") + len("| I am!")]
    assert undisclosed(f"{OWN_WORDS}\n\n{quoted_words}", known)[0] == OWN_WORDS
    for own in ("Bob said:\n| I am!", "bob writes:\nI am!"):
        assert undisclosed(own, known)[0] == own


@pytest.mark.parametrize(
    "text",
    ["mail me: ann@example.org", "mailto:ann%40example.org", "ann&#64;example.org",
     "ann＠example.org", "<ann＠example.org>", f"<{OUR_ADDRESS}>",
     "perudo+aaaaaaiaaaaqaaabxxzluxcsmpyoznon@localhost"],
)  # fmt: skip
def test_no_email_address_goes_out(text: str, known: Confidential) -> None:
    left, _ = undisclosed(text, known)
    assert not re.search(r"example\.org|localhost", left)


@pytest.mark.parametrize("text", ["Plan: ❶ bid", "፩ ➀", "²³ ①", "1❷", "dice ❷❷❷", "see ٣ ３ here"])
def test_digits_of_any_kind_are_read(text: str, known: Confidential) -> None:
    """int() refuses some digits of Unicode. An email with one must not cause an error."""
    assert undisclosed(text, known) == (text, False)


@pytest.mark.parametrize("token", ["J٤JPYLHWEATCBJGQLGKLMJAQLY", "JPYLHWEATCBJGQLGKLMJAQLY٤J"])
def test_a_token_is_one_word_when_its_digits_are_of_another_script(
    token: str, known: Confidential
) -> None:
    """Its letters alone may look like a word: only the digit tells that it is not one."""
    assert undisclosed(f"{OWN_WORDS}\n\nconfirm {token}", known)[0] == OWN_WORDS


def test_no_character_of_unicode_breaks_the_reading(known: Confidential) -> None:
    signs = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isalnum()]
    signs = [sign for sign in signs if not sign.isalpha()]
    for start in range(0, len(signs), 40):
        undisclosed(" ".join(signs[start : start + 40]) + "".join(signs[start : start + 40]), known)


@each_row("offset", range(0, 60, 7))
@each_row("width", [54, 57])
def test_a_letter_in_base64_tells_nothing(
    offset: int, width: int, town: Town, known: Confidential
) -> None:
    letter = town.last_letter_to("ann@example.org")
    data = b"x" * offset + letter.text.encode()
    pieces = [data[at : at + width] for at in range(0, len(data), width)]
    coded = [b64encode(piece).decode() for piece in pieces]
    left, _ = undisclosed("\n".join(["Look!", *coded]), known)
    secret = [line for line in letter.text.splitlines() if line.startswith("Your dice")]
    for line in left.splitlines():
        found = b64decode(line + "===") if line in coded else b""
        assert not any(each[:12].encode() in found for each in secret)


def test_a_line_of_dice_in_base64_tells_nothing(known: Confidential) -> None:
    for dice in product("123456", repeat=3):
        line = b64encode(f"Your dice: {' '.join(dice)} 5 6".encode()).decode()
        assert undisclosed(line, known) == ("", True)


def test_characters_of_the_web_cause_no_error(known: Confidential) -> None:
    """Text such as "+hello" looks like UTF-7. An email with it must not cause an error."""
    assert undisclosed("+77777 or +hello", known) == ("+77777 or +hello", False)
    chance, pieces = Random(1), [*"+=%&#;<>@＠\\/{}-_ \n\x80", "2680", "U+", "aB1", "\\u", "&#x"]
    for _ in range(3000):
        undisclosed("".join(chance.choices(pieces, k=chance.randrange(1, 12))), known)


def test_links_go_out(known: Confidential) -> None:
    text = "See https://example.org/games/Perudo2024AbCdEfGhIj"
    assert undisclosed(text, known) == (text, False)


def test_a_shortened_message_says_that_it_is_shortened(
    town: Town, to_ann: Sequence[Letter]
) -> None:
    letter = next(each for each in to_ann if "Your dice" in each.text)
    quotation = quoted(letter, "» ", "", 0)
    letters = town.write(
        "ann@example.org", f"perudo chat 1 ann {PASSWORD}", f"{OWN_WORDS}\n{PASSWORD}\n{quotation}"
    )
    to_bob = next(each for each in letters if each.to == "bob@example.org")
    assert f"| {OWN_WORDS}\n(quoted lines were left out)\n" in to_bob.text
    assert PASSWORD not in to_bob.text


def test_only_the_server_says_once_that_lines_were_left_out(town: Town) -> None:
    """A player who types or quotes that sentence does not send it to the others."""
    for quoted_line in ("(quoted lines were left out)", "» | (quoted lines were left out)"):
        subject = f"perudo chat 1 ann {PASSWORD}"
        text = f"{quoted_line}\nWell bid!\n{quoted_line}\nSee you"
        letters = town.write("ann@example.org", subject, text)
        to_bob = next(each for each in letters if each.to == "bob@example.org")
        assert to_bob.text.count("quoted lines were left out") == 1
        assert "\n| Well bid!\n| See you" in to_bob.text
        assert "\n(quoted lines were left out)\n" in to_bob.text


def test_a_message_of_quotes_alone_is_refused_and_not_sent(
    town: Town, to_ann: Sequence[Letter]
) -> None:
    letter = next(each for each in to_ann if "Your dice" in each.text)
    subject = f"perudo chat 1 ann {PASSWORD}"
    (refusal,) = town.write("ann@example.org", subject, quoted(letter, "» ", "", 0))
    assert refusal.to == "ann@example.org"
    assert "nothing was sent" in " ".join(refusal.text.split())
    assert "10 dice in play" not in refusal.text


def test_a_letter_costs_few_bytes(to_ann: Sequence[Letter]) -> None:
    """The fingerprints of a letter's lines are four bytes each, and 256 in all at most."""
    for letter in to_ann:
        lines = fingerprint.of_lines(f"{letter.subject}\n{letter.text}")
        assert len(fingerprint.of_letter(lines)) <= 256


def test_a_text_of_more_than_a_thousand_lines_is_refused(town: Town) -> None:
    """Reading many lines costs more than reading long ones; a message of 900 goes out."""
    subject = f"message ann {PASSWORD} bob"
    (refused,) = town.write("ann@example.org", subject, "hi\n" * 1001)
    assert "a thousand lines" in " ".join(refused.text.split())
    letters = town.write("ann@example.org", subject, "hi\n" * 900)
    assert "bob@example.org" in {each.to for each in letters}


GUESSES = [" ".join(map(str, each)) for each in combinations_with_replacement(range(1, 7), 5)]
MANY = ["Letters", "of", "nature", "speak", "while", "other", "people", "listen"]


def _guess(town: Town, sender: str, subject: str, lines: str = "") -> set[str]:
    """Every cup that there can be, in emails of bob's from an address; what cleo is not told."""
    town.now += 24 * 3600
    missing = set(GUESSES)
    for start in range(0, len(GUESSES), 84):
        text = [
            f"{MANY[place % 8]}{chr(97 + place // 8)} {MANY[place % 7]} {each} so {MANY[place % 5]}"
            for place, each in enumerate(GUESSES[start : start + 84])
        ]
        for letter in town.write(sender, subject, "\n".join([*filter(None, [lines]), *text])):
            if letter.to == "cleo@example.org":
                missing -= {each for each in GUESSES if each in letter.text}
    return missing


def test_removed_lines_reveal_no_dice_of_another_player(tmp_path: Path) -> None:
    """A forged From of that player does not reveal them, nor does the token of an old letter."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        old = town.challenge("ann", "bob")[0]
        town.challenge("bob", "cleo")
        town.move("bob", "2-2s", board=2)
        town.move("cleo", "2-3s", board=2)
        town.move("ann", "1-2s")
        chat = f"perudo chat 2 bob {PASSWORD}"
        bobs = _guess(town, "bob@example.org", chat)
        assert len(bobs) == 2
        assert _guess(town, "ann@example.org", chat) == bobs
        assert _guess(town, "nobody@example.net", chat) == bobs
        stale = f"{chat}\nperudo move 1 ann {old.token} 1-3s\n"
        assert old.to == "ann@example.org"
        assert _guess(town, "bob@example.org", "multiple", stale) == bobs


def test_an_unconfirmed_address_reveals_no_lines_of_its_letters(
    tmp_path: Path,
) -> None:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        dice = town.challenge("ann", "bob")[0].text.splitlines()
        line = next(line for line in dice if line.startswith("Your dice:"))
        town.write("bob@example.org", f"change address bob {PASSWORD} ann@example.org")
        with reading(town.engine) as connection:
            known = of_writers(connection, {2}, town.processor.tokens, [], set()).lines
        assert known
        assert not known & fingerprint.read([fingerprint.of_text(line)])


def test_an_unproven_opening_message_is_sent_whole_or_not_at_all(tmp_path: Path) -> None:
    """A gap in it would reveal the challenger's dice to later readers."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        letters = town.challenge("ann", "bob")
        dice = next(each for each in letters if each.to == "ann@example.org")
        cup = re.search(r"your dice: ([1-6 ]+)", dice.text, re.IGNORECASE)
        assert cup
        subject = "perudo challenge -inorder ann cleo"
        town.write("ann@example.org", subject, f"hello cleo\n\nmy dice: {cup[1]}\n\nbye")
        town.write("ann@example.org", subject, "hello cleo\n\nbye")
        assert [_words_to_cleo(town, board) for board in (2, 3)] == [False, True]


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("hello cleo, we had 1 1 1 1 1 there", False),
        ("hello cleo, we had 66666 there", False),
        ("hello cleo, my dice: 1 2", False),
        ("hello cleo, my dice: 6 6", False),
        (f"password {PASSWORD}\n\nhello cleo", True),
        (f"{PASSWORD}\nhello cleo", True),
        ("hello cleo, 2 games in 3 days?", True),
    ],
)
def test_an_unproven_opening_message_reveals_no_dice_and_no_password(
    tmp_path: Path, text: str, is_told: bool
) -> None:
    """This holds for any cups of ann.

    Text like dice is held back, and so is a single first line.
    """
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob")
        town.write("ann@example.org", "perudo challenge -inorder ann cleo", text)
        assert _words_to_cleo(town, 2) == is_told
        assert not any(PASSWORD in each.text for each in town.letters if "cleo" in each.to)


def _words_to_cleo(town: Town, board: int) -> bool:
    """Whether cleo reads a part of the opening message when ann has moved."""
    letters = town.move("ann", "2-2s", board=board)
    return any("hello" in each.text for each in letters if each.to == "cleo@example.org")


def test_lines_that_only_the_page_of_a_long_letter_has_are_known_too() -> None:
    """They are the last ones; a letter of a board has up to 70 lines."""
    lines = [f"line {number} of a letter" for number in range(100)]
    written = "\n".join(["Perudo board 12", *lines])
    known = fingerprint.read([fingerprint.of_letter(fingerprint.of_lines(written))])
    assert [*fingerprint.matches(fingerprint.words(lines[-1]), known)] == [(0, 5)]


def test_a_short_remark_reads_the_same_without_what_its_writer_knows(
    to_ann: Sequence[Letter], known: Confidential
) -> None:
    """So a few short words cost no look at the writer's letters and boards."""
    letters = " ".join(each.text for each in to_ann).split()
    cups = [" ".join(map(str, cup)) for cup in known.cups]
    said = [*letters, *cups, *sorted(known.tokens), "two", "six", "⚄", "perudo", "move", "writes:"]
    random, unread = Random(15), Confidential(passwords=known.passwords, commands=known.commands)
    short = 0
    for _ in range(20_000):
        words = random.choices(said, k=random.randint(1, 6))
        text = random.choice((" ", "\n", ", ")).join(words)
        if is_short_remark(text):
            short += 1
            assert undisclosed(text, known) == undisclosed(text, unread), text
    assert short > 1000
    assert is_short_remark("Good luck!\nAnn") and is_short_remark("bonne chance, à toi")
    for text in ("two five five", "2 3 3", "⚁ ⚂", "aaaabbbbccccdddd", "> your dice", "bob writes:"):
        assert not is_short_remark(text)


def test_no_cup_is_found_in_a_short_remark() -> None:
    """So a short remark that passes whole needs no proof of its writer, whose cups are unknown."""
    small = [each for size in (1, 2) for each in combinations_with_replacement(range(1, 10), size)]
    words = "one aces two deux sixes ii I pair twins none each first second twice my Good luck!"
    short = [" ".join(each) for size in (1, 2, 3) for each in product(words.split(), repeat=size)]
    short = [each for each in short if is_short_remark(each)]
    assert len(short) > 500
    known = Confidential(cups=frozenset(small))
    assert [each for each in short if undisclosed(each, known) != (each, False)] == []


def test_a_rule_of_equals_signs_joins_no_lines() -> None:
    """The line below it, such as the headline of a letter, is found as a line of its own."""
    lines = ["=== Perudo ===", "bob wins.", "a soft=", " break", "the end"]
    assert list(joined(lines)) == [*lines[:2], "a soft=\n break", "the end"]
