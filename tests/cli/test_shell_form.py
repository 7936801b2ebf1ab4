"""Commands in letters that a shell prints are as they are typed there."""

from __future__ import annotations

import click
from click.testing import CliRunner

from pbmserv.cli.main import pbmserv, perudo
from pbmserv.cli.shell_form import as_typed, printed
from pbmserv.letters.document import Commands, Document, Headline, Steps, typed
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.render import WordedLetter
from tests.rows import each_row


@each_row(
    ("command", "at_a_shell"),
    [
        ("help players", "pbmserv help players"),
        ("list", "pbmserv list"),
        ("perudo games", "perudo games"),
        ("4-2s", "4-2s"),
        ("house", "house"),
        ("-rules=NAME", "-rules=NAME"),
        ("Re: Your turn: Perudo board 12", "Re: Your turn: Perudo board 12"),
        ("perudo move 12 ann PASSWORD 2-1s", "perudo move 12 ann - 2-1s"),
        ("set ann PASSWORD timezone=Europe/Zurich", "pbmserv set ann - timezone=Europe/Zurich"),
        ("reset ann 7XQ2 NEWPASSWORD", "pbmserv reset ann 7XQ2 -"),
        ("block ann secret bob", "pbmserv block ann - bob"),
        ("block ann PASSWORD secret", "pbmserv block ann - secret"),  # also a player's name
        ("perudo challenge secret bob", "perudo challenge secret bob"),
        ("set USERID PASSWORD [PAIR]...", "pbmserv set USERID PASSWORD [PAIR]..."),  # a usage
    ],
)
def test_a_command_is_shown_as_a_shell_takes_it_with_a_sign_for_its_password(
    command: str, at_a_shell: str
) -> None:
    assert as_typed(command) == at_a_shell


@each_row(
    ("page", "line"),
    [
        ("tutorial", "     signup ann secret\n"),  # as the Subject of an email
        ("tutorial", "     perudo showas ann -\n"),
        ("tutorial", "To find people: pbmserv help players. To see"),
        ("perudo", "\n  pbmserv help rules     the five rule sets"),
        ("players", "pbmserv block ann - bob\n"),
        ("set", "pbmserv set USERID PASSWORD [PAIR]...\n"),
        ("commands", "\nset USERID PASSWORD [PAIR]...\n"),
        ("ratings", "    (pbmserv help decline)"),
    ],
)
def test_a_page_at_a_shell_shows_what_to_type_there(page: str, line: str) -> None:
    """The page of all commands says how they are typed, so it has their usages as they are."""
    assert line in CliRunner().invoke(pbmserv, ["help", page]).stdout


def test_the_game_has_its_own_program() -> None:
    said = CliRunner().invoke(perudo, ["help", "mail"]).stdout
    assert "  perudo chall ann bob\n" in said and "  pbmserv set ann - letters=all" in said
    assert "  perudo move 12 ann secret 4-2s\n" in said  # where it is about Subjects


def test_every_block_of_a_letter_is_changed() -> None:
    writer = DocumentWriter("en")
    writer.headline(typed("set ann"), heading=True)
    writer.section("Two")
    writer.item(f"See {typed('list')}.")
    writer.definitions([("Players", [f"See {typed('help players')}."])])
    writer.add(Steps(((Commands(("signup ann secret", "perudo games")),),)))
    writer.foot()
    writer.send("help")
    found = click.unstyle(printed(WordedLetter(writer.document)))
    assert found == (
        "pbmserv set ann\n\nTWO\n  - See pbmserv list.\n\nPLAYERS  See pbmserv help players.\n"
        "\n1.   pbmserv signup ann -\n     perudo games\n\n--\n  pbmserv help\n"
    )


def test_an_attachment_is_printed() -> None:
    document = Document("en", blocks=[Headline("Attached")])
    assert printed(WordedLetter(document)) == click.style("Attached.", bold=True) + "\n"
    document.attachment = ("board-12.txt", "The record.")
    assert printed(WordedLetter(document)) == "The record."
