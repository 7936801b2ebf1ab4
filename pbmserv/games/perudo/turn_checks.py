"""Refuse an action where the game does not run, or where its player may not act now."""

from __future__ import annotations

from pbmserv.errors import Refused
from pbmserv.games.perudo.beacon import emitted_at
from pbmserv.games.perudo.position import Table


def require_running(table: Table) -> None:
    """Refuse where no round runs: game_over (winner), not_started."""
    if table.winner is not None:
        raise Refused("game_over", winner=table.winner)
    if not table.round:
        raise Refused("not_started")


def require_turn(table: Table, seat: int) -> None:
    """Refuse as `require_player`, and another player's turn: not_your_turn (turn)."""
    require_player(table, seat)
    if seat != table.turn:
        raise Refused("not_your_turn", turn=table.turn)


def require_player(table: Table, seat: int) -> None:
    """Refuse as `require_running`, and: beacon_awaited (beacon, opens), eliminated."""
    require_running(table)
    if (pending := table.pending) is not None and pending.beacon is not None:
        opens = emitted_at(pending.beacon)
        raise Refused("beacon_awaited", beacon=pending.beacon, opens=opens)
    if not table.cups[seat]:  # pacao: "a player without dice can do nothing"
        raise Refused("eliminated")
