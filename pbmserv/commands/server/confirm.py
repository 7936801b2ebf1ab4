"""`confirm`: confirm what a letter asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from pbmserv.commands.framework import Secret, player_command
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.letters.payloads.accounts import CONFIRMED, Confirmed
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import DOCTOR_ANSWERED

if TYPE_CHECKING:
    from pbmserv.players.accounts import Player


@player_command(
    "confirm",
    example="confirm 7XQ2M4KDPLR5NVTA3SWZ6YBHCE",
    letters=(
        "confirmed",
        "signed_off",
        "doctor_answered",
        "addresses_changed",
        "confirm_address",
        "invitation_answer",
        "perudo/ended",
        "perudo/moved",
    ),
)
@click.argument("token", cls=Secret)
def command(context: Context, token: str) -> list[Letter]:
    """Confirm what a letter asked you to confirm, such as your address.

    If the letter says so, you can also reply to it, with the word yes or without text.
    """
    from pbmserv.boards import opening_seeds
    from pbmserv.letters.catalogues import languages
    from pbmserv.lobby import account_changes, sign_off
    from pbmserv.players import accounts, confirmations, preferences
    from pbmserv.security import tokens

    found = confirmations.find(context.connection, token, context.now)
    if found.purpose == confirmations.DOCTOR:
        confirmations.withdraw(context.connection, None, confirmations.DOCTOR)
        return [DOCTOR_ANSWERED.to(None, {})]
    if found.purpose == confirmations.RESET:
        raise Refused("reset_needs_password")
    if found.purpose == confirmations.SIGNOFF:
        return sign_off.sign_off(context, found.player)
    if found.purpose == confirmations.ADDRESSES:
        return account_changes.agreed(context, found.player)
    before = accounts.addresses_of(context.connection, [found.player])[found.player]
    player, address = accounts.confirm(context.connection, tokens.digest(token), context.now)
    account_changes.forget_replaced(context, player.id, address)
    if not before:
        player = _with_language(context, player)
    chosen = preferences.read(context.connection, player.id)
    told: Confirmed = {
        "userid": player.userid,
        "address": address,
        "is_new": not before,
        "language": chosen["language"],
        "timezone": chosen["timezone"],
        "format": chosen["format"],
        "languages": languages(),
    }
    if found.done_at is not None:
        told["used"] = found.done_at
    if not before:
        opening_seeds.draw(context, player.id)
    commits = {"commits": opening_seeds.committed_to(context.connection, player.id)}
    payload = {**told, **commits}  # as in all letters to a player: `outbox.recipients`
    letter = CONFIRMED.to(address, told)
    return [replace(letter, payload=payload, language=player.language)]


def _with_language(context: Context, player: Player) -> Player:
    """A new player, with the language that the yes shows if the sign-up showed none."""
    from pbmserv.letters.catalogues import DEFAULT_LANGUAGE, spoken
    from pbmserv.players import preferences

    language = spoken(context.writer.language)
    if player.language != DEFAULT_LANGUAGE or language == DEFAULT_LANGUAGE:
        return player
    preferences.change(context.connection, player.id, [f"language={language}"], context.now)
    return replace(player, language=language)
