"""A reply of 256 KB takes less than half a second, although no two of its lines are alike."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.processor_time import usual_seconds
from tests.rows import each_row
from tests.stories.town import Letter, town_at

LIMIT = 0.5  # seconds of processor time
# No memory of a line that was read before helps here.
MOVES = "\n".join(f"{n % 40 + 1}-{n % 6 + 1}s x{n}" for n in range(19_000))
QUESTIONS = "\n".join(f"Bob, are you bluffing {n}? ;)" for n in range(8_000))

OTHERS = ("hi", "resign", "accept", "me retiro")  # first words


@each_row("below", [MOVES, QUESTIONS])
@pytest.mark.parametrize(
    "first", ["rematch", *(pytest.param(each, marks=pytest.mark.long) for each in OTHERS)]
)
def test_a_long_reply_takes_less_than_half_a_second(home: Path, first: str, below: str) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        letter = town.last_letter_to("ann@example.org")
        answers: list[list[Letter]] = []
        text = f"{first}\n{below}"
        spent = usual_seconds(lambda: answers.append(town.reply(letter, text)), LIMIT)
        assert spent <= LIMIT
        assert all(each.to == "ann@example.org" for each in answers[0])
