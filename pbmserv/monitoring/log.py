"""The logbook: what a running server writes on standard error, a line for each mail and letter.

It says which door, who, how large, and what other mail servers answered; no text of a mail, and so
no password and no die.  What may be a token is blanked in whatever others have written.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pbmserv.monitoring.log_throttle import Throttle
from pbmserv.security.tokens import blanked
from pbmserv.text.printable import printable

if TYPE_CHECKING:  # a shell command reads no mail
    from pbmserv.mail.incoming import IncomingMail
    from pbmserv.mail.reading import Mail

LONGEST = 200  # characters of what others have written
log = logging.getLogger("pbmserv")


def begin(level: str, environ: Mapping[str, str]) -> None:
    """Open it: lines of this level and above, each with its time, a warning once a minute."""
    words = "%(levelname)s %(message)s"
    logging.basicConfig(
        level=level.upper(), format=words if _is_journal(environ) else f"%(asctime)s {words}"
    )
    throttle = Throttle()
    for handler in logging.getLogger().handlers:
        handler.addFilter(throttle)


def _is_journal(environ: Mapping[str, str]) -> bool:
    """Whether standard error is systemd's journal, where every line has its time already.

    Systemd tells by JOURNAL_STREAM which device and inode that is: systemd.exec(5).
    """
    status = os.fstat(sys.stderr.fileno())
    return environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def started(version: str, home: os.PathLike[str]) -> None:
    """The server takes mail."""
    log.info("started: pbmserv %s, home %s", version, home)


def stopped() -> None:
    """The server has ended as it was told."""
    log.info("stopped")


def received(incoming: IncomingMail, mail: Mail, *, limit: int = 0) -> None:
    """A mail came in; `limit` is the number of bytes above which it was not read to its end."""
    if log.isEnabledFor(logging.INFO):
        size = f"more than {limit}" if limit else len(incoming.raw)
        sender, number = _plain(mail.sender) or "nobody", _plain(mail.message_id)
        log.info("mail by %s from %s, %s, %s bytes", incoming.door, sender, number, size)


def too_large(door: str, sender: str, limit: int) -> None:
    """A mail of more than `limit` bytes was refused at a door: nothing else tells of it."""
    who = _plain(sender) or "nobody"
    log.info("mail by %s from %s, refused: more than %s bytes", door, who, limit)


def failed(mail: int, reason: str, *, aside: bool) -> None:
    """A mail (its number in the inbox) is beyond us; it is tried again unless it is set `aside`."""
    log.warning("mail in%s: %s: %s", mail, "set aside" if aside else "to be tried again", reason)


def sent(letter: Mapping[Any, Any], answer: str) -> None:
    """A letter (its row in the outbox) has left, with the answer of whoever took it."""
    if log.isEnabledFor(logging.INFO):
        log.info("%s: %s", _letter(letter), _plain(answer))


def stayed(letter: Mapping[Any, Any], reason: str, *, given_up: bool) -> None:
    """A letter was refused; it is tried again unless it is given up."""
    what = "given up" if given_up else "to be tried again"
    log.warning("%s: %s: %s", _letter(letter), what, _plain(reason))


def _letter(letter: Mapping[Any, Any]) -> str:
    board = f" of board {letter['board_id']}" if letter["board_id"] else ""
    return f"letter out{letter['id']}, {letter['kind']}{board}, to {_plain(letter['address'])}"


def _plain(text: str) -> str:
    """On one line, without tokens, and not long."""
    return blanked(printable(text, 2 * LONGEST))[:LONGEST]
