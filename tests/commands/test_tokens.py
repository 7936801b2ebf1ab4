"""A letter's token is good for its board and its move, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.boards.board import load_board
from pbmserv.commands.framework import GAMES, PlayerCommand, Secret, commands_of
from pbmserv.database.engine import reading
from tests.stories.town import PASSWORD, Town, answering, town_at

pytestmark = pytest.mark.long

ACCOUNT_WIDE = [
    (game, command)
    for game in ("", *GAMES)
    for command in commands_of(game).values()
    if any(isinstance(each, Secret) and each.name == "password" for each in command.params)
    and not any(each.name == "board" and each.required for each in command.params)
    # A new password; boards, each by itself; who is heard there, by the latest letter alone.
    and command.name not in {"signup", "showas", "block", "unblock"}
]


@pytest.fixture
def town(town: Town) -> Town:
    """A town where ann and bob have begun two boards."""
    town.challenge("ann", "bob")
    return town


@pytest.mark.parametrize(
    ("game", "command"), ACCOUNT_WIDE, ids=[f"{game} {each.name}" for game, each in ACCOUNT_WIDE]
)
def test_a_token_cannot_replace_the_account_password(
    game: str, command: PlayerCommand, town: Town
) -> None:
    """Somebody who got a letter forwarded by mistake cannot change its reader's settings."""
    words = [word for word in command.example.split() if not word.isdigit()]  # of no board
    place = words.index("secret")
    words[place - 1 : place + 1] = ["ann", town.last_letter_to("ann@example.org").token]
    (letter,) = town.write("bob@example.org", " ".join(words))
    assert "Wrong user name or password" in letter.text


def test_a_token_shows_its_own_board_alone(town: Town) -> None:
    token = town.last_letter_to("ann@example.org").token
    (letter,) = town.write("ann@example.org", f"perudo showas ann {token} 2")
    assert "Your dice" in letter.text
    (letter,) = town.write("ann@example.org", f"perudo showas ann {token} 1")
    assert "Wrong user name or password" in letter.text


STRANGER = "mallory@evil.example"


def table(town: Town, board: int = 1) -> str:
    """What everybody may know of a board, without its clock."""
    (letter,) = town.write("bob@example.org", f"perudo show {board}")
    return letter.text.partition("Proof of the dice")[0]


OF_ONE_BOARD = (
    "queue 1 ann {} 9-6s dudo",
    "queue 1 ann {} off",
    "move 1 ann {} 9-6s",
    "move 1 ann {} propose",
    "move 1 ann {} resign",
    "resign 1 ann {}",
    "accept ann {} 1",
    "reject ann {} 1",
    "decline ann {} 1",
    "move 1 ann {} decline",
    "showas ann {} 1",
    "chat 1 ann {}",
    "rematch 1 ann {}",
)


def test_a_spent_token_does_nothing(town: Town) -> None:
    """The letter of move 1 does nothing from ann's next turn on."""
    spent = town.last_letter_to("ann@example.org", 2).token
    town.move("ann", "2-2s")
    town.move("bob", "2-3s")
    for words in OF_ONE_BOARD:
        for sender in (STRANGER, "ann@example.org"):
            letters = town.write(sender, f"perudo {words.format(spent)}", "Give up!")
            assert [each.to for each in letters] in ([sender], []), words  # so many answers a day
            assert not any("Give up!" in each.text for each in letters), words
            assert not any("Your dice" in each.text for each in letters), words
    assert "Bids of round 1: ann two 2s, bob two 3s.\n" in table(town)
    assert "ann  5  2-2s, now" in table(town)


UNTIL_THE_NEXT_TURN = {
    "queue 1 ann {} 9-6s dudo": "Noted for board 1. When your turn comes",
    "showas ann {} 1": "Your dice",
    "chat 1 ann {}": "Sent to bob.",
    "move 1 ann {} propose": "You offer a draw.",
    "move 1 ann {} resign": "You will leave board 1",
    "resign 1 ann {}": "You stay on board 1",
    "mute ann {} 1": "You no longer get what the others write",
}


