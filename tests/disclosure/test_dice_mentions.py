"""Dice of the writer's cups are known in any notation; other numbers go out."""

from __future__ import annotations

from itertools import product

from pbmserv.disclosure.redaction import Confidential, undisclosed
from pbmserv.text.phrases import words_of
from tests.rows import each_row

CUP = (1, 3, 3, 5, 6)
DICE = "⚀ ⚂ ⚂ ⚄ ⚅"
SEPARATORS = (
    *(" ", ", ", "/", ";", " - ", ".", "|", " | ", "·", "—", "+", " & ", "*", "_", "\t"),
    *("\u3000", "、", "，", "، ", "\n", "\nann> ", " and ", "\xa0", "\u200b \u200e", "</td><td>"),
)
# The first digit of other scripts and shapes: Arabic, Persian, Devanagari, Bengali, Thai, Khmer,
# full width, bold, double-struck; then those of "1" in circles and the like.
NOUGHTS = (0x660, 0x6F0, 0x966, 0x9E6, 0xE50, 0x17E0, 0xFF10, 0x1D7CE, 0x1D7D8, 0x2080)
ONES = (0x2460, 0x2776, 0x2780, 0x24F5, 0x2488, 0x2474)
IN_WORDS = (
    "1, 3, 3, 5 and 6", "dice: 1, 3, 3, 5 und 6", "1, 3, 3, 5 и 6", "13356", "dice 13 35 6",
    "dice: 1 pip, 3 pips, 3 pips, 5 pips, 6 pips", "1 x 3 x 3 x 5 x 6 x", "[1] [3] [3] [5] [6]",
    "a 1, a 3, a 3, a 5, a 6", "(1)(3)(3)(5)(6)", "<b>6</b> <b>5</b><b>3</b> 3 1",
    "one, three, three, five, six", "=31 =33 =33 =35 =36", "1&nbsp;3&nbsp;3 &#53; &#x36;",
)  # fmt: skip
CHARACTER_SETS = (
    *("cp1252", "cp1250", "cp1251", "cp1257", "cp437", "cp850", "latin-1", "iso8859-15"),
    *("mac-roman", "koi8-r"),
)
HONEST = (
    "I have 5 dice left, you have 3. Bid 4-2s was bold!", "you have 5 dice, I have 2",
    "6 dice, 5 players, 3 rounds, 3 hours, 1 winner", "4-2s then 5-3s, 6-3s and 1 die",
    "2 or 4 dice?", "3 dice 3, you said", "I had 2 dice, 4 rounds ago", "dice 5 of 6 matter",
    "How many dice do you have left? 5?", "see you at 5 or 6", "call me at +41 44 268 09 85",
    "game 1: 3-3, game 2: 5-6", "2 dice against 4", "Only 1 die left! 3 dice for you",
    "you have 2 dice and I have 4, so 6 dice", "ātri, jā! âge, été", "C:\\users\\986x, U+00E9",
    "Board 1 move 3, 3 minutes, 5 dice, 6 players", "I won 3 of 5 and lost 6", "1+1=2, a+b+c-d",
)  # fmt: skip
OTHER_CUPS = ((2, 4), (5,), (3,), (3, 5), (2, 3, 4, 5), (3, 4), (2, 3, 4), (1,), (2,), (2, 3))


def passed(text: str, *cups: tuple[int, ...]) -> str:
    """What the others get of a text by somebody with these cups."""
    return undisclosed(text, Confidential(cups=frozenset(cups or [CUP])))[0]


@each_row("separator", SEPARATORS)
def test_dice_are_found_with_any_separator(separator: str) -> None:
    assert passed("Hello!\ndice: " + separator.join(map(str, CUP))) == "Hello!"


@each_row(
    "named",
    [
        "あなたのサイコロ：6 1",
        "您的骰子： 1 6（不算）",
        "Xúc xắc của bạn: 6 1",
        "הקוביות שלך: 6 1",
    ],
)
def test_two_dice_are_found_behind_the_colon_of_any_language(named: str) -> None:
    """A browser translates a letter before its reader quotes it.  Other numbers are sent."""
    assert passed(f"Hello!\n{named}", (1, 6)) == "Hello!"
    assert passed(f"Hello!\n{named}", (2, 6)) == f"Hello!\n{named}"


