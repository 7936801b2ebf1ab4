"""`challenge`: begin a board, or invite players who want to be asked."""

from __future__ import annotations

import click

from pbmserv.commands.framework import Decorated, message_option, player_command
from pbmserv.commands.name_lists import named, without_dice
from pbmserv.context import Context
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter


def rule_options(command: Decorated) -> Decorated:
    """The parameters by which a rule set and its options are chosen."""
    for way, about in reversed(
        (
            ("-rules=NAME", "The rule set, by default pbmserv: help rules lists them."),
            ("-raise=HOW", "pbmserv: literal, quantity or strict; classic: single, one_or_both."),
            ("-to1=exact", "classic, bga: exact asks for exactly half when bidding on ones."),
            ("-palifico", "classic: play the Palifico round."),
            ("-pal_wild=no", "pyrudo, classic: with no, ones are not wild in a Palifico round."),
            ("-calza", "classic, bga: allow calling that a bid is exactly right."),
            ("-hidden", "bga: the number of dice of the others is not told."),
            ("-dice=N", "Dice in each cup at the start, 1 to 10."),
            ("-faces=N", "Faces of a die, 2 to 20."),
        )
    ):
        name, _, value = way.partition("=")
        option = click.option(name, metavar=value, help=about, shell_complete=_values)
        command = option(command)
    return command


def _values(_: click.Context, parameter: click.Parameter, begun: str) -> list[str]:
    """The values with which a shell completes an option, of all rule sets."""
    from pbmserv.games.perudo.rules import OPTIONS, RULE_SETS

    name = parameter.name or ""
    known = [choices[name].allowed for choices in OPTIONS.values() if name in choices]
    words = dict.fromkeys(RULE_SETS if name == "rules" else (each for one in known for each in one))
    return [word for word in words if word.isidentifier() and word.startswith(begun)]


def _bots(_: click.Context, __: click.Parameter, begun: str) -> list[str]:
    """The bots, one of each level; userids of players are not shown."""
    from pbmserv.lobby import bots

    return [word for word in bots.words() if word.startswith(begun)]


@player_command(
    "challenge",
    example="perudo challenge -rules=bga ann bob cleo",
    letters=("perudo/started", "challenged", "invitation", "invited", "guest_invitation"),
    ordered=named,
)
@click.option("-inorder", help="Seats in the order written; without it the order is drawn.")
@rule_options
@click.option("-unrated", help="The result does not count for ratings.")
@click.option("-rated", help="The result counts, although one house player is in the game.")
@click.option(
    "--nagtime",
    metavar="DAYS",
    help="Days (or 12h: hours) until a player is reminded; default 7.",
)
@click.option(
    "--forfeittime",
    metavar="DAYS",
    help="Days or hours until a player is out; default 21. Under 2 days all are asked first.",
)
@click.option(
    "--totaltime",
    metavar="DAYS",
    help="Days or hours until the whole board closes; default none.",
)
@click.option("--standin", help="A house player takes the place of a player who runs out of time.")
@click.option(
    "--reliable", metavar="N", help="90 refuses players with less than 90 percent of moves on time."
)
@click.argument("userid", nargs=-1, required=True, shell_complete=_bots)
@message_option
def command(context: Context, userid: tuple[str, ...], **words: str | None) -> list[Letter]:
    """Start a board for two to six players.

    Each named player gets a letter with the dice in their own cup.  Name yourself, too, if you want
    to play.  The text below the command, after a blank line, is the opening message.  By email the
    challenge must come from an address of a player.  An opening message without proof of its writer
    is sent with the player's first move or reply.

    The game counts once everybody has moved, written or accepted there.  Until then a player can
    decline, or never answer, and leave the board: it does not count for that player.

    Players who want to be asked first get an invitation.  The board begins when all have accepted.
    After 14 days without an answer the invitation is withdrawn.  Everybody is asked if the time to
    move is less than two days.  Players are also asked if three boards of people with whom they
    have never played wait for their answer.

    Each word house adds another house player.  A game with one is unrated unless you write -rated.
    With two or more it never counts.

    To invite somebody without an account, once, write an email address in place of a userid.  Your
    userid, and your name from the email, go there with the rules of the game.  A yes opens an
    account and takes the seat.  By email such a challenge must answer any letter of ours, as a
    proof that you write it.  You can invite three addresses a day, or one while your account is
    younger than three days.

    Until you have finished a game with another person, you can begin three boards a day.
    """
    from pbmserv.lobby import challenge_start, challenges
    from pbmserv.players import account_suspension, accounts

    challenger = None
    if context.refuted:
        raise Refused("sender_refuted")
    if not context.at_shell:
        challenger = accounts.player_of_address(context.connection, context.sender)
        if challenger is None:
            waiting = accounts.awaiting(context.connection, context.sender, context.now)
            if waiting:
                raise Refused("not_confirmed", userid=waiting[0].userid)
            raise Refused("not_a_player")
        account_suspension.check_player(context.connection, challenger.id, context.now)
    plan, candidates = challenges.weighed(context, challenger, *_with_dice(userid, words))
    challenges.note_daily(context, challenger)
    return challenge_start.begun_or_asked(context, challenger, plan, candidates)


def _with_dice(
    userids: tuple[str, ...], words: dict[str, str | None]
) -> tuple[tuple[str, ...], dict[str, str | None]]:
    """The userids and the options, where `with 3 dice` behind the userids is an option."""
    names, dice = without_dice(userids)
    if not dice or words.get("dice") is not None:
        return userids, words
    return names, {**words, "dice": str(dice)}
