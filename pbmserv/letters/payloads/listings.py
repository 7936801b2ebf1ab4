"""Listings: tables of boards and players, the record of a board, and its proof."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.boards import OfBoard, Wish
from pbmserv.letters.payloads.letter import Kind


class Seat(TypedDict):
    """A player at a board in a table; `dice` is None where their number is hidden."""

    name: str
    dice: int | None


class Row(OfBoard):
    """A board in a table; of an invitation nobody is on turn, and its move is 0."""

    move: int
    turn: str  # who is on turn, or has won
    rules: str
    status: str  # invited, withdrawn, active, won, drawn or declined
    waiting: Sequence[str]  # who has not accepted, of an invitation
    seats: Sequence[Seat]


class Games(TypedDict):
    """The boards that were asked for."""

    rows: Sequence[Row]


GAMES = Kind("games", Games)


class Sought(Wish):
    """What one of the players seeks."""

    who: str


class OpenBoards(TypedDict):
    """The boards that are open, and who seeks others."""

    rows: Sequence[Row]
    seeking: Sequence[Sought]


LIST = Kind("list", OpenBoards)


class Past(OfBoard):
    """A board that is over."""

    names: Sequence[str]  # in order of play
    winner: str | None  # None: nobody has won
    started: int
    ended: int


class History(TypedDict):
    """The boards that are over, the latest first."""

    rows: Sequence[Past]


HISTORY = Kind("history", History)


class Rated(TypedDict):
    """How strong a player is."""

    name: str
    rating: int
    provisional: bool  # too few games yet
    won: int
    lost: int
    playing: int  # boards
    seeking: bool
    on_time: int | None  # percent of the moves; None: there is none


class Standings(TypedDict):
    """The players by rating, the strongest first."""

    rules: str  # "": by all rule sets
    rows: Sequence[Rated]
    newcomers: Sequence[str]  # who seeks games and has no rating here


STANDINGS = Kind("standings", Standings)


class Luck(TypedDict):
    """What chance was of a player's bids and calls; percent, None where there are none."""

    name: str
    on_time: int | None  # percent of the moves
    bids: int
    true: int | None
    expected_true: int | None
    bluffs: int | None
    calls: int
    right: int | None
    expected_right: int | None
    call_luck: str  # standard deviations with their sign, "-" where there are none
    dice_luck: str


class Stats(TypedDict):
    """Luck and bluff of some players."""

    rows: Sequence[Luck]


STATS = Kind("stats", Stats)


class Record(OfBoard):
    """The whole public record of a board, which wording attaches as a file."""

    record: str


RECORD = Kind("record", Record)


class Proof(TypedDict):
    """What is proven of a round; `why` not: "running", "plain"; where it is "restored", or ""."""

    round: int
    proven: bool
    why: str


class Verified(TypedDict):
    """What is proven of a board, or of the record in a file."""

    board: NotRequired[int]
    file: NotRequired[str]
    rounds: Sequence[Proof]


VERIFIED = Kind("verified", Verified)


class Refereed(TypedDict):
    """Files that keep the rules, by their names."""

    files: Sequence[str]


REFEREED = Kind("refereed", Refereed)
