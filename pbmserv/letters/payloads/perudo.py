"""Payloads of Perudo's letters: the public values of a board, and those of one reader.

Tables, cups and events are lines of the notation (docs/notation.md).  `letters/perudo/view.py`
prepares them for the game's templates.
"""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypeAlias, TypedDict

from pbmserv.letters.payloads.boards import OfBoard, PlayerWords, RatingOf
from pbmserv.letters.payloads.letter import Kind

MOST_BIDS_TOLD = 24
"""The bids of a finished round that letters tell, the last ones; 98 of 100 rounds have no more."""


class Times(TypedDict):
    """The deadlines of a running board."""

    now: NotRequired[int]  # when the letter was written; not in older letters
    nag: int  # when the player on turn is reminded
    late: bool  # that time has passed
    forfeit: int  # when the seat is forfeited
    closes: int  # when the board's time is over, or 0
    standin: bool  # a bot takes the seat


class Note(TypedDict):
    """The reason for an event that is not a player's move; `notices.reason` makes it."""

    kind: str
    who: str  # the player concerned, or ""
    other: str  # the player who takes that seat, or who had it; for stopped the operator's reason


class Queue(TypedDict):
    """The result of the reader's queued moves."""

    played: str  # the move that was played, or ""
    dropped: Sequence[str]
    over: bool  # none was tried, because their round ended before the turn came


class Draw(TypedDict):
    """A draw on offer."""

    agreed: Sequence[str]  # players who have offered or accepted it
    waiting: Sequence[str]  # players who have not answered yet


class DiceChanges(TypedDict):
    """What a seat lost and got back in a finished game, by the numbers of its rounds."""

    name: str
    dice: int | None  # at the end; None: hidden by the rules
    lost: Sequence[int]
    gained: Sequence[int]
    resigned: int  # also by a decline, or out of time; 0: never


class RatingChange(TypedDict):
    """A player's rating for all rule sets after a game, and how the game changed it."""

    name: str
    rating: int
    change: int


class Luckiest(TypedDict):
    """The call of a game with the least probable result."""

    round: int
    who: str
    call: str
    chance: int  # percent: that the call was right, as its player could know it
    right: bool


class Result(TypedDict):
    """The result of a finished game."""

    placed: bool  # the seats are in the order of their places; else nobody has won
    seats: Sequence[DiceChanges]
    ratings: Sequence[RatingChange]  # the best first; empty: the game does not count
    luckiest: NotRequired[Luckiest | None]  # None: nobody called; not in older letters
    advised: NotRequired[bool]  # whether there are moves to judge; not in older letters
    early: NotRequired[Sequence[str]]  # who left while others played on: no rematch invites them


class Public(OfBoard):
    """The values for every reader of a letter."""

    names: Sequence[str]  # in order of play
    events: Sequence[str]  # of the last move
    rounds: Sequence[Sequence[str]]  # the latest, with their bids; in older letters the last bid
    message: PlayerWords | None
    seal: str  # digest of all lines so far
    table: str  # as a spectator sees it
    times: Times | None  # None: the game is over, or the letter shows an earlier position
    note: Note | None
    waiting: NotRequired[Sequence[str]]  # without a seat taken yet; not in older letters
    declined: NotRequired[Sequence[str]]  # they leave, or have left, without a seat taken
    challenger: NotRequired[str]  # "" without one; only in the first letter of a board
    again: NotRequired[int]  # the board of which this one is the rematch; only there, or 0
    without: NotRequired[Sequence[str]]  # who left that board early, and is not invited again
    draw_ended: NotRequired[bool]  # the move has ended the offer of a draw
    rated: NotRequired[bool]  # the result counts for ratings when all have taken their seats
    rating: NotRequired[RatingOf]  # only in the first letters of a board
    why_unrated: NotRequired[str]  # there as `why_board_unrated`, at the end `why_ended_unrated`
    result: NotRequired[Result]  # of a game that is over; not in older letters
    gone: NotRequired[Sequence[str]]  # who has left the server, if the game is over: no rematch


