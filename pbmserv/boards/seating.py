"""Who has taken a seat at a board, and what leaving means until all players have.

A challenge starts a board at once, without consent.  So a player takes the seat with the first
action at the board that is not refused.  That is a move, a queue, an answer to a draw, a chat,
`accept`, or `showas` with the board's number.  Bots always have their seats taken.  So have players
who sought the board or accepted an invitation to it.  A challenger has one if the challenge proves
its sender.

Until all seats are taken the board does not count.  A player who lets the time run out before that
has declined, like a player who says so.  The seat then leaves the table and counts for nobody.  If
too few players stay, the board ends as `declined`, without a winner.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from enum import Enum, auto

from sqlalchemy import delete, insert

from pbmserv.boards.authorship import LAST_WORDS, proves, proves_once
from pbmserv.boards.board import DECLINED, Board, Seated, board_number, load_board
from pbmserv.boards.newest_letter import has_bid_since, may_be_newest
from pbmserv.boards.possible_moves import is_invited
from pbmserv.boards.record import change_board, change_seat
from pbmserv.boards.stale_moves import chat_late, overtaken
from pbmserv.context import Context, UnitOfWork, elsewhere
from pbmserv.database import models
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.mail.addresses import mailbox
from pbmserv.players import account_suspension, mailbox_owners
from pbmserv.security.credentials import Identity

FEWEST = 2  # the fewest players of a game


def sit_down(work: UnitOfWork, number: int, players: Sequence[int], taken: Collection[int]) -> None:
    """Seat these players at a board that begins; `taken` are those who take their seats now."""
    row = models.Seat
    work.connection.execute(delete(row).where(row.board_id == number))
    rows = [
        {
            "board_id": number,
            "seat": seat,
            "player_id": player,
            "first_id": player,
            "taken_at": work.now if player in taken else None,
        }
        for seat, player in enumerate(players)
    ]
    work.connection.execute(insert(row), rows)


def with_seat(board: Board, seat: int, **values: object) -> Board:
    """The board with some fields of a seat changed; the database row is not changed."""
    changed = replace(board.seats[seat], **values)  # type: ignore[arg-type]  # columns by name
    return replace(board, seats=(*board.seats[:seat], changed, *board.seats[seat + 1 :]))


def has_declined(seated: Seated) -> bool:
    """Whether the player leaves, or has left, without having taken the seat."""
    return seated.leaving and not seated.taken


def waiting(board: Board) -> list[str]:
    """The userids of players who have neither taken the seat nor declined."""
    return [each.userid for each in board.seats if not (each.taken or each.leaving)]


def goes_on(board: Board) -> bool:
    """Whether enough players stay: two with dice, at least one of them a person."""
    staying = [
        each
        for each, cup in zip(board.seats, board.table.cups, strict=True)
        if cup and not each.leaving
    ]
    return len(staying) >= FEWEST and any(not each.level for each in staying)


def takes(seated: Seated) -> bool:
    """Whether an action takes the player's seat; a player who has declined must `accept` first."""
    return not (seated.taken or seated.leaving)


def take(work: UnitOfWork, board: Board, seat: int) -> Board:
    """Mark the seat as taken if it is not yet, and return the board."""
    if not takes(board.seats[seat]):
        return board
    change_seat(work, board, seat, taken_at=work.now)
    return with_seat(board, seat, taken=True)


def take_after_all(work: UnitOfWork, board: Board, seat: int) -> Board:
    """Take the seat of a player who accepts, even after declining; returns the board."""
    if has_declined(board.seats[seat]):
        change_seat(work, board, seat, leaving=False, resigned_at=None, forfeited_at=None)
        board = with_seat(board, seat, leaving=False)
    return take(work, board, seat)


def as_declined(board: Board, seat: int) -> Board:
    """The board after the player at this seat has declined; the database row is not changed."""
    return with_seat(board, seat, leaving=True, taken=False, queued=(), agrees=False)


def note_declined(work: UnitOfWork, board: Board, seat: int) -> None:
    """Store that the player at this seat has declined."""
    left = {"leaving": True, "taken_at": None, "resigned_at": work.now}
    change_seat(work, board, seat, **left, queued="", agrees=False)


