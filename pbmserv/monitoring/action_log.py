"""Records of what the operator did to players and boards, and what players did to each other.

Records are only added.  When a player is forgotten, the player's names in them are replaced.
`pbmserv trace` shows them.  The latest act of a kind says what is in force now.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Select,
    bindparam,
    func,
    insert,
    or_,
    select,
    update,
)

from pbmserv.database.models import Action
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.ratelimit import fixed_window
from pbmserv.timeunits import DAY

OPERATOR = "operator"
ANNUL, ANNUL_UNDONE, STOP, EMERGENCY = "annul", "annul --undo", "stop", "emergency"
REPORT, RENAME = "report", "rename"
ON, OFF = "on", "off"
MOST_DAILY = 20  # blocks, mutes and their ends by one player
_LAST = 2**31 - 1  # no act has a higher number
_LONGEST_WHY = 200  # characters of a reason
IS_EMERGENCY = (
    select(Action.about)
    .where(Action.what == EMERGENCY)
    .order_by(Action.id.desc())
    .limit(1)
    .scalar_subquery()
    == ON
)
"""Whether the operator has switched the state of emergency on, and not off again."""
_EMERGENCY = select(IS_EMERGENCY)


def note(
    connection: Connection,
    what: str,
    now: int,
    *,
    who: str = OPERATOR,
    about: str = "",
    board: int | None = None,
    why: str = "",
) -> None:
    """Record that `who` (a userid, or the operator) did something, in the caller's transaction.

    `about` is a userid, an address or a pattern, in lower case, or a word such as "on".  `now` is
    in seconds since 1970.
    """
    values = {"at": now, "who": who, "what": what, "about": about.lower(), "board": board}
    connection.execute(insert(Action).values(**values, why=why[:_LONGEST_WHY]))


def check_of_player(connection: Connection, who: str, now: int) -> None:
    """Check that a player may act on others once more; call it before any change.

    Raises Refused `too_many_acts` after `MOST_DAILY` in 24 hours.
    """
    if not fixed_window.allowed(connection, "act", who, MOST_DAILY, DAY, now):
        raise Refused("too_many_acts", most=MOST_DAILY)


def note_of_player(
    connection: Connection,
    what: str,
    now: int,
    *,
    who: str,
    about: str = "",
    board: int | None = None,
) -> None:
    """Record what a player (by its userid) did to another one, or at a board."""
    fixed_window.note(connection, "act", who, DAY, now)
    note(connection, what, now, who=who, about=about, board=board)


@dataclass(frozen=True, slots=True)
class Held:
    """The time in which a player had a userid (in lower case): after one act, up to another.

    Other players may have had it earlier or later.  `since` and `until` are the same limits in
    seconds since 1970.
    """

    name: str
    first: int
    last: int
    since: int
    until: int


def held(connection: Connection, userid: str, created_at: int, now: int) -> list[Held]:
    """The userids of a player, the current one first, from the operator's renames."""
    query = select(Action.id, Action.at, Action.about, Action.why).where(
        Action.what == RENAME, Action.why != ""
    )
    renamed = connection.execute(query.where(Action.at >= created_at).order_by(Action.id.desc()))
    found: list[Held] = []
    name, last, until = userid.lower(), _LAST, now
    for act in renamed:
        if act.why.split(" ")[1].lower() == name:  # of "now NAME", and perhaps a reason
            found.append(Held(name, act.id, last, act.at, until))
            name, last, until = act.about, act.id, act.at
    return [*found, Held(name, 0, last, created_at, until)]


def forget(connection: Connection, names: Collection[Held], nobody: str) -> None:
    """Replace the player by `nobody` in all acts by and about the player under these userids.

    The reasons are deleted, too: they are the player's words, or about the player.
    """
    for each in names:
        while_held = Action.id > each.first, Action.id <= each.last, Action.at >= each.since
        for column in (Action.who, Action.about):
            theirs = update(Action).where(func.lower(column) == each.name, *while_held)
            connection.execute(theirs.values({column: nobody, Action.why: ""}))


def latest(
    connection: Connection, *what: str, about: str | None = None, board: int | None = None
) -> Mapping[str, Any] | None:
    """The last act of one of these kinds, about something or a board; None if there is none."""
    asked = {"what": what, "about": about and about.lower(), "board": board}
    query = _latest(about is not None, board is not None)
    found = connection.execute(query, asked).mappings().first()
    return None if found is None else dict(found)


@cache
def _latest(is_about: bool, is_of_board: bool) -> Select[Any]:
    """The query of `latest`, with the conditions that it needs."""
    query = select(Action.__table__).where(Action.what.in_(bindparam("what", expanding=True)))
    if is_about:
        query = query.where(Action.about == bindparam("about"))
    if is_of_board:
        query = query.where(Action.board == bindparam("board"))
    return query.order_by(Action.id.desc()).limit(1)


def is_emergency(connection: Connection) -> bool:
    """Whether the operator has switched the state of emergency on, and not off again."""
    return bool(connection.execute(_EMERGENCY).scalar())


def reports(connection: Connection, most: int) -> Sequence[Mapping[str, Any]]:
    """The latest reports of boards by players, oldest first."""
    query = (
        select(Action.__table__).where(Action.what == REPORT).order_by(Action.id.desc()).limit(most)
    )
    return [dict(row) for row in connection.execute(query).mappings()][::-1]


def named(connection: Connection, *what: str) -> Sequence[str]:
    """All names that acts of these kinds were ever about."""
    query = select(Action.about).where(Action.what.in_(what)).distinct()
    return connection.execute(query).scalars().all()


def of(connection: Connection, words: Sequence[str], board: int | None, most: int) -> list[Any]:
    """The latest acts about one of these words or by it, or about a board; oldest first.

    Returns up to `most` acts of the operator and `most` of players.  The word "emergency" names
    that state.
    """
    which = _named_by(words, board)
    found = []
    for whose in (Action.who == OPERATOR, Action.who != OPERATOR):
        query = select(Action.__table__).where(which, whose).order_by(Action.id.desc()).limit(most)
        found += [dict(row) for row in connection.execute(query).mappings()]
    return sorted(found, key=lambda act: int(act["id"]))


def count(connection: Connection, words: Sequence[str], board: int | None) -> int:
    """How many acts there are about one of these words or by it, or about a board."""
    which = _named_by(words, board)
    return int(connection.execute(select(func.count(Action.id)).where(which)).scalar_one())


def _named_by(words: Sequence[str], board: int | None) -> ColumnElement[bool]:
    known = [word.lower() for word in words]
    which = or_(Action.about.in_(known), Action.who.in_(words))
    if EMERGENCY in known:
        which = or_(which, Action.what == EMERGENCY)
    if board is not None:
        which = or_(which, Action.board == board)
    return which
