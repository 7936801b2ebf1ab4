"""What all player commands share: how each is declared, found and parsed.

A file in `server/` is a command of the server, and a file in `perudo/` one of the game.  Each
declares one `PlayerCommand` named `command`.  The same object serves emails (the Subject or a
line), a shell, the `help` letter and the manual.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypedDict, TypeVar, Unpack

import click
from click.shell_completion import CompletionItem

from pbmserv.commands.options import parted, with_options
from pbmserv.commands.parser import CommandCall, Vocabulary
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter

GAMES = ("perudo",)
LONGEST_NAME = 30  # characters of a command, as its file has them
NUMBER, MESSAGE = "pbmserv.number", "pbmserv.message"  # keys in the `meta` of a click context
FOLLOWED = "pbmserv.followed"  # a key in the same `meta`: words are behind the move, in its line
AS_JSON = "pbmserv.json"  # a key in the same `meta`: the answer is wanted as a document
MESSAGE_OPTION = "--message"
JSON_OPTION = "--json"
_JSON_HELP = "At a shell: print one JSON document, for programs."
HOW_A_MESSAGE_IS_GIVEN = 'Write a message to the others like this: --message="Hello, all!"'
SAMPLES = ("secret", "better-one")  # the passwords in the examples of commands
HOW_TO_HIDE = "- asks for the password, or takes it from PBMSERV_PASSWORD. So ps does not show it."
BOARD = "board"  # the argument with the number of a board
HELP_NAMES = ("--help", "-h")  # the options that show a command's help
ASKED = "-"  # at a shell: prompt for the password, or read the text

Body = Callable[..., list[Letter]]
Decorated = TypeVar("Decorated", bound=Callable[..., object])


class Secret(click.Argument):
    """A word that no answer, log or traceback may show.

    `is_new` says, from the words of a command, whether it is a password to be stored.  Then its
    hash is made in advance.  `by_address`: an email with a proven sender does not need it.
    `by_button`: a button of a letter can have a token in its place.
    """

    def __init__(
        self,
        *arguments: Any,  # of `click.Argument`
        is_new: Callable[[Mapping[str, Any]], bool] | None = None,
        by_address: bool = False,
        by_button: bool = False,
        **options: Any,  # of `click.Argument`
    ) -> None:
        super().__init__(*arguments, **options)
        self.is_new = is_new
        self.by_address = by_address
        self.by_button = by_button


class PlayerCommand(click.Command):
    """A command that players write, with what `help` and the tests need of it.

    `example` is a line that works.  `letters` are all kinds of letter that it may send,
    which the tests check at every call (`tests/named_letters.py`).
    `spellings` are its other names, and `mistyped` those that help does not show.  `by_mail`: an
    email may contain it.  `as_json`: a shell can print the answer as JSON.  A command that only
    `reads` is executed before its email's transaction.  `ordered` puts words into the order of the
    arguments.
    """

    def __init__(
        self,
        *arguments: Any,  # of `click.Command`
        example: str = "",
        letters: Sequence[str] = (),
        spellings: Sequence[str] = (),
        mistyped: Sequence[str] = (),
        by_mail: bool = True,
        reads: bool = False,
        as_json: bool = False,
        ordered: Callable[[list[str]], list[str]] = list,
        **options: Any,  # of `click.Command`
    ) -> None:
        super().__init__(*arguments, **options)
        self.reads = reads
        self.as_json = as_json
        self.example = example
        self.letters = tuple(letters)
        self.mistyped = tuple(mistyped)
        self.spellings = (*spellings, *mistyped)
        self.by_mail = by_mail
        self.ordered = ordered
        self._known: list[click.Parameter] | None = None
        self._parser: Any = None
        words = [ASKED if word in SAMPLES else word for word in example.split(" ")]
        self.has_secret = ASKED in words
        typed = " ".join(words if words[0] in GAMES else ["pbmserv", *words])
        self.at_shell = typed if typed != example else ""
        self.epilog = f"Example: {typed}"
        if not any(isinstance(each, click.Option) for each in self.params):
            self.options_metavar = ""

    @property
    def takes_secret(self) -> bool:
        """Whether one of its words is a password."""
        return any(isinstance(each, Secret) for each in self.params)

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """The same names in every context, as `get_params` caches them."""
        return [*HELP_NAMES]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """All parameters, cached: click would check them for duplicates with every email."""
        if self._known is None:
            self._known = super().get_params(ctx)
        return self._known

    def make_parser(self, ctx: click.Context) -> Any:
        """Click's parser, made once for all emails.  A copy of it has the context, for errors.

        So another thread may parse words meanwhile, and no password of an email is kept.
        """
        if ctx.parent is not None:
            return super().make_parser(ctx)
        if self._parser is None:
            self._parser = super().make_parser(ctx)
            self._parser.ctx = None
        made = object.__new__(type(self._parser))  # `copy` takes longer
        vars(made).update(vars(self._parser), ctx=ctx)
        return made

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Move options to the front, so that they may be anywhere, and remove the `#moveno`.

        Raises Refused `parameter_twice`, or as `parted`.
        """
        if not {*HELP_NAMES}.isdisjoint(args):
            return super().parse_args(ctx, [HELP_NAMES[0]])
        words = self._without_json(ctx, args)
        parameters, words, ctx.meta[NUMBER] = parted(self.with_options(ctx, words))
        known = [option for each in self.params for option in each.opts]
        given: dict[str, str] = {}
        for parameter in parameters:
            name, _, value = parameter.partition("=")
            if ctx.resilient_parsing:  # completion at a shell must not refuse
                continue
            if name not in known:  # click would name only its first letter
                raise click.NoSuchOption(name, ctx=ctx)
            if given.setdefault(name, value) != value:  # click would use the last one
                raise Refused("parameter_twice", parameter=name)
        try:
            rest = super().parse_args(ctx, [*parameters, "--", *self.ordered(words)])
        except click.MissingParameter:
            raise
        except click.UsageError as problem:
            if MESSAGE_OPTION not in known or HOW_A_MESSAGE_IS_GIVEN in problem.message:
                raise
            raise click.UsageError(
                f"{problem.message.rstrip('.')}. {HOW_A_MESSAGE_IS_GIVEN}", ctx
            ) from None
        board = ctx.params.get(BOARD)
        if isinstance(board, str) and not board[:1].isdigit() and self.takes_secret:
            # Else a password in the wrong place would be refused as a wrong one.
            raise click.BadParameter("it must be a number", ctx, param_hint=BOARD.upper())
        return rest

    def _without_json(self, ctx: click.Context, words: list[str]) -> list[str]:
        """The words without `--json`, which is noted; an email has no program and keeps it."""
        if not self.as_json or ctx.parent is None or JSON_OPTION not in words:
            return words
        ctx.meta[AS_JSON] = True
        return [word for word in words if word != JSON_OPTION]

    def with_options(self, ctx: click.Context, words: list[str]) -> list[str]:
        """The words with the options of this command in their own form."""
        options = [each for each in self.params if isinstance(each, click.Option)]
        arguments = [each for each in self.params if isinstance(each, click.Argument)]
        secrets = [place for place, each in enumerate(arguments) if isinstance(each, Secret)]
        return with_options(ctx, options, words, max(secrets, default=-1) + 1)

    def listed_options(self, params: Sequence[click.Parameter]) -> list[tuple[str, str]]:
        """The options among `params` as players write them, each with its help."""
        options = [each for each in params if isinstance(each, click.Option)]
        document = [(JSON_OPTION, _JSON_HELP)] if self.as_json else []
        return [*document, *((written(each), each.help or "") for each in options)]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options in `--help`, as players write them."""
        with formatter.section("Options"):
            formatter.write_dl(self.listed_options(self.get_params(ctx)))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """The words that a shell completes, the option for a document among them."""
        found = super().shell_complete(ctx, incomplete)
        if self.as_json and incomplete[:1] == "-" and JSON_OPTION.startswith(incomplete):
            found.append(CompletionItem(JSON_OPTION, help=_JSON_HELP))
        return found

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The example in `--help`: it shows no password to `ps`."""
        formatter.write_paragraph()
        formatter.write_text(str(self.epilog))
        if self.has_secret:
            formatter.write_text(HOW_TO_HIDE)

    def get_usage(self, ctx: click.Context) -> str:
        """The usage line and an example for a usage error at a shell."""
        return f"{super().get_usage(ctx)}\n{self.epilog}"

    def invoke(self, ctx: click.Context) -> None:
        """Run the parsed command at a shell; emails use `run_command`."""
        ctx.obj.attend(ctx)