def note_forfeited(work: UnitOfWork, board: Board, seat: int) -> None:
    """Store that the player left this seat because the time to move was over."""
    change_seat(work, board, seat, resigned_at=None, forfeited_at=work.now)


def end_declined(work: UnitOfWork, board: Board) -> None:
    """Store that a stopped board ended as declined, so that it counts for nobody."""
    change_board(work, board, state=DECLINED)


class TokenUse(Enum):
    """What a command does at a board.  This decides which letters' tokens are valid for it."""

    MOVE = auto()
    """A bid or a call: the token of the next move."""

    CALZA = auto()
    """The same for a call that another player may overtake."""

    ANY_TIME = auto()
    """A resignation, or the offer of a draw: also the token of the player's newest letter."""

    PRIVATE = auto()
    """A queue, or a look at the own dice: as ANY_TIME, but only from an address of the player."""

    WORDS = auto()
    """Words for the others: as ANY_TIME; an older letter's if the email proves its sender."""

    CHALLENGE = auto()
    """A yes or no to a challenge: any of its board's tokens, until the seat is taken."""


def authorized(
    context: Context,
    number: str,
    userid: str,
    password: str,
    use: TokenUse,
    *,
    expected: int | None = None,
) -> tuple[Board, int]:
    """The board, and the seat of the player who may act there by a password or a letter's token.

    A token is valid for the move of its letter, and as `use` says for others.  A token of another
    move, a command out of turn, and one after the end need an address of the player.  `expected` is
    the move's number if the command names one.

    Raises Refused as `Context.authenticate`, `load_board` and `Board.seat_of`, as `elsewhere`,
    `wrong_password` for a player who has left, and `account_suspended`.  Raises `wrong_move` for
    another move than the next, and `already_played` (`chat_late` for WORDS) for the token of an
    earlier letter, or of a question of ours from before a bid of the player's.  For a CALZA that
    others have overtaken, both are `calza_late`.  Raises
    `token_from_elsewhere` for a token from elsewhere, and `token_of_opponent` for one from an
    address of another player of the board.
    """
    identity = context.authenticate(userid, password)
    board = _loaded(context, board_number(number))
    seat = _seat_of(context, board, identity, password)
    require_no_opponent(context, identity, board.id, [each.player for each in board.seats])
    if identity.move is not None:
        own = identity.player in context.owners
        _check_token(context, board, seat, identity.move, use, own=own)
        # Who has bid since our question plays on.
        is_question = identity.asked != "" and use is TokenUse.ANY_TIME
        if is_question and has_bid_since(board, seat, identity.move):
            raise overtaken(context.connection, board, seat, identity.move, ends=True)
    if expected is not None and expected != board.table.move:
        raise _wrong_move(context, board, seat, expected, calza=use is TokenUse.CALZA)
    return board, seat


def _check_token(
    context: Context, board: Board, seat: int, move: int, use: TokenUse, *, own: bool
) -> None:
    """Refuse the token of a `move` that is not valid for this use; `own`: from an own address."""
    if use is TokenUse.CHALLENGE and own and not board.seats[seat].taken:
        return
    needs_no_move = use in {TokenUse.ANY_TIME, TokenUse.PRIVATE}
    if use is TokenUse.WORDS:
        _check_words(context, board, seat, move, own=own)
    elif move == board.table.move:
        _check_place(board, seat, own=own, private=use is TokenUse.PRIVATE)
    elif not (own and needs_no_move and may_be_newest(context.connection, board, seat, move)):
        calza, ends = use is TokenUse.CALZA, use is TokenUse.ANY_TIME
        raise overtaken(context.connection, board, seat, move, calza=calza, ends=ends)


def _seat_of(context: Context, board: Board, identity: Identity, password: str) -> int:
    seat = board.seat_of(identity.player)
    if identity.board not in {None, board.id}:
        raise elsewhere(identity, password)
    seated = board.seats[seat]
    if seated.left:
        raise Refused("wrong_password")
    account_suspension.check(seated.userid, seated.suspended_until, context.now)
    return seat


def require_no_opponent(
    context: Context, identity: Identity, number: int, players: Collection[int]
) -> None:
    """Check that a token does not come from an address of another of these `players` of a board.

    A player who gets a copy of another's reply has that letter's token, and may reply to all.  Each
    spelling of an address counts, and one that was given up lately.  Raises Refused
    `token_of_opponent`.
    """
    if identity.board is None or identity.player in context.owners:
        return
    if not context.owners.isdisjoint(players) or _is_from_opponent(context, identity, players):
        raise Refused("token_of_opponent", board=number)


