"""Decide which players are told of a board, and the payload for each one.

Every fact goes through `view`, so that no letter shows another player's dice.  `letters/` adds the
words later.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from sqlalchemy import bindparam, select, union

from pbmserv.boards import chat_log, opening_messages, rating_eligibility, results, seating
from pbmserv.boards.board import Board
from pbmserv.boards.deadlines import forfeit_at, times_told
from pbmserv.boards.first_games import explained
from pbmserv.boards.record import Played
from pbmserv.boards.rematch_players import gone_before, left_out
from pbmserv.boards.seating import has_declined
from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.games.perudo.notation import read_event, write_cups, write_event, write_view
from pbmserv.games.perudo.player_salts import has_words
from pbmserv.games.perudo.table import Bade, Called, Cups, Eliminated, Resigned, Revealed, view
from pbmserv.letters.payloads import perudo
from pbmserv.letters.payloads.boards import PlayerWords
from pbmserv.letters.payloads.letter import Kind, Letter, Payload
from pbmserv.letters.payloads.perudo import (
    CHAT,
    ENDED,
    MOVED,
    OFFER,
    SHOW,
    STARTED,
    Game,
    Public,
    Shown,
    Waits,
)
from pbmserv.timeunits import DAY

_WATCHING = select(models.Watcher.player_id).where(models.Watcher.board_id == bindparam("board"))
_TOLD_OF_MOVES = _WATCHING.where(models.Watcher.just_end.is_(False))
_TOLD_OF_END = union(_WATCHING, select(models.Player.id).where(models.Player.endings.is_(True)))


def of_start(
    work: UnitOfWork, played: Played, challenger: str = "", words: str = "", again: int = 0
) -> list[Letter]:
    """Each player's first letter of a board: the player's dice, and the challenger's `words`.

    `again` is the board of which this one is the rematch, or 0.
    If the words wait for proof of their sender (`boards/opening_messages.py`), only the sender is
    told.
    """
    public = _public(work, played, said(challenger, "" if played.board.opening else words))
    public["challenger"], public["again"] = challenger, again
    if again:
        public["without"] = left_out(work.connection, again, played.board.names)
    public["rating"] = rating_eligibility.rating_of(played.board)
    if public["rating"] == "unrated":
        public["why_unrated"] = rating_eligibility.why_board_unrated(work, played.board)
    return explained(work.connection, _to_all(played, STARTED, public))


def reason(kind: str, who: str = "", other: str = "") -> perudo.Note:
    """The reason for an event that is not a player's move.

    `kind` is forfeit, standin, takeover, agreed, closed, stopped, restored, declined, last for the
    last reminder, or unanswered for a forfeit that counts as a decline.  `who` is the player
    concerned, and `other` the player who takes that seat; for stopped it is the operator's reason.
    """
    return {"kind": kind, "who": who, "other": other}


def of_move(
    work: UnitOfWork, played: Played, mover: int | None, note: perudo.Note | None = None
) -> list[Letter]:
    """The letters about a move to each player, the mover included, and to spectators.

    `mover` is the seat whose message is sent with it, None if no player moved.
    """
    over = played.board.table.winner is not None
    kind = ENDED if over else MOVED
    message = None if mover is None else said(played.board.seats[mover].userid, played.message)
    public = _public(work, played, message, note)
    if played.unagreed:
        public["draw_ended"] = True
    if over:
        result = public["result"] = results.of_game(work, played)
        if result["placed"] and not result["ratings"]:
            public["why_unrated"] = rating_eligibility.why_ended_unrated(work, played.board)
    watching = _watching(work, played.board)
    letters = _to_all(played, kind, public, watching)
    letters += _to_watchers(played, kind, public, watching)
    return letters + _words_to_who_left(work, played.board, message, letters)


def _words_to_who_left(
    work: UnitOfWork, board: Board, message: PlayerWords | None, letters: Sequence[Letter]
) -> list[Letter]:
    """The words of these letters to players who have left, and wait for answers to their own."""
    left = sorted(chat_log.wrote_after_leaving(work, board)) if message else ()
    told = {each.to for each in letters}
    seats = [seat for seat in left if board.seats[seat].player not in told]
    return _to_seats(board, seats, _public(work, Played(board, ()), message)) if seats else []


def of_chat(work: UnitOfWork, board: Board, writer: int, words: str) -> list[Letter]:
    """The letters that bring the words of the player at a seat to the others at the board."""
    return of_words(work, board, board.seats[writer].player, board.seats[writer].userid, words)


def of_words(work: UnitOfWork, board: Board, writer: int, userid: str, words: str) -> list[Letter]:
    """The letters that bring a player's words to a board; `writer` is the id of any player."""
    public = _public(work, Played(board, ()), said(userid, words))
    seats, watching = hearers(work, board, writer)
    heard = _to_watchers(Played(board, ()), CHAT, public, {*watching})
    return _to_seats(board, seats, public) + heard


