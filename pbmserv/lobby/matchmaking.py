"""Seeks: players who want more boards, and boards that begin when enough of them want the same.

The same means equal rules, options and size.  The longest wish comes first, and nobody has two
seats at a board.  A wish expires after some days (setting `seek_days`) unless it is repeated.  The
number of wishes of a player is limited, because each tick reads all wishes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, bindparam, delete, func, insert, select, update

from pbmserv.boards import notices, opening_seeds, play
from pbmserv.boards.opening_seeds import Opening
from pbmserv.context import Context, UnitOfWork
from pbmserv.database import models
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.notation import read_rules, write_rules
from pbmserv.games.perudo.rules import FEWEST_PLAYERS, MOST_PLAYERS, Rules
from pbmserv.letters.payloads.boards import SEEK_LAPSED, SEEKING, OwnWish, Wish
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import challenges, eligibility
from pbmserv.lobby.challenges import Plan, Problems, Words
from pbmserv.players import account_suspension, accounts, blocks
from pbmserv.text.numbers import whole
from pbmserv.timeunits import DAY

USUAL_PLAYERS = 4
MOST_WANTED = 10  # boards of one wish: all of them may begin at once
MOST_KINDS = 10  # wishes of one player
# Built once, because each tick runs both.
LAPSED = select(models.Seek.player_id).where(models.Seek.lapses_at <= bindparam("now"))
FULL = (
    select(models.Seek.rules, models.Seek.players)
    .group_by(models.Seek.rules, models.Seek.players)
    .having(func.count() >= models.Seek.players)
    .order_by(models.Seek.rules, models.Seek.players)
)


@dataclass(frozen=True, slots=True)
class Seeker:
    """A player who wants `wanted` more boards of one kind, from `asked_at` to `until`."""

    player: int
    userid: str
    rules: Rules
    players: int
    wanted: int
    asked_at: int
    until: int

    def payload(self) -> Wish:
        """The wish as a payload of letters."""
        kind = Plan(self.rules).described()
        return {
            "players": self.players,
            "wanted": self.wanted,
            "rules": kind["rules"],
            "options": kind["options"],
        }


def seekers(connection: Connection, *which: ColumnElement[bool]) -> list[Seeker]:
    """The players who seek boards, grouped by kind, the longest wish first.

    `which` are conditions on the rows.
    """
    row = models.Seek
    query = (
        select(row.player_id, models.Player.userid, row.rules, row.players, row.wanted)
        .add_columns(row.asked_at, row.lapses_at)
        .join(models.Player, models.Player.id == row.player_id)
        .where(models.Player.left_at.is_(None), *which)
        .order_by(row.rules, row.players, row.asked_at, row.player_id)
    )
    return [
        Seeker(player, userid, read_rules(rules), size, wanted, asked_at, until)
        for player, userid, rules, size, wanted, asked_at, until in connection.execute(query)
    ]


class _Started(NamedTuple):
    """A board that has just begun, its players, and the letters to them."""

    board: int
    players: Sequence[int]
    letters: list[Letter]


def seek(work: Context, player: int, wanted: str | None, words: Words) -> list[Letter]:
    """Store what a player seeks from now on, and begin the boards that have enough players.

    The player's email adds to the first dice of the first of these boards.
    Raises Refused `bad_wanted`, `bad_size`, `limit_reached`, or a problem of the rules; several of
    these are one `seek_problems`.  Raises `too_many_seeks`.
    """
    problems = Problems("seek_problems")
    number = problems.tried(1, _read_wanted, wanted)
    rules = challenges.read_rules(problems, words)
    size = problems.tried(0, _read_size, words.get("players"))
    problems.tried(None, _check_limit, work, player, number)
    problems.refuse()
    if number == 0 and not any(words.values()):
        work.connection.execute(delete(models.Seek).where(models.Seek.player_id == player))
        return [_seeking_letter(work, player)]
    _note(work, player, rules, size, number, lapses_at(work))
    own = partial(opening_seeds.of_command, work, player)
    started = list(_begun(work, rules, size, own))
    mine = [each.board for each in started if player in each.players]
    return [
        *(letter for each in started for letter in each.letters),
        _seeking_letter(work, player, mine),
    ]


def begun(work: UnitOfWork) -> list[Letter]:
    """Begin boards that can begin now, because a board has ended or a player's limit was raised."""
    found = work.connection.execute(FULL).all()
    return [
        letter
        for rules, size in found
        for each in _begun(work, read_rules(rules), size)
        for letter in each.letters
    ]


def lapse(work: UnitOfWork) -> list[Letter]:
    """Delete the wishes that have expired; each player is told in one letter."""
    if work.connection.execute(LAPSED, {"now": work.now}).first() is None:
        return []
    lapsed: dict[int, list[Seeker]] = {}
    row = models.Seek
    for each in seekers(work.connection, row.lapses_at <= work.now):
        lapsed.setdefault(each.player, []).append(each)
    work.connection.execute(delete(row).where(row.lapses_at <= work.now))
    return [_told_of_end(player, wishes) for player, wishes in lapsed.items()]


