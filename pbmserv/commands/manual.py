"""The manual: pages made from the commands themselves, and pages written by hand.

`help` sends them by email, and `pbmserv manual` prints them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from textwrap import fill, indent

import click

from pbmserv.commands.framework import (
    GAMES,
    HELP_NAMES,
    PlayerCommand,
    commands_of,
    usage_of,
    vocabulary,
)
from pbmserv.commands.spelling import named, nearest, subjects_of_languages
from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import is_action
from pbmserv.letters import render
from pbmserv.letters.catalogues import DEFAULT_LANGUAGE
from pbmserv.letters.payloads.mails import HELP, CommandHelp, CommandRow, Help
from pbmserv.settings import settings_manual
from pbmserv.text.phrases import single_words, words_of
from pbmserv.text.unicode_forms import unmarked

WIDTH = 72
# What people look for under other words than ours.
_BIDDING = {"bluff", "bluffing", "moves", "playing"}
OTHER_NAMES = {
    **dict.fromkeys(("settings", "preferences", "options", "timezone"), "set"),
    **dict.fromkeys(("language", "lang", "locale"), "languages"),
    **dict.fromkeys(("password", "passwords", "forgotten password", "lost password"), "reset"),
    **dict.fromkeys(("address", "email address", "new address"), "change"),
    **dict.fromkeys(("register", "join"), "signup"),
    **dict.fromkeys(("my account", "accounts", "user name", "username"), "account"),
    **dict.fromkeys(("email", "emails", "letters", "reply", "replies"), "mail"),
    **dict.fromkeys(("start", "begin", "first game", "getting started"), "tutorial"),
    **dict.fromkeys(("bots", "bot", "computer", "robots"), "house"),
    **dict.fromkeys(("opponents", "people", "partners"), "players"),
    **dict.fromkeys(("proof", "proofs", "fairness", "fair", "random", "cheating", "seal"), "dice"),
    **dict.fromkeys(("salt", "salts", "seed", "seeds", "commitment", "commitments"), "dice"),
    **dict.fromkeys(("fingerprint", "sha256", "sha-256", "message-id"), "dice"),
    **dict.fromkeys(("bids", "bidding", "raise"), "bid"),
    **dict.fromkeys(("call", "calls", "doubt"), "dudo"),
    "exact": "calza",
    **dict.fromkeys(("digest", "daily digest"), "set"),
    **dict.fromkeys(("holiday", "holidays", "away"), "vacation"),
    **dict.fromkeys(("rating", "elo", "ranking"), "ratings"),
    **dict.fromkeys(("draws", "a draw", "offer a draw", "propose", "tie"), "draw"),
}
_MARKS = "!?.,;:¡¿\"'«»“”„‘’()[]*_…"  # around the words of a sentence
EVERY_COMMAND = "commands"  # the page that lists them all
IN_SHORT = "basics"  # the page for who asks for help in reply to a letter, and says no subject
SHORT_HELP = WIDTH - 4  # columns for the first sentence of a command's help, which is indented


def payload_of(game: str, subject: Sequence[str]) -> Help:
    """The payload of the help letter: a page about commands, or the name of a written page.

    The letter is written in its reader's language when it is rendered.  Raises Refused
    `no_such_page` with the nearest subject.
    """
    subject = [bare for word in subject if (bare := word.strip(_MARKS))] or [EVERY_COMMAND]
    asked = " ".join(subject)
    words = [word.lower() for word in subject]
    if words and words[0] in GAMES and len(words) > 1:
        game, words = words[0], words[1:]
    written = " ".join(words)
    for name in _names(written):
        if found := _page_of(game, asked, name):
            return found
    if page := _of_rules().get(unmarked(written)):
        return {"subject": asked, "written": page}
    if any(name in _BIDDING or is_action(name) for name in _names(written)):
        return {"subject": asked, "written": "perudo"}
    known = [*pages(), *vocabulary()[""], *vocabulary()["perudo"]]
    near = nearest(written, {each: each for each in known})
    raise Refused("no_such_page", name=asked[:40], nearest=near)


@cache
def _of_rules() -> Mapping[str, str]:
    """The page about each word of the rules, in all languages: `wild`, `les jokers`."""
    entries = (each.rpartition(" ") for each in words_of("rule_words"))
    return {unmarked(said): page for said, _, page in entries}


def without_manners(subject: Sequence[str]) -> Sequence[str]:
    """The words of a subject; none if all of them are polite words, as in "help please".

    The name of a page, such as `luck`, is not taken for a polite word.
    """
    if not subject:
        return ()
    polite = single_words("manners", "thanks")
    bare = [word.strip(_MARKS).lower() for word in subject]
    is_page = any(name in pages() for name in _names(" ".join(bare)))
    return subject if is_page or not polite.issuperset(bare) else ()


def _names(written: str) -> Iterator[str]:
    """What a subject may mean: as a whole, else word by word, in English or another language.

    So `dice salt` is `dice`, because both words mean it, and `règles bga` is `rules bga`.
    """
    yield OTHER_NAMES.get(written, written)
    translated = subjects_of_languages()
    if name := translated.get(unmarked(written)):
        yield name
    every = [
        OTHER_NAMES.get(word) or translated.get(unmarked(word), word) for word in written.split()
    ]
    yield " ".join(dict.fromkeys(every))


def _page_of(game: str, asked: str, name: str) -> Help | None:
    """The payload of the page with this name; None if there is none."""
    words = name.split()
    if name == EVERY_COMMAND:
        listed: Help = {"subject": asked, "commands": every_command(), "pages": pages()}
        return {**listed, "with_json": _with_json()}
    if name in render.help_subjects("en"):  # before other spellings of commands, such as ratings
        return {"subject": asked, "written": name}
    for place in dict.fromkeys((game, "", *GAMES)):
        if len(words) == 1 and (found := named(words[0], vocabulary()[place])):
            facts: Help = {"subject": asked, "command": of_command(place, found)}
            return {**facts, "pages": pages()} if found == "help" else facts
    return None


def pages() -> list[str]:
    """The subjects that are not commands: every page of the manual, by its name."""
    return sorted([EVERY_COMMAND, *render.help_subjects(DEFAULT_LANGUAGE)])


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


@cache
def every_command() -> Sequence[Sequence[CommandRow]]:
    """The rows of the page about all commands; a hidden command is not among them."""
    return [
        [
            {
                "usage": usage_of(command, game),
                "about": _short_help(command),
                "by_mail": command.by_mail,
            }
            for command in _in_order(game)
            if not command.hidden
        ]
        for game in ("", *GAMES)
    ]


@cache
def _with_json() -> list[str]:
    """The commands whose answer a shell can print as JSON."""
    return [str(each.name) for game in ("", *GAMES) for each in _in_order(game) if each.as_json]


@cache
def of_command(game: str, name: str) -> CommandHelp:
    """One command's page, as a payload has it."""
    command = commands_of(game)[name]
    return {
        "usage": usage_of(command, game),
        "paragraphs": paragraphs(command),
        "options": _options(command),
        "spellings": [each for each in command.spellings if each not in command.mistyped],
        "example": command.example,
        "at_shell": command.at_shell,
        "hides": command.has_secret,
    }


