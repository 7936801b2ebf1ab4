"""Accounts: how they begin and end, their addresses, preferences and vacations."""

from collections.abc import Sequence
from typing import TypedDict

from pbmserv.letters.payloads.letter import Kind


class Account(TypedDict):
    """A letter about an account that needs no more than its name."""

    userid: str


PASSWORD_CHANGED = Kind("password_changed", Account)
RESET_ASKED = Kind("reset_asked", Account)  # whether there is such an account is not told
SIGNED_OFF = Kind("signed_off", Account)


class SignedUp(Account):
    """An account was opened."""

    addresses: Sequence[str]
    waiting: bool  # until one of the addresses is confirmed


SIGNED_UP = Kind("signed_up", SignedUp)


class Asking(Account):
    """The reader of an address is asked whether it belongs to the account."""

    address: str
    token: str


class AskingNew(Asking):
    """The same, of an account that was just opened."""

    proven: bool  # the reader has proven to have asked for it: any reply is a yes


CONFIRM = Kind("confirm", AskingNew)
CONFIRM_ADDRESS = Kind("confirm_address", Asking)  # a new address of an old account


class Confirmed(Account):
    """An address is confirmed."""

    address: str
    is_new: bool  # the first one: the account works from now on


CONFIRMED = Kind("confirmed", Confirmed)


class AnsweredElsewhere(TypedDict):
    """A letter's token did something in a mail from no confirmed address of its reader."""

    board: int
    address: str  # "" for a shell of the server
    command: str  # the name of what was done


ANSWERED_ELSEWHERE = Kind("answered_elsewhere", AnsweredElsewhere)


class WithToken(Account):
    """What is asked for takes a token that only this letter knows."""

    token: str


RESET = Kind("reset", WithToken)
SIGNOFF = Kind("signoff", WithToken)


class AddressTold(Account):
    """The old addresses hear that new ones shall take their place, or have."""

    addresses: Sequence[str]  # the new ones
    token: str  # what agrees to it, "" where nobody is asked


ADDRESS_TOLD = Kind("address_told", AddressTold)


class AddressesChanged(Account):
    """Who changes the addresses of an account hears what is waited for."""

    addresses: Sequence[str]
    waiting: str  # for the reader of an "old" address, for one of a "new" one, or "" for nobody


ADDRESSES_CHANGED = Kind("addresses_changed", AddressesChanged)


class Preference(TypedDict):
    """One of the things that a player can set, by its name in `preferences.PREFERENCES`."""

    name: str
    value: str
    words: Sequence[str]  # what it can be set to; none where there are too many


class Preferences(Account):
    """All that a player has set."""

    preferences: Sequence[Preference]


PREFERENCES = Kind("preferences", Preferences)


class Awake(Account):
    """Letters go to an address again, and nothing has happened meanwhile."""

    address: str


AWAKE = Kind("awake", Awake)


class Blocked(Account):
    """A player has blocked another one, or has ended that."""

    other: str
    on: bool


BLOCKED = Kind("blocked", Blocked)


class Measure(Account):
    """The operator has done something to an account or an address, or has undone it."""

    what: str  # suspend, resume, close, reopen, rename, ban or unban
    until: int  # 0: until it is undone
    about: str  # the new userid, or what is banned; else ""
    why: str  # the operator's words, or ""


MEASURE = Kind("measure", Measure)


class Paused(Account):
    """No letters go to an address for a while."""

    address: str
    by: str  # why: "asked" or "bounced"
    reason: str  # the words of a mail server, or ""
    until: int  # no clock runs for the player until then; 0: the clocks run
    server: str  # the address of this server
    elsewhere: bool  # the player has another address that letters go to


PAUSED = Kind("paused", Paused)


class Unreachable(Account):
    """Those who play with a player hear that letters do not arrive there."""

    ends: int  # no clock runs for the player until then


UNREACHABLE = Kind("unreachable", Unreachable)


class Vacation(Account):
    """A vacation was taken, or is over: then it ends where it begins."""

    begins: int
    ends: int
    mine: bool  # the reader's own
    board: int | None  # to the player for whom it was taken: why, because of this board
    left: int  # days that can be taken after it, where `board` is told
    standin: bool  # a house player takes the seat of who is late there


VACATION = Kind("vacation", Vacation)