def _told_of_end(player: int, wishes: Sequence[Seeker]) -> Letter:
    told = [each.payload() for each in wishes]
    return SEEK_LAPSED.to(player, {"userid": wishes[0].userid, "seeks": told})


def _begun(
    work: UnitOfWork, rules: Rules, size: int, own: Callable[[], Opening] | None = None
) -> Iterator[_Started]:
    """Begin the boards of a kind that have enough players.

    `own` gives what the dice of the first one follow from.  The other boards have no seed that was
    committed before.
    """
    while table := _enough(work, rules, size):
        opening = own() if own else opening_seeds.of_nobody(work)
        own = None
        yield _begin(work, rules, table, opening)


def _read_wanted(text: str | None) -> int:
    if text is not None and text.lower() == "off":
        return 0
    text = text or "1"
    if (wanted := whole(text, MOST_WANTED)) is None:
        raise Refused("bad_wanted", value=text[:80], most=MOST_WANTED)
    return wanted


def _read_size(text: str | None) -> int:
    text = text or str(USUAL_PLAYERS)
    if (size := whole(text, MOST_PLAYERS, FEWEST_PLAYERS)) is None:
        raise Refused("bad_size", value=text[:80], least=FEWEST_PLAYERS, most=MOST_PLAYERS)
    return size


def _check_limit(work: UnitOfWork, player: int, number: int) -> None:
    most = eligibility.limit_of(work.connection, player)
    if most is None or not number:
        return
    playing = eligibility.boards_at_once(work.connection, [player])[player]
    if playing >= most:
        raise Refused("limit_reached", most=most, playing=playing)


def _note(work: UnitOfWork, player: int, rules: Rules, size: int, number: int, until: int) -> None:
    """Store how many boards of a kind are wanted, and until when; the wish keeps its place.

    Raises Refused `too_many_seeks`.
    """
    row = models.Seek
    key = {"player_id": player, "rules": write_rules(rules), "players": size}
    same = [getattr(row, name) == value for name, value in key.items()]
    if not number:
        work.connection.execute(delete(row).where(*same))
        return
    values = {"wanted": number, "lapses_at": until}
    changed = work.connection.execute(update(row).where(*same).values(values))
    if changed.rowcount == 0:
        mine = select(func.count()).select_from(row).where(row.player_id == player)
        if work.connection.execute(mine).scalar_one() >= MOST_KINDS:
            raise Refused("too_many_seeks", most=MOST_KINDS)
        work.connection.execute(insert(row).values({**key, **values, "asked_at": work.now}))


def lapses_at(work: UnitOfWork) -> int:
    """When a wish of now expires: at the end of a day, together with other wishes of today."""
    return (work.now // DAY + work.settings.seek_days + 1) * DAY


def _enough(work: UnitOfWork, rules: Rules, size: int) -> Sequence[Seeker]:
    """The players of a board that can begin, those with the longest wish; () if too few."""
    row = models.Seek
    same = seekers(work.connection, row.rules == write_rules(rules), row.players == size)
    candidates = eligibility.candidates(
        work.connection, [each.userid for each in same], eligibility.START
    )
    full = {each.id for each in eligibility.overbooked(work.connection, list(candidates.values()))}
    full |= account_suspension.among(work.connection, [each.player for each in same], work.now)
    able = [each.player for each in same if each.player not in full]
    company = set(blocks.together(work.connection, able))
    free = [each for each in same if each.player in company]
    return free[:size] if len(free) >= size else ()


def _begin(work: UnitOfWork, rules: Rules, table: Sequence[Seeker], opening: Opening) -> _Started:
    """Begin a board for these players, each of whom now wants one less."""
    for each in table:
        _note(work, each.player, rules, each.players, each.wanted - 1, each.until)
    seats = [(each.player, each.userid) for each in table]
    taken = [each.player for each in table]
    board = play.new_board(work)
    played = challenges.begin(work, board, Plan(rules), seats, taken, opening)
    return _Started(board, taken, notices.of_start(work, played))


def _seeking_letter(work: UnitOfWork, player: int, begun: Sequence[int] = ()) -> Letter:
    """The answer: the player's boards that have just begun, and all that the player seeks now.

    A search tells how many players want the same.
    """
    row = models.Seek
    mine: list[OwnWish] = []
    for each in seekers(work.connection, row.player_id == player):
        same = row.rules == write_rules(each.rules), row.players == each.players
        there = len(seekers(work.connection, *same))
        mine.append({**each.payload(), "there": there, "until": each.until})
    userid = accounts.named(work.connection, [player])[0].userid
    return SEEKING.to(None, {"userid": userid, "seeks": mine, "begun": begun})