def _to_seats(board: Board, seats: Sequence[int], public: Public) -> list[Letter]:
    return [
        CHAT.to(board.seats[seat].player, _own(public, board, seat), board.id, _reply_to(board))
        for seat in seats
    ]


def hearers(work: UnitOfWork, board: Board, writer: int) -> tuple[list[int], list[int]]:
    """The seats and the spectators that get a player's words; `writer` is the id of any player."""
    every = sorted({*listening(board), *chat_log.wrote_after_leaving(work, board)})
    seats = [seat for seat in every if board.seats[seat].player != writer]
    told = {writer, *(board.seats[seat].player for seat in seats)}
    return seats, sorted(_watching(work, board) - told)


def of_offer(
    work: UnitOfWork, board: Board, seat: int, kind: str, waiting: Sequence[int], words: str
) -> list[Letter]:
    """The letters about a draw that was proposed, accepted or rejected, to every player.

    `waiting` are the seats that have not answered yet.
    """
    offer: perudo.Offer = {
        "kind": kind,
        "who": board.names[seat],
        "waiting": [board.names[place] for place in waiting],
    }
    public = _public(work, Played(board, ()), said(board.names[seat], words))
    return [
        OFFER.to(
            board.seats[place].player,
            {**_own(public, board, place), "offer": offer},
            board.id,
            _reply_to(board),
            routine=not board.table.cups[place],
        )
        for place in listening(board)
    ]


def shown(
    work: UnitOfWork, board: Board, reader: int | None, *, to_own_address: bool = False
) -> Letter:
    """The board as a reader sees it, for the sender of the command; None is a spectator.

    If the answer goes `to_own_address` of the reader, a reply to it can be a move.
    """
    public = _public(work, Played(board, ()), None)
    if reader is None:
        seen = _seen(public, board, None)
        return SHOW.to(None, {**seen, "open": True, "waits": None, "then": None})
    seat = board.seats[reader]
    waits: Waits = {"moves": seat.queued, "leaving": seat.leaving}
    if not to_own_address:
        seen = _seen(public, board, reader)
        return SHOW.to(None, {**seen, "open": True, "waits": waits, "then": None})
    mine: Shown = {**_own(public, board, reader), "open": True, "waits": waits, "then": None}
    return SHOW.to(None, mine, board.id, _reply_to(board), player=seat.player)


def stood(work: UnitOfWork, board: Board, cups: Cups | None) -> Letter:
    """A board before a move, as a spectator sees it, with the dice if they are public now."""
    mine = _seen(_public(work, Played(board, ()), None), board, None)
    then = "" if cups is None else write_cups(cups)
    shown: Shown = {**mine, "times": None, "open": False, "waits": None, "then": then}
    return SHOW.to(None, shown)


