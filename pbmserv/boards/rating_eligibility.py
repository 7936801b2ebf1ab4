"""Which boards count for ratings, and how much one counts for each player."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import Connection, bindparam, func, select

from pbmserv.boards.board import Board
from pbmserv.boards.deadlines import Terms
from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.fast_dataclasses import replace
from pbmserv.games.perudo.rules import RULE_SETS, Rules
from pbmserv.letters.payloads.boards import RatingOf
from pbmserv.players import mailbox_owners
from pbmserv.timeunits import DAY

MOST_BOTS = 1  # on a board that counts: one with more says little about people
REPEATED = 30 * DAY  # in which a game makes the next one with that opponent count less
_BOTS_AMONG = select(func.count()).where(
    models.Player.id.in_(bindparam("players", expanding=True)), models.Player.level != ""
)


def is_standard(rules: Rules) -> bool:
    """Whether the number of dice and of faces is the one of the rule set.

    A game with fewer dice is very short and says little about its players' strength.
    """
    named = RULE_SETS[rules.name]
    return (rules.dice, rules.faces) == (named.dice, named.faces)


def rating_of(board: Board) -> RatingOf:
    """Whether the result of a board counts for ratings, in the words of its first letters."""
    levels = [seated.level for seated in board.seats if seated.level]
    return rating_word(board.table.rules, board.clock.terms, bots=len(levels))


def rating_word(rules: Rules, terms: Terms, bots: int) -> RatingOf:
    """As `rating_of`, for a board with these rules, terms and number of bots.

    `ask` is an unrated one with a bot that is rated if the challenge has -rated.
    """
    if terms.rated and is_standard(rules) and bots <= MOST_BOTS:
        return "rated"
    return "ask" if is_standard(rules) and 0 < bots <= MOST_BOTS else "unrated"


def why_unrated(work: UnitOfWork, rules: Rules, players: Sequence[int]) -> str:
    """Why a board of these rules and players (ids) cannot count, as letters name it; "" if it can.

    That is "dice", "bots" or "people".
    """
    if not is_standard(rules):
        return "dice"
    if bots_among(work.connection, players) > MOST_BOTS:
        return "bots"
    return "people" if share_a_mailbox(work, players) else ""


def why_board_unrated(work: UnitOfWork, board: Board) -> str:
    """Why a board that has just begun does not count; "asked": the challenger wanted it so."""
    players = [each.player for each in board.seats]
    return why_unrated(work, board.table.rules, players) or "asked"


def why_ended_unrated(work: UnitOfWork, board: Board) -> str:
    """Why a board that was played to its end did not count; "" if it was to count.

    That is a reason of `why_unrated`, "declined", "house" or "asked".
    """
    seats = select(models.Seat.first_id).where(models.Seat.board_id == board.id)
    players = work.connection.execute(seats).scalars().all()
    if found := why_unrated(work, board.table.rules, players):
        return found
    if board.clock.terms.rated:
        return ""
    if any(each.leaving and each.began and not each.moves for each in board.seats):
        return "declined"
    return "house" if bots_among(work.connection, players) else "asked"


def allowed(work: UnitOfWork, terms: Terms, rules: Rules, players: Sequence[int]) -> Terms:
    """The terms of a board with these rules and players (ids), unrated if it cannot count."""
    is_rated = terms.rated and not why_unrated(work, rules, players)
    return replace(terms, rated=is_rated)


def bots_among(connection: Connection, players: Collection[int]) -> int:
    """How many of these players are bots."""
    return int(connection.execute(_BOTS_AMONG, {"players": [*players]}).scalar_one())


def share_a_mailbox(work: UnitOfWork, players: Sequence[int]) -> bool:
    """Whether two of these players have the same mailbox, or had it lately.

    They may be one person.
    """
    owners: dict[str, int] = {}
    return any(
        owners.setdefault(each, player) != player
        for player, theirs in mailbox_owners.of_players(work, players).items()
        for each in theirs
    )


def weights(work: UnitOfWork, players: Sequence[int], ended: int) -> list[float]:
    """How much a board that ended at `ended` counts for each of these players: above 0, at most 1.

    Against one opponent it counts 1/(n + 1).  Here n is the number of rated boards that both have
    finished in the last 30 days.  Boards with a player who may be the same person as the opponent
    count as well.  A player's weight is the mean over all opponents.
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
    """The rated boards that each of these players has finished since a moment, with the opponents.

    Bots have too many boards; for them only those with another one of `players` are returned.
    """
    board, one, other = models.Board, models.Seat.aliased(), models.Seat.aliased()
    people = select(models.Player.id).where(
        models.Player.id.in_(players), models.Player.level == ""
    )
    query = (
        select(one.board_id, one.first_id, other.first_id)
        .join(other, (other.board_id == one.board_id) & (other.first_id != one.first_id))
        .join(board, board.id == one.board_id)
        .where(one.first_id.in_(connection.execute(people).scalars().all()))
        .where(board.counted.is_not(None), board.rated, board.ended_at > since)
        .where(one.taken_at.is_not(None), other.taken_at.is_not(None))  # not declined
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
    """For each of these players, the opponents who may be the same person.

    They have the same mailbox, or had it lately.  An opponent who left before the player signed up
    counts too.  That person may have come back with another mailbox.
    """
    shared = mailbox_owners.of_players(work, {*players, *opponents})
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
