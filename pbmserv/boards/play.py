"""Open a board, and make the moves of its players, of its queues and of bots.

A move can trigger others: resignations that waited for their turn, queued moves, and moves of bots.
`games/` has the rules, and `boards/record.py` writes the record.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

from sqlalchemy import insert

from pbmserv.boards import (
    impossible_moves,
    opening_messages,
    opening_seeds,
    rating_eligibility,
    ratings,
    seating,
)
from pbmserv.boards.beacon_rounds import with_round
from pbmserv.boards.board import Board, begun_board, load_board, require_open
from pbmserv.boards.deadlines import STANDARD, Clock, Terms, elapsed
from pbmserv.boards.opening_seeds import Opening
from pbmserv.boards.record import (
    Played,
    Tried,
    begin_record,
    change_board,
    change_seat,
    opened_on,
    record_events,
)
from pbmserv.boards.seating import with_seat
from pbmserv.boards.stale_moves import lost_race
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo import bots
from pbmserv.games.perudo.commitments import commitment
from pbmserv.games.perudo.dice import SealedDice
from pbmserv.games.perudo.notation import read_action, unsalted, write_bid
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Action,
    Beacon,
    Call,
    Dealt,
    Event,
    Raise,
    Resign,
    Table,
    View,
    new_table,
    open_cups,
    play,
    start,
    stop,
    view,
)

MOST_BY_ITSELF = 20  # moves in one transaction that need no person; the next tick makes the others
_CHANCE_OF_BOT = "chance of a house player\0"  # separates this use of the key from others
_CHANCE_DIGITS = 13  # hexadecimal, 52 bits: a float holds them exactly
_NEW = {
    "game": "perudo",
    "position": "",
    "move": 0,
    "turn": 0,
    "lines": 0,
    "chain": bytes(32),
}


def new_board(work: UnitOfWork, **values: object) -> int:
    """Insert the row of a board without a game, for a game or an invitation; returns its number."""
    row = {**_NEW, "started_at": work.now, "moved_at": work.now, **values}
    insertion = insert(models.Board).returning(models.Board.id)
    return int(work.connection.execute(insertion, row).scalar_one())


def open_board(
    work: UnitOfWork, rules: Rules, players: Sequence[tuple[int, str]], terms: Terms = STANDARD
) -> Played:
    """Open a board for these players (ids and userids) in this order; all take their seats."""
    taken = [player for player, _ in players]
    opening = opening_seeds.of_nobody(work)
    return begin(work, new_board(work), rules, players, terms, taken, opening)


def begin(
    work: UnitOfWork,
    number: int,
    rules: Rules,
    players: Sequence[tuple[int, str]],
    terms: Terms,
    taken: Collection[int],
    opening: Opening,
) -> Played:
    """Seat the players on a board that has not begun, and roll the dice of the first round.

    `taken` are the players who take their seats by this (`boards/seating.py`).  The record's header
    commits the secret of the first round, and has the salts of `opening`.  The secret of the second
    round is drawn now, and the deal commits it (docs/design.md, Provable dice).  The board
    counts for ratings if the terms say so and `rating_eligibility` allows it.
    """
    ids = [player for player, _ in players]
    terms = rating_eligibility.allowed(work, terms, rules, ids)
    table = new_table(rules, len(players))
    first, second = opening.seed, work.seed()
    seating.sit_down(work, number, ids, taken)
    names = [userid for _, userid in players]
    salts = [
        (seat, opening.salts[player])
        for seat, (player, _) in enumerate(players)
        if player in opening.salts
    ]
    digest = begin_record(work, number, rules, names, commitment(first), salts)
    clock = Clock(work.now, 0, work.now + terms.total if terms.total else 0, terms)
    board = begun_board(number, table, players, clock, chain=digest, next_seed=first, now=work.now)
    change_board(
        work,
        board,
        started_at=work.now,
        nag_seconds=terms.nag,
        forfeit_seconds=terms.forfeit,
        total_seconds=terms.total,
        standin=terms.standin,
        rated=terms.rated,
    )
    dice = SealedDice(None, first, second, digest)
    played = record_events(work, board, start(table, dice), second)
    # The rows just written say which players are bots or on vacation.
    return by_itself(work, replace(played, board=load_board(work.connection, number)))


def move(work: UnitOfWork, board: Board, seat: int, action: Action, words: str = "") -> Played:
    """Play an action for a seat, then the moves that need no person; `words` are sent with it.

    Raises Refused as `games.perudo.table.play` does, and `calza_late`.  Raises Refused `round_void`
    if a backup was restored after players saw the dice of the running round.
    """
    if board.void:
        raise Refused("round_void", board=board.id)
    require_open(board)
    try:
        counted = _with_move_counted(work, board, seat, action)
        action = with_round(work, board.id, action)
        played = _play(work, counted, lambda table, dice: play(table, seat, action, dice))
    except Refused as refused:
        refusal = _with_move(refused, action, board)
        if not (isinstance(action, Call) and action.word == "calza"):
            raise refusal from None
        raise lost_race(work.connection, board, seat, refusal) from None
    played = drop_queues(work, _note_mover(work, played, board, seat, action))
    played = end_offer(work, played, seat)
    words = opening_messages.release(work, board, seat, words)
    if opening_messages.waits_for(board, board.seats[seat].player):  # this move has released it
        played = replace(played, board=load_board(work.connection, board.id))
    return replace(by_itself(work, played), message=words)


def open_cups_at_last(work: UnitOfWork, board: Board, value: str | None) -> Played:
    """Carry out the call or resignation that waits for the beacon, then what needs no person.

    `value` is that of the round that was announced, in hex.  It is None if the server does not use
    the beacon any more: then no value is mixed in.  The events of the result begin with the call in
    place of the beacon, for the letters.
    """
    pending = board.table.pending
    assert pending is not None and pending.beacon is not None
    beacon = Beacon(pending.beacon, value)
    played = _play(work, board, lambda table, dice: open_cups(table, beacon, dice))
    played = replace(played, events=(unsalted(pending), *played.events[1:]))
    played = end_offer(work, drop_queues(work, played), pending.seat)
    return by_itself(work, played)


def stop_board(work: UnitOfWork, board: Board) -> Played:
    """End a board without a winner: by a draw, by the operator, or because its time is over.

    If some players have not taken their seats, the board ends as declined, and no history shows it.
    """
    played = _play(work, _stop_rating(work, board), stop)
    if seating.waiting(board):
        seating.end_declined(work, board)
    return played


def by_itself(work: UnitOfWork, played: Played) -> Played:
    """Make the moves that need no person, at most `MOST_BY_ITSELF` of them.

    These are resignations that waited, queued moves, and moves of bots.
    """
    made = 0
    while made < MOST_BY_ITSELF and (following := _next_by_itself(work, played)):
        played, made = following, made + 1
    if played.board.table.winner is not None:
        played = replace(played, changes=ratings.count(work, played.board.id))
    elif made == MOST_BY_ITSELF and not played.board.table.pending:
        change_board(work, played.board, due_at=work.now)
    return played


def _next_by_itself(work: UnitOfWork, played: Played) -> Played | None:
    """Make one move that needs no person; None if a person must move or the game is over.

    None as well while a call waits for the beacon.
    """
    board = played.board
    seated, seat = board.on_turn, board.table.turn
    if board.table.winner is not None or board.void or board.table.pending:
        return None
    if seating.has_declined(seated):
        return _make_next_move(work, played, Resign())
    if seated.leaving:
        return _note_mover(work, _make_next_move(work, played, Resign()), board, seat, Resign())
    if seated.queued:
        return _try_queue(work, played)
    if seated.level:
        return _make_next_move(work, played, _chosen_by_bot(work, board, seated.level))
    return None


def _chosen_by_bot(work: UnitOfWork, board: Board, level: str) -> Action:
    """The move of a bot on turn.

    Its chance follows from the server's key and the digest of the board's public lines.  So the
    same record gives the same move, and nobody without the key can compute it.  In an endgame the
    bot looks at the rounds of this board that were opened.
    """
    digest = work.keyed(f"{_CHANCE_OF_BOT}{board.chain.hex()}")
    chance = int(digest[:_CHANCE_DIGITS], 16) / 16**_CHANCE_DIGITS
    seen = _seen_by_bot(board)
    opened = opened_on(work.connection, board.id) if bots.looks_back(seen, level) else ()
    return bots.choose(seen, level, chance, opened)


def _seen_by_bot(board: Board) -> View:
    """The view of a bot on turn.

    If only bots have dice, calza is removed from the rules.  A right calza costs nobody a die, so
    bots that are often right would play for ever.
    """
    seen = view(board.table, board.table.turn)
    if any(cup and not each.level for cup, each in zip(board.table.cups, board.seats, strict=True)):
        return seen
    return replace(seen, rules=seen.rules._replace(calza=False))


def _make_next_move(work: UnitOfWork, before: Played, action: Action) -> Played:
    """Make one more move of the seat on turn, in the same letter as the moves before it."""
    seat = before.board.table.turn
    action = with_round(work, before.board.id, action)
    after = _play(work, before.board, lambda table, dice: play(table, seat, action, dice))
    after = drop_queues(work, end_offer(work, after, seat))
    return replace(
        before,
        board=after.board,
        events=before.events + after.events,
        rounds=before.rounds + after.rounds,
        tried={**before.tried, **after.tried},
        unagreed=before.unagreed | after.unagreed,
    )


def _try_queue(work: UnitOfWork, played: Played) -> Played:
    """Play the first legal queued move; the others are dropped, and the player is told."""
    board, seat = played.board, played.board.table.turn
    queued = list(board.on_turn.queued)
    change_seat(work, board, seat, queued="", salt="")
    dropped = []
    done = ""
    played = replace(played, board=with_seat(board, seat, queued=()))
    while queued and not done:
        text = queued.pop(0)
        try:
            action = replace(read_action(text), salt=board.on_turn.salt)
            counted = _with_move_counted(work, played.board, seat, action)
            played = _make_next_move(work, replace(played, board=counted), action)
        except Refused:
            dropped.append(text)
        else:
            played = _note_mover(work, played, board, seat, action)
            done = text
    tried = {**played.tried, seat: Tried(done, (*dropped, *queued))}
    return replace(played, tried=tried)


def _with_move_counted(work: UnitOfWork, board: Board, seat: int, action: Action) -> Board:
    """The board before a person's move, which is counted, and whether it comes after the nag time.

    A resignation does not count.  The counts are stored with the move.
    """
    if isinstance(action, Resign):
        return board
    seated, clock = board.seats[seat], board.clock
    in_time = elapsed(clock.since, work.now, seated.away) <= clock.terms.nag
    # Without the seat taken, the player has not agreed to the time limits of the challenger.
    has_agreed = seated.taken or board.challenger == seated.player
    is_late = has_agreed and seat == board.table.turn and not in_time
    return with_seat(board, seat, moves=seated.moves + 1, late=seated.late + is_late)


def _note_mover(
    work: UnitOfWork, played: Played, before: Board, seat: int, action: Action
) -> Played:
    """Store what a person's move changes of the seat: the player takes it, or resigns."""
    seated, board = before.seats[seat], played.board
    changes: dict[str, object] = {}  # its row changes once
    if seating.takes(board.seats[seat]):
        changes["taken_at"] = work.now
        board = with_seat(board, seat, taken=True)
    if isinstance(action, Resign):
        changes["leaving"], changes["resigned_at"] = True, work.now
        board = with_seat(board, seat, leaving=True)
    if changes:
        change_seat(work, board, seat, **changes)
    has_left_no_mark = seated.began and not seated.moves and not seated.level
    if isinstance(action, Resign) and has_left_no_mark:
        # Declining before the first move leaves no mark on a player.
        board = _stop_rating(work, board)
    return replace(played, board=board)


