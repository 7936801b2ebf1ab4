"""Recipients: the language, time zone, style and addresses of a player's letters.

An address may be paused because letters bounced, or because its reader unsubscribed.
`deliverability/suppression.py` decides that; this module sends no letters there.  Moments are
seconds since 1970.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import field
from typing import Any

from sqlalchemy import Connection, and_, bindparam, select

from pbmserv.database import models
from pbmserv.errors import Fact
from pbmserv.fast_dataclasses import dataclass, replace
from pbmserv.games.perudo.commitments import commitment
from pbmserv.letters.payloads.letter import Letter
from pbmserv.timeunits import DAY

BOUNCED, ASKED = "bounced", "asked"  # why an address is paused
EVERY = "all"  # the player wants a letter for each move
GAMES = "games"  # the player wants only letters of games
MESSAGE = "message"
OWN_ADDRESS = "own_address"  # a fact of an answer that goes to an address of its reader's
KEPT = 30 * DAY  # how long messages of others are kept for a player whose addresses are all paused

# Security needs these even at an address that has unsubscribed.
OF_ACCOUNTS = {
    "address_told", "password_changed", "reset", "signoff", "signed_off", "answered_elsewhere",
    "measure",
}  # fmt: skip
# Only for players who sit at a board, are invited to it, or seek one.
OF_OWN_GAMES = {
    "perudo/boards", "invitation", "invitation_answer", "challenged", "seek_lapsed",
    "outage", "vacation", "unreachable", "paused", "awake", "annulled",
}  # fmt: skip
# The owner of an account has just asked for these, so they are sent to any address.
WANTED_THERE = {"confirm_address"}

COLUMNS = (
    models.Player.id,
    models.Player.userid,
    models.Player.language,
    models.Player.timezone,
    models.Player.digest,
    models.Player.letters,
    models.Player.format,
    models.Player.opening_seed,
    models.Player.left_at,
    models.Address.address,
    models.Address.paused_at,
    models.Address.paused_by,
)
"""What `of_rows` needs: a row for each player and address."""
ARE_THEIRS = and_(
    models.Address.player_id == models.Player.id, models.Address.confirmed_at.is_not(None)
)
_READERS = (
    select(*COLUMNS)
    .join(models.Address, ARE_THEIRS)
    .where(models.Player.id.in_(bindparam("ids", expanding=True)))
    .order_by(models.Address.id)
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """How a player reads letters; `style` is part of a payload.

    `userid` is "" if another player may be meant.  `commitment` is the SHA-256, in hex, of the seed
    of the next board that the player begins (`boards/opening_seeds.py`); "" for none.

    `addresses` are the confirmed ones in use.  `paused` are the others, with the moment and the
    reason.
    """

    userid: str
    language: str
    timezone: str
    digest: str
    letters: str
    style: Mapping[str, Fact]
    commitment: str = ""
    addresses: list[str] = field(default_factory=list)
    paused: dict[str, tuple[int, str]] = field(default_factory=dict)

    def wants(self, letter: Letter) -> bool:
        """Whether the player wants this letter."""
        if letter.routine and self.letters != EVERY and not self._is_told_words(letter):
            return False
        return self.letters != GAMES or _is_of_own_game(letter) or letter.kind in OF_ACCOUNTS

    def _is_told_words(self, letter: Letter) -> bool:
        """Whether the letter brings words of somebody else."""
        said = letter.payload.get("message")
        return isinstance(said, dict) and said["from"] != self.userid

    def gets(self, letter: Letter) -> bool:
        """Whether this letter is sent to an address of the player's."""
        return self.wants(letter) and bool(self.where_to(letter))

    def has_all(self, addresses: Iterable[str]) -> bool:
        """Whether the player has confirmed all these addresses."""
        mine = {*self.addresses, *self.paused}
        return all(each.lower() in mine for each in addresses)

    def is_out_of_reach(self, now: int) -> bool:
        """Whether all addresses are paused, the latest for less time than messages are kept."""
        since = [moment for moment, _ in self.paused.values()]
        return bool(since) and not self.addresses and max(since) > now - KEPT

    def is_lost(self) -> bool:
        """Whether all the player's addresses are paused because letters bounced."""
        reasons = {by for _, by in self.paused.values()}
        return not self.addresses and reasons == {BOUNCED}

    def where_to(self, letter: Letter) -> list[str]:
        """The addresses to which a letter is sent."""
        if not self.paused:
            return self.addresses
        also = [name for name, (_, by) in self.paused.items() if goes_to_paused(letter, by)]
        return [*self.addresses, *also]


