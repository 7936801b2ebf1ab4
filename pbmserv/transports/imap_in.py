"""Fetch email from a mailbox at a provider by IMAP (RFC 3501).

Plain IMAP4rev1 is enough.  If the server has IDLE (RFC 2177), it announces new email.  If it has
MOVE (RFC 6851) or UIDPLUS (RFC 4315), processed emails move to their own folder.  A keyword
distinguishes them from emails that a person has read.  So they are moved in the end, even after a
crash. imap-tools names folders and handles IDLE.  Its functions to fetch, flag and move are not
used.  They parse emails with the standard library, and expunge emails that others marked.
"""

from __future__ import annotations

import imaplib
import re
import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic

from imap_tools import ImapToolsError
from imap_tools.errors import UnexpectedCommandStatusError

from pbmserv.errors import Misconfigured, TryLater
from pbmserv.mail.incoming import IMAP
from pbmserv.settings import Settings
from pbmserv.text.printable import printable
from pbmserv.transports.bounded_connection import BoundedConnection
from pbmserv.transports.endpoint import host_and_port
from pbmserv.transports.imap_connection import BoundedMailBox, last_words
from pbmserv.transports.imap_folders import Folders, quoted
from pbmserv.transports.mailbox_poller import StopSignal, UnreadableEmail

TIMEOUT = 60.0  # seconds that a provider may take for one of our requests
MOST_HEARD = 4 * 1024 * 1024  # bytes that it may send then, besides an email
LONGEST_IDLE = 240.0  # seconds; home routers drop an idle connection after five minutes
DONE = "pbmserv-done"  # a keyword; those that begin with $ are for everybody's use (RFC 5788)
_TOGETHER = 64  # emails that are moved by one command; a line must not become too long
_GOODBYE = 2.0  # seconds that a provider may take for the logout
_BABBLE = (
    imaplib.IMAP4.error, ImapToolsError, OSError, EOFError,
    ArithmeticError, AttributeError, LookupError, MemoryError, TypeError, ValueError,
)  # fmt: skip
"""The exceptions of imaplib and imap-tools for broken connections and servers that violate IMAP."""
_TLS_BREAKS = (ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError)  # the network
_PASSING = re.compile(r"\[(UNAVAILABLE|INUSE|LIMIT|SERVERBUG|CONTACTADMIN)", re.IGNORECASE)


