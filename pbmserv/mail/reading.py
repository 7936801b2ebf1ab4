"""Parse an email: bytes in, a `Mail` out, in linear time and without ever raising.

It uses `headers`, `parts` (the body), `reply_text` (what was typed), `autoresponders` (automatic or
not) and `addresses` (tokens).  The standard library's parser is not used.  Its modern policy raises
on malformed email, and all its policies are slow on hostile email.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import sha256

from pbmserv.fast_dataclasses import dataclass
from pbmserv.mail.addresses import addresses, display_name, message_ids, tokens
from pbmserv.mail.attribution import OUR_NAMES
from pbmserv.mail.authentication_results import Verdict, verdict
from pbmserv.mail.autoresponders import automatic
from pbmserv.mail.bounce_reports import BounceReport, Mark, marked, read_report, reported_within
from pbmserv.mail.headers import Headers, read_headers
from pbmserv.mail.parts import body_lines
from pbmserv.mail.reactions import reaction, reaction_of_outlook
from pbmserv.mail.reply_text import typed_and_below
from pbmserv.mail.subject_tokens import parted
from pbmserv.mail.writer_facts import Writer

_LONGEST_MESSAGE_ID = 250
_MOST_SHOWN = 40  # lines in which a signature is searched for
_UNDATED = "undated-sha256-"
_SAID = ("from", "to", "date", "subject", "in-reply-to")
_SIGNED = ("from", "date", "subject")  # every signer covers these, if the email has them


@dataclass(frozen=True, slots=True)
class Mail:
    """The facts in an email that this server uses.

    `sender` is the From address in lower case, or the envelope's if there is none.  `name` is the
    name beside it.  `tokens` are candidates in upper case, the recipient's plus part first.
    `message_id` is the header's, or a hash of the content if there is none.  `subject` is decoded
    and on one line.  `subject_token` is the letter's token that was in it, or "".  `writer` tells
    the language and the clock.  `typed` holds the lines the person wrote, and `below` is what is
    below the mark of a signature.  `automatic` is "" for a person's email, else the reason why it
    must not be answered.  `report` is then what it says about a letter of ours, or a request for no
    more letters.  `references` are the Message-IDs of the answered emails, the latest last.
    `proof` is "" unless the operator's mail server has proven the sender.  Then it identifies this
    email by the signed parts.  `refuted` is whether that server says that the sender is forged; it
    is never true together with a proof.  `is_reaction` is whether its sender tapped a picture,
    which is then all that is typed.
    """

    sender: str
    tokens: tuple[str, ...]
    message_id: str
    subject: str
    typed: tuple[str, ...]
    automatic: str
    references: tuple[str, ...]
    report: BounceReport | None = None
    proof: str = ""
    refuted: bool = False
    name: str = ""
    subject_token: str = ""
    below: str = ""
    writer: Writer = Writer()
    is_reaction: bool = False

    @property
    def authenticated(self) -> bool:
        """Whether the operator's mail server has proven the sender."""
        return bool(self.proof)

    @property
    def is_marked(self) -> bool:
        """Whether a Message-ID or a date distinguishes it from emails with the same text."""
        return not self.message_id.startswith(_UNDATED)