def test_the_newest_letter_of_a_player_is_good_until_the_players_next_turn(town: Town) -> None:
    """By default a bid of others brings no letter; from elsewhere the token does nothing."""
    newest = town.last_letter_to("ann@example.org", 2).token
    town.move("ann", "2-2s")
    for words, answer in UNTIL_THE_NEXT_TURN.items():
        command = f"perudo {words.format(newest)}"
        assert [each.to for each in town.write(STRANGER, command, "Hello!")] in ([STRANGER], [])
        letters = town.write("ann@example.org", command, "Hello!")
        told = " ".join(each.text for each in letters if each.to == "ann@example.org")
        assert answer in " ".join(told.split()), words
    assert "Bids of round 1: ann two 2s.\n" in table(town)


def test_every_command_that_takes_a_seat_was_tried_with_a_spent_token() -> None:
    tried = {words.split()[0] for words in OF_ONE_BOARD}
    of_boards = {
        command.name
        for command in commands_of("perudo").values()
        if any(isinstance(each, Secret) and each.name == "password" for each in command.params)
    }
    account_wide = {command.name for _, command in ACCOUNT_WIDE}
    # These ask for the password alone, as `Context.account` does: they are of no seat that one has.
    by_account = {"takeover", "subscribe", "unsubscribe", "mute", "unmute"}
    assert of_boards - account_wide - tried == by_account


def test_a_current_token_moves_from_any_address_and_its_player_is_told(
    town: Town,
) -> None:
    token = town.last_letter_to("ann@example.org", 2).token
    letters = town.write(STRANGER, f"perudo move 1 ann {token} 2-2s")
    names = [each.to.partition("@")[0] for each in letters]
    assert names == ["ann", "bob", "ann"]
    told = " ".join(letters[-1].text.split())
    assert f'The command "move" for board 1 came from {STRANGER}' in told


def test_a_move_from_a_confirmed_address_brings_no_extra_letter(
    town: Town,
) -> None:
    letters = town.reply(town.last_letter_to("ann@example.org", 2), "2-2s")
    assert [each.to for each in letters] == ["ann@example.org", "bob@example.org"]


@pytest.mark.parametrize("words", ["queue 1 ann {} 9-6s dudo", "showas ann {} 1"])
def test_a_token_from_elsewhere_makes_the_move_and_shows_or_plays_nothing_else(
    words: str, town: Town
) -> None:
    """Dice and later moves are for emails from an address of the player."""
    token = town.last_letter_to("ann@example.org", 2).token
    (letter,) = town.write(STRANGER, f"perudo {words.format(token)}")
    assert "does not come from an address of that player" in " ".join(letter.text.split())


@pytest.mark.parametrize(
    "words",
    ["resign 1 bob {}", "move 1 bob {} propose", "move 1 bob {} decline", "chat 1 bob {}"],
)
def test_out_of_turn_a_token_from_elsewhere_does_nothing(words: str, town: Town) -> None:
    """Only bob can resign, decline or write for bob while it is not his turn."""
    token = town.last_letter_to("bob@example.org").token
    before = table(town, 2)
    (letter,) = town.write(STRANGER, f"perudo {words.format(token).replace('1', '2', 1)}", "Bye!")
    assert "does not come from an address of that player" in " ".join(letter.text.split())
    assert table(town, 2) == before


def test_a_reply_to_the_refusal_sends_words_written_to_an_old_letter(town: Town) -> None:
    """The player's own address gets a letter that can be answered, so the words are not lost."""
    town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Hello!")
    old = town.last_letter_to("ann@example.org")
    town.move("ann", "2-2s")
    town.move("bob", "2-3s")
    (refusal,) = town.reply(old, "Hello bob, how are you?")
    assert "not sent to the others" in " ".join(refusal.text.split())
    letters = town.reply(refusal, "Hello bob, how are you?")
    assert [each.to for each in letters] == ["bob@example.org", "ann@example.org"]
    assert "| Hello bob, how are you?" in letters[0].text


