"""Players block others, mute boards and report them; all of it is undone, and written down."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.boards import chat_log
from pbmserv.database.engine import reading, writing
from pbmserv.maintenance import message_trace
from tests.cli.processes import invoked
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = (f"{name}@example.org" for name in ("ann", "bob", "cleo"))
WORDS = "You are a fool, ann!"
DAY = 24 * 60 * 60


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """Ann, bob and cleo play on board 1; bob is on turn."""
    with town_at(home, settings='operator = "root@example.org"\nkeep_days = 10\n') as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        town.move("ann", "1-2s")
        yield town


def blocked(town: Town) -> None:
    (letter,) = town.write(ANN, f"perudo block ann {PASSWORD} Bob")
    assert letter.subject == "You have blocked bob"


def readers(letters: list[Letter]) -> set[str]:
    """Who reads bob's words in these letters."""
    return {each.to for each in letters if WORDS in each.text}


def flat(letter: Letter) -> str:
    return " ".join(letter.text.split())


def test_a_block_stops_letters_from_the_blocked_player(town: Town) -> None:
    """The move is told, the words are not; the others read them."""
    blocked(town)
    assert readers(town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)) == {CLEO}
    letters = town.move("bob", "2-2s", text=WORDS)
    assert readers(letters) == {BOB, CLEO}
    assert any("two 2s" in each.text for each in letters if each.to == ANN)


def test_a_blocked_player_can_send_no_messages_challenges_or_offers(town: Town) -> None:
    blocked(town)
    wants = "This player has blocked you"
    others = f"{wants} or another of the players: ann."
    for subject, text in (
        (f"message bob {PASSWORD} ann", WORDS),
        ("perudo challenge bob ann", ""),
        ("perudo challenge bob ann cleo", ""),
        (f"perudo move 1 bob {PASSWORD} propose", ""),
    ):
        (letter,) = town.write(BOB, subject, text)
        said = others if "challenge" in subject else f"{wants}: ann."
        assert said in flat(letter), subject
    (letter,) = town.write(CLEO, "perudo challenge cleo ann bob")
    assert others in flat(letter)


def test_a_player_who_blocks_another_is_told_so(town: Town) -> None:
    blocked(town)
    for subject in ("perudo challenge ann bob", "perudo challenge cleo ann bob"):
        (letter,) = town.write(ANN, subject)
        assert "You have blocked bob, so no new game starts with both" in flat(letter), subject
        assert "wants nothing" not in letter.text
    town.write(ANN, f"unblock ann {PASSWORD} bob")
    town.write(ANN, f"set ann {PASSWORD} challenges=ask")
    town.write(BOB, "perudo challenge bob ann")
    blocked(town)
    (letter,) = town.write(ANN, f"perudo accept ann {PASSWORD} 2")
    assert "You have blocked bob" in flat(letter)


def test_matchmaking_keeps_blocked_players_apart(town: Town) -> None:
    blocked(town)
    for userid in ("ann", "bob"):
        letters = town.write(f"{userid}@example.org", f"perudo seek {userid} {PASSWORD} -players=2")
        assert len(letters) == 1
    assert len(town.write(CLEO, f"perudo seek cleo {PASSWORD} -players=2")) > 1


def test_a_block_is_ended(town: Town) -> None:
    blocked(town)
    (letter,) = town.write(ANN, f"unblock ann {PASSWORD} bob")
    assert letter.subject == "You have unblocked bob"
    assert ANN in readers(town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS))
    for other, said in (
        ("bob", "You have not blocked bob"),
        ("nemo", "no player"),
        ("ann", "yours"),
    ):
        command = "block" if other == "ann" else "unblock"
        assert said in flat(town.write(ANN, f"{command} ann {PASSWORD} {other}")[0])


def test_a_mute_holds_for_the_words_after_it_in_the_same_email(town: Town) -> None:
    """What was read of the board for the first words does not count for the second ones."""
    first, second = "--message=First", "--message=Second"
    chat = f"perudo chat 1 bob {PASSWORD}"
    lines = [f"{chat} {first}", f"perudo mute 1 ann {PASSWORD}", f"{chat} {second}"]
    letters = town.write(BOB, "multiple", "\n".join(lines))
    told = "".join(flat(each) for each in letters if each.to == ANN)
    assert "First" in told
    assert "Second" not in told