def read(
    raw: bytes,
    *,
    envelope_sender: str | None,
    recipient: str,
    own: str,
    own_name: str = OUR_NAMES[0],
    authserv_id: str = "",
    offered: Collection[str] = (),
) -> Mail:
    """Parse this email; `own` and `own_name` are our address and the name beside it.

    `authserv_id` names the mail server that is trusted.  `offered` are the letters' languages.
    """
    headers, body = read_headers(text := raw.replace(b"\r\n", b"\n").replace(b"\r", b"\n"))
    subject, subject_token = parted(headers.text("subject"))
    sender = next(addresses(headers.first("from")), envelope_sender or "").lower()
    answered, references = _answered(headers)
    recipients = _recipients(headers, recipient)
    mark = marked(recipients, own, subject)
    held = tokens(recipients, (*answered, *reversed(references)), subject_token)
    machine = _machine(headers, body, mark, sender, envelope_sender, subject, own, held)
    found = verdict(headers, raw, authserv_id, own)
    lines, is_reaction = _visible_lines(headers, body)
    typed, below = typed_and_below(lines, (own_name, own))
    name = display_name(headers.text("from"))
    return Mail(
        sender=sender,
        tokens=held,
        message_id=_message_id(headers, body),
        subject=subject,
        typed=typed,
        below=below,
        automatic=machine,
        references=references + tuple(a for a in answered[-1:] if a not in references),
        report=read_report(headers, body, text, mark) if machine else None,
        proof=_fingerprint(headers, body, _SIGNED) if found is Verdict.PROVEN else "",
        refuted=found is Verdict.REFUTED,
        name=name,
        subject_token=subject_token,
        writer=_writer(headers, (subject, *typed), sender, offered, name, lines),
        is_reaction=is_reaction,
    )


def _visible_lines(headers: Headers, body: bytes) -> tuple[list[str], bool]:
    """The lines that a reader is shown, or the picture of a reaction; and whether it is one."""
    if picture := reaction(headers, body):
        return [picture], True
    lines = body_lines(headers, body)
    picture = reaction_of_outlook(lines)
    return ([picture], True) if picture else (lines, False)


def _writer(
    headers: Headers,
    lines: tuple[str, ...],
    sender: str,
    offered: Collection[str],
    name: str,
    shown: Sequence[str],
) -> Writer:
    """What tells the writer's language and clock: nothing is searched for now."""
    declared, date = headers.first("content-language"), headers.first("date")
    kind = headers.first("content-type")
    return Writer(declared, lines, sender, date, offered, name, tuple(shown[:_MOST_SHOWN]), kind)


def _answered(headers: Headers) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The numbers in In-Reply-To, and in References."""
    return (
        message_ids(headers.first("in-reply-to")),
        message_ids(" ".join(headers.all("references"))),
    )


def _machine(
    headers: Headers,
    body: bytes,
    mark: Mark | None,
    sender: str,
    envelope_sender: str | None,
    subject: str,
    own: str,
    held: tuple[str, ...],
) -> str:
    """Why an email is automatic by its headers, its recipient or its content; "" if it is not.

    `held` are its tokens.
    """
    found = automatic(
        headers,
        sender=sender,
        envelope_sender=envelope_sender,
        subject=subject,
        own=own,
        has_token=bool(held),
    )
    if found:
        return found
    return "to a letter's own address" if mark else reported_within(headers, body)


def unread(raw: bytes, envelope_sender: str | None) -> Mail:
    """An email that our parser fails on, by its envelope; it is not answered."""
    return Mail(
        sender=(envelope_sender or "").lower(),
        tokens=(),
        message_id=f"sha256-{sha256(raw).hexdigest()}",
        subject="",
        typed=(),
        automatic="cannot be read",
        references=(),
    )


def _recipients(headers: Headers, recipient: str) -> list[str]:
    found = [recipient]
    for name in ("delivered-to", "x-original-to", "to"):
        for value in headers.all(name):
            if "+" in value:
                found.extend(addresses(value))
    return found


def _message_id(headers: Headers, body: bytes) -> str:
    value = headers.text("message-id")
    found = next(iter(message_ids(value)), "") or "".join(value.split())
    # Some programs write `<>` into every email.
    if any(map(str.isalnum, found)) and len(found) <= _LONGEST_MESSAGE_ID:
        return found
    mark = "sha256-" if headers.first("date") else _UNDATED
    return f"{mark}{_fingerprint(headers, body, _SAID)}"


def _fingerprint(headers: Headers, body: bytes, names: tuple[str, ...]) -> str:
    """An identifier for an email without a number: the same for every copy of it.

    An email for two of our addresses comes twice, each copy with other trace headers.
    """
    said = (headers.first(name) for name in names)
    return sha256("\n".join(said).encode("utf-8", "replace") + b"\n\n" + body.rstrip()).hexdigest()
