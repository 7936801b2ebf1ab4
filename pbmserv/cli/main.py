"""The command-line programs `pbmserv` and `perudo`, with the same commands as by email."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from io import BytesIO, TextIOWrapper
from typing import Any

import click

from pbmserv.cli.operator_commands import OPERATION, operator_commands
from pbmserv.cli.player_shell import PlayerShell
from pbmserv.cli.shell_language import other_language, shell_language
from pbmserv.cli.terminal_output import colours
from pbmserv.cli.usage_errors import HOME_OPTION, HowToRestore, UnknownCommand, worded
from pbmserv.commands.framework import (
    ASKED,
    GAMES,
    HELP_NAMES,
    MESSAGE_OPTION,
    PlayerCommand,
    commands_of,
    in_its_file,
    package_of,
)
from pbmserv.commands.spelling import named, nearest
from pbmserv.errors import Misconfigured, Refused, TryLater
from pbmserv.text.normalize import plain

# Only standard output reports these: databases and mailboxes have their own errors for them.
# EAGAIN comes from a pipe or terminal that another program has told not to wait.
_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EAGAIN}
WHOLE_SENTENCE = 200  # columns: longer than the first sentence of any help, so it is never cut
# Words of other servers and programs, and our command.
_ELSEWHERE_CALLED = {
    "boards": "perudo games",
    "new": "perudo challenge",
    "newgame": "perudo challenge",
    "play": "perudo challenge",
    "start": "perudo challenge",
    "bid": "perudo move",
    "quit": "perudo resign",
    "leave": "perudo resign",
    "rules": "perudo help rules",
    "register": "pbmserv signup",
    "password": "pbmserv change password",
    "passwd": "pbmserv change password",
    "settings": "pbmserv help set",
    "run": "pbmserv serve",
}
COMMANDS, OF_THE_OPERATOR = "Commands", "Commands of the operator"
UNWRITTEN, TRY_LATER, MISCONFIGURED = 74, 75, 78  # sysexits.h: EX_IOERR, EX_TEMPFAIL, EX_CONFIG


class CommandGroup(click.Group):
    """A group of commands that finds each command by its file and knows the names used in emails.

    An unambiguous prefix of a player's command is enough, and `move#17` is understood.  For a
    mistyped word the error names the nearest command.
    """

    def __init__(self, *arguments: Any, game: str, **options: Any) -> None:  # click's own
        super().__init__(*arguments, **options)
        self.game = game

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of all commands, players' first."""
        if not self.game:
            self.commands.update(operator_commands())
        return [*sorted(commands_of(self.game)), *super().list_commands(ctx)]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in `--help`: the players' commands, then the operator's."""
        for heading, rows in self.listed(ctx).items():
            with formatter.section(heading):
                formatter.write_dl(rows)

    def listed(self, ctx: click.Context) -> Mapping[str, Sequence[tuple[str, str]]]:
        """Every command that is not hidden with the first sentence of its help, by headings."""
        names = self.list_commands(ctx)
        known = {**self.commands, **commands_of(self.game)}  # `get_command` would load phrases
        shown = [(name, known[name]) for name in names if not known[name].hidden]
        found = {
            heading: [
                (name, each.get_short_help_str(WHOLE_SENTENCE))
                for name, each in shown
                if isinstance(each, PlayerCommand | CommandGroup) is is_players
            ]
            for heading, is_players in ((COMMANDS, True), (OF_THE_OPERATOR, False))
        }
        return {heading: rows for heading, rows in found.items() if rows}

    def get_help(self, ctx: click.Context) -> str:
        """The help, in the language of the shell."""
        if not (language := other_language()):
            return super().get_help(ctx)
        from pbmserv.cli import group_help

        return group_help.written(self, ctx, language, self.listed(ctx))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of a name, a spelling or a prefix.

        A whole name is enough to find its file; for anything else every command is imported.
        """
        word = plain(cmd_name).partition("#")[0]
        if command := self._in_its_file(word.lower()):
            return command
        found = named(word, self._spellings(ctx))
        if found and (players := commands_of(self.game).get(found)):
            return players
        # An operator's command needs its full name: `pbmserv move` must not mean move-database.
        return super().get_command(ctx, word.lower())

    def _in_its_file(self, name: str) -> click.Command | None:
        packages = [package_of(self.game)] if self.game else [package_of(""), OPERATION]
        found = (in_its_file(package, name) for package in packages)
        return self.commands.get(name) or next(filter(None, found), None)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command and its words; a usage error that names the nearest command."""
        word, hash_sign, number = plain(args[0]).partition("#")
        command = self.get_command(ctx, word)
        if command is None and ctx.resilient_parsing:  # a shell completes the words after it
            return None, None, args[1:]
        if command is None and word.lower() == "restore" and not self.game:
            raise HowToRestore(ctx)
        if command is None:
            close = self._elsewhere(word.lower()) or nearest(word, self._spellings(ctx))
            raise UnknownCommand(word, close or "", ctx)
        words = args[1:]
        if operators := self._operators_page(command, words):
            return operators.name, operators, ["--help"]
        if isinstance(command, PlayerCommand):
            if other_language() and not {*HELP_NAMES}.isdisjoint(words):
                return (
                    "help",
                    commands_of("")["help"],
                    [*filter(None, [self.game]), str(command.name)],
                )
            words = _with_its_text([plain(_decoded(each)) for each in words])
        return command.name, command, [*words, *([f"#{number}"] if hash_sign else [])]

    def _elsewhere(self, word: str) -> str:
        """A command that people call by this word, or the other program that has it; or ""."""
        if word in _ELSEWHERE_CALLED:
            return _ELSEWHERE_CALLED[word]
        if self.game:
            is_servers = word in commands_of("") or word in operator_commands()
            return f"pbmserv {word}" if is_servers else ""
        return next((f"{game} {word}" for game in GAMES if word in commands_of(game)), "")

    def _operators_page(self, command: click.Command, words: list[str]) -> click.Command | None:
        """The operator's command that `pbmserv help` is asked about, or None.

        It comes before a game's command of that name, whose page is `perudo help NAME`.
        """
        if self.game or command.name != "help" or len(words) != 1:
            return None
        return None if words[0] in commands_of("") else operator_commands().get(words[0])

    def _spellings(self, ctx: click.Context) -> Mapping[str, str]:
        theirs = {
            spelling: name
            for name, command in commands_of(self.game).items()
            for spelling in (name, *command.spellings)
        }
        return theirs | {name: name for name in self.list_commands(ctx) if name in self.commands}

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,  # click's own
    ) -> click.Context:
        """The context of the command; usage errors are shortened."""
        with worded():
            try:
                return super().make_context(info_name, args, parent, **extra)
            except click.BadOptionUsage as error:  # click does not tell of which program
                error.ctx = error.ctx or click.Context(self, parent, info_name)
                raise

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; usage errors are shortened."""
        with worded():
            return super().invoke(ctx)

    def main(self, *arguments: Any, **options: Any) -> Any:  # click's own, passed on
        """Run the command line; every problem becomes one clear text and an exit code."""
        sys.stdin = sys.stdin or TextIOWrapper(BytesIO())  # `<&-` closes it
        if isinstance(sys.stdout, TextIOWrapper):
            sys.stdout.reconfigure(errors="replace")  # a terminal may not have dice characters
        if f"_{self.name}_complete".upper() in os.environ:
            import_module(f"{OPERATION}.completion")  # teaches click how shells split words
        try:
            return super().main(*arguments, color=colours(os.environ), **options)
        except Refused as refusal:
            from pbmserv.cli import shell_form

            said = shell_form.refused(refusal.code, refusal.facts, shell_language())
            click.echo(said, err=True)
            sys.exit(1)
        except Misconfigured as problem:
            click.echo(f"pbmserv: {problem}", err=True)
            sys.exit(MISCONFIGURED)
        except TryLater as delay:
            click.echo(f"pbmserv: try again later: {delay}", err=True)
            sys.exit(TRY_LATER)
        except OSError as problem:
            if problem.filename or problem.errno not in _FULL:
                raise
            # Discard the rest of the answer, or Python reports an error about it at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            click.echo(f"pbmserv: the answer cannot be written: {problem.strerror}", err=True)
            sys.exit(UNWRITTEN)


