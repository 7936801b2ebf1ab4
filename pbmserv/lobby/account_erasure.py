"""Erase a player's personal data, when the operator is asked to."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy import and_, case, delete, func, or_, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.models.states import DROPPED, DUE, FAILED, HELD
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invited_addresses, sign_off
from pbmserv.lobby.moderation import person
from pbmserv.monitoring import action_log
from pbmserv.outbox.held_letters import ASKING
from pbmserv.players import accounts, blocks, confirmations, mailbox_owners

_UNSENT = DUE, HELD, FAILED
FORGET = "forget"  # the action in the log of actions


def forget(work: UnitOfWork, userid: str, why: str) -> list[Letter]:
    """Erase everything about a player except the seats.

    This deletes addresses, password, settings, emails and the userid.  Only the records of games
    keep the name, because the proof of the dice includes it.  Emails and letters of an address that
    another player has, too, are kept, except letters to this player.
    """
    player = person(work.connection, userid)
    row, key = (
        models.Player,
        accounts.addresses_of(work.connection, [player.id], confirmed=False),
    )
    addresses = key[player.id]
    letters = sign_off.sign_off(work, player.id)
    nobody = f"gone-{player.id}"
    blocks.forget(work.connection, player.id)
    mailbox_owners.forget_player(work.connection, player.id)
    invited_addresses.forget(work, addresses)
    created_at = work.connection.execute(select(row.created_at).where(row.id == player.id))
    names = action_log.held(work.connection, player.userid, created_at.scalar_one(), work.now)
    talk = models.Talk
    for each in names:
        said = func.lower(talk.userid) == each.name, talk.at.between(each.since, each.until)
        work.connection.execute(delete(talk).where(*said))
    action_log.forget(work.connection, names, nobody)
    for table in (models.Rating, models.Vacation):
        work.connection.execute(delete(table).where(table.player_id == player.id))
    alone = [each for each in addresses if not accounts.players_of_address(work.connection, each)]
    mail = models.InboxMail
    work.connection.execute(delete(mail).where(mail.sender.in_(alone), mail.state != "waiting"))
    _erase_letters(work, player.id, alone)
    work.connection.execute(delete(models.Counter).where(models.Counter.who.in_(addresses)))
    values = {"userid": nobody, "userid_key": nobody, "skeleton": None, "language": "en"}
    fresh = {"timezone": "UTC", "closed": False, "suspended_until": None}
    work.connection.execute(update(row).where(row.id == player.id).values(**values, **fresh))
    action_log.note(work.connection, FORGET, work.now, about=nobody, why=why)
    return letters


def _erase_letters(work: UnitOfWork, player: int, alone: Sequence[str]) -> None:
    """Erase a player's letters, and those to the addresses that the player has `alone`.

    Those that wait or failed are dropped: without its text a letter cannot be sent.  A letter that
    waits, and asks somebody else to confirm such an address, is kept.
    """
    row, tries = models.OutboxLetter, models.DeliveryAttempt
    of_nobody = and_(row.player_id.is_(None), row.address.in_(alone))
    of_nobody &= row.id.not_in(_asking_others(work, alone))
    theirs = or_(row.player_id == player, of_nobody)
    numbers = select(row.id).where(theirs)
    work.connection.execute(delete(tries).where(tries.letter_id.in_(numbers)))
    blank = {"address": "", "payload": "", "token": "", "reason": ""}
    state = case((row.state.in_(_UNSENT), DROPPED), else_=row.state)
    work.connection.execute(update(row).where(theirs).values(state=state, **blank))


def _asking_others(work: UnitOfWork, addresses: Sequence[str]) -> list[int]:
    """The letters to these addresses that wait, and ask for a confirmation that is still pending.

    The player's own confirmations are erased before.
    """
    row = models.OutboxLetter
    query = select(row.id, row.token).where(row.kind.in_(ASKING), row.address.in_(addresses))
    found = work.connection.execute(query.where(row.state.in_(_UNSENT)))
    return [each.id for each in found if confirmations.known(work.connection, each.token, work.now)]
