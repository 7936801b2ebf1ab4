"""Send the words below a move that came too late or out of turn, although the move is refused.

They go to the others like a chat, if the email's proof would allow a chat.  Otherwise the
answer to the writer carries a token, so that a reply to it can send them.

The answer to a move that is not legal has the dice of its player, who can reply with another one.
"""

from __future__ import annotations

import click

from pbmserv.boards.board import LARGEST_NUMBER
from pbmserv.boards.possible_moves import on_turn, own_cup
from pbmserv.commands import calls, framework
from pbmserv.commands.parser import CommandCall
from pbmserv.context import Context, Outcome
from pbmserv.errors import Refused
from pbmserv.fast_dataclasses import replace
from pbmserv.intake.replies.coming_moves import names_coming_move
from pbmserv.letters.payloads.boards import ALREADY_PLAYED, OnTurn
from pbmserv.letters.payloads.letter import Letter
from pbmserv.players import account_suspension
from pbmserv.security.credentials import Identity
from pbmserv.text.numbers import whole_of_any_script

REASONS = {"already_played", "calza_late", "eliminated", "game_over", "not_your_turn"}
"""Refusals of a move that say nothing against the words below it."""
SECRET = {"already_played", "calza_late", "not_your_turn"}
"""Those of them that may come to a player who still means the move, and makes it later."""
MISTAKES = {
    *("bid_range", "over_cap", "palifico_face", "opening_ones", "to_ones", "from_ones"),
    *("both_raised", "not_a_raise", "repeated_bid", "no_raise_left", "call_unknown_here"),
    *("no_bid_yet", "own_bid", "pacao_one_die", "pacao_once", "unreadable_move"),
}
"""Refusals of a move that is not legal, or cannot be read: a reply to them can be another move."""
NO_MOVES = {"no_pass", "no_swap", "no_undo", "no_submit"}
"""Refusals of what Perudo does not have: such a line in a reply to a game letter means a move."""
SENT, UNSENT = "sent", "unsent"


def _names_move(message: str) -> bool:
    """Whether a line below a move names another one: "and then dudo"."""
    return any(names_coming_move(line, set(), ()) for line in message.split("\n"))


def letters_with_text(
    parsed: click.Context, context: Context, refusal: Refused
) -> list[Letter] | None:
    """The letters with the words below a refused move; None if there is nothing to send.

    They are empty if the words may not be sent, or come again with another move: so its player is
    told that they were not.  Words in the line of a move may tell it, so they wait for it, too.
    """
    is_move = (parsed.command.name, context.at_shell) == ("move", False)
    if not (is_move and context.message and refusal.code in REASONS | MISTAKES):
        return None
    is_reply = context.answered is not None  # who writes a command means the text below it
    is_followed = bool(parsed.meta.get(framework.FOLLOWED))
    may_tell = is_followed or (is_reply and _names_move(context.message))
    if refusal.code in MISTAKES or (may_tell and refusal.code in SECRET):
        return []
    chat = click.Context(framework.find(CommandCall("perudo", "chat", ())))
    chat.params = {key: parsed.params[key] for key in ("board", "userid", "password")}
    try:
        letters = calls.run_command(chat, context)
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
        told_of = replace(outcome, refusal=refusal, letters=tuple(letters))
        return answerable(told_of, parsed, context) if refusal.code in MISTAKES else told_of
    told = [
        replace(each, payload={**each.payload, "words_below": words})
        if each.kind == ALREADY_PLAYED.name
        else each
        for each in outcome.letters
    ]
    return answerable(replace(outcome, letters=(*told, *letters)), parsed, context)


def answerable(outcome: Outcome, parsed: click.Context, context: Context) -> Outcome:
    """The outcome, where the letter about a late or a refused move has a token of the next move.

    It has one if the game goes on, and if its address is one of the player who has proven it.
    The letter about a refused move has it, and what a move needs, for the player on turn.  So has
    a shell's answer to whom a password in this command names.
    """
    if outcome.refusal and outcome.refusal.code in NO_MOVES:
        return _with_turn_of_reply(outcome, context)
    shown = context.credentials.shown_by(parsed.params)
    if not isinstance(shown, Identity) or not _is_reader(shown, context):
        return outcome
    if outcome.refusal and outcome.refusal.code in MISTAKES:
        return _with_turn(outcome, parsed, context, shown)
    if context.at_shell:
        return outcome
    letters = tuple(
        _with_token(each, shown.player) if each.kind == ALREADY_PLAYED.name else each
        for each in outcome.letters
    )
    return replace(outcome, letters=letters)


def _is_reader(shown: Identity, context: Context) -> bool:
    """Whether the answer is read by the player who is shown: a letter may be in other hands."""
    if context.at_shell:
        return shown.board is None  # a password, and no token
    return shown.player in context.owners


def _with_turn(
    outcome: Outcome, parsed: click.Context, context: Context, shown: Identity
) -> Outcome:
    """The outcome of a refused move with the dice of its player, if that player is on turn."""
    board = whole_of_any_script(str(parsed.params.get("board")), LARGEST_NUMBER)
    if parsed.command.name != "move" or board is None or shown.board not in {None, board}:
        return outcome
    if (found := on_turn(context.connection, board, shown.player)) is None:
        return outcome
    move, told = found
    return replace(outcome, on_turn=told, next=(board, move, shown.player))


def turn_of_reply(context: Context, *, is_help: bool = False) -> OnTurn | None:
    """What the player needs for a move who answers a game letter from an own address.

    `is_help`: the player asks for help, and is told the dice in the turn of others, too.
    """
    found = _found_turn(context, is_help=is_help)
    return found[1] if found else None


def refusal_of_reply(context: Context) -> Refused | None:
    """Why no reply to the answered game letter is carried out; None if one may be."""
    answered = context.answered
    if answered is not None and answered.is_void:
        return Refused("before_restore", board=answered.board)
    if answered is None or answered.board is None or answered.player not in context.owners:
        return None
    try:
        account_suspension.check_player(context.connection, answered.player, context.now)
    except Refused as refusal:
        return refusal
    return None


def coming_move(context: Context) -> int | None:
    """The number of the next move, for a player who answers a letter from an own address.

    None for a player without dice, and where no move is possible now.
    """
    found = _found_turn(context, is_help=True)
    return found[0] if found else None


def _found_turn(context: Context, *, is_help: bool = False) -> tuple[int, OnTurn] | None:
    """As `on_turn` for the board of the game letter that is answered from an own address."""
    answered = context.answered
    if answered is None or answered.is_void or answered.board is None:
        return None
    if answered.player not in context.owners:
        return None
    return own_cup(context.connection, answered.board, answered.player, is_on_turn=not is_help)


def _with_turn_of_reply(outcome: Outcome, context: Context) -> Outcome:
    """The outcome with the dice of the player who answers a game letter and is on turn.

    A player who is suspended is told so instead, without dice.
    """
    if said := refusal_of_reply(context):
        return replace(outcome, refusal=said)
    answered = context.answered
    if answered is None or answered.board is None or (found := _found_turn(context)) is None:
        return outcome
    move, told = found
    return replace(outcome, on_turn=told, next=(answered.board, move, answered.player))


def _with_token(letter: Letter, player: int) -> Letter:
    """The letter about a late move with a token for its player, while the game goes on."""
    facts = letter.payload
    if facts["turn"] is None:
        return letter
    told = {**facts, "reply": True} if facts.get("words_below") == UNSENT else facts
    board, move = int(str(facts["board"])), int(str(facts["move"]))
    return replace(letter, payload=told, board=board, move=move, player=player)