def noted(context: Context, kind: Kind[Payload], told: Payload, board: Board, seat: int) -> Letter:
    """A letter that confirms to the player at a seat what that player asked for at the board.

    A reply to it is understood if it goes to that player's address, and as `_answers` says.
    """
    move = _reply_to(board) if hears_reply(context, board, seat) else None
    return kind.to(None, told, board.id, move, player=board.seats[seat].player)


def hears_reply(context: Context, board: Board, seat: int) -> bool:
    """Whether a reply to the letter of `noted` is understood: it goes to the player's address."""
    return board.seats[seat].player in context.owners and _answers(board, seat)


def reminding(work: UnitOfWork, board: Board, early: int = 0) -> perudo.Reminder:
    """The payload of a reminder for the player on turn, as that player sees the board.

    It is marked as the last one within a day of the forfeit, or `early` seconds before that.
    """
    mine = _own(_public(work, Played(board, ()), None), board, board.table.turn)
    if forfeit_at(board.clock, board.on_turn.away) - work.now <= DAY + early:
        mine["note"] = reason("last")
    return {**mine, "move": board.table.move}


def said(userid: str, text: str) -> PlayerWords | None:
    """A player's words as a payload, or None for an empty text."""
    return {"from": userid, "text": text} if text else None


def _to_all(
    played: Played, kind: Kind[Game], public: Public, watching: Set[int] = frozenset()
) -> list[Letter]:
    """The letters to the players; one who is also `watching` gets each of them."""
    board = played.board
    move, letters = _reply_to(board), []
    for seat in listening(board, _leaving_now(played)):
        player = board.seats[seat].player
        mine = _own(public, board, seat)
        if tried := played.tried.get(seat):
            mine["queue"] = {"played": tried.played, "dropped": tried.dropped, "over": tried.over}
        routine = kind is MOVED and player not in watching and _is_routine(played, seat, mine)
        letters.append(kind.to(player, mine, board.id, move, routine=routine))
    return letters


def _is_routine(played: Played, seat: int, told: Game) -> bool:
    """Whether a letter about a move can wait until the player's own turn.

    That is another player's bid, unless it ends a draw to which the player has agreed.  It is also
    the player's own, unless words of that player are mixed into the dice.  A player without dice
    waits for the end.  A call that waits for the beacon proves something only to those told before.
    Words of others are not looked at, because a player may have muted them.
    """
    table = played.board.table
    if not table.cups[seat]:
        return seat not in _leaving_now(played)
    has_ended = any(isinstance(each, Revealed) for each in played.events)
    is_concerned = table.turn == seat or seat in played.unagreed or table.pending is not None
    return not (
        is_concerned or has_ended or told["note"] or told["queue"] or _is_salted(played, seat)
    )


def _is_salted(played: Played, seat: int) -> bool:
    """Whether a move of this seat mixes words of its player into the dice."""
    moves = (each for each in played.events if isinstance(each, Bade | Called | Resigned))
    return any(each.seat == seat and has_words(each.salt) for each in moves)


def _leaving_now(played: Played) -> Set[int]:
    """The seats that this move has put out of the game; they are still told of it."""
    return {each.seat for each in played.events if isinstance(each, Resigned | Eliminated)}


def _left_last(board: Board) -> Set[int]:
    """The seats that the last move of a finished game has put out of it."""
    if board.table.winner is None or not board.recent:
        return frozenset()
    events = map(read_event, board.recent[-1])
    return {each.seat for each in events if isinstance(each, Resigned | Eliminated)}


def listening(board: Board, leaving: Set[int] = frozenset()) -> Iterable[int]:
    """The seats that are told of a board: all but those who resigned and were out before this move.

    Bots are not told, but players with a stand-in are.  A player who has declined is told of the
    decline, and of the end of the game.  The player whose leaving ended it is still told of words.
    """
    leaving = leaving | _left_last(board)
    for seat, seated in enumerate(board.seats):
        is_bot = seated.level and not seated.standin
        if has_declined(seated) and board.table.winner is None and seat not in leaving:
            continue
        if not is_bot and (board.table.cups[seat] or not seated.leaving or seat in leaving):
            yield seat


