"""Replay every board from its events, and compare the result with its row."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sqlalchemy import Engine, select

from pbmserv.boards import board
from pbmserv.boards.board import DECLINED, load_board
from pbmserv.boards.record import record_text, refolded, state_of, turn_of
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.errors import Refused
from pbmserv.games.perudo.commitments import chain_of, commitment
from pbmserv.games.perudo.dice import cups_from
from pbmserv.games.perudo.notation import write_view
from pbmserv.games.perudo.record import Record, read_record
from pbmserv.games.perudo.table import Dealt, Restored, view
from pbmserv.games.perudo.verify import verify
from pbmserv.letters import render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE

# The columns that repeat the position, for queries over many boards, and the next event's place.
_STANDS = select(models.Board.move, models.Board.turn, models.Board.lines, models.Board.state)


def board_numbers(engine: Engine) -> Sequence[int]:
    """The numbers of all boards that have begun; an invitation has no events to replay."""
    query = select(models.Board.id).where(models.Board.position != "")
    with reading(engine) as connection:
        return list(connection.execute(query.order_by(models.Board.id)).scalars())


def problems(engine: Engine, number: int) -> Iterator[str]:
    """The contradictions of a board: in its position, its proofs, its running dice."""
    with reading(engine) as connection:
        board = load_board(connection, number)
        stands = connection.execute(_STANDS.where(models.Board.id == number)).one()
        text = record_text(connection, number)
    try:
        record = read_record(text)
        verify(record)
        tables = list(refolded(record))
    except Refused as refusal:
        said = render.refusal(refusal.code, refusal.facts, DEFAULT_LANGUAGE)
        yield f"its record is not valid: {' '.join(said.split())}"
        return
    if write_view(view(tables[-1], None)) != write_view(view(board.table, None)):
        yield "the position does not follow from its events"
    table = board.table
    lines = 1 + len(record.events)  # one line is the header
    state = state_of(board)
    if stands.state == DECLINED and state == "drawn":  # stopped: who has answered is not an event
        state = DECLINED
    if tuple(stands) != (table.move, turn_of(board), lines, state):
        yield "its move, turn, lines or state do not match its position and events"
    if chain_of(record.lines) != board.chain:
        yield "the digest does not match its events"
    if board.table.winner is None:
        yield from _running(board, record)


def _running(board: board.Board, record: Record) -> Iterator[str]:
    """The contradictions in the seed and the cups of the running round."""
    committed = [record.commitment]
    before = 0
    for place, event in enumerate(record.events):
        if isinstance(event, Restored):
            committed[-1] = event.commitment
        elif isinstance(event, Dealt):
            committed.append(event.commitment)
            before = len(record.header) + place
    if board.seed is None or board.next_seed is None:
        yield "the secrets of the running game are missing"
        return
    if [commitment(board.seed), commitment(board.next_seed)] != committed[-2:]:
        yield "the secrets do not match the commitments"
    digest = chain_of(record.lines[:before])
    table = board.table
    if cups_from(board.seed, digest, table.counts, table.rules.faces) != table.cups:
        yield "the running round's cups do not follow from its seed"
