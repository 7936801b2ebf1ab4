"""Payloads of answers to emails, messages between players, and letters to the operator."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.boards import OnTurn, Utterance
from pbmserv.letters.payloads.letter import Kind


class Nothing(TypedDict):
    """The empty payload of a letter."""


BUG = Kind("bug", Nothing)
DOCTOR_ANSWERED = Kind("doctor_answered", Nothing)


class RefusedLine(TypedDict):
    """A refused command, with the code and the facts of its refusal."""

    line: str  # the line as read, without secrets; "" if there was no line
    code: str
    facts: Mapping[str, object]
    board: int | None  # the board concerned
    brief: NotRequired[bool]  # the reason is enough
    words_below: NotRequired[str]  # a move: "sent", "unsent", or "" for none
    on_turn: NotRequired[OnTurn]  # a move by the player on turn: a reply can be another one


REFUSED = Kind("refused", RefusedLine)


class Part(TypedDict):
    """A letter within the answer to several lines."""

    to: int | str | None  # as in `Letter`
    kind: str
    facts: Mapping[str, object]


class AnsweredLine(TypedDict):
    """One line of an email; `facts` if it was refused, else its letters."""

    line: str  # as in `RefusedLine`
    code: str  # of the refusal, "" if there is none
    facts: NotRequired[Mapping[str, object]]
    letters: NotRequired[Sequence[Part]]


class Lines(TypedDict):
    """The answer to an email of several lines; the template is given `WordedLine`s."""

    lines: Sequence[AnsweredLine]


class WordedLine(TypedDict):
    """A line as the template of `Lines` sees it."""

    line: str
    code: str
    facts: Mapping[str, object]
    letters: Sequence[object]  # as documents
    left_out: int  # the number of letters left out


LINES = Kind("lines", Lines)


class Unsure(TypedDict):
    """An email had no command, or was not a clear yes."""

    lines: Sequence[str]  # the lines found, without possible passwords
    word: str  # the only line that looked like a command, "" if none did
    nearest: str  # the command or the move that may be meant, or ""
    is_move: NotRequired[bool]  # `nearest` is a move
    resigns: NotRequired[bool]  # `nearest` is to leave the game
    rated: NotRequired[bool]  # then it counts for the ratings
    illegal: NotRequired[str]  # the bid that may be meant and is not legal now, or ""
    why: NotRequired[Mapping[str, object]]  # the `code` and the `facts` of its refusal
    subject_move: NotRequired[str]  # the move that is its Subject, which its text contradicts
    move_below_help: NotRequired[str]  # the move of its text, if its Subject asks for help
    move_below_stop: NotRequired[str]  # the same, if its Subject asks for no more letters
    reply: bool  # it answered a letter of a game: a reply with a move is possible
    board: NotRequired[int]  # the board of that letter
    unconfirmed: bool  # it answered a letter that asked for a yes
    language: NotRequired[str]  # the one that it asked for, which the new account has now
    is_player: bool  # the sender has an account
    opponents: NotRequired[Sequence[str]]  # players with whom the sender wants to begin a game
    challenger: NotRequired[str]  # the userid of the sender, or ""
    dice: NotRequired[int]  # of each player in that game; 0: as usual
    waiting: NotRequired[str]  # the account for which the sender's address was not confirmed yet
    invites: NotRequired[bool]  # the sender may want to play with somebody without an account
    moves: NotRequired[Sequence[str]]  # legal now, for a reply
    ones: NotRequired[str]  # "wild" or "plain", if a bid of ones is among them, or may be meant
    turn: NotRequired[str]  # the userid of another player who is on turn, or ""
    draw: NotRequired[bool]  # a draw on offer waits for the sender's answer
    invited: NotRequired[bool]  # the board is an invitation that waits for it
    declines: NotRequired[bool]  # the sender may decline the board, which has begun
    on_turn: NotRequired[OnTurn]  # the sender is on turn, or has dice and asks for help
    seated: NotRequired[bool]  # it is a yes of a player who has taken the seat
    page: NotRequired[str]  # of the manual, if it asks about a word of the rules
    helps: NotRequired[bool]  # it asks how to go on: nothing was misunderstood
    unmade: NotRequired[bool]  # the same, and a move is in it, which was not made
    yours: NotRequired[bool]  # the sender is on turn, and asks so
    resigned: NotRequired[bool]  # the sender leaves when the turn comes, and can take that back
    declined: NotRequired[bool]  # the same, without having taken the seat
    is_out: NotRequired[bool]  # the sender has no dice there
    away: NotRequired[bool]  # the words tell of a vacation
    leaves: NotRequired[bool]  # the words may mean that the sender wants to leave the game
    is_over: NotRequired[bool]  # the board of the answered letter is over
    winner: NotRequired[str]  # who won it, or ""
    not_begun: NotRequired[bool]  # the board is an invitation, or was one
    withdrawn: NotRequired[bool]  # the invitation was withdrawn
    beacon: NotRequired[int]  # the round of the beacon for which a call waits
    opens: NotRequired[int]  # when the cups open then
    stays: NotRequired[bool]  # the words want to take back a move, which cannot be done
    most: NotRequired[int]  # messages a day that need no command, if the sender has written so many
    ends: NotRequired[int]  # when messages need no command again, with `most`


UNSURE = Kind("unsure", Unsure)


class Stranger(TypedDict):
    """The one answer a day to an address of no player: what was wrong, and how to go on."""

    code: str  # of a refused command, "" if none was refused
    facts: Mapping[str, object]  # of the refusal
    line: str  # as in `RefusedLine`
    language: NotRequired[str]  # the one that the email asked for
    opponents: NotRequired[Sequence[str]]  # as in `Unsure`
    dice: NotRequired[int]  # as in `Unsure`
    waiting: NotRequired[str]  # as in `Unsure`


STRANGER = Kind("stranger", Stranger)


class CameBefore(TypedDict):
    """An email was recognized as a copy of an earlier one."""

    at: int  # when the earlier one was received
    state: str  # the state of the earlier one in the inbox


CAME_BEFORE = Kind("came_before", CameBefore)


class CommandRow(TypedDict):
    """A command in the list of all; `about` is a sentence in English, translated by rendering."""

    usage: str
    about: str
    by_mail: bool


class CommandHelp(TypedDict):
    """A command's page; its paragraphs and the meanings of its options are sentences, too."""

    usage: str
    paragraphs: Sequence[str]
    options: Sequence[tuple[str, str]]  # as players write them, and their meanings
    spellings: Sequence[str]
    example: str
    at_shell: str  # the example, if it is typed otherwise at a shell
    hides: bool  # the example has a - in place of a password


