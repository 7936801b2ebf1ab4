"""`challenge`: start a board."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pbmserv.commands import message_option, player_command
from pbmserv.desk import Desk, Letter
from pbmserv.errors import Fact, Refused

if TYPE_CHECKING:
    from pbmserv.players import Player

LEAST, MOST = 2, 6  # players: "two to six", in COMMANDS and in every rule set


@player_command(
    "challenge",
    example="perudo challenge -rules=bga ann bob cleo",
    letters=("perudo/started", "challenged"),
)
@click.option("-inorder", help="Seats in the order written; without it the order is drawn.")
@click.option("-rules", default="pbmserv", help="The rule set: help rules lists them.")
@click.option("-raise", help="pbmserv: literal, quantity or strict; classic: single, one_or_both.")
@click.option("-to1", help="classic, bga: exact asks for exactly half when bidding on ones.")
@click.option("-palifico", help="classic: play the Palifico round.")
@click.option("-pal_wild", help="pyrudo, classic: no makes ones plain in a Palifico round.")
@click.option("-calza", help="classic, bga: allow calling that a bid is exactly right.")
@click.option("-hidden", help="bga: the number of dice of the others is not told.")
@click.option("-dice", help="Dice in each cup at the start, 1 to 10.")
@click.option("-faces", help="Faces of a die, 2 to 20.")
@click.argument("userid", nargs=-1, required=True)
@message_option
def command(
    desk: Desk, inorder: str | None, rules: str, userid: tuple[str, ...], **options: str | None
) -> list[Letter]:
    """Start a board for two to six players.

    Everybody named gets a letter with the dice in their own cup; name yourself, too, if you
    want to play.  The text below the command is the opening message.  By mail the challenge must
    come from an address of a player.
    """
    from pbmserv import players, playing, telling
    from pbmserv.games.perudo.rules import rules_named, with_options

    challenger = None
    if not desk.at_shell:
        challenger = players.player_of_address(desk.connection, desk.sender)
        if challenger is None:
            raise Refused("not_a_player")
    given = {name: value for name, value in options.items() if value is not None}
    chosen = with_options(rules_named(rules), given)
    # More than twice too many are refused without looking each of them up.
    found = [(name, players.find(desk.connection, name)) for name in userid[: 2 * MOST]]
    _refuse_all_at_once(found, len(userid))
    seats = [(player.id, player.userid) for _, player in found if player]
    if inorder in {None, "no", "off"}:
        desk.chance.shuffle(seats)
    played = playing.open_board(desk, chosen, seats)
    letters = telling.of_start(desk, played, challenger.userid if challenger else "")
    if challenger and challenger.id in dict(seats):
        return letters
    board = played.board
    facts: dict[str, Fact] = {"board": board.id, "names": board.names, "rules": chosen.name}
    return [*letters, Letter(None, "challenged", facts)]


def _refuse_all_at_once(found: Sequence[tuple[str, Player | None]], given: int) -> None:
    """Raise one Refused that names everything wrong with the players asked for."""
    problems: list[tuple[str, dict[str, Fact]]] = []
    if not LEAST <= given <= MOST:
        problems.append(("player_count", {"given": given}))
    if unknown := [name for name, player in found if player is None]:
        problems.append(("no_such_player", {"names": unknown}))
    names = [player.userid for _, player in found if player]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        problems.append(("same_player_twice", {"names": twice}))
    if len(problems) == 1:
        code, facts = problems[0]
        raise Refused(code, **facts)
    if problems:
        each: list[Fact] = [{"code": code, "facts": facts} for code, facts in problems]
        raise Refused("challenge_problems", problems=each)
