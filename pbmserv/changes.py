"""Changes of an account: its password, its addresses, and its end."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import delete, insert, select, update

from pbmserv import (
    accounts,
    boards,
    confirmations,
    invitations,
    models,
    players,
    playing,
    telling,
    tokens,
)
from pbmserv.boards import PLAYING
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Fact, Refused
from pbmserv.games.perudo.table import Resign

NO_PASSWORD = "-"  # what no password hashes to


def password(desk: Desk, player: int, new: str) -> list[Letter]:
    """Set a new password; every address is told, for whoever changes it may be somebody else.

    Raises Refused `bad_password`.
    """
    accounts.check_password(new)
    row = models.Player
    change = update(row).where(row.id == player).values(password_hash=desk.hash(new))
    desk.connection.execute(change)
    confirmations.withdraw(desk.connection, player, confirmations.RESET)
    name = players.named(desk.connection, [player])[0].userid
    told = Letter(player, "password_changed", {"userid": name})
    return [told, Letter(None, "password_changed", {"userid": name})] if desk.at_shell else [told]


def addresses(desk: Desk, player: int, asked: Sequence[str]) -> list[Letter]:
    """Ask the new addresses for their confirmation, and tell the old ones.

    Raises Refused `no_address`, `bad_address` or `too_many_addresses`.
    """
    written = _checked(asked or ([desk.sender] if desk.sender else []))
    name = players.named(desk.connection, [player])[0].userid
    known = players.addresses_of(desk.connection, [player], confirmed=False)[player]
    row = models.Address
    mine = row.player_id == player
    desk.connection.execute(update(row).where(mine).values(replaces=row.address.in_(written)))
    confirmed_at = desk.now if desk.at_shell else None
    if fresh := [each for each in written if each not in known]:
        values = {"player_id": player, "confirmed_at": confirmed_at, "replaces": True}
        desk.connection.execute(insert(row), [{**values, "address": each} for each in fresh])
    confirmed = players.addresses_of(desk.connection, [player])[player]
    if desk.at_shell or set(written) <= set(confirmed):
        forget_replaced(desk, player)
    facts: dict[str, Fact] = {
        "userid": name,
        "addresses": list(written),
        "waiting": not desk.at_shell,
    }
    letters = [Letter(each, "address_told", facts) for each in confirmed if each not in written]
    if not desk.at_shell:
        numbers = select(row.id, row.address).where(mine, row.confirmed_at.is_(None))
        for number, address in desk.connection.execute(numbers).all():
            if address in written:
                letters.append(_asking(desk, number, name, address))
    return [*letters, Letter(None, "addresses_changed", facts)]


def _checked(asked: Sequence[str]) -> list[str]:
    written = list(dict.fromkeys(accounts.address_key(each) for each in asked))
    if not written:
        raise Refused("no_address")
    if len(written) > players.MOST_ADDRESSES:
        raise Refused("too_many_addresses", most=players.MOST_ADDRESSES, given=len(written))
    return written


def _asking(desk: Desk, number: int, name: str, address: str) -> Letter:
    token = tokens.confirmation()
    players.ask_confirmation(desk.connection, number, tokens.digest(token), desk.now)
    facts = {"userid": name, "token": token, "address": address}
    return Letter(address, "confirm_address", facts, token=token)


def forget_replaced(desk: Desk, player: int) -> None:
    """Once a new address is confirmed, those that it replaces are forgotten."""
    row = models.Address
    mine = row.player_id == player
    replacing = select(row.id).where(mine, row.replaces.is_(True))
    if not desk.connection.execute(replacing).first():
        return
    _erase(desk, select(row.id).where(mine, row.replaces.is_(False)))
    desk.connection.execute(update(row).where(mine).values(replaces=False))


def _erase(desk: Desk, numbers: object) -> None:
    asked, row = models.Confirmation, models.Address
    desk.connection.execute(delete(asked).where(asked.address_id.in_(numbers)))  # type: ignore[arg-type]  # a select
    desk.connection.execute(delete(row).where(row.id.in_(numbers)))  # type: ignore[arg-type]  # a select


def signed_off(desk: Desk, player: int) -> list[Letter]:
    """End an account: seats are resigned, addresses and secrets erased; the name stays.

    The last letter goes to the addresses that were confirmed.
    """
    name = players.named(desk.connection, [player])[0].userid
    goodbye = players.addresses_of(desk.connection, [player])[player]
    letters = [*_resigned(desk, player), *invitations.leave(desk, player)]
    for table in (models.Seek, models.Watcher, models.Vacation, models.Confirmation):
        desk.connection.execute(delete(table).where(table.player_id == player))
    row = models.Address
    _erase(desk, select(row.id).where(row.player_id == player))
    known = models.Player
    desk.connection.execute(
        update(known)
        .where(known.id == player)
        .values(password_hash=NO_PASSWORD, left_at=desk.now, digest="off", endings=False)
    )
    letters = [each for each in letters if each.to != player]
    return [*letters, *(Letter(each, "signed_off", {"userid": name}) for each in goodbye)]


def _resigned(desk: Desk, player: int) -> list[Letter]:
    """Leave every running board: at once where it is the player's turn, else when it comes."""
    query = (
        select(models.Seat.board_id)
        .join(models.Board, models.Board.id == models.Seat.board_id)
        .where(models.Seat.player_id == player, models.Board.state == PLAYING)
    )
    letters = []
    for number in desk.connection.execute(query).scalars().all():
        board = boards.load(desk.connection, number)
        seat = board.seat_of(player)
        if not board.table.cups[seat]:
            continue
        if board.table.turn == seat:
            played = playing.move(desk, board, seat, Resign())
            letters += telling.of_move(desk, played, None)
        elif not board.seats[seat].leaving:
            playing.resign_later(desk, board, seat)
    return letters
