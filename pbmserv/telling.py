"""Telling: which players hear of a board, and the facts each one is told.

Every fact goes through `view`, so that nobody's letter holds another's dice.  The words are
found later, in `letters/`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace

from sqlalchemy import select

from pbmserv import models
from pbmserv.boards import Board
from pbmserv.deadlines import forfeit_at, nag_at
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Fact
from pbmserv.games.perudo.dice import commitment
from pbmserv.games.perudo.notation import write_cups, write_event, write_view
from pbmserv.games.perudo.table import Cups, Eliminated, Resigned, view
from pbmserv.recording import RECENT_ROUNDS, Played
from pbmserv.terms import DAY


def of_start(desk: Desk, played: Played, challenger: str) -> list[Letter]:
    """Each player's first letter of a board: the private dice, and the opening message."""
    return _to_all(desk, played, "perudo/started", said(challenger, desk.message))


@dataclass(frozen=True, slots=True)
class Note:
    """Why something happened though nobody made a move: forfeit, standin, takeover, agreed, closed.

    `who` it is about, and `other` who takes that place.
    """

    kind: str
    who: str = ""
    other: str = ""


def of_move(
    desk: Desk, played: Played, mover: int | None, note: Note | None = None
) -> list[Letter]:
    """Each player's letter about a move, the mover's receipt among them; watchers' too.

    `mover` is the seat whose message goes out with it, None where nobody moved.
    """
    over = played.board.table.winner is not None
    kind = "perudo/ended" if over else "perudo/moved"
    message = None if mover is None else said(played.board.seats[mover].userid, played.message)
    letters = _to_all(desk, played, kind, message)
    letters += _to_watchers(desk, played, kind, message)
    if note is None:
        return letters
    told: Fact = {"kind": note.kind, "who": note.who, "other": note.other}
    return [replace(each, facts={**each.facts, "note": told}) for each in letters]


def of_chat(desk: Desk, board: Board, writer: int) -> list[Letter]:
    """The letter that carries one player's words to the others at the board."""
    message = said(board.seats[writer].userid, desk.message)
    facts = _public_facts(desk, Played(board, ()), message)
    heard = [
        _letter(board, "perudo/chat", seat, facts) for seat in listening(board) if seat != writer
    ]
    watching = _to_watchers(desk, Played(board, ()), "perudo/chat", message)
    return heard + [each for each in watching if each.to != board.seats[writer].player]


def of_offer(
    desk: Desk, board: Board, seat: int, kind: str, waiting: Sequence[int]
) -> list[Letter]:
    """The letter about a draw that was proposed, accepted or rejected, to every player.

    `waiting` are the seats that have not answered yet.
    """
    offer: Fact = {
        "kind": kind,
        "who": board.names[seat],
        "waiting": [board.names[place] for place in waiting],
    }
    facts = {**_public_facts(desk, Played(board, ()), said(board.names[seat], desk.message))}
    facts["offer"] = offer
    return [_letter(board, "perudo/offer", place, facts) for place in listening(board)]


def shown(desk: Desk, board: Board, reader: int | None, *, to_own_address: bool = False) -> Letter:
    """The board as a reader sees it, for whoever asked; None is a bystander.

    Where the answer goes `to_own_address` of the reader's, a move may be the reply to it.
    """
    facts = {**_public_facts(desk, Played(board, ()), None), "open": True}
    if reader is not None:
        mine = board.seats[reader]
        facts["waits"] = {"moves": list(mine.queued), "leaving": mine.leaving}
    if reader is None or not to_own_address:
        return Letter(None, "perudo/show", _seen(facts, board, reader))
    letter = _letter(board, "perudo/show", reader, facts)
    return replace(letter, to=None, player=board.seats[reader].player)


def stood(desk: Desk, board: Board, cups: Cups | None) -> Letter:
    """A board as it stood before a move, for a bystander, with the dice if they are open now."""
    facts = _public_facts(desk, Played(board, ()), None)
    facts |= {"times": None, "then": "" if cups is None else write_cups(cups)}
    return Letter(None, "perudo/show", _seen(facts, board, None))


