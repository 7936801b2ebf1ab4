"""Send the words below a move that came too late or out of turn, although the move is refused.

They go to the others like a chat, if the proof of the email is enough for one.  Otherwise the
answer to the writer carries a token, so that a reply to it can send them.
"""

from __future__ import annotations

from dataclasses import replace

import click

from pbmserv.commands import framework
from pbmserv.commands.parser import CommandCall
from pbmserv.context import Context, Outcome
from pbmserv.errors import Refused
from pbmserv.letters.payloads.boards import ALREADY_PLAYED
from pbmserv.letters.payloads.letter import Letter
from pbmserv.security.credentials import Identity

REASONS = {"already_played", "calza_late", "eliminated", "game_over", "not_your_turn"}
"""Refusals of a move that say nothing against the words below it."""
SENT, UNSENT = "sent", "unsent"


def letters_with_text(
    parsed: click.Context, context: Context, refusal: Refused
) -> list[Letter] | None:
    """The letters with the words below a refused move; None if there is nothing to send.

    They are empty if the words may not be sent.
    """
    is_move = (parsed.command.name, context.at_shell) == ("move", False)
    if not (is_move and context.message and refusal.code in REASONS):
        return None
    chat = click.Context(framework.find(CommandCall("perudo", "chat", ())))
    chat.params = {key: parsed.params[key] for key in ("board", "userid", "password")}
    try:
        letters = framework.run_command(chat, context)
    except Refused:
        return []
    return [each for each in letters if each.to is not None]


def with_letters(
    outcome: Outcome, letters: list[Letter], parsed: click.Context, context: Context
) -> Outcome:
    """The outcome of the refused move with the letters that bring its words, if there are any."""
    words = SENT if letters else UNSENT
    if outcome.refusal:
        refusal = Refused(outcome.refusal.code, **outcome.refusal.facts, words_below=words)
        return replace(outcome, refusal=refusal, letters=tuple(letters))
    told = [
        replace(each, payload={**each.payload, "words_below": words})
        if each.kind == ALREADY_PLAYED.name
        else each
        for each in outcome.letters
    ]
    return answerable(replace(outcome, letters=(*told, *letters)), parsed, context)


def answerable(outcome: Outcome, parsed: click.Context, context: Context) -> Outcome:
    """The outcome, where the letter about a late move has a token of the next move.

    It has one if the game goes on, and if it goes to an address of the player who has proven it.
    """
    shown = context.credentials.shown_by(parsed.params)
    if not isinstance(shown, Identity) or shown.player not in context.owners:
        return outcome
    letters = tuple(
        _with_token(each, shown.player) if each.kind == ALREADY_PLAYED.name else each
        for each in outcome.letters
    )
    return replace(outcome, letters=letters)


def _with_token(letter: Letter, player: int) -> Letter:
    """The letter about a late move with a token for its player, while the game goes on."""
    facts = letter.payload
    if facts["turn"] is None:
        return letter
    told = {**facts, "reply": True} if facts.get("words_below") == UNSENT else facts
    board, move = int(str(facts["board"])), int(str(facts["move"]))
    return replace(letter, payload=told, board=board, move=move, player=player)
