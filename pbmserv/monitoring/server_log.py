"""The server's log: one line on standard error for each email and letter.

A line says which transport, who, how large, and what other mail servers answered.  It never
contains the text of an email, so no password and no die.  Possible tokens in the words of others
are blanked.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from pbmserv.monitoring.log_throttle import Throttle
from pbmserv.security.tokens import blanked
from pbmserv.text.printable import printable

if TYPE_CHECKING:  # shell commands do not need these modules
    from pbmserv.mail.incoming import IncomingMail
    from pbmserv.mail.reading import Mail

LONGEST = 200  # characters of the words of others
logger = logging.getLogger("pbmserv")


def begin(level: str, environ: Mapping[str, str], role: str = "") -> None:
    """Start the log at this level, each line with its time; equal warnings appear once a minute.

    `role` names this process of the server in each line.
    """
    words = f"%(levelname)s {role}: %(message)s" if role else "%(levelname)s %(message)s"
    logging.basicConfig(
        level=level.upper(), format=words if _is_journal(environ) else f"%(asctime)s {words}"
    )
    throttle = Throttle()
    for handler in logging.getLogger().handlers:
        handler.addFilter(throttle)


def _is_journal(environ: Mapping[str, str]) -> bool:
    """Whether standard error is systemd's journal, which adds the time to every line.

    Systemd sets JOURNAL_STREAM to the device and inode of the journal: systemd.exec(5).
    """
    status = os.fstat(sys.stderr.fileno())
    return environ.get("JOURNAL_STREAM") == f"{status.st_dev}:{status.st_ino}"


def started(version: str, home: os.PathLike[str]) -> None:
    """Log that this process of the server does its work."""
    logger.info("started: pbmserv %s, home %s", version, home)


def stopped() -> None:
    """Log that this process of the server has stopped as requested."""
    logger.info("stopped")


def received(incoming: IncomingMail, mail: Mail, *, limit: int = 0) -> None:
    """Log an incoming email; reading stopped after `limit` bytes if that is not 0."""
    if logger.isEnabledFor(logging.INFO):
        size = f"more than {limit}" if limit else len(incoming.raw)
        sender, number = _plain(mail.sender) or "nobody", _plain(mail.message_id)
        logger.info("email by %s from %s, %s, %s bytes", incoming.transport, sender, number, size)


def too_large(transport: str, sender: str, limit: int) -> None:
    """Log that a transport refused an email of more than `limit` bytes; no other record exists."""
    who = _plain(sender) or "nobody"
    logger.info("email by %s from %s, refused: more than %s bytes", transport, who, limit)


def failed(mail: int, reason: str, *, aside: bool) -> None:
    """Log that the server cannot process an email (its number in the inbox).

    The server tries it again, unless it is set `aside`.
    """
    logger.warning(
        "email in%s: %s: %s", mail, "set aside" if aside else "will be tried again", reason
    )


def not_carried_out(mail: int, why: str) -> None:
    """Log why an unproven email was not carried out; `mail` is its number in the inbox."""
    logger.info("email in%s: %s", mail, why)


def copy_of(mail: Mail, earlier: int, at: int) -> None:
    """Log that an email came again: it does nothing.  `earlier` is the first one, received `at`."""
    sender, number = _plain(mail.sender) or "nobody", _plain(mail.message_id)
    when = f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M:%S} UTC"
    logger.info(
        "email from %s, %s: came before as in%s, %s, so it does nothing",
        sender,
        number,
        earlier,
        when,
    )


def sent(letter: Mapping[Any, Any], answer: str) -> None:
    """Log that a letter (its row in the outbox) was sent, with the answer of the receiver."""
    if logger.isEnabledFor(logging.INFO):
        logger.info("%s: %s", _letter(letter), _plain(answer))


def stayed(letter: Mapping[Any, Any], reason: str, *, given_up: bool) -> None:
    """Log that a letter was refused; the server tries it again unless it has given up."""
    what = "given up" if given_up else "will be tried again"
    logger.warning("%s: %s: %s", _letter(letter), what, _plain(reason))


def waits(kind: str, addresses: Sequence[str], until: int) -> None:
    """Log that an answer waits for its budget until this moment."""
    moment = datetime.fromtimestamp(until, UTC)
    for address in addresses:
        words = "answer %s to %s: waits until %s UTC: the budget of answers is used up"
        logger.info(words, kind, _plain(address), f"{moment:%Y-%m-%d %H:%M}")


def _letter(letter: Mapping[Any, Any]) -> str:
    board = f" of board {letter['board_id']}" if letter["board_id"] else ""
    return f"letter out{letter['id']}, {letter['kind']}{board}, to {_plain(letter['address'])}"


def _plain(text: str) -> str:
    """The text on one line, without tokens, cut to LONGEST."""
    return blanked(printable(text, 2 * LONGEST))[:LONGEST]
