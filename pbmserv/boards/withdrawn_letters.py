"""Withdraw the letters about a round that was rolled again, which still wait in the outbox.

A relay may postpone a letter for days.  A letter with cancelled dice would then arrive after the
one with the new dice, and mislead its reader.  The words of players in such letters are kept.
Letters to players who are out of the game are left alone: they may tell why.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from sqlalchemy import select, update

from pbmserv.boards import chat_log, notices
from pbmserv.boards.board import Board
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.models.states import DROPPED, DUE
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.notation import read_view
from pbmserv.letters.payloads.boards import TAKEN
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import LINES, REFUSED, UNSURE
from pbmserv.letters.payloads.perudo import BOARDS, CHAT, MOVED, NAG, OFFER, SHOW, STARTED

REASON = "withdrawn: the round was rolled again"
_BLANK = {"state": DROPPED, "payload": "", "token": "", "reason": REASON}
_OF_ROUND = [each.name for each in (STARTED, MOVED, CHAT, OFFER, NAG, SHOW)]
_ANSWERS = [each.name for each in (TAKEN, REFUSED, UNSURE)]  # with dice for a player on turn
_OF_TURN = {"on_turn", "moves", "turn", "beacon", "opens"}
_OF_START = {"challenger", "again", "rating", "why_unrated"}  # only in the first letter of a board


def withdraw(work: UnitOfWork, board: Board) -> tuple[list[Letter], list[Letter]]:
    """Drop the waiting letters about a board; returns letters that replace some of them.

    The first ones are those of the start of the game, with the new dice.  The others bring the
    words of players.
    """
    row = models.OutboxLetter
    waiting = row.board_id == board.id, row.state == DUE, row.kind.in_(_OF_ROUND)
    query = select(row.__table__).where(*waiting).order_by(row.id)
    all_found = [(each, json.loads(each.payload)) for each in work.connection.execute(query).all()]
    found = [(each, told) for each, told in all_found if not _is_to_one_out(told)]
    dropped = row.id.in_([each.id for each, _ in found])
    work.connection.execute(update(row).where(dropped).values(_BLANK))
    _withdraw_sections(work, board.id)
    _withdraw_dice_of_answers(work, board.id)
    _withdraw_parts(work, board.id)
    anew = [letter for each, told in found for letter in _anew(work, board, each, told)]
    started = [each for each in anew if each.kind == STARTED.name]
    return started, [each for each in anew if each.kind != STARTED.name]


def _is_to_one_out(told: Mapping[str, Any]) -> bool:
    """Whether a letter was written to a player who had no dice any more."""
    reader = told["reader"]
    return reader is not None and not read_view(told["position"]).cups[reader]


def _anew(
    work: UnitOfWork, board: Board, row: Any, payload: Mapping[str, Any]
) -> list[Letter]:  # a row of the outbox
    """The letter that replaces a withdrawn one, to the same address; none if nothing is lost."""
    said = payload.get("message") or {"from": "", "text": ""}
    if row.player_id in chat_log.deaf_to(work.connection, said["from"], board.id):
        said = {**said, "text": ""}  # muted or blocked since
    starts = row.kind == STARTED.name and board.table.winner is None
    if row.player_id is None or not (said["text"] or starts):
        return []
    writer = 0  # nobody is left out: the first letter goes to the challenger, too
    if not starts:
        writer = next((each.player for each in board.seats if each.userid == said["from"]), 0)
    words = notices.of_words(work, board, writer, said["from"], said["text"])
    mine = [replace(each, address=row.address) for each in words if each.to == row.player_id]
    if not starts:
        return mine
    facts = {key: value for key, value in payload.items() if key in _OF_START}
    return [replace(each, kind=STARTED.name, payload={**each.payload, **facts}) for each in mine]


def _withdraw_dice_of_answers(work: UnitOfWork, number: int) -> None:
    """Take the dice, the moves and the turn at a board out of waiting answers to a player."""
    row = models.OutboxLetter
    has_dice = row.payload.contains('"on_turn": ')
    waiting = row.kind.in_(_ANSWERS), row.state == DUE, has_dice
    query = select(row.id, row.kind, row.payload).where(*waiting)
    for each in work.connection.execute(query).all():
        told = json.loads(each.payload)
        if told.get("board") != number:
            continue
        kept = {key: value for key, value in told.items() if key not in _OF_TURN}
        if each.kind == UNSURE.name:
            kept["reply"] = False
        payload = json.dumps(kept, ensure_ascii=False)
        work.connection.execute(update(row).where(row.id == each.id).values(payload=payload))


def _withdraw_parts(work: UnitOfWork, number: int) -> None:
    """Take the letters about the round out of the waiting answers to several lines."""
    row = models.OutboxLetter
    names_it = row.payload.contains(f'"board": {number}')
    query = select(row.id, row.payload).where(row.kind == LINES.name, row.state == DUE, names_it)
    for each in work.connection.execute(query).all():
        told = json.loads(each.payload)
        lines = [
            {**line, "letters": [part for part in line["letters"] if not _is_of(part, number)]}
            if "letters" in line
            else line
            for line in told["lines"]
        ]
        if lines != told["lines"]:
            payload = json.dumps({**told, "lines": lines}, ensure_ascii=False)
            work.connection.execute(update(row).where(row.id == each.id).values(payload=payload))


def _is_of(part: Mapping[str, Any], number: int) -> bool:
    """Whether a letter within another one shows its reader's dice in the round of a board."""
    told = part["facts"]
    if part["kind"] not in _OF_ROUND or told["board"] != number:
        return False
    return told["reader"] is not None and not _is_to_one_out(told)


def _withdraw_sections(work: UnitOfWork, number: int) -> None:
    """Take a board out of the waiting letters about several boards; drop those left empty."""
    row = models.OutboxLetter
    names_it = row.payload.contains(f'"board": {number}')
    waiting = row.kind == BOARDS.name, row.state == DUE, names_it
    query = select(row.id, row.board_id, row.payload).where(*waiting)
    for each in work.connection.execute(query).all():
        told = json.loads(each.payload)
        kept = [section for section in told["boards"] if section["board"] != number]
        if len(kept) == len(told["boards"]):  # only news of it
            continue
        payload = json.dumps({**told, "boards": kept}, ensure_ascii=False)
        change: dict[str, object] = {"payload": payload}
        if each.board_id == number:
            change |= {"board_id": None, "token": ""}
        if not kept and not told["news"]:
            change = {**_BLANK}
        work.connection.execute(update(row).where(row.id == each.id).values(change))
