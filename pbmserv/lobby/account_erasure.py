"""Erase a player's personal data, when the operator is asked to."""

from __future__ import annotations

from sqlalchemy import delete, func, select, update

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import invited_addresses, sign_off
from pbmserv.lobby.moderation import person
from pbmserv.monitoring import action_log
from pbmserv.players import accounts, blocks, mailbox_owners

FORGET = "forget"  # the action in the log of actions


def forget(work: UnitOfWork, userid: str, why: str) -> list[Letter]:
    """Erase everything about a player except the seats.

    This deletes addresses, password, settings, emails and the userid.  Only the records of games
    keep the name, because the proof of the dice includes it.
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
    mail, letter = models.InboxMail, models.OutboxLetter
    work.connection.execute(delete(mail).where(mail.sender.in_(addresses), mail.state != "waiting"))
    theirs = select(letter.id).where(letter.address.in_(addresses))
    work.connection.execute(
        delete(models.DeliveryAttempt).where(models.DeliveryAttempt.letter_id.in_(theirs))
    )
    work.connection.execute(
        update(letter)
        .where(letter.address.in_(addresses))
        .values(address="", payload="", reason="")
    )
    work.connection.execute(delete(models.Counter).where(models.Counter.who.in_(addresses)))
    values = {"userid": nobody, "userid_key": nobody, "skeleton": None, "language": "en"}
    fresh = {"timezone": "UTC", "closed": False, "suspended_until": None}
    work.connection.execute(update(row).where(row.id == player.id).values(**values, **fresh))
    action_log.note(work.connection, FORGET, work.now, about=nobody, why=why)
    return letters
