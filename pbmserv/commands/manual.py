"""The manual: pages made from the commands themselves, and pages written by hand.

`help` sends them by email, and `pbmserv manual` prints them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from textwrap import fill, indent, wrap

import click

from pbmserv.commands.framework import (
    GAMES,
    HELP_NAMES,
    HOW_TO_HIDE,
    PlayerCommand,
    commands_of,
    usage_of,
    vocabulary,
)
from pbmserv.commands.parser import named, nearest
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import is_action
from pbmserv.letters import render
from pbmserv.letters.payloads.mails import Help
from pbmserv.settings import settings_manual

WIDTH = 72
# What people look for under other words than ours.
_BIDDING = {"bid", "bids", "bidding", "bluff", "bluffing", "call", "calls", "moves", "playing"}
OTHER_NAMES = {
    **dict.fromkeys(("settings", "preferences", "options", "language", "timezone"), "set"),
    **dict.fromkeys(("password", "passwords", "forgotten password", "lost password"), "reset"),
    **dict.fromkeys(("address", "email address", "new address"), "change"),
    **dict.fromkeys(("account", "register", "join"), "signup"),
    **dict.fromkeys(("email", "emails", "letters", "reply", "replies"), "mail"),
    **dict.fromkeys(("start", "begin", "first game", "getting started"), "tutorial"),
    **dict.fromkeys(("bots", "bot", "computer", "robots"), "house"),
    **dict.fromkeys(("opponents", "people", "partners"), "players"),
    **dict.fromkeys(("proof", "fairness", "random"), "dice"),
    **dict.fromkeys(("holiday", "holidays", "away"), "vacation"),
    **dict.fromkeys(("rating", "elo", "ranking"), "ratings"),
    **dict.fromkeys(("draw", "draws", "a draw", "offer a draw", "propose", "tie"), "move"),
}
HARD_BLANK = "\N{NO-BREAK SPACE}"  # keeps the name of a page on one line
EVERY_COMMAND = "commands"  # the page that lists them all
SHORT_HELP = WIDTH - 4  # columns for the first sentence of a command's help, which is indented


def payload_of(game: str, subject: Sequence[str]) -> Help:
    """The payload of the help letter: the text of a page about commands, or a written page's name.

    A written page is read when the letter is rendered, in its reader's language.  Raises Refused
    `no_such_page` with the nearest subject.
    """
    asked = " ".join(subject)
    words = [word.lower() for word in subject]
    if words and words[0] in GAMES and len(words) > 1:
        game, words = words[0], words[1:]
    name = OTHER_NAMES.get(" ".join(words), " ".join(words))
    words = name.split()
    if name == EVERY_COMMAND:
        return {"subject": asked, "page": every_command()}
    if name in render.help_subjects("en"):  # before other spellings of commands, such as ratings
        return {"subject": asked, "written": name}
    for place in dict.fromkeys((game, "", *GAMES)):
        if len(words) == 1 and (found := named(words[0], vocabulary()[place])):
            return {"subject": asked, "page": of_command(place, commands_of(place)[found])}
    if name in _BIDDING or is_action(name):
        return {"subject": asked, "written": "perudo"}
    known = [*pages(), *vocabulary()[""], *vocabulary()["perudo"]]
    raise Refused("no_such_page", nearest=nearest(name, {each: each for each in known}))


def pages() -> list[str]:
    """The subjects that are not commands: every page of the manual, by its name."""
    return sorted([EVERY_COMMAND, *render.help_subjects(render.DEFAULT_LANGUAGE)])


def subjects_after(given: str, begun: str) -> list[str]:
    """The next words of subjects that begin with `given`, for completion at a shell."""
    named = [*pages(), *(name for game in ("", *GAMES) for name in commands_of(game))]
    before = f"{given} ".lstrip()
    found = dict.fromkeys(
        each.removeprefix(before).split()[0]
        for each in sorted(named)
        if each.startswith(before) and each != before
    )
    return [word for word in found if word.startswith(begun)]


def every_command() -> str:
    """The page of all commands, with the usage of each."""
    parts = ["Commands. Send one as the Subject of an email, or type it at a shell."]
    parts += ["At a shell, write pbmserv before those that do not begin with perudo."]
    parts += ["You can leave out [words]; ... means that you can give several."]
    for game in ("", *GAMES):
        parts.append("")
        for command in sorted(commands_of(game).values(), key=lambda each: each.name or ""):
            if not command.hidden:
                parts += _folded(usage_of(command, game))
                parts.append(f"    {command.get_short_help_str(SHORT_HELP)}")
                parts += [] if command.by_mail else ["    It works only at a shell."]
    parts += ["", "More: help COMMAND, help PAGE.", *_pages_listed()]
    return "\n".join(parts)


def of_command(game: str, command: PlayerCommand) -> str:
    """One command's page: usage, help, options, and an example."""
    parts = _folded(usage_of(command, game))
    paragraphs = (command.help or "").split("\n\n")
    for paragraph in paragraphs:
        parts += ["", fill(" ".join(paragraph.split()), WIDTH)]
    options = command.listed_options(command.params)
    if options:
        parts.append("")
    column = max((len(way) for way, _ in options), default=0) + 2
    for way, about in options:
        line = f"{way:<{column}}{about}"
        parts += wrap(line, WIDTH, subsequent_indent=" " * column)
    if command.name == "help":
        parts += ["", *_pages_listed()]
    if command.spellings:
        parts += ["", f"Also written: {', '.join(command.spellings)}"]
    typed = [command.typed_example, HOW_TO_HIDE * command.has_secret]
    parts += ["", *filter(None, typed), f"Example: {command.example}"]
    return "\n".join(parts)