class CommandOptions(TypedDict, total=False):
    """What a command need not say of itself; `PlayerCommand` explains it.

    A `hidden` command has a page in the manual, but is not in the list of commands.
    """

    spellings: Sequence[str]
    mistyped: Sequence[str]
    by_mail: bool
    reads: bool
    as_json: bool
    ordered: Callable[[list[str]], list[str]]
    hidden: bool


def player_command(
    name: str, *, example: str, letters: Sequence[str], **options: Unpack[CommandOptions]
) -> Callable[[Body], PlayerCommand]:
    """Declare the command of a file; the function's docstring is its help."""

    def declare(body: Body) -> PlayerCommand:
        command = click.command(
            name, cls=PlayerCommand, example=example, letters=letters, **options
        )
        return command(click.pass_obj(body))

    return declare


def written(option: click.Option) -> str:
    """How an option is written: `-inorder`, or `-dice=N` if it takes a value."""
    names = ", ".join(sorted(option.opts, key=len))
    return f"{names}={option.metavar}" if option.metavar else names


def board_last(words: list[str]) -> list[str]:
    """Move a board's number in front to the end: `12 ann secret` becomes `ann secret 12`.

    This is for commands for one board or several.
    """
    first_is_board = words[:1] != [] and words[0].isascii() and words[0].isdigit()
    return [*words[1:], words[0]] if first_is_board else words


