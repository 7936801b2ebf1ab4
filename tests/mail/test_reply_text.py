"""Typed text of a reply is separated from quoted text, for many programs and languages.

The tables beside this file hold the lines that mail programs write by themselves.  Every one of
them is tried above, below and between typed lines.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pbmserv.mail.attribution import is_quoted
from pbmserv.mail.unmarked_quotes import OUR_LETTERS
from tests.examples import examples
from tests.mail.typed_text import typed_lines
from tests.rows import each_row

HERE = Path(__file__).parent
GOLDEN = HERE.parent / "letters" / "golden"
OWN_DICE = re.compile(r"^Your di(?:ce|e):", re.MULTILINE)

LETTER = ("Bob raised.", "", "It is your turn, ann.", "Your dice: 2 3 3", "  4-2s", "dudo")
MARKED = tuple(f"> {line}".rstrip() for line in LETTER)
TYPED = ("5-5s", "", "Take that: ha")


def paragraphs(table: str) -> list[str]:
    """The entries of a table, without its remarks."""
    text = (HERE / table).read_text("utf-8")
    found = [
        "\n".join(line for line in paragraph.split("\n") if not line.startswith("# "))
        for paragraph in text.strip("\n").split("\n\n")
    ]
    return [entry for entry in found if entry]


def entries(table: str) -> list[str]:
    """The lines of a table, without its remarks."""
    return [line for line in (HERE / table).read_text("utf-8").splitlines() if line[:2] != "# "]


def lines_of(entry: str) -> list[str]:
    return ["" if line == "." else line for line in entry.split("\n")]


Layout = Callable[[Sequence[str]], Sequence[str]]

MARKED_LAYOUTS: dict[str, Layout] = {
    "above": lambda intro: (*TYPED, "", *intro, *MARKED),
    "above, an empty line before the quote": lambda intro: (*TYPED, "", *intro, "", *MARKED),
    "right above": lambda intro: (*TYPED, *intro, *MARKED),
    "below": lambda intro: (*intro, *MARKED, "", *TYPED),
    "below, an empty line before the quote": lambda intro: (*intro, "", *MARKED, "", *TYPED),
    "below, behind an empty line": lambda intro: ("", *intro, *MARKED, "", *TYPED, ""),
    "between": lambda intro: (*intro, *MARKED[:2], *TYPED, *MARKED[2:]),
    "between, in air": lambda intro: (*intro, *MARKED[:2], "", *TYPED, "", *MARKED[2:], ""),
    "above, quoted twice": lambda intro: (
        *TYPED, "", *intro, *MARKED, *(f"> {line}" for line in (*intro, *MARKED))
    ),
}  # fmt: skip
BARE_LAYOUTS: dict[str, Layout] = {
    "above what bears no marks": lambda intro: (*TYPED, "", *intro, *LETTER),
    "above, with an empty line": lambda intro: (*TYPED, "", *intro, "", *LETTER),
    "right above": lambda intro: (*TYPED, *intro, *LETTER),
    "above, which quotes in its turn": lambda intro: (*TYPED, "", *intro, *LETTER, "> ha", "ho"),
    "above, and marks in it": lambda intro: (*TYPED, "", *intro, "", *LETTER, "", *MARKED),
}


@each_row("layout", MARKED_LAYOUTS)
@each_row("intro", paragraphs("attributions.txt"))
def test_a_quotations_introduction_is_removed_with_it(intro: str, layout: str) -> None:
    assert typed_lines(MARKED_LAYOUTS[layout](lines_of(intro))) == TYPED


@each_row("layout", BARE_LAYOUTS)
@each_row("intro", paragraphs("attributions.txt"))
def test_unmarked_text_below_an_attribution_does_not_count_as_typed(
    intro: str, layout: str
) -> None:
    assert typed_lines(BARE_LAYOUTS[layout](lines_of(intro))) == TYPED


@each_row("layout", BARE_LAYOUTS)
@each_row("head", paragraphs("repetitions.txt"))
def test_an_email_repeated_without_marks_is_cut(head: str, layout: str) -> None:
    assert typed_lines(BARE_LAYOUTS[layout](lines_of(head))) == TYPED


@each_row("line", entries("advertisements.txt"))
def test_the_advertisement_of_a_telephone_is_cut(line: str) -> None:
    above = (*TYPED, "", line, "", "On 20/11/26 22:11, Perudo wrote:", *MARKED)
    assert typed_lines(above) == TYPED
    assert typed_lines((*TYPED, line)) == TYPED
    assert typed_lines((line, "", "-----Original Message-----", *LETTER)) == ()


@each_row("paragraph", paragraphs("disclaimers.txt"))
def test_a_disclaimer_is_cut_up_to_the_quotation(paragraph: str) -> None:
    disclaimer = paragraph.split("\n")
    assert typed_lines((*TYPED, "", *disclaimer)) == TYPED
    quoting = (*TYPED, "", *disclaimer, "", "Acme Inc.", "", *MARKED, "", "and more")
    assert typed_lines(quoting) == (*TYPED, "", "and more")


@each_row("line", entries("prose.txt"))
def test_a_persons_words_are_kept(line: str) -> None:
    """In front, in the middle, at the end, and right above and below a quotation."""
    for typed in ((line,), (line, "next"), ("before", "", line), ("before", line, "next")):
        assert typed_lines(typed) == typed
        assert typed_lines((*typed, "", "On 20/11/26 22:11, Perudo wrote:", *MARKED)) == typed
        assert typed_lines((*MARKED, *typed)) == typed
        assert typed_lines((*MARKED, "", *typed, *MARKED)) == typed


@each_row(
    ("line", "move"),
    [
        ("4-2s, because Bob wrote:", "4-2s"),
        ("4-2s because at 12:30 Bob wrote:", "4-2s"),
        ("4 - 2s: bob wrote:", "4 - 2s"),
        ("Dudo! Since 2026 you wrote:", "Dudo"),
        ("calza, as ann wrote:", "calza"),
        ("4x2, because Bob wrote:", "4x2"),
        ("*4-2s*, because Bob wrote:", "4-2s"),
        ("“4-2s”, because Bob wrote:", "4-2s"),
        ("„Dudo“! Bob wrote:", "Dudo"),
        ("5-5s Perudo <perudo@perudo.example> schrieb am 20.11.2026 22:11:", "5-5s"),
    ],
)
def test_a_move_in_front_of_a_quotation_is_typed(line: str, move: str) -> None:
    """Its sentence ends like an attribution, or the attribution begins with a name."""
    assert typed_lines((line, *MARKED)) == (move,)
    assert typed_lines(("well", line, *MARKED, "", "more")) == ("well", move, "", "more")


def test_a_name_is_not_a_move() -> None:
    for name in ("Dudo, Max", "Calza: the server", "dudo", "4-2 Club", "4-2stars"):
        line = f"{name} <perudo@perudo.example> wrote on 20/11/26 22:11:"
        assert typed_lines((line, *MARKED)) == ()


def test_text_between_an_introduction_and_its_quotation_is_typed() -> None:
    """This holds where nothing was typed above, and where no time or name makes it certain."""
    intro = "On 20/11/26 22:11, Perudo wrote:"
    assert typed_lines((intro, "", *TYPED, "", *MARKED)) == TYPED
    assert typed_lines(("Hello", "", "---- Bob wrote: ----", *TYPED, *MARKED)) == (
        "Hello",
        "",
        *TYPED,
    )


@pytest.mark.parametrize("line", ["I like what you wrote:", "Friday you wrote:"])
def test_a_greeting_above_a_sentence_about_writing_is_typed(line: str) -> None:
    """The Bat! has a date there."""
    typed = ("Hi Bob,", "", line, "4-2s")
    assert typed_lines(typed) == typed
    assert typed_lines(("Hi Bob,", "", line, *MARKED, "4-2s")) == ("Hi Bob,", "", "4-2s")


@pytest.mark.parametrize("second", ["my turn came:", "Bob wrote:", "this is it"])
def test_a_line_with_a_time_begins_no_attribution_without_an_address(second: str) -> None:
    typed = ("I saw it at 12:30, and then", second, "4-2s")
    assert typed_lines(typed) == typed


@pytest.mark.parametrize("mark", ["-- ", "--", "—"])
def test_a_signature_is_cut(mark: str) -> None:
    signature = (mark, "Ann", "Phone: 555-5s")
    assert typed_lines((*TYPED, "", *signature)) == TYPED
    assert typed_lines((*TYPED, *signature, "", "On 20/11/26 22:11, P. wrote:", *MARKED)) == TYPED
    assert typed_lines((*MARKED, "", *TYPED, "", *signature)) == TYPED
    assert typed_lines((*signature, "", *MARKED, "", *TYPED)) == TYPED


@each_row("unseen", ["\u2063", "\u200b", "\ufeff", "\u200e", "\u2060 ", " \u2063 "])
def test_invisible_characters_hide_no_line_of_a_mail_program(unseen: str) -> None:
    assert typed_lines([*TYPED, "", f"{unseen}Sent from BlueMail {unseen}"]) == TYPED
    assert typed_lines([*TYPED, "", f"{unseen}Envoyé de mon iPhone"]) == TYPED


def test_invisible_characters_hide_no_mark_of_a_signature() -> None:
    assert typed_lines([*TYPED, "\u200b", "\u2063-- \u200b", "Bob", "Chief"]) == TYPED


def test_text_typed_below_a_quoted_signature_is_read() -> None:
    assert typed_lines((*MARKED, "> -- ", "> Perudo", *TYPED)) == TYPED


@each_row(
    "mark",
    [
        "> ",
        ">",
        ">> ",
        "> > ",
        " > ",
        "＞ ",
        "\t> ",
        "PG> ",
        "P> ",
        "Perudo> ",
        " PGS>> ",
        "\ufeff> ",
    ],
)
def test_every_quotation_mark_is_recognized(mark: str) -> None:
    assert typed_lines((*TYPED, "", *(mark + line for line in LETTER))) == TYPED


def test_a_piece_wrapped_out_of_a_quoted_line_is_not_typed() -> None:
    """Some programs wrap what they quote and mark only the first line of what they made of it."""
    long = "> You have until Sunday; the smallest legal raises are 4-3s, 5-2s and, if"
    url = "> See http://perudo.example/games/1234/turns/7?player=zoe&view=table&toke"
    for piece in ("4-6s", "you dare, 1-1s", "dudo"):
        assert typed_lines((*MARKED, long, piece, *MARKED, "", *TYPED)) == TYPED
    assert typed_lines((url, "n=abcdefghijklmnopqrstuvwxyz0123456789", *MARKED)) == ()


def test_text_typed_below_a_long_quoted_line_is_kept() -> None:
    long = "> The smallest legal raises are 4-3s, 5-2s and 1-1s, and you may call dudo."
    assert typed_lines((long, "4-3s", *MARKED)) == ("4-3s",)
    assert typed_lines((long[:-1], "", "4-3s", *MARKED)) == ("4-3s",)
    assert typed_lines((long[:-1], "No, not that!", *MARKED)) == ("No, not that!",)


def test_thunderbirds_attribution_on_the_typed_line_is_removed() -> None:
    for attribution in ("On 11/20/26 21:11, P. wrote:", "20.11.2026 22:11, P. пишет:"):
        for typed in ("dudo", "5-5s", "Good luck :-)", "ha!"):
            assert typed_lines((typed + attribution, *MARKED)) == (typed,)


def test_clear_signed_text_is_read_without_its_frame() -> None:
    signed = (
        "-----BEGIN PGP SIGNED MESSAGE-----", "Hash: SHA512", "",
        "5-5s", "", "Take that: ha", "- -- ", "Ann", "",
        "-----BEGIN PGP SIGNATURE-----", "", "iQEzBAEBCAAdFiEE", "-----END PGP SIGNATURE-----",
    )  # fmt: skip
    assert typed_lines(signed) == TYPED


def test_encrypted_text_is_nothing() -> None:
    lines = ("-----BEGIN PGP MESSAGE-----", "", "hQEMA", "-----END PGP MESSAGE-----")
    assert typed_lines(lines) == ()


@each_row(
    "letter", [each for each in sorted(GOLDEN.rglob("*.txt")) if OWN_DICE.search(each.read_text())]
)
def test_no_letter_repeated_without_marks_shows_its_dice(letter: Path) -> None:
    """This holds for an unknown language without any sign of a quotation."""
    body = letter.read_text("utf-8").split("\n")
    typed = typed_lines((*TYPED, "", "Tqamaj gylta", "", *body))
    assert not OWN_DICE.search("\n".join(typed))
    assert not any(line.lower().startswith(OUR_LETTERS) for line in typed)


@pytest.mark.parametrize("first", ["Reply with your move", "To leave the game", "For the rules"])
def test_the_end_of_a_letter_repeated_without_marks_is_removed(first: str) -> None:
    body = (GOLDEN / "pbmserv" / "02-bob-moved.txt").read_text("utf-8").split("\n")
    end = next(place for place, line in enumerate(body) if line.startswith(first))
    assert typed_lines((*TYPED, "", *body[end:])) == TYPED


@pytest.mark.parametrize(
    "line",
    [
        "Am 20.11.2026 um 20:00 bin ich wieder da:",
        "On Friday, 20 November 2026, we meet again at 20:00:",
        "20 Nov 2026, 22:11 is when we meet:",
    ],
)
def test_a_date_before_a_colon_introduces_no_quotation_where_none_follows(line: str) -> None:
    assert typed_lines(("dudo", line, "See you!")) == ("dudo", line, "See you!")


@pytest.mark.parametrize("mark", ["| ", ": ", "} ", "# "])
def test_dice_quoted_in_an_odd_way_are_not_sent_as_a_message(mark: str) -> None:
    typed = typed_lines((*TYPED, "", *(mark + line for line in LETTER)))
    assert not any("dice" in line for line in typed)


LINES = st.lists(
    st.one_of(
        st.sampled_from([*LETTER, *MARKED, *TYPED, "-- ", "-----Original Message-----", " "]),
        st.sampled_from(paragraphs("attributions.txt")),
        st.sampled_from(paragraphs("repetitions.txt")),
        st.text(max_size=40),
    ),
    max_size=30,
).map(lambda found: "\n".join(found).split("\n"))


@pytest.mark.slow
@given(LINES)
@settings(max_examples=examples(300))
@example([">>> a >>>", "x"])
@example(["*a*"])
def test_quoted_text_never_counts_as_typed(lines: list[str]) -> None:
    """The result is text of the email, in its order, without any quotation mark in front."""
    typed = typed_lines(lines)
    assert not any(is_quoted(line) for line in typed)
    assert not typed or (typed[0] and typed[-1])
    rest = iter(lines)
    for line in typed:
        assert not line or any(line in each or line in each.replace("*", "") for each in rest)


PROSE = [line for line in entries("prose.txt") if ": " not in line]


@given(st.lists(st.sampled_from(PROSE), min_size=1, max_size=8))
@settings(max_examples=examples(200))
@example(["On 5 we agree, on 6 we do not", "He wrote a letter", "4-2s, and I am sure of it:"])
@example(
    [
        "On 5 we agree, on 6 we do not",
        "He wrote a letter",
        "It was 12:30 when I saw your bid",
        "4-2s, and I am sure of it:",
    ]
)
def test_prose_is_kept_with_anything_around_it(typed: list[str]) -> None:
    """Above a quotation, and below it."""
    intro = "On 20/11/26 22:11, Perudo wrote:"
    assert typed_lines([*typed, "", intro, *MARKED]) == tuple(typed)
    assert typed_lines([intro, *MARKED, "", *typed]) == tuple(typed)


@pytest.mark.parametrize(
    "typed",
    [
        ("Hi bob.", "Please move before Friday, I travel then.", "Ann"),
        ("It is your turn, bob.", "Please move before Friday!"),
    ],
)
def test_text_that_resembles_our_letters_counts_as_typed(typed: tuple[str, ...]) -> None:
    """This holds as long as no line below is from one of our letters."""
    assert typed_lines(typed) == typed
    assert typed_lines(("Hello", "", "It is your turn, ann.", "", "Your dice: 2 3 3")) == ("Hello",)
