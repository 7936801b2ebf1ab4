"""Links in letters that open an answer, complete but for being sent.

The answer carries the letter's token: in the address, or in the Subject if the server has no plus
addresses.  Its text is one word and the mark of a signature, so that what a mail program puts below
it goes to nobody.  `mail/subject_tokens.py` reads the token in a Subject again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from pbmserv.games.perudo.move_parser import is_action

CHAT, CONFIRM, LEAVE = "chat", "confirm", "resign"
GUEST_ANSWERS = ("yes", "no", "never")  # to an invitation by address
_PLUS = "plus"
_SIGNATURE = "\n-- \n"  # RFC 3676, 4.3


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
        text = quote(self.body.replace("\n", "\r\n"), safe="")
        return f"mailto:{quote(self.address, safe='@')}?subject={quote(self.subject)}&body={text}"


def reply_link(
    word: str, *, address: str, token: str, replies: str, subject: str, move: int | None = None
) -> ReplyLink:
    """The link by which the reader of a letter answers with one word.

    `word` is a move, `accept`, `reject`, `decline`, `rematch` or `chat`; `confirm`, or an answer of
    GUEST_ANSWERS, for the letters that ask for these; "" leaves the first line to the reader.
    `address` is the server's, `replies` its setting, `token` and `subject` are the letter's.
    `move` is the number that a move must have; other words have none, and neither has `resign`,
    which may answer a letter some moves old (`boards/newest_letter.py`).
    """
    text = f"{word}\n{_SIGNATURE}"
    if word == CHAT:
        text = f"{word}\n\n{_SIGNATURE}"  # a line for the reader's own words
    elif move is not None and is_action(word) and word != LEAVE:
        text = f"{word} #{move}\n{_SIGNATURE}"
    if replies == _PLUS:
        local, _, domain = address.rpartition("@")
        return ReplyLink(f"{local}+{token.lower()}@{domain}", f"Re: {subject}", text)
    if word == CONFIRM:
        return command_link(f"{CONFIRM} {token}", address=address)
    if word.partition(" ")[0] in GUEST_ANSWERS:
        return command_link(f"perudo rsvp {token} {word}", address=address)
    return ReplyLink(address, f"Re: {subject} {token}", text)


def command_link(command: str, *, address: str) -> ReplyLink:
    """The link that sends a command in the Subject, such as `help set`."""
    return ReplyLink(address, command, f"\n{_SIGNATURE}")


@dataclass(frozen=True, slots=True)
class LetterLinks:
    """What the links of a letter open; the fields are the arguments of `reply_link`."""

    address: str
    token: str
    replies: str
    subject: str
    move: int | None = None

    @property
    def reply(self) -> Callable[[str], str] | None:
        """Makes the link that answers with a word; None if the letter has no token."""
        return self._reply if self.token else None

    def _reply(self, word: str) -> str:
        return reply_link(
            word,
            address=self.address,
            token=self.token,
            replies=self.replies,
            subject=self.subject,
            move=self.move,
        ).href

    def command(self, command: str) -> str:
        """The link that sends a command."""
        return command_link(command, address=self.address).href
