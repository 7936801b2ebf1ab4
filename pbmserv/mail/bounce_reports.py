"""Read delivery reports, older bounces, complaints and requests for no more email.

Standard reports are read by RFC 3464 and RFC 5965, within the same limits as any email.  The
library flufl.bounce reads the free-form ones.  Nothing is trusted here: the stamps found are
candidates, which `pbmserv.security.tokens` verifies.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from typing import NamedTuple

from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.mail.addresses import addresses, without_extension
from pbmserv.mail.autoresponders import is_of_fml
from pbmserv.mail.charsets import transferred
from pbmserv.mail.dsn_status import is_lasting
from pbmserv.mail.headers import Headers, read_headers
from pbmserv.mail.parts import leaves
from pbmserv.text.printable import printable

FAILED, PASSING, COMPLAINT, PAUSE, UNREADABLE = (
    "failed",
    "passing",
    "complaint",
    "pause",
    "unreadable",
)
RETURNS, PAUSES = "b-", "u-"
"""The prefixes of the stamp in the two addresses of each letter: perudo+b-STAMP@host."""

_STAMP = re.compile(rb"[-.]([A-Za-z2-7]{24})(?=[.@])")
_MESSAGE_ID = re.compile(rb"<([0-9]{1,15})\.[0-9]{1,15}\.([A-Za-z2-7]{32})@")
_MAY_BE_TOKEN = re.compile(r"[A-Za-z2-7]{24,}")
_PAUSE = re.compile(r"pause ([a-z2-7]{24})", re.IGNORECASE)
_MOST_STAMPS = 20
_MOST_ADDRESSES = 5
_MOST_GROUPS = 50  # of fields in one report; a letter of ours has one recipient, and so one or two
_LONGEST_REASON = 200
_SCANNED = 16 * 1024  # bytes of a free-form bounce: its reason is at the beginning
_MOST_LINES = 300  # of them: two dozen detectors look at each
_LONGEST_LINE = 200  # bytes; expressions that look for an address are slow on longer lines
_DELIVERY = ("message/delivery-status", "message/global-delivery-status")  # RFC 3464, RFC 6533
_FEEDBACK = "message/feedback-report"
_RFC822 = "message/rfc822"
_FAILURES = ("fail", "error")  # RFC 3464 has `failed`; OpenSMTPD writes `error`
_ABUSE = ("abuse", "fraud", "opt-out", "opt-out-list")  # RFC 5965, 7.3; others do not count
_ENCLOSED = "x-hmxmroriginalrecipient"  # Hotmail's complaints add it to the email they enclose
_COMPLAINERS = ("staff@hotmail.com", "complaints@email-abuse.amazonses.com")
_COMPLAINT_SUBJECT = "complaint about message from "
# Apache James and Verizon's servers for texts name the recipient below the error.
_ERROR = re.compile(rb"^Error(?: message below:\n|: )(.{1,300})$", re.MULTILINE)
_RECIPIENT = re.compile(rb"^ {0,4}RCPT TO: {0,3}<?([^\s<>@]{1,64}@[^\s<>]{1,190})>?$", re.MULTILINE)
# Verizon's servers for pictures name it in the head of the letter, which they repeat.
_PICTURE = re.compile(
    rb"^Message could not be delivered to mobile\.?\n{1,3}Error: (.{1,300})$", re.MULTILINE
)
_TO = re.compile(rb"^To: {1,3}(?:[^\n<>]{0,60}<)?([^\s<>@]{1,64}@[^\s<>]{1,190})>?$", re.MULTILINE)
# How the Subjects of fml's refusals begin, or for the first one: how it goes on.
_FML_NO_MEMBER = re.compile(r"you \S{1,250} are not member\b")
_FML_REFUSALS = ("reject mail ", "spam mail from a spammer is rejected")
_TEXT_STATUS = re.compile(r"(?<![\d.])([45])\.\d{1,3}\.\d{1,3}(?![\d.])|(?<![\d.])[45]\d\d[ -]")


@dataclass(frozen=True, slots=True)
class BounceReport:
    """What an automatic email reports about a letter of ours.

    `kind` is failed (it will not arrive) or passing (delayed, relayed or delivered: no failure).
    It can also be complaint, pause (no more letters, please) or unreadable.  `lasting`: the address
    itself is at fault, so that further letters will fail as well.  `reason` is the other server's,
    on one line.  `addresses` are those that the report names, in lower case.  Two fields may prove
    which letter it is about.  They are `stamps`, in upper case, and the `numbers` of letters with
    their tokens.
    """

    kind: str
    lasting: bool = False
    reason: str = ""
    addresses: tuple[str, ...] = ()
    stamps: tuple[str, ...] = ()
    numbers: tuple[tuple[int, str], ...] = ()


class Mark(NamedTuple):
    """The mark of an address that belongs to one letter: RETURNS or PAUSES, and the stamp."""

    kind: str
    stamp: str


def marked(recipients: Sequence[str], own: str, subject: str = "") -> Mark | None:
    """The mark of an email to the address of a letter; None for any other email.

    The first recipient is the envelope's; others are looked at if they are ours.  Where there are
    no such addresses the Subject of List-Unsubscribe has the stamp.
    """
    if asked := _PAUSE.fullmatch(subject):
        return Mark(PAUSES, asked[1].upper())
    for place, address in enumerate(recipients):
        extension = address.rpartition("@")[0].partition("+")[2]
        kind = extension[: len(RETURNS)].lower()
        if kind not in (RETURNS, PAUSES):
            continue
        if place == 0 or without_extension(address) == without_extension(own):
            return Mark(kind, extension[len(kind) :].upper())
    return None


def reported_within(headers: Headers, body: bytes) -> str:
    """Why an email is a report although its own headers do not say so; "" if it is not one.

    A part that is attached does not count: people attach what they want to show.
    """
    if not headers.first("content-type").lower().startswith("multipart/"):
        return ""
    if _is_hotmails(headers, lowered := body.lower(), body):
        return "a complaint without a report"
    if b"message/" not in lowered:
        return ""
    for part, _ in leaves(headers, body):
        kind = _kind(part)
        is_attached = part.first("content-disposition").lower().startswith("attachment")
        if kind in (*_DELIVERY, _FEEDBACK) and not is_attached:
            return kind
    return ""


def _is_hotmails(headers: Headers, lowered: bytes, body: bytes) -> bool:
    """True for a complaint in Hotmail's older form: the email in question, and nothing else."""
    sender = next(addresses(headers.first("from")), "").lower()
    if sender in _COMPLAINERS and headers.text("subject").lower().startswith(_COMPLAINT_SUBJECT):
        return True
    if _ENCLOSED.encode() not in lowered:
        return False
    enclosed = (content for part, content in leaves(headers, body) if _kind(part) == _RFC822)
    return any(_ENCLOSED in read_headers(content.lstrip(b"\n"))[0].values for content in enclosed)