def reminding(desk: Desk, board: Board, early: int = 0) -> dict[str, Fact]:
    """The facts of a reminder for the player on turn, as that player sees the board.

    It is marked as the last one from a day before the forfeit on, or `early` seconds before that.
    """
    facts = _public_facts(desk, Played(board, ()), None)
    if forfeit_at(board.clock, board.on_turn.away) - desk.now <= DAY + early:
        facts["note"] = {"kind": "last"}
    return {**_seen(facts, board, board.table.turn), "move": board.table.move, "reply": True}


def said(userid: str, text: str) -> Fact:
    """A player's words as a fact, or None where nothing was said."""
    return {"from": userid, "text": text} if text else None


def _to_all(desk: Desk, played: Played, kind: str, message: Fact) -> list[Letter]:
    board = played.board
    facts = _public_facts(desk, played, message)
    letters = []
    for seat in listening(board, _leaving_now(played)):
        letter = _letter(board, kind, seat, facts)
        if tried := played.tried.get(seat):
            queue: dict[str, Fact] = {"played": tried.played, "dropped": list(tried.dropped)}
            queue["over"] = tried.over
            letter = replace(letter, facts={**letter.facts, "queue": queue})
        letters.append(letter)
    return letters


def _leaving_now(played: Played) -> Set[int]:
    """The seats that this move has put out of the game: they hear of it still."""
    return {each.seat for each in played.events if isinstance(each, Resigned | Eliminated)}


def listening(board: Board, leaving: Set[int] = frozenset()) -> Iterable[int]:
    """The seats that hear of a board: all but those who resigned and were out before this move.

    A house player hears of nothing; whom it stands in for does.
    """
    for seat, seated in enumerate(board.seats):
        house = seated.level and not seated.standin
        if not house and (board.table.cups[seat] or not seated.leaving or seat in leaving):
            yield seat


def _to_watchers(desk: Desk, played: Played, kind: str, message: Fact) -> list[Letter]:
    """What those who look on are told: the bystander's view."""
    board, over = played.board, played.board.table.winner is not None
    if not (board.watched or over):
        return []
    # Who has resigned gets no letter of the seat any more, and may look on like anybody.
    told = {board.seats[seat].player for seat in listening(board, _leaving_now(played))}
    query = select(models.Watcher.player_id).where(models.Watcher.board_id == board.id)
    if not over:
        query = query.where(models.Watcher.just_end.is_(False))
    watching = set(desk.connection.execute(query).scalars())
    if over:
        everywhere = select(models.Player.id).where(models.Player.endings.is_(True))
        watching |= set(desk.connection.execute(everywhere).scalars())
    if not watching - told:
        return []
    seen = _seen(_public_facts(desk, played, message), board, None)
    return [Letter(player, kind, seen, board.id) for player in sorted(watching - told)]


def _public_facts(desk: Desk, played: Played, message: Fact) -> dict[str, Fact]:
    board = played.board
    many = len(played.rounds) > RECENT_ROUNDS
    return {
        "board": board.id,
        "names": board.names,
        "events": [write_event(event) for event in played.events],
        "rounds": [list(lines) for lines in (played.rounds if many else board.recent)],
        "message": message,
        "commitment": commitment(board.next_seed) if board.next_seed else "",
        "running": commitment(board.seed) if board.seed else "",
        "seal": board.chain.hex(),
        "table": write_view(view(board.table, None)),
        "times": _times(board, desk.now),
    }


def _times(board: Board, now: int) -> Fact:
    """The deadlines of a running board, in seconds since 1970; None when it is over."""
    if board.table.winner is not None:
        return None
    away = board.on_turn.away
    nag = nag_at(board.clock, away)
    return {
        "nag": nag,
        "late": nag <= now,
        "forfeit": forfeit_at(board.clock, away),
        "closes": board.clock.closes,
        "standin": board.clock.terms.standin,
    }


def _seen(facts: dict[str, Fact], board: Board, reader: int | None) -> dict[str, Fact]:
    """The facts with what this reader alone may know."""
    position = write_view(view(board.table, reader))
    return {**facts, "reader": reader, "position": position, "reply": False}


def _letter(board: Board, kind: str, seat: int, facts: dict[str, Fact]) -> Letter:
    """One player's letter; while the game runs it carries the token of the coming move."""
    mine = _seen(facts, board, seat)
    if board.table.winner is not None:
        return Letter(board.seats[seat].player, kind, mine, board.id)
    mine["reply"] = bool(board.table.cups[seat])
    return Letter(board.seats[seat].player, kind, mine, board.id, board.table.move)
