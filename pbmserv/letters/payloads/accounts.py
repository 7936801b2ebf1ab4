"""Payloads about accounts: signup and end, addresses, preferences and vacations."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.letter import Kind


class Account(TypedDict):
    """A letter about an account that needs only its userid."""

    userid: str


PASSWORD_CHANGED = Kind("password_changed", Account)
RESET_ASKED = Kind("reset_asked", Account)  # does not say whether the account exists
SIGNED_OFF = Kind("signed_off", Account)


class SignedUp(Account):
    """An account was created."""

    addresses: Sequence[str]
    waiting: bool  # for the confirmation of an address
    folder: NotRequired[str]  # where the letters stay on this machine; "" if they leave it


SIGNED_UP = Kind("signed_up", SignedUp)


class PauseAsked(TypedDict):
    """An email that proves nothing asked for no more letters to an address."""

    address: str


PAUSE_ASKED = Kind("pause_asked", PauseAsked)


class Asking(Account):
    """The reader of an address is asked whether it belongs to the account."""

    address: str
    token: str


class AskingNew(Asking):
    """The reader of an address is asked the same for an account that was just created."""

    proven: bool  # the reader has proven to be the one who asked: any reply is a yes
    last: NotRequired[bool]  # no other such letter goes to the address for a day
    again: NotRequired[bool]  # it was asked for this account before
    others: NotRequired[Sequence[str]]  # the accounts that the address has


CONFIRM = Kind("confirm", AskingNew)
CONFIRM_ADDRESS = Kind("confirm_address", Asking)  # a new address of an old account


class Confirmed(Account):
    """An address is confirmed."""

    address: str
    is_new: bool  # the first one: the account can be used from now on
    language: str  # what the player has set, and can change
    timezone: str
    format: str
    languages: Sequence[str]  # that can be set
    used: NotRequired[int]  # when it was confirmed before, if it was


CONFIRMED = Kind("confirmed", Confirmed)


class AnsweredElsewhere(TypedDict):
    """A letter's token was used in an email that is from no confirmed address of its player."""

    board: int
    address: str  # "" for a shell of the server
    command: str  # the name of the command


ANSWERED_ELSEWHERE = Kind("answered_elsewhere", AnsweredElsewhere)


class WithToken(Account):
    """A request that is confirmed with a token that only this letter has."""

    token: str


RESET = Kind("reset", WithToken)
SIGNOFF = Kind("signoff", WithToken)


class AddressTold(Account):
    """Told at the old addresses: new ones are to replace them, or have replaced them."""

    addresses: Sequence[str]  # the new ones
    token: str  # agrees to it; "" if no agreement is needed


ADDRESS_TOLD = Kind("address_told", AddressTold)


class AddressesChanged(Account):
    """Told to the player who changes the addresses of an account: the next step."""

    addresses: Sequence[str]
    waiting: str  # for the reader of an "old" address, of a "new" one, or "" for nobody


ADDRESSES_CHANGED = Kind("addresses_changed", AddressesChanged)


class Preference(TypedDict):
    """A preference of a player, by its name in `preferences.PREFERENCES`."""

    name: str
    value: str
    words: Sequence[str]  # the allowed values; empty if they are too many


class Changed(TypedDict):
    """A preference that a player has just set; the two values may be equal."""

    name: str
    before: str
    value: str


class Preferences(Account):
    """All preferences of a player, and what was set just now: then the letter tells that alone."""

    preferences: Sequence[Preference]
    changed: NotRequired[Sequence[Changed]]


PREFERENCES = Kind("preferences", Preferences)


class Language(TypedDict):
    """How to change the language of letters, for somebody who asked about it."""

    userid: str  # "" for somebody without an account
    language: str  # of the player's letters, or ""
    wanted: str  # the language that was asked for: the letter is in it
    languages: Sequence[str]
    of_board: bool  # the question was in reply to a letter about a board
    draw: NotRequired[bool]  # the offer of a draw there waits for the player's answer
    invited: NotRequired[bool]  # an invitation to that board does


LANGUAGE = Kind("language", Language)


class Awake(Account):
    """An address gets letters again, and there is no news from the time between."""

    address: str


AWAKE = Kind("awake", Awake)


class Blocked(Account):
    """A player has blocked another player, or has ended the block."""

    other: str
    on: bool


BLOCKED = Kind("blocked", Blocked)


class Measure(Account):
    """The operator has acted on an account or an address, or has undone that."""

    what: str  # suspend, resume, close, reopen, rename, ban or unban
    until: int  # 0: until it is undone
    about: str  # the new userid, or what is banned; else ""
    why: str  # the operator's words, or ""


MEASURE = Kind("measure", Measure)


class Paused(Account):
    """An address gets no letters for a while."""

    address: str
    by: str  # the reason: "asked" or "bounced"
    reason: str  # the words of a mail server, or ""
    until: int  # the player's clocks are stopped until then; 0: they run
    server: str  # the address of this server
    elsewhere: bool  # the player has another address that gets letters


PAUSED = Kind("paused", Paused)


class PlayerUnreachable(Account):
    """Told to a player's opponents: letters to that player cannot be delivered, or can again."""

    ends: int  # the player's clocks are stopped until then
    over: NotRequired[bool]  # letters arrive again, and the clocks run


UNREACHABLE = Kind("unreachable", PlayerUnreachable)


class Vacation(Account):
    """A vacation was taken or ended; if it was ended, `ends` equals `begins`."""

    begins: int
    ends: int
    planned: NotRequired[bool]  # it begins later than this letter
    mine: bool  # the reader's own
    board: int | None  # only for the player: the board that was the reason to take it
    left: int  # days of vacation left after it, if `board` is given
    standin: bool  # a bot takes the seat of a late player at that board


VACATION = Kind("vacation", Vacation)