def _stop_rating(work: UnitOfWork, board: Board) -> Board:
    change_board(work, board, rated=False)
    terms = replace(board.clock.terms, rated=False)
    return replace(board, clock=replace(board.clock, terms=terms))


def end_offer(work: UnitOfWork, played: Played, mover: int | None = None) -> Played:
    """End an offer of a draw, if there is one: a reject or any bid ends it."""
    board = played.board
    agreed = {seat for seat, seated in enumerate(board.seats) if seated.agrees}
    for seat in agreed:
        change_seat(work, board, seat, agrees=False)
        board = with_seat(board, seat, agrees=False)
    return replace(played, board=board, unagreed=played.unagreed | agreed - {mover})


def drop_queues(work: UnitOfWork, played: Played) -> Played:
    """Drop all queues when new dice are rolled, and note it for the letters.

    A queue is meant for the bids of its round.
    """
    if not any(isinstance(event, Dealt) for event in played.events):
        return played
    board, tried = played.board, dict(played.tried)
    for seat, seated in enumerate(board.seats):
        if seated.queued:
            change_seat(work, board, seat, queued="", salt="")
            board = with_seat(board, seat, queued=())
            tried[seat] = Tried("", seated.queued, over=True)
    return replace(played, board=board, tried=tried)


def _play(
    work: UnitOfWork, board: Board, happen: Callable[[Table, SealedDice], tuple[Event, ...]]
) -> Played:
    fresh = work.seed()
    dice = SealedDice(board.seed, board.next_seed or fresh, fresh, board.chain)
    try:
        events = happen(board.table, dice)
    except Refused as refusal:
        raise _with_names(refusal, board) from None
    return record_events(work, board, events, fresh)


def _with_move(refusal: Refused, action: Action, board: Board) -> Refused:
    """The refusal of a move out of turn with that move, which its player may queue."""
    if refusal.code != "not_your_turn" or not isinstance(action, Raise | Call):
        return refusal
    if impossible_moves.refusal(board, action):
        return refusal
    move = write_bid(action.bid) if isinstance(action, Raise) else action.word
    return Refused(refusal.code, **refusal.facts, move=move)


def _with_names(refusal: Refused, board: Board) -> Refused:
    """The game's refusal with the board's number, and with userids instead of seats."""
    facts = {**refusal.facts, "board": board.id}
    for key in ("turn", "winner"):
        if isinstance(seat := facts.get(key), int):
            facts[key] = board.names[seat] if seat >= 0 else None
    return Refused(refusal.code, **facts)