def _kind(part: Headers) -> str:
    return part.first("content-type").partition(";")[0].strip().lower()


def read_report(headers: Headers, body: bytes, raw: bytes, mark: Mark | None) -> BounceReport:
    """The report in an automatic email; `raw` is all of it, with LF line ends.

    The kind is UNREADABLE for other automatic emails, such as a notice of absence.
    """
    if b"=\n" in raw:
        raw = raw.replace(b"=\n", b"")  # quoted-printable splits long words
    read = _read(headers, body, raw, mark)
    numbers = [(int(each[1]), each[2].decode("ascii")) for each in _MESSAGE_ID.finditer(raw)]
    stamps = _stamps(raw, mark.stamp if mark else "")
    return replace(read, stamps=stamps, numbers=tuple(dict.fromkeys(numbers))[:_MOST_STAMPS])


def _read(headers: Headers, body: bytes, raw: bytes, mark: Mark | None) -> BounceReport:
    for part, content in leaves(headers, body):
        kind = _kind(part)
        if kind in _DELIVERY or kind == _FEEDBACK:
            groups = _groups(transferred(content, part.first("content-transfer-encoding")))
            return _delivery(groups) if kind in _DELIVERY else _complaint(groups)
    if mark and mark.kind == PAUSES:
        return BounceReport(PAUSE)
    if _is_hotmails(headers, body.lower(), body):
        return BounceReport(COMPLAINT, reason=_reason(headers.text("subject")))
    if is_of_fml(headers) and (refused := _refused_by_fml(headers.text("subject"))):
        return refused
    return _below_an_error(raw[:_SCANNED]) or _in_free_words(raw)


def _refused_by_fml(subject: str) -> BounceReport | None:
    """The report of the list manager fml: a list accepts no letters of ours."""
    lowered = subject.lower()
    if _FML_NO_MEMBER.match(lowered) or lowered.startswith(_FML_REFUSALS):
        return BounceReport(FAILED, reason=_reason(subject))
    return None