def _short_help(command: PlayerCommand) -> str:
    """The first sentence of a command's help, for the list of all commands."""
    return command.get_short_help_str(SHORT_HELP)


def paragraphs(command: PlayerCommand) -> list[str]:
    """A command's help, each paragraph in one line."""
    return [" ".join(each.split()) for each in (command.help or "").split("\n\n")]


def messages() -> Iterator[tuple[str, str]]:
    """Every text of the help of players' commands, with the usage of its command.

    The letter `help` translates them, so the catalogues of all languages have them.
    """
    for game in ("", *GAMES):
        for command in _in_order(game):
            texts = [*paragraphs(command), *(about for _, about in _options(command))]
            if not command.hidden:
                texts.insert(0, _short_help(command))
            for text in texts:
                yield text, usage_of(command, game)


def _options(command: PlayerCommand) -> list[tuple[str, str]]:
    return command.listed_options(command.params)


def _in_order(game: str) -> Sequence[PlayerCommand]:
    return sorted(commands_of(game).values(), key=lambda each: each.name or "")


def whole(operators: Mapping[str, click.Command]) -> str:
    """The whole manual: player commands, written pages, operator commands, and settings."""
    players = [
        f"{f'{game} {command.name}'.strip().upper()}\n\n{_text(game, [str(command.name)])}"
        for game in ("", *GAMES)
        for command in _in_order(game)
    ]
    subjects = [_text("", each.split()) for each in render.help_subjects(DEFAULT_LANGUAGE)]
    work_at = "THE OPERATOR'S COMMANDS\n\nThey work only at a shell of the server, not by email."
    typed = [page for name in sorted(operators) for page in _typed(name, operators[name])]
    chapters = {
        "All commands of players": [_text("", [EVERY_COMMAND])],
        "Each command of players": players,
        "Pages": subjects,
        "The operator's commands": [work_at, *typed],
        "Settings": [f"SETTINGS IN pbmserv.toml\n\n{_settings()}"],
    }
    parts = [part for found in chapters.values() for part in found]
    return "\n\n\n".join([_contents(chapters), *parts])


def _contents(chapters: Mapping[str, Sequence[str]]) -> str:
    """The first line of each part of the manual, by chapters."""
    lines = ["CONTENTS", ""]
    for title, parts in chapters.items():
        headings = [part.partition("\n")[0] for part in parts]
        lines += [f"{title}:", *(f"  {each}" for each in headings), ""]
    return "\n".join(lines).rstrip()


def _text(game: str, subject: Sequence[str]) -> str:
    """A page in English."""
    return render.word(HELP.name, payload_of(game, subject), DEFAULT_LANGUAGE).text.rstrip("\n")


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