def test_a_muted_board_is_played_without_words(town: Town) -> None:
    (letter,) = town.write(ANN, f"perudo mute 1 ann {PASSWORD}")
    assert letter.opening.startswith("You no longer get what the others write at board 1.")
    assert readers(town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)) == {CLEO}
    assert readers(town.move("bob", "2-2s", text=WORDS)) == {BOB, CLEO}
    assert readers(town.write(ANN, f"perudo chat 1 ann {PASSWORD}", WORDS)) == {BOB, CLEO}
    (letter,) = town.write(ANN, f"perudo unmute 1 ann {PASSWORD}")
    assert letter.opening == "You get what the others write at board 1 again."
    assert ANN in readers(town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS))


def test_a_chat_does_not_reveal_that_its_writer_is_blocked(town: Town) -> None:
    """bob gets the same true answer whether ann reads him or not."""

    def answered() -> str:
        letters = town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)
        return next(flat(each) for each in letters if each.to == BOB)

    before = answered()
    assert before.startswith("Sent to ann and cleo; it is still your turn.")
    (page,) = town.write(BOB, "help perudo chat")
    assert "Players who have muted the board or blocked you do not get it." in flat(page)
    blocked(town)
    assert answered() == before
    town.write(ANN, f"unblock ann {PASSWORD} bob")
    town.write(ANN, f"perudo mute ann {PASSWORD} 1")
    assert answered() == before


def test_a_reply_to_a_letter_of_the_board_needs_no_more(town: Town) -> None:
    """The letter says who writes and at which board; the text below goes with a report."""
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)
    chat = town.last_letter_to(ANN)
    (letter,) = town.reply(chat, "Mute.\n\nThank you")
    assert letter.opening.startswith("You no longer get what the others write at board 1.")
    assert readers(town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)) == {CLEO}
    assert town.reply(chat, "unmute")[0].opening.endswith("at board 1 again.")
    letters = town.reply(chat, "report\nPlease look at this.")
    (told,) = [each for each in letters if each.to == "root@example.org"]
    assert "Please look at this." in told.text
    assert town.reply(chat, "perudo block bob")[0].subject == "You have blocked bob"
    assert town.reply(chat, "unblock bob")[0].subject == "You have unblocked bob"


def test_several_command_lines_are_each_carried_out(town: Town) -> None:
    (letter,) = town.reply(town.last_letter_to(ANN), "\nmute\nblock bob\nThank you!")
    assert "You have blocked bob" in flat(letter)
    assert "what the others write at board 1" in flat(letter)


def test_a_block_by_reply_needs_the_latest_letter_and_the_players_address(town: Town) -> None:
    """Otherwise a forwarded letter would be enough; it is valid for its own board only."""
    chat = town.last_letter_to(ANN)
    town.sign_up("dan")
    for command in ("mute", "report", "block bob"):
        (letter, *_) = town.write("eve@example.org", chat.subject, command, to=chat.reply_to)
        assert "but does not come from an address" in flat(letter), command
    assert "Wrong user name or password" in flat(town.reply(chat, "block dan")[0])
    town.challenge("ann", "bob")
    for command in (f"perudo mute ann {chat.token} 2", f"report ann {chat.token} 2"):
        assert "Wrong user name or password" in flat(town.write(ANN, command)[0])
    town.move("bob", "2-2s")
    town.move("cleo", "2-3s")  # now ann has a newer letter
    for command in ("mute", "report", "block bob"):
        assert "You answered an earlier letter" in flat(town.reply(chat, command)[0]), command
    assert "Wrong user name or password" in flat(town.reply(chat, "block bob and cleo")[0])