@each_row("nought", [*NOUGHTS, *(one - 1 for one in ONES)])
def test_dice_are_found_in_digits_of_any_script(nought: int) -> None:
    digits = [chr(nought + die) for die in CUP]
    for separator in (" ", ", "):
        assert passed("Hello!\ndice: " + separator.join(digits)) == "Hello!"


@each_row("text", IN_WORDS)
def test_dice_are_found_among_words_and_signs(text: str) -> None:
    assert passed(f"Hello!\n{text}") == "Hello!"


@each_row("word", words_of("dice"))
def test_some_dice_are_found_beside_the_word_dice_in_any_language(word: str) -> None:
    for text in (f"{word}: 1 3", f"{word.upper()}: 5, 6", f"» abc {word} xy: 3/3/1"):
        assert passed(f"Hello!\n{text}") == "Hello!"
    assert passed(f"Hello!\n{word}: 5", (5,)) == "Hello!"  # the last die


@each_row("word", words_of("die"))
def test_the_last_die_is_found_behind_the_word_die_in_any_language(word: str) -> None:
    for text in (
        f"{word}: 5",
        f"- {word.upper()} : 5",
        f"« abc {word}: 5 »",
        f"Hi, abc {word}: 5 lol",
    ):
        assert passed(f"Hello!\n{text}", (5,)) == "Hello!"
    for text in (f"{word}: 4", f"5 {word}", f"{word} 5", f"{word} 5 5"):
        assert passed(f"Hello!\n{text}", (5,)) == f"Hello!\n{text}"


@each_row("name", CHARACTER_SETS)
def test_dice_symbols_are_found_in_a_wrong_character_set(name: str) -> None:
    """As a mail program shows them that does not know UTF-8; a byte may be lost, or replaced."""
    for errors, face in product(("ignore", "replace"), "⚀⚂⚃⚄⚅"):
        misread = face.encode().decode(name, errors)
        if len(misread) > 2 and misread.count("\ufffd") < 2:  # less tells no face from another
            assert (
                passed(f"Hello!\n{misread} {misread}", (1, 1, 3, 3, 4, 4, 5, 5, 6, 6)) == "Hello!"
            )


@each_row(
    "text",
    [
        DICE.encode("ascii", "backslashreplace").decode(),
        DICE.encode("ascii", "xmlcharrefreplace").decode(),
        DICE.encode("ascii", "xmlcharrefreplace").decode().replace("&", "&amp;").replace(";", ""),
        DICE.encode("utf-7").decode(),
        DICE.replace(" ", "").encode("utf-7").decode(),
        DICE.encode().decode("latin-1").encode().decode("latin-1"),
        DICE.encode().decode("cp1252").encode().decode("cp1252", "ignore"),
        "".join(f"\\u{ord(die)}?" for die in DICE if die != " "),
        "".join(f"%u{ord(die):x}" for die in DICE if die != " "),
        " ".join(f"U+{ord(die):X}" for die in DICE if die != " "),
        " ".join(f"\\u{{{ord(die):x}}}" for die in DICE if die != " "),
        "".join(f"\\{ord(die):06x} " for die in DICE if die != " "),
        "".join(f"%{byte:02X}" for byte in DICE.encode()),
        "".join(f"={byte:02X}" for byte in DICE.encode()),
        DICE.replace(" ", "\ufe0e"),
    ],
)  # fmt: skip
def test_dice_symbols_are_found_as_their_numbers(text: str) -> None:
    """JSON, HTML, UTF-7, RTF, JavaScript, CSS, links and quoted-printable that were not decoded."""
    assert passed(f"Hello!\n{text}") == "Hello!"


@each_row("mark", ["", "> ", "ann> ", "| ", "* "])
@each_row("pip", "•●")
def test_rows_of_a_drawn_die_go_to_nobody(mark: str, pip: str) -> None:
    """The HTML form draws the reader's dice in tables, which programs quote row by row."""
    rows = [row.replace("●", pip) for row in ("● ●", "", "\t●", "", "●|  |●", "●●")]
    drawn = "\n".join(f"{mark}{row}" for row in rows)
    assert passed(f"Hello!\n{drawn}") == "Hello!"
    own = f"{pip} milk\nI had 5 {pip} and 3 ○"
    assert passed(own) == own


@each_row("cup", [CUP, *OTHER_CUPS])
def test_numbers_of_other_things_go_out(cup: tuple[int, ...]) -> None:
    for text in HONEST:
        assert passed(text, cup) == text
