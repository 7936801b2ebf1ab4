"""Telling: which players hear of a board, and the facts each one is told.

Every fact goes through `view`, so that nobody's letter holds another's dice.  The words are
found later, in `letters/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from pbmserv.boards import Board
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Fact
from pbmserv.games.perudo.dice import commitment
from pbmserv.games.perudo.notation import write_event, write_view
from pbmserv.games.perudo.table import Eliminated, Event, Resigned, view
from pbmserv.playing import Played


def of_start(desk: Desk, played: Played, challenger: str) -> list[Letter]:
    """Each player's first letter of a board: the private dice, and the opening message."""
    message = said(challenger, desk.message)
    return _to_all(desk, played.board, "perudo/started", played.events, message)


def of_move(desk: Desk, played: Played, mover: int) -> list[Letter]:
    """Each player's letter about a move, the mover's receipt among them."""
    board = played.board
    kind = "perudo/moved" if board.table.winner is None else "perudo/ended"
    message = said(board.seats[mover].userid, desk.message)
    return _to_all(desk, board, kind, played.events, message)


def of_chat(desk: Desk, board: Board, writer: int) -> list[Letter]:
    """The letter that carries one player's words to the others at the board."""
    message = said(board.seats[writer].userid, desk.message)
    others = [seat for seat in listening(board) if seat != writer]
    return [
        _letter(desk, board, "perudo/chat", seat, facts)
        for facts in [_public_facts(desk, board, (), message)]
        for seat in others
    ]


def shown(desk: Desk, board: Board, reader: int | None) -> Letter:
    """The board as a reader sees it, for whoever asked; None is a bystander."""
    facts = _public_facts(desk, board, (), None)
    return Letter(None, "perudo/show", _seen(facts, board, reader))


def said(userid: str, text: str) -> Fact:
    """A player's words as a fact, or None where nothing was said."""
    return {"from": userid, "text": text} if text else None


def _to_all(
    desk: Desk, board: Board, kind: str, events: Sequence[Event], message: Fact
) -> list[Letter]:
    facts = _public_facts(desk, board, events, message)
    leaving = {event.seat for event in events if isinstance(event, Resigned | Eliminated)}
    return [_letter(desk, board, kind, seat, facts) for seat in listening(board, leaving)]


def listening(board: Board, leaving: Set[int] = frozenset()) -> Iterable[int]:
    """The seats that hear of a board: all but those who resigned and were out before this move."""
    for seat, seated in enumerate(board.seats):
        if board.table.cups[seat] or not seated.leaving or seat in leaving:
            yield seat


def _public_facts(
    desk: Desk, board: Board, events: Sequence[Event], message: Fact
) -> dict[str, Fact]:
    return {
        "board": board.id,
        "names": board.names,
        "events": [write_event(event) for event in events],
        "rounds": [list(lines) for lines in board.recent],
        "message": message,
        "commitment": commitment(board.next_seed) if board.next_seed else "",
        "running": commitment(board.seed) if board.seed else "",
        "seal": board.chain.hex(),
        "table": write_view(view(board.table, None)),
        "address": desk.address,
        "moved_at": board.moved_at,
    }


def _seen(facts: dict[str, Fact], board: Board, reader: int | None) -> dict[str, Fact]:
    """The facts with what this reader alone may know."""
    position = write_view(view(board.table, reader))
    return {**facts, "reader": reader, "position": position, "reply": False}


def _letter(desk: Desk, board: Board, kind: str, seat: int, facts: dict[str, Fact]) -> Letter:
    """One player's letter; while the game runs it carries the token of the coming move."""
    mine = _seen(facts, board, seat)
    if board.table.winner is not None:
        return Letter(board.seats[seat].player, kind, mine, board.id)
    mine["reply"] = bool(board.table.cups[seat])
    return Letter(board.seats[seat].player, kind, mine, board.id, board.table.move)
