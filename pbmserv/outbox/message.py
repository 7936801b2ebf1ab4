"""Render a row of the outbox into the email that is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from pbmserv.disclosure import fingerprint
from pbmserv.games.perudo.notation import move_of
from pbmserv.letters import render
from pbmserv.letters.document import Paragraph
from pbmserv.letters.foot import foot, reason
from pbmserv.letters.forms import html
from pbmserv.letters.forms import text as text_form
from pbmserv.letters.payloads.mails import HELP, UNSURE
from pbmserv.letters.reply_link import LetterLinks
from pbmserv.mail.board_lists import list_id
from pbmserv.mail.bounce_reports import PAUSES, RETURNS
from pbmserv.mail.composing import compose
from pbmserv.settings import Settings
from pbmserv.text.board_subjects import of_board, of_turn

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
    letter to a player stands why it comes, and how to get fewer of them.
    """
    payload = json.loads(row["payload"])
    words = render.word(row["kind"], payload, row["language"])
    local, _, domain = settings.address.rpartition("@")
    token, board = row["token"], row["board_id"]
    has_plus = bool(token) and settings.replies == "plus"
    reply_to = f"{local}+{token.lower()}@{domain}" if has_plus else ""
    subject = words.subject
    is_to_player = "zone" in payload or row["kind"] in _TO_PLAYERS  # others have no time zone
    below = ""
    if is_to_player and row["kind"] not in _WITHOUT_FOOT:
        below = f"{reason(row['kind'], payload, row['language'])}\n{foot(row['language'])}"
    links = _links(settings, row, payload, subject) if payload.get("as_page") else None
    text, page, own = _formed(words, below, links)
    about = board or payload.get("board")  # an answer about a board belongs to the board's thread
    is_of_board = isinstance(about, int)
    thread = [f"<board-{about}@{domain}>"] if is_of_board else []
    data = compose(
        sender_name=settings.name,
        sender=settings.address,
        to=row["address"],
        subject=subject,
        text=text,
        page=page,
        flowed=words.document is not None,
        message_id=f"<{row['id']}.{row['written_at']}.{token or stamp}@{domain}>",
        date=row["written_at"],
        reply_to=reply_to,
        in_reply_to=row["answers"],
        references=[*thread, *([row["answers"]] if row["answers"] else [])],
        unsubscribe=_unsubscribe(settings, stamp.lower()),
        list_id=_list_of(settings, about, row["language"]) if is_of_board else None,
        about=_filed(words.subject, row, payload, about) if is_of_board else "",
        attachment=words.attachment,
    )
    if row["kind"] == HELP.name:
        return Worded(data, None)
    text = _our_own(f"{text}\n{own}", payload, row["kind"])
    return Worded(data, fingerprint.of_letter(subject, text))


def _links(
    settings: Settings, row: Mapping[Any, Any], payload: Mapping[str, Any], subject: str
) -> LetterLinks:
    """The links of a letter; a move in them is meant for the move that the board waits for."""
    move = move_of(payload["table"]) if "table" in payload else None
    return LetterLinks(settings.address, row["token"], settings.replies, subject, move)


def _formed(words: render.Words, below: str, links: LetterLinks | None) -> tuple[str, str, str]:
    """The letter with its foot as text and as a page, and the lines that only the page has.

    Without `links`, and for a letter that is no document, there is no page.
    """
    if words.document is None:
        return (f"{words.written}\n{below}" if below else words.written), "", ""
    words.document.foot += [Paragraph(line) for line in below.splitlines()]
    text = text_form.written(words.document)
    if links is None:
        return text, "", ""
    page = html.written(words.document, links)
    return text, page, "\n".join(html.own_lines(words.document))


def _list_of(settings: Settings, board: int, language: str) -> tuple[str, str]:
    """The words and the identifier of a board's List-Id."""
    return of_board(board, language), list_id(board, settings.address)


def _filed(subject: str, row: Mapping[Any, Any], payload: Mapping[str, Any], board: int) -> str:
    """What a letter about a board is about, for filters: `your-turn; board=12; move=42`.

    The first word is `your-turn` or the kind of the letter.  The move is the one that the board
    waits for.
    """
    is_turn = subject == of_turn(board, row["language"])
    kind = "your-turn" if is_turn else row["kind"].rpartition("/")[2].replace("_", "-")
    move = f"; move={move_of(payload['table'])}" if "table" in payload else ""
    return f"{kind}; board={board}{move}"


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
