"""Links in letters that open a finished answer, which the reader only has to send.

The answer carries the letter's token: in the address, or in the Subject if the server has no plus
addresses.  Its text is one word and the mark of a signature.  So nobody gets the text that a mail
program puts below it.  `mail/subject_tokens.py` reads the token in a Subject again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import quote

from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.move_parser import is_action
from pbmserv.security.credentials import with_open_end, words_without

CHAT, CONFIRM, LEAVE = "chat", "confirm", "resign"
STOP = "stop"  # a command that asks for no more letters
GUEST_ANSWERS = ("yes", "no", "never")  # to an invitation by address
_QUESTIONS = {"help", "list"}  # the first words of commands that only ask
_OF_GAME = {"advise", "record", "show", "verify"}  # the same, behind the word of the game
PASSWORD = "PASSWORD"  # noqa: S105 - in a command of a button, where its token goes
_PLUS = "plus"
Parts: TypeAlias = tuple[str, ...]
"""A link in parts, because many links have a part in common."""
_SIGNATURE = "\n-- \n"  # RFC 3676, 4.3
_is_action = lru_cache(maxsize=1024)(is_action)


@dataclass(frozen=True, slots=True)
class ReplyLink:
    """The address, the Subject and the text of an email that a link opens."""

    address: str
    subject: str
    body: str

    @property
    def href(self) -> str:
        """The link (RFC 6068).

        Everything but letters and digits is encoded, the plus as %2B: some programs take a bare one
        for a blank.
        """
        return _opening(self.address, self.subject) + _quoted_lines(self.body)


def _opening(address: str, subject: str) -> str:
    """A link up to its text."""
    to = "%2B".join([quote(part, safe="@") for part in address.split("+")])  # quotes it faster
    return f"mailto:{to}?subject={_quoted_subject(subject)}&body="


@lru_cache(maxsize=256)  # the letters of a move share it
def _quoted_subject(subject: str) -> str:
    return quote(subject)


@lru_cache(maxsize=1024)  # the letters of a game share their words
def _quoted_lines(body: str) -> str:
    return quote(body.replace("\n", "\r\n"), safe="")


def reply_link(
    word: str,
    *,
    address: str,
    token: str,
    replies: str,
    subject: str,
    move: int | None = None,
    is_short: bool = False,
) -> ReplyLink:
    """The link by which the reader of a letter answers with one word.

    `word` is a move, `accept`, `reject`, `decline`, `rematch` or `chat`.  Letters that ask for it
    have `confirm` or an answer of GUEST_ANSWERS. "" leaves the first line to the reader.  `address`
    is the server's, `replies` its setting, `token` and `subject` are the letter's.  `move` is the
    number that a move must have; other words have none.  `resign` has none either: it may answer a
    letter some moves old (`boards/newest_letter.py`).  `is_short`: the link is one of many, so it
    has no "Re:" and no empty line.
    """
    if replies == _PLUS or not _is_command(word):
        to, subject = _to(address, token, replies, subject, is_short=is_short)
        return ReplyLink(to, subject, _answer(word, move, is_short=is_short))
    if word == CONFIRM:
        return command_link(f"{CONFIRM} {token}", address=address)
    return command_link(f"perudo rsvp {token} {word}", address=address)


def _is_command(word: str) -> bool:
    """Whether a word is a command where the address has no token."""
    return word == CONFIRM or word.partition(" ")[0] in GUEST_ANSWERS


def _to(address: str, token: str, replies: str, subject: str, *, is_short: bool) -> tuple[str, str]:
    """The address and the Subject of the replies to a letter."""
    if not is_short:
        subject = f"Re: {subject}"
    if replies != _PLUS:
        return address, f"{subject} {token}"
    local, _, domain = address.rpartition("@")
    return f"{local}+{token.lower()}@{domain}", subject


def _answer(word: str, move: int | None, *, is_short: bool) -> str:
    """The text of a reply with a word."""
    end = _SIGNATURE if is_short else f"\n{_SIGNATURE}"
    if word == CHAT:
        return f"{word}\n\n{_SIGNATURE}"  # a line for the reader's own words
    if move is not None and _is_action(word) and word != LEAVE:
        return f"{word} #{move}{end}"
    return f"{word}{end}"


@lru_cache(maxsize=64)  # the links of a letter share it
def _reply_opening(address: str, token: str, replies: str, subject: str, is_short: bool) -> str:
    """The link of a reply up to its text."""
    return _opening(*_to(address, token, replies, subject, is_short=is_short))


@lru_cache(maxsize=1024)  # the letters of a game share their words
def _quoted_answer(word: str, move: int | None, is_short: bool) -> str:
    """The text of a reply at the end of its link."""
    return _quoted_lines(_answer(word, move, is_short=is_short))


def command_link(command: str, *, address: str) -> ReplyLink:
    """The link that sends a command in the Subject, such as `help set`."""
    return ReplyLink(address, command, f"\n{_SIGNATURE}")


@lru_cache(maxsize=256)  # the letters of a board share them
def _command_href(command: str, address: str) -> str:
    return command_link(command, address=address).href


@lru_cache(maxsize=256)
def _is_question(command: str, of_board: bool) -> bool:
    """Whether a command only asks, so that it changes nothing; with `of_board`, of a board too."""
    first, second, *_ = *command.split(" "), ""
    return first in _QUESTIONS or (first == "perudo" and second in _OF_GAME and of_board)


@dataclass(frozen=True, slots=True)
class LetterLinks:
    """What the links of a letter open; the fields are the arguments of `reply_link`."""

    address: str
    token: str
    replies: str
    subject: str
    move: int | None = None
    is_short: bool = False
    unsubscribe: str = ""  # the letter's own address for it, with its Subject
    has_many: bool = False  # the letter is about several boards
    boards: Mapping[int, LetterLinks] = field(default_factory=dict)  # of a letter about several
    # The token for a command without PASSWORD, and the moment until which it works.
    key: Callable[[str, int], str] | None = None

    def of_board(self, board: int | None) -> LetterLinks:
        """The links about one of several boards, which has a token of its own."""
        return self if board is None else self.boards.get(board, self)

    @property
    def reply(self) -> Callable[[str], Parts] | None:
        """Makes the link that answers with a word; None if the letter has no token."""
        return self._reply if self.token else None

    def _reply(self, word: str) -> Parts:
        """As `reply_link`; the links of a letter share one part, and those of others the other."""
        address, token, replies, subject = self.address, self.token, self.replies, self.subject
        if replies != _PLUS and _is_command(word):
            link = reply_link(word, address=address, token=token, replies=replies, subject=subject)
            return (link.href,)
        begin = _reply_opening(address, token, replies, subject, self.is_short)
        return begin, _quoted_answer(word, self.move, self.is_short)

    def command(self, command: str) -> Parts:
        """The link that sends a command; `stop` goes where the letter's own List-Unsubscribe does.

        Such an email proves that its sender has the letter, and any other one would be asked about.
        So a question is the first line of a reply, if the letter has a token.  Few emails that
        prove nothing are answered.  A letter about several boards has room for
        short links alone.
        """
        if command == STOP and self.unsubscribe:
            return (f"mailto:{self.unsubscribe}",)
        if self.token and _is_question(command, not self.has_many):
            return self._reply(command)
        return (_command_href(command, self.address),)

    @property
    def press(self) -> Callable[[str, int, bool], str] | None:
        """Makes the link of a command with a token instead of PASSWORD.

        None if the letter does not go to an address of the player whom its commands name.
        """
        return self._press if self.key else None

    def _press(self, command: str, until: int, is_open: bool) -> str:
        assert self.key is not None
        words = words_without(command.split(" "), PASSWORD)
        token = self.key(with_open_end(words) if is_open else words, until)
        return command_link(command.replace(PASSWORD, token, 1), address=self.address).href
