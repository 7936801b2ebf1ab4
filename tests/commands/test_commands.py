"""Every command explains itself, can be reached as it says, and has words for what it answers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv, perudo
from pbmserv.cli.operator_commands import operator_commands
from pbmserv.commands.calls import prepared
from pbmserv.commands.framework import GAMES, PlayerCommand, commands_of, usage_of, vocabulary
from pbmserv.commands.manual import (
    OTHER_NAMES,
    every_command,
    messages,
    of_command,
    pages,
    payload_of,
    whole,
)
from pbmserv.commands.parser import CommandCall, read_line
from pbmserv.errors import Refused
from pbmserv.letters import render
from pbmserv.letters.perudo.letters import BOARD_LETTERS
from pbmserv.letters.templates import source
from pbmserv.text.phrases import words_of
from tests.rows import each_row
from tests.stories.town import Town, town_at

COMMANDS = [(game, command) for game in ("", *GAMES) for command in commands_of(game).values()]
SHELL_ONLY = {"referee"}

for_every_command = each_row(
    ("game", "command"), COMMANDS, ids=[f"{game} {c.name}".strip() for game, c in COMMANDS]
)


def below(group: click.Group, words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """The words that name a group, and every command in it."""
    yield words
    for name in group.list_commands(click.Context(group)):
        each = group.get_command(click.Context(group), name)
        assert each is not None
        yield from (
            below(each, (*words, name)) if isinstance(each, click.Group) else [(*words, name)]
        )


def test_h_shows_the_same_help_as_the_long_option() -> None:
    """This holds for both programs, and for each of their commands."""
    wrong = []
    for group in (pbmserv, perudo):
        for words in below(group, ()):
            long, short = (CliRunner().invoke(group, [*words, o]) for o in ("--help", "-h"))
            same = (short.exit_code, short.stdout) == (0, long.stdout)
            if not same or "-h, --help " not in short.stdout:
                wrong.append((group.name, *words))
    assert wrong == []


def test_h_in_an_email_brings_the_page_of_the_command(town: Town) -> None:
    town.sign_up("ann")
    (letter,) = town.write("ann@example.org", "perudo games -h")
    (long,) = town.write("ann@example.org", "perudo games --help")
    assert letter.text == long.text
    assert "List boards" in letter.text


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home) as town:
        town.sign_up("ann")
        yield town


def page_of(game: str, subject: Sequence[str]) -> str:
    """The text of a page of the manual."""
    return render.word("help", payload_of(game, subject), "en").text


@for_every_command
def test_a_command_has_help(game: str, command: PlayerCommand) -> None:
    """A first sentence for the list, more for its page, and help for every parameter."""
    assert command.help
    assert command.help.partition("\n")[0].endswith(".")
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.opts


@for_every_command
def test_the_example_of_a_command_is_read_as_this_command(
    game: str, command: PlayerCommand
) -> None:
    order = read_line(command.example, vocabulary())
    assert isinstance(order, CommandCall)
    assert (order.game, order.name) == (game, command.name)
    context = command.make_context(order.name, list(order.words))
    assert context.command is command
    assert command._parser.ctx is None  # it would keep the words of an email, and a password


@for_every_command
def test_the_letters_of_a_command_exist(game: str, command: PlayerCommand) -> None:
    """Every kind of letter that it may send has a template."""
    assert command.letters
    for kind in command.letters:
        assert kind in BOARD_LETTERS or source(kind), kind


@pytest.mark.slow
@for_every_command
def test_a_command_has_a_page_in_the_manual(game: str, command: PlayerCommand) -> None:
    assert command.example in page_of(game, (str(command.name),))
    assert command.example in whole(operator_commands())


@for_every_command
def test_a_command_is_reached_by_every_spelling(game: str, command: PlayerCommand) -> None:
    """Spelled out, in capitals, and by a prefix of its own."""
    for spelling in (str(command.name), *command.spellings):
        for written in (spelling, spelling.upper()):
            order = read_line(f"{game} {written} x", vocabulary())
            assert isinstance(order, CommandCall)
            assert order.name == command.name


@for_every_command
def test_a_command_is_reached_by_email_unless_it_is_for_shells(
    game: str, command: PlayerCommand
) -> None:
    order = read_line(command.example, vocabulary())
    assert isinstance(order, CommandCall)
    if command.name in SHELL_ONLY:
        with pytest.raises(Refused) as refused:
            prepared(order)
        assert refused.value.code == "shell_only"
    else:
        assert prepared(order).command is command


@for_every_command
def test_a_command_is_reached_at_a_shell(game: str, command: PlayerCommand) -> None:
    """`pbmserv signup --help`, `perudo move --help` and `pbmserv perudo move --help`."""
    ways = [(pbmserv, [str(command.name)])]
    if game:
        ways = [(perudo, [str(command.name)]), (pbmserv, [game, str(command.name)])]
    for group, words in ways:
        done = CliRunner().invoke(group, [*words, "--help"])
        assert done.exit_code == 0
        assert f"Example: {command.at_shell or command.example}" in done.stdout
        assert not {"secret", "better-one"} & {*done.stdout.split()}


@pytest.mark.slow
def test_an_email_gets_no_operator_command(town: Town) -> None:
    """In an email `serve`, `queue` and similar words are unknown, after any other word."""
    for name in operator_commands():
        if name == "queue":  # of moves, to an email
            continue
        if name == "stop":  # of letters, to an email
            (letter,) = town.write("ann@example.org", name)
            assert letter.subject == "No more letters?"
            continue
        town.now += 24 * 60 * 60  # the same answer is given ten times a day
        for subject in (name, f"pbmserv {name}", f"perudo {name}"):
            (letter,) = town.write("ann@example.org", subject)
            assert letter.text.startswith("I found no command in your email"), subject


def test_a_command_for_shells_is_refused_by_email(town: Town) -> None:
    (letter,) = town.write("ann@example.org", "perudo referee /etc/passwd")
    assert "only at a shell" in letter.text


@each_row("name", sorted(operator_commands()))
def test_an_operator_command_has_help(name: str) -> None:
    done = CliRunner().invoke(pbmserv, [name, "--help"])
    assert done.exit_code == 0
    assert operator_commands()[name].help


@each_row("name", sorted(operator_commands()))
def test_an_operator_command_has_a_page(name: str) -> None:
    """`pbmserv help` shows it at a shell, and the manual has it."""
    typed = CliRunner().invoke(pbmserv, [name, "--help"]).stdout
    asked = CliRunner().invoke(pbmserv, ["help", name])
    assert (asked.exit_code, asked.stdout) == (0, typed)
    assert f"PBMSERV {name.upper()}\n\nUsage: pbmserv {name} " in whole(operator_commands())


def test_the_manual_begins_with_its_contents() -> None:
    """Every heading in them is the first line of a part, in the same order."""
    manual = whole(operator_commands())
    contents, *parts = manual.split("\n\n\n")
    assert contents.startswith("CONTENTS\n\nAll commands of players:\n  COMMANDS\n")
    headings = [line.strip() for line in contents.split("\n") if line.startswith("  ")]
    assert headings == [part.partition("\n")[0] for part in parts]


@pytest.mark.parametrize("game", GAMES)
def test_the_operators_page_names_a_players_command_of_the_same_name(game: str) -> None:
    """`pbmserv help queue` is about letters, `perudo help queue` about moves."""
    shared = operator_commands().keys() & commands_of(game).keys()
    assert shared == {"queue"}
    for name in shared:
        page = CliRunner().invoke(pbmserv, ["help", name]).stdout
        assert f"{game} help {name}" in " ".join(page.split())
        usage = f"{game} {name} "
        for group, words in ((perudo, ["help", name]), (pbmserv, ["help", game, name])):
            assert CliRunner().invoke(group, words).stdout.startswith(usage)
    assert not operator_commands().keys() & {*commands_of(), *pages()}


def test_the_list_of_commands_has_every_player_command() -> None:
    """Also those for a shell alone, which say so; a hidden one only says why it does not exist."""
    listed = page_of("", ("commands",))
    for game, command in COMMANDS:
        line = f"{game} {command.name}".strip()
        assert bool(re.search(rf"\n{line}\b", listed)) is not command.hidden, line
    referee = listed.partition("\nperudo referee FILE...\n")[2].split("\n")
    assert referee[1] == "    It works only at a shell."


def test_the_list_of_commands_tells_players_from_the_operator() -> None:
    """No sentence of it is cut off."""
    said = CliRunner().invoke(pbmserv, ["--help"]).stdout
    theirs, _, operators = said.partition("Commands of the operator:")
    assert "  signup " in theirs and "  perudo " in theirs
    assert "  serve " in operators and "  signup " not in operators
    assert "..." not in said.partition("\nCommands")[2]


def test_every_page_of_the_manual_is_named_where_help_is_explained() -> None:
    """By `help help`, by `perudo help help` and below all commands, from one list."""
    assert {"commands", "tutorial", "luck", "rules bga"} <= set(pages())
    for game, subject in (("", "help"), ("perudo", "help"), ("", "commands")):
        page = page_of(game, (subject,))
        listed = " ".join(page.partition("\nPages: ")[2].partition(".")[0].split())
        assert listed.split(", ") == pages()
    for name in pages():
        assert payload_of("", name.split())["subject"] == name


@each_row(
    ("asked", "found"),
    [
        *(("settings", "set"), ("Preferences", "set"), ("password", "reset")),
        *(("email address", "change"), ("register", "signup"), ("away", "vacation")),
    ],
)
def test_help_finds_a_command_under_the_words_that_people_look_for(asked: str, found: str) -> None:
    assert payload_of("", asked.split())["command"] == payload_of("", [found])["command"]


@each_row(
    ("asked", "found"),
    [
        *(("bid", "bid"), ("perudo dudo", "dudo"), ("Calza", "calza"), ("palifico", "palifico")),
        *(("call", "dudo"), ("annonce", "bid"), ("дудо", "dudo"), ("4-2s", "perudo")),
        *(("bluffing", "perudo"), ("letters", "mail"), ("bots", "house")),
        *(("language", "languages"), ("langue", "languages"), ("idiomas", "languages")),
        *(("язык", "languages"), ("lang", "languages")),
        *(("draw", "draw"), ("Offer a draw", "draw"), ("propose", "draw"), ("nulle", "draw")),
        *(("salt", "dice"), ("dice salt", "dice"), ("commitment", "dice"), ("seed", "dice")),
        *(("proof", "dice"), ("perudo salt", "dice"), ("Соль", "dice"), ("sel", "dice")),
        *(("semilla dados", "dice"), ("Règles bga", "rules bga"), ("regles", "rules")),
        *(("wild", "rules"), ("Wild ones", "rules"), ("ones", "rules"), ("aces", "rules")),
        *(("pacos", "rules"), ("joker", "rules"), ("les jokers", "rules"), ("comodines", "rules")),
        *(("los unos", "rules"), ("джокеры", "rules"), ("тузы", "rules"), ("perudo ones", "rules")),
    ],
)
def test_help_finds_a_page_under_the_words_that_people_look_for(asked: str, found: str) -> None:
    assert payload_of("", asked.split())["written"] == found


@each_row(
    ("asked", "found"),
    [
        *(("help luck", "LUCK AND BLUFF"), ("help Luck?", "LUCK AND BLUFF")),
        *(("help suerte", "LUCK AND BLUFF"), ("help chance", "LUCK AND BLUFF")),
        *(("help удача", "LUCK AND BLUFF"), ("perudo help luck", "LUCK AND BLUFF")),
        *(("help please", "COMMANDS"), ("help merci", "COMMANDS"), ("help good luck", "COMMANDS")),
        *(("help por favor", "COMMANDS"), ("help пожалуйста", "COMMANDS")),
    ],
)
def test_the_name_of_a_page_is_not_taken_for_a_polite_word(asked: str, found: str) -> None:
    group = perudo if asked.startswith("perudo ") else pbmserv
    done = CliRunner().invoke(group, asked.removeprefix("perudo ").split())
    assert found == done.stdout.partition("\n")[0]


@pytest.mark.parametrize("asked", ["bot settings", "salt please", "rules salt"])
def test_help_finds_nothing_under_words_of_which_each_means_another_page(asked: str) -> None:
    with pytest.raises(Refused, match="no_such_page"):
        payload_of("", asked.split())


def test_words_of_other_languages_name_pages_and_commands_and_hide_none() -> None:
    known = {*pages(), *(each for words in vocabulary().values() for each in words)}
    named = [each.rpartition(" ") for each in words_of("help_words")]
    assert {name for _, _, name in named} <= known
    assert known.isdisjoint(word for word, _, _ in named)


def test_no_other_name_hides_a_page_or_a_command() -> None:
    known = {*pages(), *(each for words in vocabulary().values() for each in words)}
    assert known.isdisjoint(OTHER_NAMES)
    assert set(OTHER_NAMES.values()) <= known


@pytest.mark.parametrize("way", ["-inorder ", "-dice=N ", "-rules=NAME ", "--nagtime=DAYS "])
def test_a_parameter_is_shown_as_it_is_written(way: str) -> None:
    """`-dice 3` would name a player: the page and `--help` show the word after the sign."""
    typed = CliRunner().invoke(perudo, ["challenge", "--help"]).stdout
    assert f"  {way}" in typed
    assert f"\n  {way}" in page_of("perudo", ("challenge",))
    assert " TEXT " not in typed


@for_every_command
def test_an_example_has_its_words_in_the_order_of_the_usage(
    game: str, command: PlayerCommand
) -> None:
    """A reader can match each word with its name."""
    example = [word for word in command.example.split() if not word.startswith("-")]
    pieces = [word for word in usage_of(command, game).split() if not word.startswith("-")]
    places = {"secret": "PASSWORD", "12": "BOARD"}
    for word, name in places.items():
        if word in example:
            asked = [piece.strip("[].") for piece in pieces]
            assert name not in asked or asked.index(name) == example.index(word), command.example


def test_every_text_of_the_help_of_a_command_is_a_message() -> None:
    """The catalogue is made from the messages that the letter asks for."""
    known = {text for text, _ in messages()}
    for game in ("", *GAMES):
        for name in commands_of(game):
            page = of_command(game, name)
            assert known.issuperset([*page["paragraphs"], *(about for _, about in page["options"])])
    assert known.issuperset(row["about"] for group in every_command() for row in group)
    assert "\n" not in "".join(known) and "  " not in "".join(known)


def test_the_payload_of_a_page_is_made_once() -> None:
    assert every_command() is every_command()
    assert of_command("perudo", "move") is of_command("perudo", "move")