class Help(TypedDict):
    """A page of the manual: a written one by its name, or one about commands with its rows."""

    subject: str
    written: NotRequired[str]
    command: NotRequired[CommandHelp]
    commands: NotRequired[Sequence[Sequence[CommandRow]]]  # the server's, then each game's
    with_json: NotRequired[Sequence[str]]  # commands whose answer a shell can print as JSON
    pages: NotRequired[Sequence[str]]  # the subjects of all pages, where they are listed
    page: NotRequired[str]  # the text of the page, from an older version


HELP = Kind("help", Help)

Message = TypedDict("Message", {"from": str, "text": str, "to_all": bool})
"""A player's message to another, or to all; `from` is a userid."""

MESSAGE = Kind("message", Message)


class Report(TypedDict):
    """Told to the operator: what was said at a board that a player reports."""

    board: int
    by: str
    names: Sequence[str]
    text: str  # the words of the reporting player, or ""
    talk: Sequence[Utterance]


REPORT = Kind("report", Report)


class MessageSent(TypedDict):
    """The receipt for the writer of a message."""

    to: Sequence[str]  # userids; empty for a message to all
    count: int  # of readers
    text: str
    last: NotRequired[int]  # a newcomer's limit a day, if this was the last message of it


MESSAGE_SENT = Kind("message_sent", MessageSent)


class WordsLeftOut(TypedDict):
    """Text below a command was not sent to the others.

    Without reasons all of it was quoted.  The reasons are those of `intake/stray_passwords.py`, and
    `rest` is whether the other lines were sent.
    """

    board: int  # 0 if it is about no board
    reasons: NotRequired[Sequence[str]]
    rest: NotRequired[bool]


WORDS_LEFT_OUT = Kind("words_left_out", WordsLeftOut)


class Doctor(TypedDict):
    """A letter to the operator, with which the doctor tests sending and receiving."""

    address: str  # the server's own


DOCTOR = Kind("doctor", Doctor)


class Noted(TypedDict):
    """An event for the operator, perhaps repeated."""

    about: str  # what it happened to
    why: str  # the words of a program, or ""
    count: int
    last_at: int


class IncidentSection(TypedDict):
    """All events of one kind; `more` counts those without a row."""

    kind: str  # one of `operator_alerts.Kind`
    count: int
    rows: Sequence[Noted]
    more: int


class Incidents(TypedDict):
    """The alerts to the operator."""

    sections: Sequence[IncidentSection]


INCIDENTS = Kind("incidents", Incidents)