def _pages_listed() -> list[str]:
    whole = [name.replace(" ", HARD_BLANK) for name in pages()]
    lines = wrap(f"Pages: {', '.join(whole)}.", WIDTH)
    return [line.replace(HARD_BLANK, " ") for line in lines]


def _folded(usage: str) -> list[str]:
    return wrap(usage, WIDTH, subsequent_indent="        ", break_on_hyphens=False)


def whole(operators: Mapping[str, click.Command]) -> str:
    """The whole manual: player commands, written pages, operator commands, and settings."""
    parts = ["THE COMMANDS", every_command()]
    for game in ("", *GAMES):
        for command in sorted(commands_of(game).values(), key=lambda each: each.name or ""):
            title = f"{game} {command.name}".strip()
            parts.append(f"{title.upper()}\n\n{of_command(game, command)}")
    for subject in render.help_subjects("en"):
        parts.append(f"{subject.upper()}\n\n{render.help_page(subject, 'en')}")
    parts.append(
        "THE OPERATOR'S COMMANDS\n\nThey work only at a shell of the server, not by email."
    )
    parts += [page for name in sorted(operators) for page in _typed(name, operators[name])]
    parts.append(f"SETTINGS IN pbmserv.toml\n\n{_settings()}")
    return "\n\n\n".join(parts)


def _typed(name: str, command: click.Command) -> Iterator[str]:
    """The pages of an operator command and its subcommands: their `--help`."""
    typed = f"pbmserv {name}"
    context = click.Context(command, info_name=typed, terminal_width=WIDTH)
    context.help_option_names = [*HELP_NAMES]
    with context:
        yield f"{typed.upper()}\n\n{command.get_help(context)}"
    for below in command.commands.values() if isinstance(command, click.Group) else ():
        yield from _typed(f"{name} {below.name}", below)


def _settings() -> str:
    parts = []
    for name, default, about in settings_manual():
        parts += [f"{name} = {default}", indent(fill(about, WIDTH - 4), "    "), ""]
    return "\n".join(parts).rstrip()