def _below_an_error(raw: bytes) -> BounceReport | None:
    """The report of Apache James or Verizon: an error, and below it the recipient."""
    if error := _ERROR.search(raw):
        recipient = _RECIPIENT.search(raw, error.end())
        if recipient:
            return _told_below(error, recipient)
    if error := _PICTURE.search(raw):
        recipient = _TO.search(raw, error.end())
        if recipient:
            return _told_below(error, recipient)
    return None


def _told_below(error: re.Match[bytes], recipient: re.Match[bytes]) -> BounceReport:
    told = error[1].decode("ascii", "replace").strip()
    address = recipient[1].decode("ascii", "replace").lower()
    return BounceReport(FAILED, is_lasting("", told), _reason(told), (address,))


def _stamps(raw: bytes, first: str) -> tuple[str, ...]:
    """The possible stamps, the recipient's first: those in a Message-ID or an address of ours."""
    found: dict[str, None] = {first: None} if first else {}
    for match in _STAMP.finditer(raw):
        found[match[1].decode("ascii").upper()] = None
        if len(found) >= _MOST_STAMPS:
            break
    return tuple(found)


def _groups(content: bytes) -> list[Headers]:
    """The groups of fields in a report, separated by an empty line (RFC 3464, 2.1)."""
    content = content.replace(b"\r\n", b"\n")
    pieces = [piece.strip(b"\n") for piece in content.split(b"\n\n", _MOST_GROUPS)[:_MOST_GROUPS]]
    return [read_headers(piece + b"\n\n")[0] for piece in pieces if piece]


def _delivery(groups: Sequence[Headers]) -> BounceReport:
    """The report in a delivery status.

    The Action decides: a failure may have a status of 4.x.x.
    """
    for fields in groups:
        if not fields.first("action").lower().startswith(_FAILURES):
            continue
        diagnostic = fields.text("diagnostic-code").partition(";")[2].strip()
        status = fields.first("status")
        named = [_address(fields.first(f"{each}-recipient")) for each in ("original", "final")]
        return BounceReport(
            FAILED,
            is_lasting(status, diagnostic),
            _reason(diagnostic or status),
            tuple(dict.fromkeys(address for address in named if "@" in address)),
        )
    return BounceReport(PASSING)


def _address(field: str) -> str:
    """The address in `rfc822; <ann@example.org>`."""
    return field.rpartition(";")[2].strip().strip("<>").strip().lower()


def _complaint(groups: Sequence[Headers]) -> BounceReport:
    """A complaint (RFC 5965); "not-spam" and "auth-failure" reports do not count."""
    if not groups or groups[0].first("feedback-type").lower() not in _ABUSE:
        return BounceReport(PASSING)
    return BounceReport(COMPLAINT, reason=_reason(groups[0].first("feedback-type")))


def _in_free_words(raw: bytes) -> BounceReport:
    """The report that flufl.bounce finds in a free-form bounce, such as qmail's."""
    from email import message_from_bytes  # noqa: PLC0415 - few emails need it
    from email.utils import getaddresses  # noqa: PLC0415 - few emails need it

    from flufl.bounce import all_failures  # noqa: PLC0415 - few emails need it

    logging.getLogger("flufl.bounce").setLevel(logging.CRITICAL)  # it logs what is caught below
    lines = raw[:_SCANNED].split(b"\n", _MOST_LINES)[:_MOST_LINES]
    short = b"\n".join(line[:_LONGEST_LINE] for line in lines)
    try:
        bounce = message_from_bytes(short)
        if not getaddresses([bounce["from"] or ""]):  # its detectors need a valid From
            del bounce["from"]
            bounce["From"] = "MAILER-DAEMON"
        passing, lasting = all_failures(bounce)
    except Exception:  # a third-party parser may raise anything; then there is no report
        return BounceReport(UNREADABLE)
    if not lasting:
        return BounceReport(PASSING if passing else UNREADABLE)
    text = short.decode("ascii", "replace").partition("\n\n")[2]
    told = next((line for line in text.split("\n") if _TEXT_STATUS.search(line)), "")
    addresses = sorted(address.decode("ascii", "replace").lower() for address in lasting)
    return BounceReport(
        FAILED,
        is_lasting("", told or text, otherwise=True),
        _reason(told),
        tuple(addresses[:_MOST_ADDRESSES]),
    )


def _reason(text: str) -> str:
    """The reason on one line, without possible tokens of ours."""
    return _MAY_BE_TOKEN.sub("…", printable(text, 2 * _LONGEST_REASON))[:_LONGEST_REASON]
