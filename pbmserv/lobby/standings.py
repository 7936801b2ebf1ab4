"""Standings, histories and statistics of players, which are public."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, func, or_, select

from pbmserv.boards import punctuality, ratings, tallies
from pbmserv.boards.board import PLAYING
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.games.perudo.rules import RULE_SETS
from pbmserv.games.perudo.statistics import Counts
from pbmserv.letters.payloads.listings import Luck, Past, Rated
from pbmserv.lobby import matchmaking

MOST_ROWS = 200
OVER = ("won", "drawn")


def standings(connection: Connection, rules: str) -> list[Rated]:
    """The players with a rating by a rule set ("" by all), the strongest first.

    Players with a provisional rating come last.  Raises Refused `unknown_word` for an unknown rule
    set.
    """
    if rules not in {ratings.OVERALL, *RULE_SETS}:
        raise Refused("unknown_word", word=rules[:20], known=list(RULE_SETS))
    rated = {
        player: rating
        for (player, name), rating in ratings.known(connection).items()
        if name == rules
    }
    order = sorted(rated, key=lambda each: (rated[each].is_provisional, -rated[each].shown))
    chosen = order[:MOST_ROWS]
    names, playing = _names(connection, chosen), _playing(connection, chosen)
    seeking = {each.player for each in matchmaking.seekers(connection)}
    on_time = on_time_shares(connection, chosen)
    return [
        {
            "name": names[player],
            "rating": rated[player].shown,
            "provisional": rated[player].is_provisional,
            "won": rated[player].won,
            "lost": rated[player].games - rated[player].won,
            "playing": playing.get(player, 0),
            "seeking": player in seeking,
            "on_time": on_time.get(player),
        }
        for player in chosen
    ]


def seeking_newcomers(connection: Connection, rows: Sequence[Rated]) -> list[str]:
    """The players who seek games and are not in these `rows`, the longest wish first."""
    known = {row["name"] for row in rows}
    seekers = sorted(matchmaking.seekers(connection), key=lambda each: (each.asked_at, each.player))
    return list(dict.fromkeys(each.userid for each in seekers if each.userid not in known))


def on_time_shares(connection: Connection, players: Sequence[int]) -> dict[int, int]:
    """The percentage of moves that each of these players made before the nag time, rounded down."""
    made = punctuality.of_players(connection, players)
    return {player: 100 * (moves - late) // moves for player, (moves, late) in made.items()}


def history(connection: Connection, names: Sequence[str]) -> list[Past]:
    """The finished boards, the latest first: of these players, or of all.

    Players who have declined did not play there.  The board is not in their history, and they are
    not named.
    """
    board = models.Board
    query = select(board.id, board.state, board.started_at, board.ended_at, board.counted)
    query = query.where(board.state.in_(OVER)).order_by(board.ended_at.desc(), board.id.desc())
    if names:
        asked = _numbers(connection, names).values()
        mine = select(models.Seat.board_id).where(models.Seat.player_id.in_(asked), _stayed())
        query = query.where(board.id.in_(mine))
    rows = connection.execute(query.limit(MOST_ROWS)).all()
    seated = _seated(connection, [row.id for row in rows])
    return [
        {
            "board": row.id,
            "names": [name for name, _ in seated[row.id]],
            "winner": next((name for name, has_dice in seated[row.id] if has_dice), None)
            if row.state == "won"
            else None,
            "started": row.started_at,
            "ended": row.ended_at,
        }
        for row in rows
    ]


def _stayed() -> ColumnElement[bool]:
    """Whether the player of a seat has not declined."""
    return or_(models.Seat.taken_at.is_not(None), models.Seat.leaving.is_(False))


def statistics(connection: Connection, names: Sequence[str], most: int) -> list[Luck]:
    """Statistics of at most `most` of these players, from the records of their latest boards.

    Without names, the players with the most moves are used.  Raises Refused `no_such_player`.
    """
    asked = _numbers(connection, names[:most]) if names else _busiest(connection, most)
    on_time = on_time_shares(connection, list(asked.values()))
    found: list[Luck] = []
    for name, player in asked.items():
        total = tallies.of_player(connection, player)
        found.append(_luck_of(name, on_time.get(player), total))
    return found


def _busiest(connection: Connection, most: int) -> dict[str, int]:
    """The people who have made the most moves."""
    player, made = models.Player, punctuality.of_players(connection)
    people = select(player.id, player.userid).where(player.level == "")
    rows = [each for each in connection.execute(people) if each.id in made]
    found = [(-made[each.id][0], each.id, each.userid) for each in rows]
    return {userid: number for _, number, userid in sorted(found)[:most]}


def _luck_of(name: str, on_time: int | None, total: Counts) -> Luck:
    def share(part: float, whole: int) -> int | None:
        return round(100 * part / whole) if whole else None

    def luck(value: float | None) -> str:
        return "-" if value is None else f"{value:+.1f}"

    return {
        "name": name,
        "on_time": on_time,
        "bids": total.bids,
        "true": share(total.true, total.bids),
        "expected_true": share(total.expected_true, total.bids),
        "bluffs": share(total.bluffs, total.bids),
        "calls": total.calls,
        "right": share(total.right, total.calls),
        "expected_right": share(total.expected_right, total.calls),
        "call_luck": luck(total.call_luck),
        "dice_luck": luck(total.dice_luck),
    }


def _numbers(connection: Connection, names: Sequence[str]) -> dict[str, int]:
    """The ids of these players by userid in its own spelling; raises Refused `no_such_player`."""
    row = models.Player
    keys = [name.lower() for name in names]
    query = select(row.userid_key, row.userid, row.id).where(row.userid_key.in_(keys))
    found = {each.userid_key: each for each in connection.execute(query)}
    if unknown := [name for name in names if name.lower() not in found]:
        raise Refused("no_such_player", names=list(unknown))
    return {found[key].userid: found[key].id for key in keys}


def _names(connection: Connection, players: Sequence[int]) -> dict[int, str]:
    row = models.Player
    found = connection.execute(select(row.id, row.userid).where(row.id.in_(players)))
    return {each.id: each.userid for each in found}


def _playing(connection: Connection, players: Sequence[int]) -> dict[int, int]:
    """How many boards each of these players is playing on; players without a board are left out."""
    seat, board = models.Seat, models.Board
    query = (
        select(seat.player_id, func.count().label("boards"))
        .join(board, board.id == seat.board_id)
        .where(board.state == PLAYING, seat.player_id.in_(players), seat.leaving.is_(False))
        .where(seat.taken_at.is_not(None))
        .group_by(seat.player_id)
    )
    return {each.player_id: each.boards for each in connection.execute(query)}


def _seated(connection: Connection, numbers: Sequence[int]) -> dict[int, list[tuple[str, bool]]]:
    """The players of these boards in order, each with whether dice were left."""
    seat, player, board = models.Seat, models.Player, models.Board
    query = (
        select(seat.board_id, seat.seat, player.userid, board.position)
        .join(player, player.id == seat.player_id)
        .join(board, board.id == seat.board_id)
        .where(seat.board_id.in_(numbers), _stayed())
        .order_by(seat.board_id, seat.seat)
    )
    found: dict[int, list[tuple[str, bool]]] = {}
    for number, place, userid, position in connection.execute(query):
        cups = position.split(" ")[1].split("/")
        found.setdefault(number, []).append((userid, cups[place] != "-"))
    return found
