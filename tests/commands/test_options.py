"""Options and names are understood in every way in which people write them."""

from __future__ import annotations

from typing import Any

import click
import pytest

from pbmserv.commands.calls import prepared
from pbmserv.commands.framework import PlayerCommand, commands_of, vocabulary
from pbmserv.commands.manual import payload_of
from pbmserv.commands.parser import CommandCall, read_line
from pbmserv.errors import Refused
from pbmserv.games.perudo.rules import OPTIONS, RULE_SETS
from pbmserv.letters import render
from tests.letters.written_pages import written_page
from tests.rows import each_row

RULE_OPTIONS = sorted({(name, option) for name, each in OPTIONS.items() for option in each})
WITH_RULES = ("challenge", "seek")


def parsed(line: str) -> dict[str, Any]:
    """The words of a command by their names, without those that were not given."""
    call = read_line(line, vocabulary())
    assert isinstance(call, CommandCall)
    return {name: value for name, value in prepared(call).params.items() if value is not None}


@each_row(
    "written",
    [
        *("-rules=bga", "--rules=bga", "rules=bga", "RULES=bga", "-Rules=bga"),
        *("-rules bga", "--rules bga", "—rules=bga", "–rules bga"),
    ],
)
@each_row("line", ["perudo challenge {} ann bob", "perudo challenge ann bob {}"])
def test_an_option_is_understood_with_two_dashes_one_or_none(line: str, written: str) -> None:
    assert parsed(line.format(written)) == {"rules": "bga", "userid": ("ann", "bob")}


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("--dice 3", {"dice": "3"}),
        ("-nagtime 12h", {"nagtime": "12h"}),
        ("--forfeittime=4 -reliable 90", {"forfeittime": "4", "reliable": "90"}),
        ("-calza no", {"calza": "no"}),
        ("--standin yes", {"standin": "yes"}),
        ("-standin", {"standin": ""}),
        ("-raise strict", {"raise": "strict"}),
    ],
)
def test_a_value_of_its_own_belongs_to_the_option_that_knows_it(
    written: str, found: dict[str, str]
) -> None:
    assert parsed(f"perudo challenge {written} ann bob") == {**found, "userid": ("ann", "bob")}


@pytest.mark.parametrize("option", ["-rules", "--dice", "-calza", "-standin", "-inorder"])
def test_no_option_takes_a_player_as_its_value(option: str) -> None:
    assert parsed(f"perudo challenge {option} ann bob")["userid"] == ("ann", "bob")


def test_a_password_is_not_an_option() -> None:
    """It may look like one without dashes."""
    found = parsed("perudo seek ann rules=bga 2 rules=pacao")
    assert (found["password"], found["wanted"], found["rules"]) == ("rules=bga", "2", "pacao")


@pytest.mark.parametrize(
    "names",
    ["ann bob", "ann,bob", "ann, bob", "ann and bob", "ann vs bob", "ann vs. bob", "ann & bob"],
)
def test_names_may_be_joined(names: str) -> None:
    for command in ("challenge", "stats", "history"):
        assert parsed(f"perudo {command} {names}")["userid"] == ("ann", "bob")
    for command in ("games", "show"):
        assert parsed(f"perudo {command} {names} active")["what"] == ("ann", "bob", "active")
    assert parsed(f"message ann a,b,c {names}") == {
        "userid": "ann",
        "password": "a,b,c",
        "to": ("ann", "bob"),
    }


def test_three_names_may_be_joined_by_commas_and_a_word() -> None:
    assert parsed("perudo challenge ann, bob and cleo")["userid"] == ("ann", "bob", "cleo")


@each_row("command", WITH_RULES)
@each_row(("rules", "option"), RULE_OPTIONS)
def test_an_option_of_a_rule_set_is_one_of_the_command_with_completion(
    rules: str, option: str, command: str
) -> None:
    """Each word that the rules allow is completed, and each is understood."""
    found = commands_of("perudo")[command]
    (known,) = [each for each in found.params if each.name == option]
    with click.Context(found) as context:
        completed = {each.value for each in known.shell_complete(context, "")}
    words = [each for each in OPTIONS[rules][option].allowed if each.isidentifier()]
    assert set(words) <= completed
    for word in words:
        assert parsed(f"perudo challenge -{option} {word} ann bob")[option] == word


@each_row(("rules", "option"), RULE_OPTIONS)
def test_an_option_of_a_rule_set_has_its_place_in_the_manual(rules: str, option: str) -> None:
    """Those of every rule set are on the page about all of them."""
    everywhere = all(option in each for each in OPTIONS.values())
    page = written_page("rules" if everywhere else f"rules {rules}")
    assert page is not None and f"-{option}" in page
    for command in WITH_RULES:
        page = render.word("help", payload_of("perudo", (command,)), "en").text
        assert f"\n  -{option}" in page


def test_every_option_about_rules_is_one_of_a_rule_set() -> None:
    of_rules = {option for _, option in RULE_OPTIONS} | {"rules"}
    times = {"nagtime", "forfeittime", "totaltime", "standin"}
    others = {"inorder", "unrated", "rated", "reliable"} | times
    for command, more in (("challenge", others), ("seek", {"players"})):
        names = [
            each.name
            for each in commands_of("perudo")[command].params
            if isinstance(each, click.Option) and each.expose_value
        ]
        assert set(names) == of_rules | more
    assert set(OPTIONS) == set(RULE_SETS)


def test_an_option_that_no_command_has_is_refused() -> None:
    with pytest.raises(Refused, match="unknown_parameter"):
        parsed("perudo challenge --colour red ann bob")


@each_row("command", [each for game in ("", "perudo") for each in commands_of(game).values()])
def test_a_board_of_a_command_is_completed(command: PlayerCommand) -> None:
    """A command that takes a board offers boards: none is forgotten."""
    plain = click.Argument(["board"])
    for parameter in command.params:
        if parameter.name == "board":
            own, usual = vars(parameter)["_custom_shell_complete"], vars(plain)
            assert own != usual["_custom_shell_complete"], command.name
