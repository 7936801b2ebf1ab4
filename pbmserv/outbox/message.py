"""Render a row of the outbox into the email that is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pbmserv.disclosure import fingerprint
from pbmserv.letters import render
from pbmserv.letters.html import page
from pbmserv.letters.payloads.mails import HELP, UNSURE
from pbmserv.mail.bounce_reports import PAUSES, RETURNS
from pbmserv.mail.composing import compose
from pbmserv.settings import Settings

# Letters to an address that a player has just confirmed, or had.
_TO_PLAYERS = {"confirmed", "address_told"}
# Letters about the end of letters, or of an account.
_WITHOUT_FOOT = {"paused", "pause_asked", "signed_off"}


class Worded(NamedTuple):
    """A letter as it is sent, and the fingerprints of its lines; None if anybody may quote it."""

    data: bytes
    lines: bytes | None


def worded(settings: Settings, row: Mapping[Any, Any], stamp: str) -> Worded:
    """Render a row in the reader's language, and compose the email.

    Its stamp is in its List-Unsubscribe, and also in its Message-ID if it has no token.  Below a
    letter to a player stands how to get fewer of them.
    """
    payload = json.loads(row["payload"])
    words = render.word(row["kind"], payload, row["language"])
    text = words.text
    is_to_player = "zone" in payload or row["kind"] in _TO_PLAYERS  # others have no time zone
    if is_to_player and row["kind"] not in _WITHOUT_FOOT:
        text += "\n" + render.foot(row["language"])
    local, _, domain = settings.address.rpartition("@")
    token, board = row["token"], row["board_id"]
    has_plus = bool(token) and settings.replies == "plus"
    reply_to = f"{local}+{token.lower()}@{domain}" if has_plus else ""
    subject = words.subject
    about = board or payload.get("board")  # an answer about a board belongs to the board's thread
    thread = [f"<board-{about}@{domain}>"] if isinstance(about, int) else []
    data = compose(
        sender_name=settings.name,
        sender=settings.address,
        to=row["address"],
        subject=subject,
        text=text,
        page=page(subject, text, words.moves, reply_to) if payload.get("as_page") else "",
        message_id=f"<{row['id']}.{row['written_at']}.{token or stamp}@{domain}>",
        date=row["written_at"],
        reply_to=reply_to,
        in_reply_to=row["answers"],
        references=[*thread, *([row["answers"]] if row["answers"] else [])],
        unsubscribe=_unsubscribe(settings, stamp.lower()),
        attachment=words.attachment,
    )
    if row["kind"] == HELP.name:
        return Worded(data, None)
    return Worded(data, fingerprint.of_letter(subject, _our_own(text, payload, row["kind"])))


def _our_own(text: str, payload: Mapping[str, Any], kind: str) -> str:
    """The text without the lines of its reader's email, which the reader may write again."""
    theirs = set(payload.get("lines", ())) if kind == UNSURE.name else set()
    return "\n".join(line for line in text.split("\n") if line.strip() not in theirs)


def _unsubscribe(settings: Settings, stamp: str) -> str:
    """The address, with a Subject, at which a mail program unsubscribes the reader."""
    if settings.replies == "plain":
        return f"{settings.address}?subject=pause%20{stamp}"
    local, _, domain = settings.address.rpartition("@")
    return f"{local}+{PAUSES}{stamp}@{domain}?subject=pause"


def envelope_sender(settings: Settings, stamp: str) -> str:
    """The address to which bounces of a letter go; it identifies the letter.

    These are variable envelope return paths (VERP, https://cr.yp.to/proto/verp.txt).
    """
    if settings.envelope == "plain" or settings.replies == "plain":
        return settings.address
    local, _, domain = settings.address.rpartition("@")
    return f"{local}+{RETURNS}{stamp.lower()}@{domain}"
