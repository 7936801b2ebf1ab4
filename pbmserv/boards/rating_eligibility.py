"""Eligibility for ratings: which boards count, and how much of one counts for each player."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, select
from sqlalchemy.orm import aliased

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.players import mailboxes
from pbmserv.timeunits import DAY

REPEATED = (
    30 * DAY
)  # seconds: as long as a game against the same opponent makes the next count less


def is_standard(rules: Rules) -> bool:
    """Whether a cup has as many dice, and a die as many faces, as the rule set says.

    With fewer dice a game is over in seconds and tells little of its players.
    """
    named = RULE_SETS[rules.name]
    return (rules.dice, rules.faces) == (named.dice, named.faces)


def share_a_mailbox(work: UnitOfWork, players: Sequence[int]) -> bool:
    """Whether two of these players have, or had lately, the same mailbox.

    They may be one person.
    """
    owners: dict[str, int] = {}
    return any(
        owners.setdefault(each, player) != player
        for player, theirs in mailboxes.of_players(work, players).items()
        for each in theirs
    )


def weights(work: UnitOfWork, players: Sequence[int], ended: int) -> list[float]:
    """How much a board that `ended` then counts for each of these players: above 0, at most 1.

    Against each opponent it counts 1/(n + 1) where the player has finished n rated boards in the
    last 30 days with that opponent, or with somebody who may be the same person.  A player's
    weight is the mean over the opponents.
    """
    met = _met(work.connection, players, ended - REPEATED)
    opponents = {other for boards in met.values() for _, other in boards}
    same = _same_people(work, players, opponents)
    return [
        sum(1 / (1 + _boards_with(met[one], same[other])) for other in others) / len(others)
        for place, one in enumerate(players)
        for others in [[*players[:place], *players[place + 1 :]]]
    ]


def _boards_with(met: Collection[tuple[int, int]], people: Collection[int]) -> int:
    return len({board for board, other in met if other in people})


def _met(
    connection: Connection, players: Sequence[int], since: int
) -> dict[int, list[tuple[int, int]]]:
    """The rated boards that each of these has finished since a moment, with each opponent there.

    Of a house player's boards, which are many, only those with one of the others.
    """
    board, one, other = models.Board, aliased(models.Seat), aliased(models.Seat)
    people = select(models.Player.id).where(
        models.Player.id.in_(players), models.Player.level == ""
    )
    query = (
        select(one.board_id, one.first_id, other.first_id)
        .join(other, (other.board_id == one.board_id) & (other.first_id != one.first_id))
        .join(board, board.id == one.board_id)
        .where(one.first_id.in_(connection.execute(people).scalars().all()))
        .where(board.counted.is_not(None), board.rated, board.ended_at > since)
        .where(one.taken_at.is_not(None), other.taken_at.is_not(None))  # the others have declined
    )
    found: dict[int, list[tuple[int, int]]] = {player: [] for player in players}
    backwards: dict[int, list[tuple[int, int]]] = {}
    for number, player, opponent in connection.execute(query):
        found[player].append((number, opponent))
        backwards.setdefault(opponent, []).append((number, player))
    return {player: boards or backwards.get(player, []) for player, boards in found.items()}


def _same_people(
    work: UnitOfWork, players: Sequence[int], opponents: Collection[int]
) -> dict[int, set[int]]:
    """For each of these players those of the opponents who may be the same person.

    They have, or had lately, the same mailbox, or had left before the player signed up: who
    leaves may come back with another mailbox.
    """
    shared = mailboxes.of_players(work, {*players, *opponents})
    row, connection = models.Player, work.connection
    signups = select(row.id, row.created_at).where(row.id.in_(players))
    signed_up = {each.id: each.created_at for each in connection.execute(signups)}
    leaving = select(row.id, row.left_at).where(row.id.in_(opponents), row.left_at.is_not(None))
    left = {number: moment or 0 for number, moment in connection.execute(leaving)}
    return {
        player: {player}
        | {each for each in opponents if shared[each] & shared[player]}
        | {each for each, moment in left.items() if moment <= signed_up[player]}
        for player in players
    }
