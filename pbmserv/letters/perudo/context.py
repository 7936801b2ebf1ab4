"""Seen: what the templates of Perudo's letters are given; `perudo.py` makes it of the facts."""

from collections.abc import Sequence, Set
from typing import Any, TypeAlias, TypedDict

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.rules import Rules
from pbmserv.letters.payloads.perudo import Note, Offer, Queue, Times, Waits

Seen: TypeAlias = dict[str, Any]  # a part of it: a step of the story, a bid, a cup, a seat


class Running(TypedDict):
    """The running round, as all may know it; the bid is empty or None where the game is over."""

    bids: Sequence[Seen]  # of this round, the latest: `who`, `bid`
    bids_made: int  # in this round
    last: Seen | None  # the bid to beat: `who`, `bid`
    smallest: Sequence[Bid]  # raises
    calls: Sequence[str]  # of the player on turn
    frozen: bool  # the face must be kept
    calza: Sequence[int]  # seats that may call it out of turn
    palifico: str | None  # whose Palifico round it is
    single: Sequence[str]  # who must keep the face, with one die
    total: int | None  # dice in play; None: hidden
    seats: Sequence[Seen]  # `name`, `dice` (None: hidden), `out`, `turn`
    width: int  # of the longest name


class ByAll(Running):
    """What every reader may know: given to `public.txt`."""

    board: int
    move: int
    round: int
    rules: Rules
    options: Sequence[str]
    names: Sequence[str]
    turn: str  # who is on turn
    over: bool
    winner: str | None  # None: not over, or nobody has won
    steps: Sequence[Seen]  # what has just happened: `story.steps`
    concerned: Set[str | None]  # who is told of himself
    opened: Sequence[Seen]  # cups: `story.opened`
    past: Sequence[Seen]  # rounds: `round`, `steps`
    message: tuple[str, str] | None  # who wrote it, and what
    commitment: str
    running: str
    seal: str


class ByOne(TypedDict):
    """What one reader is told beside that: given to the letters, with the parts that are worded."""

    reader: str | None  # None: a bystander
    dice: str  # the reader's own, "" where there are none
    out: bool  # the reader has no dice left
    on_turn: bool
    left: bool  # the reader has just resigned
    calza: bool  # the reader may call it out of turn
    reply: bool  # a reply to this letter is a move, or words for the others
    open_rounds: Sequence[Seen]  # cups: `story.opened`, and `width`
    then: Seen | None  # as it stood once: `round`, `cups`
    times: Times | None
    note: Note | None
    queue: Queue | None
    offer: Offer | None
    waits: Waits | None
    waiting: Sequence[str]  # who has not taken the seat yet
    rated: bool  # the result counts for ratings as soon as all have
    asked: bool  # the reader may decline
    held: bool  # the reader's opening message waits for a proof
    zone: str
