"""A message is searched in time proportional to its length, measured without tracing."""

from __future__ import annotations

from functools import partial

from pbmserv.disclosure import fingerprint
from pbmserv.disclosure.redaction import Confidential, undisclosed
from tests.processor_time import least

LETTER = """It is your turn, ann.
Your dice: 1 3 3 5 6
The bid to beat: four 2s (4-2s) by bob
10 dice in play. The players in order:
Round 1, move 2. Rules: pbmserv. Ones are not wild.
To leave the game, reply with the word resign on the first line.
"""
KNOWN = Confidential(
    cups={(1, 3, 3, 5, 6), (1, 2, 3, 4, 5)},
    tokens={"aaaaaaiaaaaqaaadty4zw774jyc47o6p"},
    lines=fingerprint.read([fingerprint.of_text(f"Perudo Board 12 ann\n{LETTER}")]),
    passwords={"swordfish"},
    commands={"chat", "move"},
)


def test_a_text_of_the_largest_size_is_read_in_time_that_grows_with_it() -> None:
    """Half of it takes half the work: a bound on the time of processors, not of clocks."""
    for piece in (
        "1 3 3 6 6 ",
        "a@",
        "⚂",
        "perudo move 1 ",
        "aaaaaaia",
        "x: y\n",
        "<a ",
        "It is your turn ann ",
        "\ufdfa",  # one sign of four words
        "\ufdfa\n",
        "½\n",
        "1a",
    ):
        half, whole = ((piece * size)[:size] for size in (5_000, 10_000))
        short = least(partial(undisclosed, half, KNOWN), 0.0)
        most = min(3 * short + 0.02, 0.4)
        assert least(partial(undisclosed, whole, KNOWN), most) <= most, piece