def _is_from_opponent(context: Context, identity: Identity, players: Collection[int]) -> bool:
    """Whether an email comes from a mailbox of these players that is not that of the token's."""
    mailboxes = mailbox_owners.of_players(context, players)
    owned = context.keyed(mailbox(context.sender))
    is_own = owned in mailboxes.get(identity.player, ())
    return not is_own and any(owned in each for each in mailboxes.values())


def _loaded(context: Context, number: int) -> Board:
    """The board; what was read with it about its players need not be read again.

    Raises Refused as `load_board`: a reply to an invitation that waits for its reader is told so.
    """
    try:
        board = load_board(context.connection, number)
    except Refused as refusal:
        reader = context.answered.player if context.answered else 0
        if refusal.code == "not_begun" and is_invited(context.connection, number, reader):
            raise Refused(refusal.code, **refusal.facts, invited=True) from refusal
        raise
    context.recipients.update(board.recipients)
    context.unshunned[number] = board.unshunned
    return board


def _wrong_move(
    context: Context, board: Board, seat: int, expected: int, *, calza: bool
) -> Refused:
    """The refusal of a command that names another move than the next."""
    if calza and 0 < expected < board.table.move:
        return overtaken(context.connection, board, seat, expected, calza=True)
    return Refused("wrong_move", board=board.id, expected=board.table.move, given=expected)


def _check_place(board: Board, seat: int, *, own: bool, private: bool = False) -> None:
    """Refuse the token of the next move from elsewhere, but for a move of the player on turn."""
    if not own and (private or board.table.turn != seat):
        raise Refused("token_from_elsewhere", board=board.id)


def _check_words(context: Context, board: Board, seat: int, move: int, *, own: bool) -> None:
    """Refuse a message to the others with the token of a `move`, as TokenUse says.

    After the end of a game any letter of its board is enough, because no move can follow.
    """
    is_over = board.table.winner is not None
    if is_over and not own:
        raise Refused("token_from_elsewhere", board=board.id)
    if is_over and context.now - board.moved_at < LAST_WORDS:
        return
    if move == board.table.move and not is_over:
        _check_place(board, seat, own=own)
    elif not own or not (
        may_be_newest(context.connection, board, seat, move) or proves_once(context)
    ):
        raise chat_late(board, seat, reply=own)


def writer(context: Context, userid: str, password: str) -> Identity:
    """The player who gives a password, or answers a board's newest letter from their own address.

    This is enough for commands about the talk of that board; the credentials have its number.
    Raises Refused as `Context.authenticate`, `account_suspended`, `token_from_elsewhere`, or
    `letter_overtaken` for an older letter.
    """
    identity = context.authenticate(userid, password)
    account_suspension.check_player(context.connection, identity.player, context.now)
    if identity.board is not None:
        if identity.player not in context.owners:
            raise Refused("token_from_elsewhere", board=identity.board)
        if not proves(context, identity.player):
            raise _overtaken_letter(context, identity.board, identity.player)
    return identity


def _overtaken_letter(context: Context, number: int, player: int) -> Refused:
    """The refusal of an earlier letter of a board; it says what the board waits for now.

    Raises Refused as `load_board`: then the board has not begun.
    """
    board = load_board(context.connection, number)
    table = board.table
    if table.pending:
        return Refused("letter_overtaken", board=number)
    turn = board.on_turn if table.winner is None else None
    facts: dict[str, Fact] = {
        "move": table.move,
        "turn": turn.userid if turn else None,
        "yours": turn is not None and turn.player == player,
    }
    return Refused("letter_overtaken", board=number, **facts)


def writer_at(context: Context, userid: str, password: str, number: str) -> tuple[Board, int]:
    """The board of that number, and the seat there of the player who is its `writer`.

    Raises Refused as `writer`, `board_number`, `load_board` and `Board.seat_of`, and
    `elsewhere` for the letter of another board.
    """
    identity = writer(context, userid, password)
    board = load_board(context.connection, board_number(number))
    if identity.board not in {None, board.id}:
        raise elsewhere(identity, password)
    return board, board.seat_of(identity.player)