def _is_of_own_game(letter: Letter) -> bool:
    """Whether the letter is about a board of which its reader is or may become a player."""
    of_seat = letter.kind.startswith("perudo/") and letter.payload.get("reader") is not None
    return of_seat or letter.kind in OF_OWN_GAMES


def is_personal(letter: Letter) -> bool:
    """Whether the letter is a message from one player to selected others."""
    return letter.kind == MESSAGE and not letter.payload["to_all"]


def recipients_of(connection: Connection, ids: Set[int | None]) -> dict[int | None, Recipient]:
    """The recipients with these ids; players who have left are left out."""
    return of_rows(connection.execute(_READERS, {"ids": list(ids)})) if ids else {}


def of_rows(rows: Iterable[Any]) -> dict[int | None, Recipient]:
    """The recipients in rows that have `COLUMNS`; an address may come several times.

    Players who have left, or have no confirmed address (None), are left out.
    """
    found: dict[int | None, Recipient] = {}
    for row in rows:
        if row.left_at is not None or row.address is None:
            continue
        if (reader := found.get(row.id)) is None:
            reader = found[row.id] = _recipient(row)
        if row.paused_at is not None:
            reader.paused[row.address] = (row.paused_at, row.paused_by)
        elif row.address not in reader.addresses:
            reader.addresses.append(row.address)
    return found


def _recipient(row: Any) -> Recipient:  # a row with COLUMNS
    style, committed = _style(row.format), commitment(row.opening_seed) if row.opening_seed else ""
    return Recipient(
        row.userid, row.language, row.timezone, row.digest, row.letters, style, committed
    )


def seen_by(letter: Letter, reader: Recipient | None) -> Mapping[str, object]:
    """A letter's payload for its reader: with the reader's time zone and style, and the userid."""
    if reader is None:
        return letter.payload
    own: dict[str, object] = {"zone": reader.timezone, **reader.style}
    if reader.commitment:
        own["commits"] = reader.commitment
    if reader.userid and not letter.kind.startswith("perudo/"):  # no userid in these letters
        own["account"] = reader.userid
    if letter.kind == "perudo/boards":
        boards: Any = letter.payload["boards"]
        own["boards"] = [{**each, **own} for each in boards]
    if letter.kind == "lines":
        lines: Any = letter.payload["lines"]
        own["lines"] = [_line_seen_by(each, reader) for each in lines]
    return {**letter.payload, **own}


def _line_seen_by(line: Mapping[str, Any], reader: Recipient) -> dict[str, object]:
    """One line's part of an answer to several commands, with its letters for the same reader."""
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
    """Letters for a player who reads them at once, in that player's time zone; and the language.

    The language is "" if no player is known.
    """
    reader = recipients_of(connection, {player}).get(player)
    if reader is None:
        return list(letters), ""
    return [replace(each, payload=seen_by(each, reader)) for each in letters], reader.language


def _style(form: str) -> Mapping[str, Fact]:
    """The style of letters, for a payload; text alone is what most players do not choose."""
    return {"text_alone": True} if form == "text" else {}


def unreached(connection: Connection, letters: Sequence[Letter]) -> list[str]:
    """The userids of readers of these letters to whom none of the letters is sent now."""
    known = recipients_of(connection, {each.to for each in letters if isinstance(each.to, int)})
    reached = {each.to for each in letters if each.to in known and known[each.to].gets(each)}
    row = models.Player
    query = select(row.userid).where(row.id.in_(known.keys() - reached)).order_by(row.userid)
    return list(connection.execute(query).scalars())


def paused(connection: Connection, addresses: Set[str]) -> dict[int | str | None, str]:
    """The paused ones of these addresses, with the reason."""
    if not addresses:
        return {}
    row = models.Address
    query = select(row.address, row.paused_by).where(
        row.address.in_(addresses), row.paused_at.is_not(None)
    )
    rows = sorted(connection.execute(query).all(), key=lambda each: each.paused_by == BOUNCED)
    return {each.address: each.paused_by for each in rows}


def goes_to_paused(letter: Letter, by: str) -> bool:
    """Whether a letter is sent even to an address that is paused for this reason."""
    return letter.kind in WANTED_THERE or (by == ASKED and letter.kind in OF_ACCOUNTS)
