"""Mails: answers to what was sent in, messages between players, letters to the operator."""

from collections.abc import Mapping, Sequence
from typing import NotRequired, TypedDict

from pbmserv.letters.payloads.boards import Utterance
from pbmserv.letters.payloads.letter import Kind


class Nothing(TypedDict):
    """A letter whose words say all."""


BUG = Kind("bug", Nothing)
DOCTOR_ANSWERED = Kind("doctor_answered", Nothing)


class RefusedLine(TypedDict):
    """Why a command was refused; of the code and its facts wording makes `why`."""

    line: str  # what was read, secrets left out; "" where there was no line
    code: str
    facts: Mapping[str, object]
    board: int | None  # that it is about


REFUSED = Kind("refused", RefusedLine)


class Part(TypedDict):
    """A letter within the answer to many lines."""

    to: int | str | None  # as in `Letter`
    kind: str
    facts: Mapping[str, object]


class Line(TypedDict):
    """One line of a mail; `facts` where it was refused, its letters where it was not."""

    line: str  # as in `RefusedLine`
    code: str  # why it was refused, "" where it was not
    facts: NotRequired[Mapping[str, object]]
    letters: NotRequired[Sequence[Part]]


class Lines(TypedDict):
    """The answer to a mail of several lines; what the template is given are worded ones."""

    lines: Sequence[Line]


class WordedLine(TypedDict):
    """A line as the template of `Lines` sees it."""

    line: str
    ok: bool  # it was not refused
    text: str  # why it was, or its letters
    left_out: int  # letters that had no room


LINES = Kind("lines", Lines)


class Unsure(TypedDict):
    """A mail held no command, or was no plain yes."""

    lines: Sequence[str]  # what was found in it, without what may be a password
    word: str  # the only one that looked like a command, "" if there is none
    nearest: str  # the command that this may have meant, or ""
    reply: bool  # it answered a game letter: a reply with a move does
    unconfirmed: bool  # it answered a letter that asked for a yes
    is_player: bool  # its writer has an account


UNSURE = Kind("unsure", Unsure)


class Stranger(TypedDict):
    """The one answer of a day to an address that is no player's: what was wrong, how to go on."""

    code: str  # why a command was refused, "" where none was
    facts: Mapping[str, object]  # of the refusal
    line: str  # as in `RefusedLine`


STRANGER = Kind("stranger", Stranger)


class CameBefore(TypedDict):
    """A mail was taken for a copy of one that came before."""

    at: int  # when that one came
    state: str  # what became of it: one of the inbox's states


CAME_BEFORE = Kind("came_before", CameBefore)


class Help(TypedDict):
    """A page of the manual: as it is, or which written one, in the reader's language."""

    subject: str
    page: NotRequired[str]
    written: NotRequired[str]


HELP = Kind("help", Help)

Message = TypedDict("Message", {"from": str, "text": str, "to_all": bool})
"""One player's words to another, or to all; `from` is a userid."""

MESSAGE = Kind("message", Message)


class Report(TypedDict):
    """The operator hears what was said at a board, as one of its players wants."""

    board: int
    by: str
    names: Sequence[str]
    text: str  # of the player who reports, or ""
    talk: Sequence[Utterance]


REPORT = Kind("report", Report)


class MessageSent(TypedDict):
    """What the writer of a message is told."""

    to: Sequence[str]  # userids; none for a message to all
    count: int  # of readers
    text: str


MESSAGE_SENT = Kind("message_sent", MessageSent)


class WordsLeftOut(TypedDict):
    """All that stood below a command was quoted, so that nothing of it went to the others."""

    board: int


WORDS_LEFT_OUT = Kind("words_left_out", WordsLeftOut)


class Doctor(TypedDict):
    """A letter to the operator by which the doctor sees that mail goes out and comes in."""

    address: str  # the server's own


DOCTOR = Kind("doctor", Doctor)


class Noted(TypedDict):
    """Something that happened, perhaps more than once."""

    about: str  # the name of what it happened to
    why: str  # what a program said, or ""
    count: int
    last_at: int


class Section(TypedDict):
    """All of one kind; `more` counts those that have no row."""

    kind: str  # one of `incidents.KINDS`
    count: int
    rows: Sequence[Noted]
    more: int


class Incidents(TypedDict):
    """What the operator should know of."""

    sections: Sequence[Section]


INCIDENTS = Kind("incidents", Incidents)
