"""The values that the templates of Perudo's letters are given; `view.py` makes them."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias, TypedDict

from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.rules import Rules
from pbmserv.letters.payloads.boards import RatingOf
from pbmserv.letters.payloads.perudo import Draw, Note, Offer, Queue, Result, Times, Waits

Seen: TypeAlias = dict[str, Any]  # a part of a value: a step of the story, a bid, a seat


class StoryPart(TypedDict):
    """A round of the story, or the end of one: its steps, and its cups if they were opened."""

    round: int
    steps: Sequence[Seen]
    changes: Sequence[tuple[str, str]]  # `lost` or `gained` a die, and the player
    whole: bool  # the letter does not begin with the reader's last bid
    cut: bool  # its first bids are left out
    opened: Seen | None  # `cups`, `total`, `bid` (None: nobody had bid)


class Running(TypedDict):
    """The running round, as everyone may see it; the bid is empty or None if the game is over."""

    bids: Sequence[Seen]  # the latest of this round: `who`, `bid`
    bids_made: int  # in this round
    last: Seen | None  # the bid to beat: `who`, `bid`
    faces: frozenset[int]  # of dice that count for it; none without one
    offered: Sequence[Bid]  # to the player on turn
    lower: Bid | None  # a legal bid of fewer dice, in the first turn of a player
    calls: Sequence[str]  # of the player on turn
    frozen: bool  # the face must be kept
    calza: Sequence[int]  # seats that may call it out of turn
    palifico: str | None  # the player whose Palifico round it is
    single: Sequence[str]  # players with one die, who must keep the face
    total: int | None  # dice in play; None: hidden
    cap: int  # dice that a bid can name
    most: int | None  # dice that a bid can name, where the numbers of dice are hidden
    seats: Sequence[Seen]  # `name`, `dice` (None: hidden), `out`, `turn`, `next`, `bid`


class ByAll(Running):
    """The public values."""

    board: int
    move: int
    round: int
    rules: Rules
    options: Sequence[str]
    names: Sequence[str]
    turn: str  # the player on turn
    over: bool
    winner: str | None  # None: not over, or nobody won
    story: Sequence[StoryPart]  # all that the letter may tell
    told: int  # how many steps of the story the last move has; the latest are these
    steps: Sequence[Seen]  # of the last move: `story.steps`
    salted: Collection[str]  # players whose own words the last move mixes into the dice
    message: tuple[str, str] | None  # its writer and its text
    seal: str
    pending: Seen | None  # what waits for the beacon: its step, the `beacon`, and when it `opens`


class OfSeat(TypedDict):
    """How a reader has come to the seat, and leaves it."""

    challenges: bool  # the reader made the challenge
    asked: bool  # the reader may decline
    leaving: bool  # the reader has resigned or declined, and leaves at the next turn
    first: bool  # the reader plays for the first time
    held: bool  # the reader's opening message waits for proof of its sender
    without: Sequence[str]  # who left the board of which this is the rematch; not invited again
    early: Sequence[str]  # who left the game that is over while others played on


class ByOne(OfSeat):
    """The values for one reader."""

    reader: str | None  # None: a spectator
    dice: Sequence[int]  # the reader's own, none without dice
    counting: int  # how many of them count for the last bid
    out: bool  # the reader has no dice left
    on_turn: bool
    left: bool  # the reader has left the game, by one of the `steps` if there are any
    may_calza: bool  # the reader may call it out of turn
    reply: bool  # a reply to this letter is a move, or a message to the others
    buttons: bool  # so are the answers that its links open
    several: bool  # the board is one of several in its letter
    since: Sequence[StoryPart]  # the story since the reader's last action
    has_acted: bool  # the story begins with an action of the reader's
    left_out: int  # earlier rounds, in a letter that shows the board
    before: Mapping[str, Mapping[str, Sequence[int]]]  # lost, gained: the rounds of each player
    then: Seen | None  # an earlier position: `round`, `cups`
    times: Times | None
    note: Note | None
    queue: Queue | None
    salted: bool  # the reader's own words are mixed into the coming dice
    offer: Offer | None
    draw: Draw | None  # on offer
    draw_ended: bool  # by the last move
    result: Result | None  # of a game that is over
    gone: Sequence[str]  # players of a game that is over who have left the server
    waits: Waits | None
    waiting: Sequence[str]  # players who have not taken the seat yet
    rated: bool  # the result counts for ratings when all have taken their seats
    rating: RatingOf  # of a new board
    why_unrated: str  # a reason of `rating_eligibility`; "" if it counts, or may count
    challenger: str | None  # only in a first letter
    again: int  # the board of which this one is the rematch; only in a first letter, or 0
    zone: str