def _decoded(word: str) -> str:
    """A word of the command line as text, for any bytes that a shell passes."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _with_its_text(words: list[str]) -> list[str]:
    """The words with `--message TEXT`, as shells know it, as one word: `--message=TEXT`.

    A word that begins with a dash is not a TEXT, except a single `-`.  In an email words are not
    joined: there a parameter never takes the word behind it.
    """
    for place, text in enumerate(words[1:], 1):
        if words[place - 1] == MESSAGE_OPTION and (text == ASKED or not text.startswith("-")):
            return [*words[: place - 1], f"{MESSAGE_OPTION}={text}", *words[place + 1 :]]
    return words


def _group(name: str, game: str, help_text: str) -> CommandGroup:
    home = click.Option(
        [HOME_OPTION],
        metavar="DIR",
        help="The directory of all data; else $PBMSERV_HOME, or ~/.local/share/pbmserv.",
    )
    version = click.version_option(package_name="pbmserv", prog_name="pbmserv")
    return version(
        CommandGroup(
            name,
            game=game,
            params=[home],
            help=help_text,
            callback=click.pass_context(_choose),
            context_settings={"help_option_names": HELP_NAMES},
        )
    )


def _choose(context: click.Context, home: str | None) -> None:
    given: PlayerShell | None = context.find_root().obj
    if given is not None and given.is_callers:
        return  # a caller cannot choose another home than the server's
    if context.parent is None or home:
        context.find_root().obj = context.obj = PlayerShell(home)


perudo = _group(
    "perudo",
    "perudo",
    "Play Perudo: the commands of the game, as in the Subject of an email.\n\n"
    "`perudo help` explains the game and its moves, `pbmserv help tutorial` a first game.  With "
    "--json the answers of advise, games, history, show, standings and stats are for programs. "
    "For example: `perudo show --json 1`.\n\n"
    "You can shorten a command to three letters or more if it stays clear: `perudo mov`.",
)
pbmserv = _group(
    "pbmserv",
    "",
    "The play-by-email server: commands for players and for the operator.\n\n"
    "`pbmserv help tutorial` explains a first game, `pbmserv help COMMAND` each command.",
)
pbmserv.add_command(perudo)