class Game(Public):
    """The values for one reader of a letter about a board."""

    reader: int | None  # the seat; None: a spectator
    position: str  # the table as this reader sees it
    reply: bool  # a reply to this letter is a move, or a message to the others
    queue: Queue | None
    asked: NotRequired[bool]  # the reader has not taken the seat, and may decline
    leaving: NotRequired[bool]  # the reader has resigned or declined, and leaves at the next turn
    has_left: NotRequired[bool]  # the reader has left the game
    challenges: NotRequired[bool]  # the reader made the challenge
    first: NotRequired[bool]  # it is the first letter of the reader's first game
    held: NotRequired[bool]  # the reader's opening message waits for proof of its sender
    draw: NotRequired[Draw | None]  # None: no draw is on offer, or the reader is a spectator


STARTED = Kind("perudo/started", Game)
MOVED = Kind("perudo/moved", Game)
ENDED = Kind("perudo/ended", Game)
CHAT = Kind("perudo/chat", Game)


class Offer(TypedDict):
    """An offer of a draw."""

    kind: str  # proposed, accepted, rejected or withdrawn
    who: str
    waiting: Sequence[str]  # players who have not answered yet


class Offered(Game):
    """A draw was proposed, or a player has answered the offer."""

    offer: Offer


OFFER = Kind("perudo/offer", Offered)


class Waits(TypedDict):
    """What waits for the reader's turn."""

    moves: Sequence[str]  # queued
    leaving: bool  # a resignation


class Shown(Game):
    """A board for the sender of a command."""

    open: bool  # with the cups of the last rounds
    waits: Waits | None  # None for a spectator
    then: str | None  # an earlier position: its cups, "" if still secret; None: the present


SHOW = Kind("perudo/show", Shown)


class Reminder(Game):
    """A board that waits for its reader's move."""

    move: int  # the number of the next move


NAG = Kind("perudo/nag", Reminder)


class AtBoard(OfBoard):
    """The board of an event."""

    names: Sequence[str]


class News(AtBoard):
    """An event at a board that had no letter of its own: "begun"."""

    kind: str


class NewsOfEnd(News):
    """The game is over: "ended"."""

    winner: str | None


class NewsOfOffer(News):
    """An offer of a draw; the kinds of `Offer`."""

    who: str
    waiting: Sequence[str]


class NewsOfSeat(News):
    """An event of a seat: the kinds of `Note`, "out", or "lapsed" for a draw that a bid ended."""

    who: str
    other: str  # as in `Note`, "" if a player is out
    reader: str | None  # None: a spectator


class NewsOfQueue(News, Queue):
    """The result of queued moves: "queue"."""


class NewsOfWords(News):
    """A player's message: "said"."""

    who: str
    text: str


AnyNews: TypeAlias = News | NewsOfEnd | NewsOfOffer | NewsOfSeat | NewsOfQueue | NewsOfWords


class Boards(TypedDict):
    """The boards that wait for their reader, each as a section, and the news of other boards."""

    userid: str
    boards: Sequence[Reminder]
    news: Sequence[AnyNews]
    digest: bool  # the daily digest; else a reminder
    awake: str  # an address that gets letters again, or ""
    tokens: NotRequired[Mapping[str, str]]  # by board; `outbox/queue.py` makes them


BOARDS = Kind("perudo/boards", Boards)


class Known(Game):
    """All values that a letter of the game may have; those of one reader come last."""

    open: NotRequired[bool]  # this and the next two: as in `Shown`
    waits: NotRequired[Waits | None]
    then: NotRequired[str | None]
    offer: NotRequired[Offer]
    several: NotRequired[bool]  # this board is one of several in its letter
    buttons: NotRequired[bool]  # it has a token of its own there
    zone: NotRequired[str]