def _keep_message(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value == "" and not context.resilient_parsing:
        raise click.UsageError(HOW_A_MESSAGE_IS_GIVEN, context)
    context.meta[MESSAGE] = value


message_option = click.option(
    MESSAGE_OPTION,
    metavar="TEXT",
    expose_value=False,
    callback=_keep_message,
    help="At a shell: the message to the others; - reads it.",
)


def package_of(game: str) -> str:
    """The package that holds the commands of a game, or of the server."""
    return f"pbmserv.commands.{game or 'server'}"


def in_its_file(package: str, name: str) -> click.Command | None:
    """The command with this name, from the file with this name alone; None if there is none."""
    module = f"{package}.{name}"
    # A name too long for a file breaks the import of some editable installations.
    if not name.isidentifier() or len(name) > LONGEST_NAME or not importlib.util.find_spec(module):
        return None
    command: click.Command | None = getattr(importlib.import_module(module), "command", None)
    return command if command is not None and command.name == name else None


@lru_cache
def commands_of(game: str = "") -> Mapping[str, PlayerCommand]:
    """Every command of a game (or of the server), by its name."""
    package = importlib.import_module(package_of(game))
    found = {}
    for module in pkgutil.iter_modules(package.__path__):
        command = importlib.import_module(f"{package.__name__}.{module.name}").command
        found[command.name] = command
    return found


@lru_cache
def vocabulary() -> Vocabulary:
    """Every spelling of every command that an email may contain, by its game word."""
    return {
        game: {
            spelling: name
            for name, command in commands_of(game).items()
            for spelling in (name, *command.spellings)
        }
        for game in ("", *GAMES)
    }


def expected_move() -> int | None:
    """The `#moveno` of the command that is being executed, or None."""
    number: int | None = click.get_current_context().meta.get(NUMBER)
    return number


def find(call: CommandCall) -> PlayerCommand:
    """The command of a call."""
    return commands_of(call.game)[call.name]


def usage_of(command: PlayerCommand, game: str) -> str:
    """One line with the words that the command takes."""
    context = click.Context(command, info_name=command.name)
    pieces = [piece for piece in command.collect_usage_pieces(context) if piece != "[OPTIONS]"]
    return " ".join([*([game] if game else []), command.name or "", *pieces])
