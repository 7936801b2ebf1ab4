"""What fits beside each other on a phone: buttons, the columns of tables, and rows of seats."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pbmserv.letters import document as blocks
from pbmserv.letters.document import unmarked
from pbmserv.letters.forms.text import dice_of

FACES = dict(enumerate("⚀⚁⚂⚃⚄⚅", 1))
_NARROW = 12.5  # letters of the words on a button that has two others beside it
_BEYOND_LATIN = "\u0370"  # the first letter of other alphabets
_SHORT_TITLE = 7  # characters of a small button that has three others beside it
_WIDE = 10  # a quantity with two digits
_LONGEST_IN_HALF = (12, 16)  # characters of a word in a button beside another: title, words below
_LONGEST_TITLE = 28  # characters of a title in a button beside another: two lines of it
_FEW_COLUMNS = 2  # of a table: beside them there is room for another one with words
_BESIDE_WORDS = 16  # characters of the columns beside which a phone has room for words
_LONG_CELL = 9  # characters of a cell whose words can be divided
_WIDEST_SEAT = 25  # characters of a name, dice and a bid that are in one line on a phone
_WITH_SQUARES = 20  # those of a name and a bid that are beside squares for the dice
_SMALL_PRINT = 0.85  # of the width of a letter of the usual size
_LONG_BID = 11  # characters: longer ones are in smaller letters
_LARGE_CUP = 5  # dice: those of larger cups have no frame
_BESIDE_A_CUP = 13  # characters of a name beside five dice in wide frames


def columns(answers: Sequence[blocks.Answer]) -> int:
    """How many buttons are beside each other on a phone: long words have a row of their own."""
    found = ((each.title or each.word, each.words) for each in answers)
    is_long = any(
        len(word) > longest
        for texts in found
        for text, longest in zip(texts, _LONGEST_IN_HALF, strict=True)
        for word in unmarked(text).split(" ")
    )
    return 1 if is_long else 2


def command_columns(commands: Sequence[blocks.Answer]) -> int:
    """How many buttons of commands are beside each other: two, if two lines hold each title."""
    is_long = any(
        len(each.title) > _LONGEST_TITLE
        or max(map(len, each.title.split(" "))) > _LONGEST_IN_HALF[0]
        for each in commands
    )
    return 1 if is_long else 2


def bid_columns(bids: Sequence[blocks.Answer]) -> int:
    """How many bids are beside each other on a phone, each with its words in one line."""
    return 2 if any(_width_of(each.words) > _NARROW for each in bids) else 3


@lru_cache(maxsize=256)  # the same few words in every letter
def _width_of(words: str) -> float:
    """About how wide a text is, in letters of English; those of other alphabets are wider."""
    return sum(1.2 if letter >= _BEYOND_LATIN else 1 for letter in words)


def compact_title(answer: blocks.Answer) -> str:
    """What a small button says."""
    if answer.quantity:
        return f"{answer.quantity} × {FACES.get(answer.face, answer.face)}"
    return answer.short or answer.title or answer.word


def compact_columns(answers: Sequence[blocks.Answer]) -> int:
    """How many small buttons are beside each other on a phone, in rows of about equal lengths."""
    longest = max(len(compact_title(each)) for each in answers)
    most = (
        2 if longest > _SHORT_TITLE else 4 if all(each.quantity < _WIDE for each in answers) else 3
    )
    rows = -(-len(answers) // most)
    return -(-len(answers) // rows)


def seat_widths(table: blocks.Seats) -> tuple[bool, bool, bool]:
    """What fits on a phone beside the longest name: the longest bid in one line, squares for dice.

    The last value says whether that bid is long.
    """
    bid = max((len(each.bid_words) for each in table.seats), default=0)
    name = max(
        (max(len(each.name), _SMALL_PRINT * _width_of(each.remark)) for each in table.seats),
        default=0,
    )
    middle = max((len(dice_of(table, each)) for each in table.seats), default=0)
    is_whole = bid + name + middle <= _WIDEST_SEAT
    return is_whole, bid + name <= _WITH_SQUARES or not bid, bid > _LONG_BID


def has_large_cups(block: blocks.Cups) -> bool:
    """Whether a cup has more dice than one with a frame."""
    return max(len(each.dice) for each in block.cups) > _LARGE_CUP


def has_long_names(block: blocks.Cups) -> bool:
    """Whether five dice in wide frames have no room beside the longest name on a phone."""
    return max(len(each.name) for each in block.cups) > _BESIDE_A_CUP


def for_phone(table: blocks.Listing) -> tuple[blocks.Listing, str]:
    """A table with room for the words in its last column, and the head of a column put below.

    If the columns before it are too wide for that on a phone, its cells are lines below their rows.
    """
    last = len(table.heads) - 1
    if last < _FEW_COLUMNS or last in table.right:
        return table, ""
    widths = [
        max((len(unmarked(row[place])) for row in table.rows if len(row) > place), default=0)
        for place in range(last)
    ]
    longest = max((len(row[last]) for row in table.rows if len(row) > last), default=0)
    if sum(widths) <= _BESIDE_WORDS or longest < _LONG_CELL:
        return table, ""
    return table._replace(heads=table.heads[:last]), table.heads[last]
