"""Render a row of the outbox into the email that is sent."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from pbmserv.disclosure import fingerprint
from pbmserv.games.perudo.notation import move_of
from pbmserv.letters import foot, render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE
from pbmserv.letters.payloads.mails import HELP, UNSURE
from pbmserv.letters.reply_link import PASSWORD, LetterLinks
from pbmserv.mail.bounce_reports import PAUSES, RETURNS
from pbmserv.mail.composing import compose
from pbmserv.mail.list_id import list_id
from pbmserv.outbox.letter_sizes import formed
from pbmserv.outbox.recipients import OWN_ADDRESS
from pbmserv.security.credentials import words_without
from pbmserv.security.tokens import BUTTON_DAYS, Tokens
from pbmserv.settings import Settings
from pbmserv.text.board_subjects import of_board, of_link, of_turn
from pbmserv.timeunits import DAY


class Worded(NamedTuple):
    """A letter as it is sent, and the fingerprints of its lines; None if anybody may quote it."""

    data: bytes
    lines: bytes | None


def worded(
    settings: Settings, row: Mapping[Any, Any], stamp: str, tokens: Tokens | None = None
) -> Worded:
    """Render a row in the reader's language, and compose the email.

    Its stamp is in its List-Unsubscribe, and also in its Message-ID if it has no token.  The foot
    of a letter to a player says why it comes, and how to get fewer letters.  `tokens` makes those
    of its buttons.
    """
    payload = json.loads(row["payload"])
    words, below, notes = foot.letter_with_foot(row["kind"], payload, row["language"])
    local, _, domain = settings.address.rpartition("@")
    token, board = row["token"], row["board_id"]
    key = _key_of_reply(row, payload, words.replying, tokens)
    has_plus = bool(token or key) and settings.replies == "plus"
    reply_to = f"{local}+{(token or key).lower()}@{domain}" if has_plus else ""
    proof = token or stamp if has_plus else token or key or stamp
    subject = words.subject
    has_page = _has_page(row, payload)
    links = _links(settings, row, payload, words, stamp, tokens) if has_page else None
    text, page, lines = formed(words, below, links, notes, row["answers"])
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
        flowed=True,
        message_id=f"<{row['id']}.{row['written_at']}.{proof}@{domain}>",
        date=row["written_at"],
        reply_to=reply_to,
        in_reply_to=row["answers"],
        references=[*thread, *([row["answers"]] if row["answers"] else [])],
        unsubscribe=_unsubscribe(settings, stamp.lower()),
        list_id=_list_of(settings, about) if is_of_board else None,
        about=_filed(words, row, payload, about) if is_of_board else "",
        commitment=payload.get("commits", ""),
        attachment=words.attachment,
    )
    return Worded(data, _fingerprints(row["kind"], payload, subject, lines))


def _fingerprints(
    kind: str, payload: Mapping[str, Any], subject: str, lines: Sequence[int]
) -> bytes | None:
    """The fingerprints of a letter's Subject and lines; None if anybody may quote it.

    The lines of the reader's own email are left out: the reader may write them again.
    """
    if kind == HELP.name:
        return None
    found = fingerprint.of_letter([*fingerprint.of_lines(subject), *lines])
    if kind == UNSURE.name:
        return fingerprint.without(found, fingerprint.of_text("\n".join(payload["lines"])))
    return found


def _has_page(row: Mapping[Any, Any], payload: Mapping[str, Any]) -> bool:
    """Whether the letter has a page: not for `format=text`, nor as an answer to a stranger.

    Anybody can write in a stranger's name, so such an answer is short.  A letter with a token asks
    for an answer, which a button makes easy.  Few of them go to one address.
    """
    is_known = bool(row["token"]) or foot.is_to_player(row["kind"], payload)
    return is_known and not payload.get("text_alone")


def _is_own(row: Mapping[Any, Any], payload: Mapping[str, Any]) -> bool:
    """Whether the letter goes to an address of the player whom its commands name."""
    is_theirs = row["player_id"] is not None or row["kind"] == foot.CONFIRMED
    return is_theirs or bool(payload.get(OWN_ADDRESS))


def _key(tokens: Tokens, row: Mapping[Any, Any], command: str, until: int) -> str:
    """The token of a button for a command; it works for BUTTON_DAYS, or until that moment."""
    day = row["written_at"] // DAY + BUTTON_DAYS
    day = min(day, until // DAY) if until else day
    return tokens.button(command, letter=row["id"], address=row["address"], until=day)


def _key_of_reply(
    row: Mapping[Any, Any], payload: Mapping[str, Any], command: str, tokens: Tokens | None
) -> str:
    """The token with which a plain reply stands for a command; "" if it stands for none."""
    if not (command and tokens and _is_own(row, payload)):
        return ""
    return _key(tokens, row, words_without(command.split(" "), PASSWORD), 0)


def _links(
    settings: Settings,
    row: Mapping[Any, Any],
    payload: Mapping[str, Any],
    words: render.WordedLetter,
    stamp: str,
    tokens: Tokens | None,
) -> LetterLinks:
    """The links of a letter; a move in them is meant for the move that the board waits for."""
    move = move_of(payload["table"]) if "table" in payload else None
    stop = _unsubscribe(settings, stamp.lower())
    every = partial(LetterLinks, settings.address, replies=settings.replies, unsubscribe=stop)
    of_boards = payload.get("tokens", {})
    boards = {
        each["board"]: every(
            token=of_boards[str(each["board"])],
            subject=of_link(each["board"]),
            move=move_of(each["table"]),
            is_short=True,
        )
        for each in (payload["boards"] if of_boards else ())
    }
    return every(
        token=row["token"],
        subject=words.subject,
        move=move,
        has_many="boards" in payload,
        boards=boards,
        key=partial(_key, tokens, row) if tokens and _is_own(row, payload) else None,
    )


def _list_of(settings: Settings, board: int) -> tuple[str, str]:
    """The words and the identifier of a board's List-Id."""
    return of_board(board, DEFAULT_LANGUAGE), list_id(board, settings.address)


def _filed(
    words: render.WordedLetter, row: Mapping[Any, Any], payload: Mapping[str, Any], board: int
) -> str:
    """What a letter about a board is about, for filters: `your-turn; board=12; move=42`.

    The first word is `your-turn` or the kind of the letter.  The move is the one that the board
    waits for.
    """
    is_turn = words.subject == of_turn(board, words.language)
    kind = "your-turn" if is_turn else row["kind"].rpartition("/")[2].replace("_", "-")
    move = f"; move={move_of(payload['table'])}" if "table" in payload else ""
    return f"{kind}; board={board}{move}"


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
