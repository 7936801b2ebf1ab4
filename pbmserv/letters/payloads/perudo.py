"""Perudo's letters: what every reader of a board is told, and what one alone.

Tables, cups and events are lines of the notation (docs/notation.md), of which
`letters/perudo/view.py` makes what the game's templates see.
"""

from collections.abc import Sequence
from typing import NotRequired, TypeAlias, TypedDict

from pbmserv.letters.payloads.boards import OfBoard, Said
from pbmserv.letters.payloads.letter import Kind


class Times(TypedDict):
    """The deadlines of a running board."""

    nag: int  # when the player on turn is reminded
    late: bool  # that has passed
    forfeit: int  # when the seat is forfeited
    closes: int  # when the board does, or 0
    standin: bool  # a house player takes the seat


class Note(TypedDict):
    """Why something happened though nobody moved: the kinds of `telling.Note`, or "last".

    "last" is a reminder with no other after it.
    """

    kind: str
    who: str  # whom it is about, or ""
    other: str  # who takes that place, or who had it


class Queue(TypedDict):
    """What became of the reader's queued moves."""

    played: str  # the one that was, or ""
    dropped: Sequence[str]
    over: bool  # none was tried: their round was over before the turn came


class Public(OfBoard):
    """What every reader of a letter is told."""

    names: Sequence[str]  # in order of play
    events: Sequence[str]  # what has just happened
    rounds: Sequence[Sequence[str]]  # the last ones, each from its last bid on
    message: Said | None
    commitment: str  # SHA-256 of the next round's seed, or ""
    running: str  # SHA-256 of this round's, or ""
    seal: str  # digest of all lines so far
    table: str  # as a bystander sees it
    times: Times | None  # None: it is over, or as it stood once
    note: Note | None
    waiting: NotRequired[Sequence[str]]  # who has not taken the seat yet; older letters do not say
    declined: NotRequired[Sequence[str]]  # who leaves, or has left, without having taken the seat
    rated: NotRequired[bool]  # the result counts for ratings as soon as all have


class Game(Public):
    """One reader's letter about a board."""

    reader: int | None  # the seat; None: a bystander
    position: str  # the table as this reader sees it
    reply: bool  # a reply to this letter is a move, or words for the others
    queue: Queue | None
    asked: NotRequired[bool]  # the reader has not taken the seat, and may decline
    held: NotRequired[bool]  # the reader's opening message waits for a proof


STARTED = Kind("perudo/started", Game)
MOVED = Kind("perudo/moved", Game)
ENDED = Kind("perudo/ended", Game)
CHAT = Kind("perudo/chat", Game)


class Offer(TypedDict):
    """A draw."""

    kind: str  # proposed, accepted or rejected
    who: str
    waiting: Sequence[str]  # who has not answered yet


class Offered(Game):
    """A draw was proposed, or somebody has answered that."""

    offer: Offer


OFFER = Kind("perudo/offer", Offered)


class Waits(TypedDict):
    """What waits for the reader's turn."""

    moves: Sequence[str]  # queued
    leaving: bool  # has resigned out of turn


class Shown(Game):
    """A board for whoever asked."""

    open: bool  # with the cups of the last rounds
    waits: Waits | None  # None for a bystander
    then: str | None  # as it stood once: its cups, "" where they are secret still; None: as it is


SHOW = Kind("perudo/show", Shown)


class Reminder(Game):
    """A board that waits for its reader."""

    move: int  # the one that is waited for


NAG = Kind("perudo/nag", Reminder)


class AtBoard(OfBoard):
    """Where something has happened."""

    names: Sequence[str]


class News(AtBoard):
    """What has happened at a board, where no letter of its own told of it: "begun"."""

    kind: str


class NewsOfEnd(News):
    """It is over: "ended"."""

    winner: str | None


class NewsOfOffer(News):
    """A draw: the kinds of an `Offer`."""

    who: str
    waiting: Sequence[str]


class NewsOfSeat(News):
    """The kinds of a `Note`, or "out"."""

    who: str
    other: str  # as in `Note`, "" where somebody is out
    reader: str | None  # None: a bystander


class NewsOfQueue(News, Queue):
    """What became of queued moves: "queue"."""


class NewsOfWords(News):
    """Somebody wrote: "said"."""

    who: str
    text: str


AnyNews: TypeAlias = News | NewsOfEnd | NewsOfOffer | NewsOfSeat | NewsOfQueue | NewsOfWords


class Boards(TypedDict):
    """Several boards that wait for their reader, each a section, and what is new at others."""

    userid: str
    boards: Sequence[Reminder]
    news: Sequence[AnyNews]
    digest: bool  # the letter of a day; else a reminder
    awake: str  # an address that letters go to again, or ""


BOARDS = Kind("perudo/boards", Boards)


class Known(Game):
    """What wording may find in any of the game's letters; the reader's own come last."""

    open: NotRequired[bool]  # this and the next two: as in `Shown`
    waits: NotRequired[Waits | None]
    then: NotRequired[str | None]
    offer: NotRequired[Offer]
    zone: NotRequired[str]