def test_a_stranger_with_an_old_letter_gets_no_valid_token(town: Town) -> None:
    town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Hello!")
    old = town.last_letter_to("ann@example.org")
    town.move("ann", "2-2s")
    text = "I resign."
    (refusal,) = town.write(STRANGER, f"Re: {old.subject}", text, to=old.reply_to)
    assert refusal.token == ""


@pytest.mark.parametrize("words", ["2-2s", "resign", "chat\nI am ann.", "draw", "queue 2-2s"])
def test_an_opponent_who_replies_to_all_moves_for_nobody_else(town: Town, words: str) -> None:
    """The copy of a player's reply has the token of the letter that it answers."""
    letter = town.last_letter_to("ann@example.org")
    copy = {**answering(letter), "Cc": "ann@example.org"}
    (told,) = town.write("bob@example.org", "Re: Re: x", words, to=letter.reply_to, headers=copy)
    assert told.to == "bob@example.org"
    said = " ".join(told.text.split())
    assert "Your email answers a letter to another player of board 2." in said
    (made, *_) = town.reply(letter, "1-2s")
    assert "You bid one 2." in made.text


@pytest.mark.parametrize("sender", ["bob+perudo@example.org", "bob@example.net"])
def test_no_spelling_of_an_opponents_address_moves_for_somebody_else(
    home: Path, sender: str
) -> None:
    """An address that the opponent gave up lately does not, either; one of the player does."""
    with town_at(home) as town:
        (asked,) = town.write("bob@example.net", f"signup bob {PASSWORD}")
        town.reply(asked, "yes")
        town.sign_up("ann")
        town.write("bob@example.net", f"change address bob {PASSWORD} bob@example.org")
        for address in ("bob@example.net", "bob@example.org"):
            town.write(address, f"confirm {town.asked_of(address)}")
        town.challenge("ann", "bob")
        letter = town.last_letter_to("ann@example.org")
        headers = answering(letter)
        told = town.write(sender, "Re: x", "1-2s", to=letter.reply_to, headers=headers)
        assert [each.to for each in told] == [sender]
        assert "a letter to another player" in " ".join(told[0].text.split())
        own = "ann+phone@example.org"
        assert town.write(own, "Re: x", "1-2s", to=letter.reply_to, headers=headers)[1:]


@pytest.mark.parametrize("sender", ["bob@example.org", "eve@example.net"])
@pytest.mark.parametrize("is_true", [True, False])
def test_a_token_from_elsewhere_does_not_reveal_its_players_dice(
    town_of_three: Town, sender: str, *, is_true: bool
) -> None:
    """A line with the true cup is left out of a player's own words, and no other line."""
    town, letter = town_of_three, town_of_three.last_letter_to("ann@example.org")
    with reading(town.engine) as connection:
        cup = load_board(connection, 1).table.cups[0]
    guess = " ".join(str(die if is_true else 7 - die) for die in cup)
    words = f"Hello all, nice to be here!\nMy guess: {guess}\nSee you soon, all of you!"
    lines = [f"perudo chat 1 ann {letter.token}"]
    if sender == "bob@example.org":  # the token is beside a command of his own
        lines = [f"perudo chat 1 bob {PASSWORD}", f"perudo move 1 ann {letter.token} 1-2s"]
    letters = town.write(sender, "multiple", "\n".join([*lines, "end", words]))
    to_cleo = [each.text for each in letters if each.to == "cleo@example.org"]
    is_own = sender == "bob@example.org"
    assert len(to_cleo) == is_own
    assert all(f"My guess: {guess}" in each for each in to_cleo)


def test_an_inviter_who_replies_to_all_accepts_for_nobody_else(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write("ann@example.org", f"set ann {PASSWORD} challenges=ask")
        town.challenge("bob", "ann", "cleo")
        letter = town.last_letter_to("ann@example.org")
        assert "invites" in letter.text or "invited" in letter.text
        headers = answering(letter)
        (told,) = town.write(
            "bob@example.org", "Re: x", "accept", to=letter.reply_to, headers=headers
        )
        assert "a letter to another player" in " ".join(told.text.split())
        letters = town.reply(letter, "accept")
        assert not any("a letter to another player" in each.text for each in letters)