class ImapMailbox:
    """One mailbox at a provider, as the settings `imap…` name it.

    `context` verifies the server's certificate (None: by the system's authorities).  `timeout` is
    in seconds and limits all responses during one method call.
    """

    transport = IMAP

    def __init__(
        self,
        settings: Settings,
        context: ssl.SSLContext | None = None,
        timeout: float = TIMEOUT,
    ) -> None:
        self._settings = settings
        self._context = context
        self._timeout = timeout
        self._dialogue = BoundedConnection()
        self._box: BoundedMailBox | None = None
        self._abilities: frozenset[str] = frozenset()
        self._done = self._odd = ""
        self._moves = self._keeps_keywords = self._looks_back = False
        self._to_move: list[str] = []
        self.name = f"imap {settings.imap_user} at {settings.imap}, {settings.imap_folder}"

    def new(self) -> Sequence[str]:
        """The numbers (UIDs) of the emails that are neither seen nor deleted."""
        with self._talking():
            box = self._opened()
            box.client.response("EXISTS")  # this search also finds what was announced before it
            return sorted(box.uids("UNSEEN UNDELETED", charset=None), key=int)

    def read(self, mail: str, most: int) -> bytes | None:
        """An email's first `most` bytes, without marking it as seen."""
        with self._talking(most):
            answer, parts = self._opened().client.uid("FETCH", mail, f"(BODY.PEEK[]<0.{most}>)")
        if answer != "OK":
            if _PASSING.search(said := self._without_password(last_words(parts))):
                raise TryLater(said)
            raise UnreadableEmail(f"the server does not return it: {said}")
        for part in parts:
            if isinstance(part, tuple):
                return bytes(part[1])
        if any(parts):
            raise UnreadableEmail("the server gives it without its text")
        return None

    def mark_done(self, mails: Sequence[str]) -> None:
        """Mark emails as seen, and for the later move."""
        numbers = ",".join(mails)
        with self._talking():
            self._opened()
            if self._keeps_keywords:
                self._remember(numbers)
            self._flag(numbers, r"(\Seen)")
            if self._moves:
                self._to_move += mails

    def _remember(self, numbers: str) -> None:
        """Set our keyword; a server may refuse a further keyword, and then the emails have none."""
        try:
            self._opened().client.uid("STORE", numbers, "+FLAGS", f"({DONE})")
        except imaplib.IMAP4.abort:
            raise
        except imaplib.IMAP4.error:  # it answered BAD
            self._keeps_keywords = False

    def clear_away(self) -> None:
        """Move processed emails to their folder, if there is one and the server can.

        Emails that an earlier connection left are searched once, if the server stores keywords.  An
        email that somebody moves back later, to mark it as unread, stays until then.
        """
        with self._talking():
            box = self._opened()
            if self._looks_back:
                left = box.uids(f"SEEN KEYWORD {DONE} UNDELETED", charset=None)
                self._to_move = sorted({*left, *self._to_move}, key=int)
                self._looks_back = False
            while self._to_move:
                self._move(",".join(self._to_move[:_TOGETHER]), self._done)
                del self._to_move[:_TOGETHER]

    def put_aside(self, mail: str) -> str:
        """Move an unseen email to the quarantine folder; if that fails, copy it there."""
        with self._talking():
            if self._can_move:
                self._move(mail, self._odd)
            else:
                self._command("COPY", mail, quoted(self._odd))
                self._flag(mail, r"(\Seen)")
        return self._odd

    def wait(self, stop: StopSignal) -> None:
        """Wait for an announcement of new email; without IDLE, for the interval in the settings."""
        with self._talking():
            client = self._opened().client
            if not self._begins_to_idle():
                stop.wait(self._settings.imap_seconds)
                return
            if client.response("EXISTS")[1] == [None]:  # nothing arrived between search and IDLE
                self._dialogue.begin(LONGEST_IDLE + self._timeout, MOST_HEARD)
                self._idle(stop, client.sock.fileno())
                self._dialogue.begin(self._timeout, MOST_HEARD)
            self._opened().idle.stop()  # type: ignore[no-untyped-call]  # imap-tools leaves it so

    def close(self) -> None:
        """Log out if the server still responds."""
        box, self._box = self._box, None
        if box is not None:
            with suppress(Exception):  # its answer does not matter
                self._dialogue.begin(_GOODBYE, MOST_HEARD)
                box.logout()
            with suppress(Exception):
                box.client.shutdown()

    def hurry(self, seconds: float) -> None:
        """End every conversation with the provider within so many seconds."""
        self._dialogue.hurry(seconds)

    def _opened(self) -> BoundedMailBox:
        if self._box is None:
            box = self._connected()
            try:
                if self._settings.imap_security == "starttls":
                    if "STARTTLS" not in box.client.capabilities:
                        raise TryLater("TLS fails: the server does not offer STARTTLS")
                    box.client.encrypt(self._verification())
                self._enter(box)
            except BaseException:
                with suppress(OSError):
                    box.client.shutdown()
                raise
            self._box = box
        return self._box

    def _connected(self) -> BoundedMailBox:
        context = self._verification() if self._settings.imap_security == "tls" else None
        return BoundedMailBox(*host_and_port(self._settings.imap), self._dialogue, context)

    def _verification(self) -> ssl.SSLContext:
        return self._context or ssl.create_default_context()

    def _enter(self, box: BoundedMailBox) -> None:
        """Log in, and find the folders or create them."""
        self._login(box)
        said = b" ".join(each for each in box.client.capability()[1] if each)
        self._abilities = frozenset(said.decode("ascii", "replace").upper().split())
        folders = Folders(box)
        settings = self._settings
        self._odd = folders.found_or_made(settings.imap_odd)
        self._done = folders.found_or_made(settings.imap_done) if settings.imap_done else ""
        self._select(box, folders.found(settings.imap_folder))
        self._moves = bool(self._done) and self._can_move
        kept = last_words(box.client.response("PERMANENTFLAGS")[1]).strip("() ").split()
        self._keeps_keywords = self._moves and not {DONE, r"\*"}.isdisjoint(kept)
        self._to_move, self._looks_back = [], self._keeps_keywords

    def _select(self, box: BoundedMailBox, folder: str) -> None:
        try:
            box.folder.set(folder)
        except UnexpectedCommandStatusError as refusal:
            said = self._reason(refusal)
            raise TryLater(f"the folder {folder!r} cannot be opened: {said}") from None

    def _login(self, box: BoundedMailBox) -> None:
        user, password = self._settings.imap_user, self._settings.imap_password
        login = box.login if (user + password).isascii() else box.login_utf8
        try:
            login(user, password, initial_folder=None)
        except imaplib.IMAP4.abort:
            raise
        except (imaplib.IMAP4.error, ImapToolsError) as refusal:
            said = self._reason(refusal)
            if _PASSING.search(said):
                raise TryLater(f"the login does not work now: {said}") from None
            raise Misconfigured(f"the login is refused: {said}") from None

    def _begins_to_idle(self) -> bool:
        if "IDLE" not in self._abilities:
            return False
        try:
            self._opened().idle.start()  # type: ignore[no-untyped-call]  # imap-tools leaves it so
        except ImapToolsError:  # it announces the capability, but refuses it
            self._abilities -= {"IDLE"}
            return False
        return True

    def _idle(self, stop: StopSignal, descriptor: int) -> None:
        until = monotonic() + LONGEST_IDLE
        lines = self._heard()  # lines that came together with the answer to IDLE
        while not any(b" EXISTS" in line for line in lines):
            left = until - monotonic()
            if left <= 0 or not stop.wait(left, descriptor):
                return
            if not (lines := self._heard()):
                return  # it closed the connection: the end of IDLE reports that

    def _heard(self) -> list[bytes]:
        """The lines that have already arrived.

        imap-tools only looks for them at the socket, but some may be in the read buffer.
        """
        client = self._opened().client
        lines: list[bytes] = []
        client.sock.settimeout(0)
        with suppress(OSError, imaplib.IMAP4.abort):  # there are no more
            while True:
                lines.append(client._get_line())
        client.sock.settimeout(None)
        return lines

    @property
    def _can_move(self) -> bool:
        return bool(self._abilities & {"MOVE", "UIDPLUS"})

    def _flag(self, numbers: str, flags: str) -> None:
        self._command("STORE", numbers, "+FLAGS", flags)

    def _move(self, numbers: str, folder: str) -> None:
        if "MOVE" in self._abilities:
            self._command("MOVE", numbers, quoted(folder))
            return
        self._command("COPY", numbers, quoted(folder))
        self._flag(numbers, r"(\Seen \Deleted)")
        self._command("EXPUNGE", numbers)  # only these, which were copied

    def _command(self, command: str, *words: str) -> None:
        answer, parts = self._opened().client.uid(command, *words)
        if answer != "OK":
            raise TryLater(f"{command} is refused: {self._without_password(last_words(parts))}")

    @contextmanager
    def _talking(self, most: int = 0) -> Iterator[None]:
        self._dialogue.begin(self._timeout, most + MOST_HEARD)
        try:
            yield
            if self._box is not None:
                self._box.client.forget()
        except ssl.SSLCertVerificationError as error:
            raise Misconfigured(f"its certificate is not trusted: {error.verify_message}") from None
        except imaplib.IMAP4.readonly:
            folder = self._settings.imap_folder
            raise Misconfigured(f"the folder is read-only: {folder!r}") from None
        except UnexpectedCommandStatusError as error:
            raise TryLater(f"it refuses a command: {self._reason(error)}") from None
        except _BABBLE as error:
            raise TryLater(self._reason(error)) from None

    def _reason(self, error: Exception) -> str:
        if isinstance(error, ssl.SSLError) and not isinstance(error, _TLS_BREAKS):
            return f"TLS fails: {(error.reason or 'no reason given').replace('_', ' ').lower()}"
        if isinstance(error, UnexpectedCommandStatusError):
            return self._without_password(last_words(error.command_result[1]))
        if isinstance(error, OSError) and error.strerror:
            return self._without_password(error.strerror)
        if isinstance(error, imaplib.IMAP4.abort):
            return f"the connection broke ({self._without_password(str(error))})"
        if isinstance(error, imaplib.IMAP4.error) and isinstance(
            error.args[0], bytes
        ):  # a greeting
            said = error.args[0].decode(errors="replace")
            return f"it refuses the connection: {self._without_password(said)}"
        return self._without_password(str(error) or type(error).__name__)

    def _without_password(self, text: str) -> str:
        """A server's text on one line, without the password, which some servers repeat."""
        password = self._settings.imap_password
        return printable(text.replace(password, "********") if password else text, 200)
