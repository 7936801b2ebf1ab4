"""Laws of every possible email: functions of bytes, for tests and for the fuzzer.

Each law takes any bytes and uses them.  It fails by an AssertionError, or by the exception that a
bug of ours raises.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from contextlib import ExitStack, suppress
from functools import cache

from pbmserv.commands.calls import prepared
from pbmserv.commands.email_parser import MOST_LINES, AnsweredBoard, read_mail
from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.options import parted
from pbmserv.commands.parser import CommandCall, read_line
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import read_action, read_position, read_view
from pbmserv.games.perudo.record import read_record
from pbmserv.games.perudo.referee import referee
from pbmserv.games.perudo.verify import verify
from pbmserv.intake.excerpt import LONGEST_LINE, lines_found
from pbmserv.intake.kept_emails.stored_mail import without_passwords
from pbmserv.intake.password_redaction import without_commands
from pbmserv.intake.replies.affirmation import says_yes
from pbmserv.intake.replies.greetings import ungreeted
from pbmserv.mail.addresses import MOST_REFERENCES, MOST_TOKENS, addresses, message_ids, tokens
from pbmserv.mail.attribution import is_quoted
from pbmserv.mail.charsets import decode, transferred
from pbmserv.mail.encoded_words import decoded, encoded
from pbmserv.mail.envelope import found_in_mailbox
from pbmserv.mail.format_flowed import unflowed
from pbmserv.mail.headers import LARGEST_HEADER, MOST_HEADERS, parameters, read_headers
from pbmserv.mail.html_text import plain_text
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.reading import read
from pbmserv.text.subject_prefixes import bare_subject
from tests.mail.hostile import Readers, about_writer, readers
from tests.mail.typed_text import typed_lines
from tests.stories.town import PASSWORD

OWN = "perudo@perudo.example"
REPLY = AnsweredBoard(12, "T" * 32)


def mail(data: bytes) -> None:
    """Every email is read; nothing in it could pass for a second line, or for a quotation."""
    found = read(data, envelope_sender=None, recipient=OWN, own=OWN, authserv_id="mx.example")
    for text in (found.sender, found.subject, found.message_id, found.automatic):
        assert "\n" not in text
        assert "\r" not in text
        assert "\0" not in text
    assert found.message_id
    assert len(found.tokens) <= MOST_TOKENS
    assert len(found.references) <= MOST_REFERENCES + 1
    for line in found.typed:
        assert "\n" not in line
        assert "\r" not in line
        assert not is_quoted(line)
    again = read(data, envelope_sender=None, recipient=OWN, own=OWN, authserv_id="mx.example")
    assert again == found
    assert about_writer(again) == about_writer(found)
    _understood(found.subject, found.typed)


def _understood(subject: str, typed: tuple[str, ...]) -> None:
    spoken = ungreeted(typed, vocabulary(), reads_as_move)
    for reply in (None, REPLY):
        asked = read_mail(subject, spoken, reply, vocabulary(), reads_as_move)
        assert len(asked.lines) <= MOST_LINES
        message = without_commands(asked.message)
        assert not any(is_quoted(line) for line in message.split("\n"))
        for line in asked.lines:
            if isinstance(line, CommandCall):
                _prepared(line)


def _prepared(call: CommandCall) -> None:
    with suppress(Refused):
        prepared(call)


def headers(data: bytes) -> None:
    """A header section within its limits; each value is one line."""
    head, body = read_headers(data.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    assert body in data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    assert sum(len(values) for values in head.values.values()) <= MOST_HEADERS
    for name, values in head.values.items():
        assert all(len(value) <= LARGEST_HEADER for value in values)
        assert "\n" not in head.text(name)
        for value in head.all(name):
            assert "\n" not in value
            kind, given = parameters(value)
            assert ";" not in kind
            transferred(data, value)
            decode(data, given.get("charset", value))
            for address in addresses(value):
                assert "@" in address
                assert address.isprintable()
            tokens([value], message_ids(value))


def words(data: bytes) -> None:
    """Encoded words are undone; what we write ourselves is read again as it was meant."""
    text = data.decode("utf-8", "replace")
    decoded(text)
    one_line = " ".join(text.replace("\0", "").split())
    assert decoded(encoded(one_line).replace("\r\n", "")) == one_line


def unflow(data: bytes) -> None:
    """Unflowing joins lines: it makes none, and loses nothing but blanks and quote marks."""
    lines = data.decode("utf-8", "replace").replace("\r", "").split("\n")
    for deleting in (False, True):
        out = unflowed(lines, deleting)
        assert len(out) <= len(lines)
        assert _inked(out) == _inked(lines)
        marked = any(line.lstrip(" ").startswith(">") for line in lines)
        assert marked or not any(line.startswith(">") for line in out)


def _inked(lines: list[str]) -> str:
    return "".join("".join(line.lstrip(">").split(" ")) for line in lines).replace(">", "")


def html(data: bytes) -> None:
    """A page comes out as lines of text; its tags do not, nor does what they quote, unmarked."""
    page = data.decode("utf-8", "replace").replace("\r", "")
    for line in plain_text(page):
        assert "\n" not in line
    marked = plain_text(f"<blockquote>{page.replace('<', '').replace('&', '')}</blockquote>")
    assert all(line.startswith(">") or not line.strip() for line in marked)


def quotes(data: bytes) -> None:
    """What was typed was there, in that order, and bore no mark of a quotation."""
    lines = data.decode("utf-8", "replace").replace("\r", "").split("\n")
    typed = typed_lines(lines)
    assert not any(is_quoted(line) for line in typed)
    assert not typed or (typed[0] and typed[-1])
    letters = iter("".join(lines).replace(" ", ""))
    assert all(character in letters for character in "".join(typed).replace(" ", ""))


def parser(data: bytes) -> None:
    """Any line is a command, no command, or nothing; any command is carried out or refused."""
    lines = data.decode("utf-8", "replace").split("\n")
    for line in lines[:MOST_LINES]:
        call = read_line(line, vocabulary())
        if isinstance(call, CommandCall):
            _prepared(call)
        try:
            parted(line.split())
        except Refused as refusal:
            assert refusal.code == "unreadable_number"
    for line in lines_found("", lines, vocabulary(), reads_as_move):
        assert len(line) <= 3 * LONGEST_LINE  # short words and blanked ones take turns
    _understood(lines[0], typed_lines(lines[1:]))


def affirmation(data: bytes) -> None:
    """Any lines say yes or not; with a doubt added they do not."""
    lines = data.decode("utf-8", "replace").replace("\r", "").split("\n")
    yes = says_yes(lines)
    assert yes or not says_yes(lines, in_words=True)
    assert not says_yes(["no", *lines])
    bare_subject(lines[0])


@cache
def _app() -> Readers:
    """A home for the life of the process: it takes longer to build than an email to read."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack.enter_context(readers())


def request_reader(data: bytes) -> None:
    """An email is read in every way there is, and what is kept of it holds no password."""
    for read_so in _app().ways().values():
        read_so(data)
    raw = f"Subject: perudo move 1 ann {PASSWORD} 4-2s\r\n\r\n".encode() + data
    town = _app().town
    opened = town.processor.request_reader.open(IncomingMail(raw, "a@b", OWN, "smtp"), town.now)
    assert PASSWORD.encode() not in without_passwords(opened).raw.split(b"\r\n\r\n")[0]


def record(data: bytes) -> None:
    """Every file is a record or a position that can be judged, or it is refused."""
    text = data.decode("utf-8", "replace")
    referee(text, "record.txt")
    with suppress(Refused):
        verify(read_record(text))
    for line in text.split("\n")[:MOST_LINES]:
        for read_so in (read_position, read_view, read_action):
            with suppress(Refused):
                read_so(line)
    found_in_mailbox(data, "imap", OWN)


Law = Callable[[bytes], None]
LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        mail,
        headers,
        words,
        unflow,
        html,
        quotes,
        parser,
        affirmation,
        request_reader,
        record,
    )
}