def _watching(work: UnitOfWork, board: Board) -> Set[int]:
    """The players who watch a board, or are told of its end."""
    over = board.table.winner is not None
    if not (board.watched or over):
        return frozenset()
    query = _TOLD_OF_END if over else _TOLD_OF_MOVES
    return set(work.connection.execute(query, {"board": board.id}).scalars())


def _to_watchers(
    played: Played, kind: Kind[Game], public: Public, watching: Set[int]
) -> list[Letter]:
    """The letters to spectators, with what everyone may see."""
    board = played.board
    # A player who has resigned is no longer told as a player, but may watch as a spectator.
    told = {board.seats[seat].player for seat in listening(board, _leaving_now(played))}
    if not watching - told:
        return []
    seen = _seen(public, board, None)
    return [kind.to(player, seen, board.id) for player in sorted(watching - told)]


def _public(
    work: UnitOfWork, played: Played, message: PlayerWords | None, note: perudo.Note | None = None
) -> Public:
    board = played.board
    many = len(played.rounds) > len(board.recent)
    public: Public = {
        "board": board.id,
        "names": board.names,
        "events": [write_event(event) for event in played.events],
        "rounds": played.rounds if many else board.recent,
        "message": message,
        "seal": board.chain.hex(),
        "table": write_view(view(board.table, None)),
        "times": _times(board, work.now),
        "note": note,
        "waiting": seating.waiting(board),
        "declined": [each.userid for each in board.seats if has_declined(each)],
        "rated": board.clock.terms.rated,
    }
    if gone := gone_before(work.connection, board):
        public["gone"] = gone
    return public


def _times(board: Board, now: int) -> perudo.Times | None:
    """The deadlines of a running board, in seconds since 1970.

    None when it is over, and while a bot is on turn, which moves at the next tick.  None as
    well while the cups wait for the beacon: then nobody is on turn.
    """
    if board.table.winner is not None or board.on_turn.level or board.table.pending:
        return None
    return times_told(board.clock, board.on_turn.away, now)


def _seen(public: Public, board: Board, reader: int | None, *, replies: bool = False) -> Game:
    """The payload for this reader, own dice included; with `replies` a reply can be a move."""
    position = write_view(view(board.table, reader))
    plays = reader is not None and board.table.winner is None and bool(board.table.cups[reader])
    seated = board.seats[reader] if reader is not None and plays else None
    return {
        **public,
        "reader": reader,
        "position": position,
        "reply": replies,
        "queue": None,
        "asked": seated is not None and not seated.taken,
        "challenges": reader is not None and board.challenger == board.seats[reader].player,
        "held": reader is not None
        and opening_messages.waits_for(board, board.seats[reader].player),
        "draw": None if reader is None else _draw(board),
        "leaving": seated is not None and seated.leaving,
        "has_left": reader is not None and not plays and board.seats[reader].leaving,
        "first": False,
    }


def _draw(board: Board) -> perudo.Draw | None:
    """The draw on offer, for a player's letter; None without an offer."""
    if not board.agreed or board.table.winner is not None:
        return None
    return {"agreed": board.agreed, "waiting": [board.names[seat] for seat in board.undecided]}


def _own(public: Public, board: Board, seat: int) -> Game:
    """The payload for the player at this seat; `_answers` says whether a reply is understood."""
    return _seen(public, board, seat, replies=_answers(board, seat))


def _answers(board: Board, seat: int) -> bool:
    """Whether a reply can be a move, or after the end of the game words and a rematch."""
    if board.table.pending:
        return False
    return board.table.winner is not None or bool(board.table.cups[seat])


def _reply_to(board: Board) -> int:
    """The move that a reply to a letter can be.

    While the cups wait for the beacon, it is the call that was made: the letter does not show the
    dice of the next move, which are rolled later.  Words in such a reply are for the others.
    """
    return board.table.move - (board.table.pending is not None)
