"""Readers: in which language, time zone and style a player reads letters, and where.

An address may be paused: letters to it came back, or somebody there asked for no more.  Why and
how long stands in `deliverability/suppression.py`; that nothing goes there is seen to here.
Moments are seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from typing import Any

from sqlalchemy import Connection, bindparam, select

from pbmserv.database import models
from pbmserv.errors import Fact
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.render import DEFAULT_LANGUAGE
from pbmserv.timeunits import DAY

BOUNCED, ASKED = "bounced", "asked"  # why an address is paused
GAMES = "games"  # a player who wants letters of these alone
MESSAGE = "message"
KEPT = 30 * DAY  # how long what others write is kept for somebody who gets no letters

# Somebody who asked for no more letters must still hear when the account changes hands.
OF_ACCOUNTS = {
    "address_told", "password_changed", "reset", "signoff", "signed_off", "answered_elsewhere",
    "measure",
}  # fmt: skip
# What is told only to whoever sits at a board, is asked to, or seeks one.
OF_OWN_GAMES = {
    "perudo/boards", "invitation", "invitation_answer", "challenged", "seek_lapsed",
    "outage", "vacation", "unreachable", "paused", "awake", "annulled",
}  # fmt: skip
# What the owner of an account has just asked to be sent to an address, whatever came of others.
WANTED_THERE = {"confirm_address"}

_READERS = (
    select(
        models.Player.id,
        models.Player.userid,
        models.Player.language,
        models.Player.timezone,
        models.Player.digest,
        models.Player.letters,
        models.Player.format,
        models.Player.subject,
        models.Address.address,
        models.Address.paused_at,
        models.Address.paused_by,
    )
    .join(models.Address, models.Address.player_id == models.Player.id)
    .where(
        models.Player.id.in_(bindparam("ids", expanding=True)),
        models.Address.confirmed_at.is_not(None),
        models.Player.left_at.is_(None),
    )
    .order_by(models.Address.id)
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """How a player reads letters; `style` are facts, `userid` "" where it may be another's.

    `addresses` are the confirmed ones that letters go to, `paused` the others, with the moment
    and the reason.
    """

    userid: str
    language: str
    timezone: str
    digest: str
    letters: str
    style: Mapping[str, Fact]
    addresses: list[str] = field(default_factory=list)
    paused: dict[str, tuple[int, str]] = field(default_factory=dict)

    def wants(self, letter: Letter) -> bool:
        """Whether this letter is one of those that the player wants."""
        return self.letters != GAMES or is_of_own_game(letter) or letter.kind in OF_ACCOUNTS

    def gets(self, letter: Letter) -> bool:
        """Whether this letter goes to an address of the player's."""
        return self.wants(letter) and bool(self.where_to(letter))

    def is_out_of_reach(self, now: int) -> bool:
        """Whether no letter reaches the player, and not for longer than what is kept meanwhile."""
        since = [moment for moment, _ in self.paused.values()]
        return bool(since) and not self.addresses and max(since) > now - KEPT

    def is_lost(self) -> bool:
        """Whether letters to all the player's addresses have come back."""
        reasons = {by for _, by in self.paused.values()}
        return not self.addresses and reasons == {BOUNCED}

    def where_to(self, letter: Letter) -> list[str]:
        """The addresses for a letter."""
        if not self.paused:
            return self.addresses
        also = [name for name, (_, by) in self.paused.items() if goes_to_paused(letter, by)]
        return [*self.addresses, *also]


def is_of_own_game(letter: Letter) -> bool:
    """Whether the letter is about a board at which its reader sits or may sit, or its deadlines."""
    of_seat = letter.kind.startswith("perudo/") and letter.facts.get("reader") is not None
    return of_seat or letter.kind in OF_OWN_GAMES


def is_personal(letter: Letter) -> bool:
    """Whether the letter is what one player wrote to another, and to nobody else."""
    return letter.kind == MESSAGE and not letter.facts["to_all"]


def recipients_of(connection: Connection, ids: Set[int | None]) -> dict[int | None, Recipient]:
    """The language and the confirmed addresses of these players; who has left reads nothing."""
    found: dict[int | None, Recipient] = {}
    rows = connection.execute(_READERS, {"ids": list(ids)}) if ids else ()
    for player, userid, language, timezone, digest, letters, form, subject, address, at, by in rows:
        if player not in found:
            found[player] = Recipient(
                userid, language, timezone, digest, letters, _style(form, subject)
            )
        if at is None:
            found[player].addresses.append(address)
        else:
            found[player].paused[address] = (at, by)
    return found


def seen_by(letter: Letter, reader: Recipient | None) -> Mapping[str, object]:
    """A letter's facts for its reader: dates in the reader's own time, commands with the userid."""
    if reader is None:
        return letter.facts
    own: dict[str, object] = {"zone": reader.timezone, **reader.style}
    if reader.userid and not letter.kind.startswith("perudo/"):  # those show no such commands
        own["account"] = reader.userid
    if letter.kind == "perudo/boards":
        boards: Any = letter.facts["boards"]
        own["boards"] = [{**each, **own} for each in boards]
    if letter.kind == "lines":
        lines: Any = letter.facts["lines"]
        own["lines"] = [_line_seen_by(each, reader) for each in lines]
    return {**letter.facts, **own}


def _line_seen_by(line: Mapping[str, Any], reader: Recipient) -> dict[str, object]:
    """One line's part of an answer to many: its letters for their reader, too."""
    return {
        **line,
        "letters": [
            {
                **each,
                "facts": seen_by(Letter(each["to"], each["kind"], each["facts"]), reader),
            }
            for each in line.get("letters", ())
        ],
    }


def as_read(
    connection: Connection, letters: Sequence[Letter], player: int | None
) -> tuple[list[Letter], str]:
    """Letters that a player reads at once, with dates in the player's time; and the language."""
    reader = recipients_of(connection, {player}).get(player)
    if reader is None:
        return list(letters), DEFAULT_LANGUAGE
    return [replace(each, facts=seen_by(each, reader)) for each in letters], reader.language


def _style(form: str, subject: str) -> Mapping[str, Fact]:
    """How a letter shall look, as facts of it; most players want it plain."""
    style = {"as_page": form == "html", "one_thread": subject == "thread"}
    return {name: True for name, wanted in style.items() if wanted}


def unreached(connection: Connection, letters: Sequence[Letter]) -> list[str]:
    """The players among the readers of these letters to whom none of them goes now."""
    known = recipients_of(connection, {each.to for each in letters if isinstance(each.to, int)})
    reached = {each.to for each in letters if each.to in known and known[each.to].gets(each)}
    row = models.Player
    query = select(row.userid).where(row.id.in_(known.keys() - reached)).order_by(row.userid)
    return list(connection.execute(query).scalars())


def paused(connection: Connection, addresses: Set[str]) -> dict[int | str | None, str]:
    """Those of these addresses that are paused, and why."""
    if not addresses:
        return {}
    row = models.Address
    query = select(row.address, row.paused_by).where(
        row.address.in_(addresses), row.paused_at.is_not(None)
    )
    rows = sorted(connection.execute(query).all(), key=lambda each: each.paused_by == BOUNCED)
    return {each.address: each.paused_by for each in rows}


def goes_to_paused(letter: Letter, by: str) -> bool:
    """Whether a letter goes even to an address that is paused, for this reason."""
    return letter.kind in WANTED_THERE or (by == ASKED and letter.kind in OF_ACCOUNTS)