def test_a_report_without_a_letter_is_found(home: Path) -> None:
    """Its player is told the truth, and the operator finds it, with the words that went with it."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.write(ANN, f"perudo accept ann {PASSWORD} 1")
        assert invoked(home, "pbmserv", "talk", "--reports").stdout == "No reports.\n"
        (letter,) = town.write(ANN, f"report 1 ann {PASSWORD}", f"Please look,\n{PASSWORD}")
    assert "is kept for the operator" in flat(letter)
    assert "We tell the operator" not in letter.text
    shown = invoked(home, "pbmserv", "talk", "--reports").stdout
    assert "board 1, by ann: Please look" in shown
    assert PASSWORD not in shown
    doctor = " ".join(invoked(home, "pbmserv", "doctor", "--no-dns").stdout.split())
    assert "reports by players: 1 (pbmserv talk --reports)" in doctor
    for words in ((), ("1", "--reports")):
        assert "or --reports" in invoked(home, "pbmserv", "talk", *words).stderr


def test_a_report_shows_the_operator_the_messages(town: Town, home: Path) -> None:
    """Without the passwords and tokens that slipped into it."""
    token = town.last_letter_to(BOB).token
    said = f"{WORDS}\n{PASSWORD} is mine\n{token}"
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", said)
    letters = town.write(ANN, f"report ann {PASSWORD} 1", "Please look at this.")
    assert [each.to for each in letters] == [ANN, "root@example.org"] or [
        each.to for each in letters
    ] == ["root@example.org", ANN]
    told = next(each for each in letters if each.to == "root@example.org")
    assert told.subject == "A report about board 1"
    assert WORDS in told.text
    assert "Please look at this." in told.text
    assert PASSWORD not in told.text
    assert token not in told.text
    shown = invoked(home, "pbmserv", "talk", "1").stdout
    assert WORDS in shown
    assert PASSWORD not in shown
    lines = "\n".join(message_trace.traced(town.engine, "1", 30))
    assert "ann: report, board 1" in lines
    for _ in range(4):
        town.write(ANN, f"report ann {PASSWORD} 1")
    (letter,) = town.write(ANN, f"report ann {PASSWORD} 1")
    assert "You can report at most 5 boards a day" in letter.text


def test_messages_are_kept_for_a_while_and_reported_ones_for_a_year(town: Town) -> None:
    town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)
    for reports, days in ((False, 11), (True, 366)):
        if reports:
            town.write(BOB, f"perudo chat 1 bob {PASSWORD}", WORDS)
            town.write(ANN, f"report ann {PASSWORD} 1")
        written = town.now
        for moment, count in ((written + (days - 2) * DAY, 1), (written + days * DAY, 0)):
            with writing(town.engine) as connection:
                chat_log.expire(connection, moment - 10 * DAY, moment, 100)
            with reading(town.engine) as connection:
                assert len(chat_log.of_board(connection, 1)) == count


def test_older_invitations_and_empty_seats_do_not_seat_blocked_players_together(town: Town) -> None:
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.write(ANN, "perudo challenge ann bob")
    blocked(town)
    (letter,) = town.write(BOB, f"perudo accept bob {PASSWORD} 2")
    assert "has blocked you" in flat(letter)
    town.write(ANN, "perudo challenge -inorder cleo ann --standin --nagtime=1 --forfeittime=2")
    town.write(CLEO, f"perudo accept cleo {PASSWORD} 3")
    town.write(ANN, f"perudo accept ann {PASSWORD} 3")  # who forfeits before that declines
    town.waited(49)  # a bot goes on for cleo
    (letter,) = town.write(BOB, f"perudo takeover 3 bob {PASSWORD}")
    assert "has blocked you" in flat(letter)


def test_repeated_blocks_do_not_bury_the_operators_actions(home: Path, town: Town) -> None:
    """Twenty changes in 24 hours are written down, and then none is made."""
    invoked(home, "pbmserv", "player", "suspend", "ann", "--why", "insults")
    invoked(home, "pbmserv", "player", "resume", "ann")
    for number in range(23):
        what = "unblock" if number % 2 else "block"
        letters = town.write(ANN, f"{what} ann {PASSWORD} bob")
        refused = "the most for one player" in flat(letters[0])
        assert refused == (number >= 20)
        if refused:
            (heard, *_) = town.write(BOB, f"message bob {PASSWORD} ann", "x")
            assert "wants nothing" not in flat(heard)
    told = message_trace.traced(town.engine, "ann", 10)
    assert sum("block bob" in line for line in told) == 10
    assert any("suspend ann" in line for line in told)
    town.now += DAY
    assert "blocked bob" in town.write(ANN, f"block ann {PASSWORD} bob")[0].subject
