"""A move that crosses another is answered in one line, and the words below it are not lost."""

from __future__ import annotations

from pbmserv.intake import refused_move_text
from pbmserv.letters.refusals import macros_of
from pbmserv.letters.templates import source
from tests.stories.town import PASSWORD, Letter, Town

ANN, BOB = "ann@example.org", "bob@example.org"
WORDS = "Here we go again, my friends."


def hears(letters: list[Letter]) -> list[str]:
    """The players who get the words of a writer."""
    return [each.to for each in letters if f"| {WORDS}" in each.text]


def to(letters: list[Letter], address: str) -> Letter:
    (letter,) = (each for each in letters if each.to == address)
    return letter


def test_words_below_a_move_out_of_turn_go_to_the_others(town: Town) -> None:
    """By a reply and by the password; the reply is answered with the reason alone."""
    letters = town.reply(town.last_letter_to(BOB), f"4-2s\n{WORDS}")
    assert hears(letters) == [ANN]
    said = to(letters, BOB)
    assert "reply to the latest letter\nabout this board, for example with queue 4-2s." in said.text
    assert said.text.endswith("\n\nYour message was sent to the others.\n")
    assert "Your command" not in said.text
    letters = town.move("bob", "4-2s", text=WORDS)
    assert hears(letters) == [ANN]
    assert "Your message was sent to the others.\n\nNothing was changed." in to(letters, BOB).text


def test_words_below_a_late_move_wait_for_a_proof(town: Town) -> None:
    """The token of an old letter proves too little; a reply to the answer has a valid one."""
    old = town.last_letter_to(ANN)
    town.reply(old, "2-2s")
    (alone,) = town.reply(old, "3-2s")
    assert alone.text == (
        "You have already made move 1 of board 1: you bid 2-2s. Your second move\n"
        "was not played. It is bob's turn now, for move 2.\n"
    )
    assert alone.token not in {"", old.token}
    (told,) = town.write("eve@example.net", "Re: x", "3-2s", to=old.reply_to)
    assert told.token == ""
    town.move("bob", "3-2s")  # now ann has a newer letter
    (told,) = town.reply(old, f"3-2s\n{WORDS}")
    assert "write it again in a reply to this letter" in " ".join(told.text.split())
    assert hears(town.reply(told, WORDS)) == [BOB]
    (told,) = town.reply(old, "3-2s\nOh well!")
    assert "| Oh well!" in town.reply(told, "Oh well!")[0].text
    (told,) = town.write("eve@example.net", "Re: x", f"3-2s\n{WORDS}", to=old.reply_to)
    assert " ".join(told.text.split()).endswith("Your message was not sent.")
    assert told.token == ""


def test_an_unreadable_reply_to_an_old_letter_is_answered_in_one_line(town: Town) -> None:
    """A few words can be sent on by a reply; a mistyped move is late like another."""
    old = town.last_letter_to(ANN)
    town.reply(old, "2-2s")
    for text in ("4-2x", "duddo"):
        (told,) = town.reply(old, text)
        assert told.text.startswith("You have already made move 1 of board 1: you bid 2-2s.")
        assert "words" not in told.text.partition("\n\n")[0]
    (told,) = town.reply(old, "Oh well, one more round.")
    assert "I couldn't read this line:\n  Oh well, one more round.\n" in told.text
    town.move("bob", "3-2s")  # now ann has a newer letter
    (told,) = town.reply(old, "Oh well, one more round.")
    how = "To send your message, write it again in a reply to this letter."
    assert how in " ".join(told.text.split())
    (ended,) = town.reply(old, "j'abandonne")
    assert "So you did not leave the game, and you offered no draw." in " ".join(ended.text.split())
    assert "second move" not in ended.text
    said, _ = town.reply(told, "Oh well, one more round.")
    assert said.to == BOB and "| Oh well, one more round." in said.text


def test_words_below_a_move_at_a_finished_board_go_to_its_players(town: Town) -> None:
    letters = [town.last_letter_to(ANN)]
    town.move("ann", "2-2s")
    town.move("bob", "resign")
    letters.append(town.last_letter_to(ANN))
    for letter in letters:
        found = town.reply(letter, f"dudo\n{WORDS}")
        assert hears(found) == [BOB]
        assert "over" in to(found, ANN).text
        assert "Your message was sent to the others." in " ".join(to(found, ANN).text.split())


def test_other_refusals_send_no_words(town: Town) -> None:
    """Somebody who corrects an illegal move is told to send the words again with it."""
    for reply in (f"dudo\n{WORDS}", f"99-2s\n{WORDS}"):
        (told,) = town.reply(town.last_letter_to(ANN), reply)
        assert "Your message was not sent: write it again below your move." in told.text
    (told,) = town.reply(town.last_letter_to(ANN), "dudo")
    assert "Your message" not in told.text
    (told,) = town.write(ANN, f"perudo rematch 1 ann {PASSWORD}", WORDS)
    assert "Your message" not in told.text


def test_one_email_with_several_lines_sends_the_words_once(town: Town) -> None:
    lines = f"perudo move 1 bob {PASSWORD} 4-2s\nperudo show 1\n\n{WORDS}"
    letters = town.write(BOB, "multiple", lines)
    assert hears(letters) == [ANN]
    assert "NOT DONE" in to(letters, BOB).text


def test_the_player_on_turn_can_reply_to_a_mistake_with_the_dice_at_hand(town: Town) -> None:
    """Also by the password, if the answer goes to an own address; nobody else gets dice."""
    bob = town.last_letter_to(BOB)
    town.reply(town.last_letter_to(ANN), "3-3s")
    dice = next(line for line in bob.text.split("\n") if line.startswith("Your dice: "))
    for told in (
        *town.reply(town.last_letter_to(BOB), "2-2s"),
        *town.reply(town.last_letter_to(BOB), "calza"),
        *town.move("bob", "2-2s"),
        *town.move("bob", "duddo"),
        *town.reply(town.last_letter_to(BOB), "duddo"),
    ):
        assert f"\n{dice}\nThe bid to beat is 3-3s, by ann.\n" in told.text
        assert "To play, reply to this letter" in told.text
        assert told.token
    (asked,) = town.write("eve@example.net", f"perudo move 1 bob {PASSWORD} 2-2s")
    assert "You could bid" in asked.text and "dice:" not in asked.text
    (told,) = town.move("bob", "2-2s")
    assert {each.to for each in town.reply(told, "dudo")} == {ANN, BOB}  # it is played


def test_every_mistake_in_a_move_is_known() -> None:
    known = {*macros_of(source("perudo/refusals/bids") or ""), "unreadable_move"}
    assert known - {"calza_late"} == refused_move_text.MISTAKES
