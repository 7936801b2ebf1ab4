"""What a player is told about the moves that are possible now."""

from __future__ import annotations

from pbmserv.boards.possible_moves import PossibleMoves
from pbmserv.games.perudo.notation import read_position
from tests.rows import each_row


@each_row(
    ("position", "wild"),
    [
        ("bga 1/12345/12345 A 1 8 -", True),
        ("bga 1/12345/12345 A 1 8 - palifico=A", False),  # pacos are not jokers there
        ("pyrudo 1/12345/12345 A 1 8 - palifico=A", True),  # Palifico changes only the face
        ("pbmserv 1/12345/12345 A 1 8 -", False),
    ],
)
def test_ones_are_wild_as_the_rules_say_for_this_round(position: str, wild: bool) -> None:
    assert PossibleMoves(table=read_position(position)).wild is wild
