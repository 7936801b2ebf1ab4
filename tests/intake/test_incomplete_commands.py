"""Replies that begin with the name of a command, and lack its other words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp

from tests.intake.new_towns import new_town, town_with_bid
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, town_at

BOB, LUC = "bob@example.org", "luc@example.org"
UNCLEAR = "What did you mean?"


@contextmanager
def invited(folder: Path) -> Iterator[tuple[Town, Letter]]:
    """A new town, and the invitation that bob has to answer; luc invites him and ann."""
    with town_at(Path(mkdtemp(dir=folder)) / "home") as town:
        town.sign_up("ann", "bob", "luc")
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.write(LUC, "perudo challenge luc bob ann")
        town.reply(town.last_letter_to(LUC), "accept")
        yield town, town.last_letter_to(BOB)


@each_row(
    "text",
    [
        *("resign or not resign", "resign, or not?", "resign - no time", "resign maybe later"),
        *("queue 5-2s or dudo", "queue 5-2s if ann bids", "abandonar - no puedo"),
    ],
)
def test_words_beside_a_command_for_a_letter_are_asked_about(tmp_path: Path, text: str) -> None:
    """They were refused, because the number of the board and the password were missing."""
    with town_with_bid(tmp_path) as town:
        (asked,) = town.reply(town.last_letter_to(BOB), text)
        assert (asked.to, asked.subject) == (BOB, UNCLEAR)


@each_row(
    "text",
    ["board 1: dudo", "Board 1, dudo", "board 1 dudo", "Board 1: I doubt it"],
)
def test_the_number_of_the_letters_board_may_be_before_a_move(tmp_path: Path, text: str) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert "You lose a die." in [each.opening for each in letters if each.to == BOB]


def test_the_number_of_another_board_is_before_no_move_of_this_board(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(BOB), "board 2: dudo")
        assert (told.to, told.subject) == (BOB, "Your command was refused")


@each_row(
    "text",
    ["I forgot my password", "J'ai oublié mon mot de passe", "reset", "olvidé mi contraseña"],
)
def test_who_has_forgotten_the_password_need_not_name_the_account(
    tmp_path: Path, text: str
) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert "A new password, bob" in [each.subject for each in letters]
        assert {each.to for each in letters} == {BOB}
        assert "A new password, bob" in [each.subject for each in town.write(BOB, "Hello", text)]


@each_row(
    "text",
    [
        *("I forgot my password. Can you help me?", "Hello,\n\nI forgot my password!"),
        "J'ai oublié mon mot de passe. Que faire ?",
    ],
)
def test_a_sentence_in_an_email_says_so_too(tmp_path: Path, text: str) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.write(BOB, "Hello", text)
        assert "A new password, bob" in [each.subject for each in letters]


def test_of_two_accounts_of_one_address_none_is_chosen(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann")
        town.write("ann@example.org", f"signup cleo {PASSWORD}")
        town.reply(town.last_letter_to("ann@example.org"), "yes")
        (told,) = town.write("ann@example.org", "I forgot my password")
        assert told.subject == "Your command was refused"
        assert "reset USERID" in told.text


@each_row("text", ["decline - too busy", "reject - ya no puedo", "refuser - pas le temps"])
def test_a_reason_behind_a_dash_goes_to_who_invites(tmp_path: Path, text: str) -> None:
    with invited(tmp_path) as (town, letter):
        letters = town.reply(letter, text)
        _, reason = text.split(" - ")
        assert f"| {reason}" in next(each.text for each in letters if each.to == LUC)


@each_row(
    "text",
    [
        *("No quiero jugar con luc", "no quiero jugar con Luc", "accept luc's challenge"),
        *("decline too busy", "accept if luc does", "I'd love to play with luc"),
    ],
)
def test_words_that_may_be_about_one_player_are_asked_about(tmp_path: Path, text: str) -> None:
    """A no to one player may be none to the others."""
    with invited(tmp_path) as (town, letter):
        (asked,) = town.reply(letter, text)
        assert (asked.to, asked.subject) == (BOB, UNCLEAR)
        assert "reply with accept or reject" in " ".join(asked.text.split())


@each_row("text", ["no gracias, luc", "no thanks luc", "Luc, no quiero jugar"])
def test_a_no_beside_the_name_of_who_invites_withdraws_the_game(tmp_path: Path, text: str) -> None:
    with invited(tmp_path) as (town, letter):
        letters = town.reply(letter, text)
        (told,) = [each for each in letters if each.to == LUC]
        assert told.opening.startswith("bob rejects the invitation to board ")


@each_row(
    "text",
    [
        *("all good", "All is well", "all the best!", "Vacation was great", "Games are fun"),
        *("Move it!", "report back soon", "change of plans", "reset please", "Set the table"),
        *("Record heat here today", "Standings look bad for me"),
    ],
)
def test_talk_that_begins_with_a_commands_name_is_not_refused(tmp_path: Path, text: str) -> None:
    with town_with_bid(tmp_path) as town:
        (asked,) = town.reply(town.last_letter_to(BOB), text)
        assert (asked.to, asked.subject) == (BOB, UNCLEAR)


def test_plain_talk_that_begins_so_goes_to_the_table(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), "All good here, thanks")
        assert {each.to for each in letters} == {"ann@example.org", BOB, LUC}


@each_row("text", ["reject", "dodo", "dodo !"])
def test_words_of_others_are_not_answered_by_an_end_or_a_call(tmp_path: Path, text: str) -> None:
    """The message may propose anything, and children's French for "to bed" sounds like dudo."""
    with town_with_bid(tmp_path) as town:
        town.write("ann@example.org", f"perudo chat 1 ann {PASSWORD}", "Shall we stop for today?")
        (asked,) = town.reply(town.last_letter_to(BOB), text)
        assert (asked.to, asked.subject) == (BOB, UNCLEAR)


@each_row("text", ["I give up", "withdraw the invitation", "cancel", "call it off"])
def test_who_invites_reads_how_to_withdraw_the_invitation(tmp_path: Path, text: str) -> None:
    with invited(tmp_path) as (town, _):
        (asked,) = town.reply(town.last_letter_to(LUC), text)
        said = " ".join(asked.text.split())
        assert "To withdraw the invitation, reply with reject." in said
        assert "perudo show 1" in said
        assert "A bid such as" not in said and "Did you mean resign" not in said
        letters = town.reply(asked, "reject")
        assert "You have called off the invitation to board 1." in [x.opening for x in letters]


def test_who_is_out_is_not_asked_whether_to_resign(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        town.reply(town.last_letter_to(BOB), "resign")
        (told,) = town.reply(town.last_letter_to(BOB), "I give up")
        assert "Did you mean" not in told.text


@each_row(
    ("text", "meant"),
    [
        *(("hell yeah", ""), ("love to, but no time", ""), ("hepl please", "help")),
        *(("hepl rules", "help"), ("mtue", "mute")),
    ],
)
def test_talk_is_not_taken_for_a_mistyped_command(tmp_path: Path, text: str, meant: str) -> None:
    with invited(tmp_path) as (town, letter):
        (asked,) = town.reply(letter, text)
        said = " ".join(asked.text.split())
        assert (f"Did you mean {meant}?" in said) if meant else ("Did you mean" not in said)


@each_row("text", ["games mia", "stats mia", "show mia", f"set bob {PASSWORD} digest daily"])
def test_a_userid_that_is_also_a_word_makes_no_talk_of_a_command(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, ("ann", "bob", "mia"), (("ann", "3-2s"),)) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert UNCLEAR not in [each.subject for each in letters]
