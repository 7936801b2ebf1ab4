"""After a restore: new dice for every running board, and answers to letters of lost moves."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from pbmserv.boards import notices, rerolls
from pbmserv.boards.authorship import proves
from pbmserv.boards.board import load_board
from pbmserv.context import UnitOfWork
from pbmserv.database.engine import reading, writing
from pbmserv.intake.sender_trust import Trust, of_request
from pbmserv.letters.payloads.letter import Letter as Message
from pbmserv.letters.payloads.perudo import BOARDS, Boards
from pbmserv.mail.incoming import IncomingMail
from pbmserv.mail.transport import Postponed
from pbmserv.maintenance import audit, message_trace
from pbmserv.monitoring import operator_alerts
from pbmserv.outbox.queue import put
from pbmserv.players import accounts
from pbmserv.schedule import tick
from pbmserv.security.tokens import Tokens
from pbmserv.server.app import App
from pbmserv.timeunits import DAY
from tests.boards.contexts import context_on
from tests.fake_transport import FakeTransport
from tests.stories.town import PASSWORD, Letter, Town, answering, mail, town_at


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """Two boards; at the first ann has bid and bob, who is on turn, has moves queued."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        town.challenge("bob", "ann")
        town.move("ann", "2-2s")
        yield town


def made_busy(town: Town, full: str) -> App:
    """Let the relay postpone letters to one address; returns the app that does not."""

    def busy(_letter: int, address: str) -> None:
        if address == full:
            raise Postponed("450 4.2.1 try later")

    working = town.app
    town.app = replace(working, transport=FakeTransport(busy))
    return working


def rolled_again(town: Town, working: App, address: str) -> list[Letter]:
    """Roll all rounds again; returns the letters to an address for which none has to wait now."""
    town.app = working
    tick.reroll(town.app.transactions, town.now)
    town.now += DAY // 24
    return [each for each in town.delivered() if each.to == address]


def test_every_running_board_gets_new_dice(town: Town) -> None:
    town.write("ann@example.org", f"perudo queue 1 ann {PASSWORD} dudo")
    assert tick.reroll(town.app.transactions, town.now) == 2
    letters = town.delivered()
    assert sorted((each.to, each.subject.split()[-1]) for each in letters) == [
        ("ann@example.org", "1"),
        ("ann@example.org", "2"),
        ("bob@example.org", "1"),
        ("bob@example.org", "2"),
    ]
    for letter in letters:
        words = " ".join(letter.text.split())
        assert "this round is rolled again, with new dice" in words
        assert "The cups of round 1:" in words
        assert "round 2, move" in words
    ann = next(each for each in letters if each.to == "ann@example.org")
    assert "dudo" in ann.text  # the queue was for the bids of the void round
    for board in audit.board_numbers(town.engine):
        assert list(audit.problems(town.engine, board)) == []
    assert "You bid two 2s" in " ".join(town.reply(ann, "2-2s")[0].text.split())


def test_a_postponed_letter_of_the_cancelled_round_is_withdrawn_and_its_words_are_sent(
    town: Town,
) -> None:
    """It would arrive after the new one, with dice and a turn that are no longer true."""

    working = made_busy(town, "bob@example.org")
    town.challenge("ann", "bob")
    town.move("ann", "2-2s", board=3, text="Good luck to you!")
    with writing(town.engine) as connection:
        reminder = notices.reminding(
            town.app.transactions.unit_of_work(connection), load_board(connection, 3)
        )
        told: Boards = {
            "userid": "bob",
            "boards": [reminder],
            "news": [],
            "digest": False,
            "awake": "",
        }
        alone = BOARDS.to(2, told, 3, reminder["move"])
        put(connection, [alone], town.processor.tokens, town.now)
    town.delivered()
    found = rolled_again(town, working, "bob@example.org")
    letters = [each for each in found if each.subject.endswith("board 3")]
    assert [each.opening for each in letters] == [
        "Board 3 has begun.",
        "The round is rolled again.",
        "A message from ann.",
    ]
    dice = [re.findall("Your dice: .*", each.text) for each in letters]
    assert dice[0] == dice[1] == dice[2]
    assert all("It is ann's turn." in each.text for each in letters)
    assert "| Good luck to you!" in letters[2].text
    assert len({each.token for each in letters[:2]}) == 1
    trace = message_trace.traced(town.engine, "bob", 20)
    assert trace.count("    dropped: withdrawn: the round was rolled again") == 2
    assert trace.count("  dropped: withdrawn: the round was rolled again") == 1
    assert town.waited(24) == []


def test_postponed_answers_lose_the_dice_of_the_cancelled_round(town: Town) -> None:
    begun = town.last_letter_to("bob@example.org")
    working = made_busy(town, "bob@example.org")
    for text in ("yes", "9-9s", "banana split"):
        town.reply(begun, text)
    letters = rolled_again(town, working, "bob@example.org")
    answers = [each for each in letters if "rolled again" not in each.text]
    assert [each.opening for each in answers] == [
        "You have taken your seat at board 1.",
        "9-9s is not a bid: a bid has at least one die, and a face from 1 to 6.",
        "I found no command in your email, so nothing was done.",
    ]
    for each in answers:
        assert "Your dice" not in each.text
        assert "reply to this letter" not in each.text
        assert "It is your turn" not in each.text


def test_a_postponed_answer_to_several_lines_loses_the_cancelled_rounds(town: Town) -> None:
    working = made_busy(town, "bob@example.org")
    town.write("bob@example.org", "", f"perudo move 1 bob {PASSWORD} 5-2s\nperudo show 2\n")
    letters = rolled_again(town, working, "bob@example.org")
    (answer,) = [each for each in letters if "rolled again" not in each.text]
    assert "Your dice" not in answer.text
    assert "Done. The players concerned get a letter about it." in answer.text
    assert "Board 2 as a spectator sees it." in answer.text


def test_a_postponed_letter_to_a_player_who_is_out_is_not_withdrawn(town: Town) -> None:
    """No other letter tells that player."""
    town.sign_up("cleo")
    town.challenge("ann", "bob", "cleo")
    town.move("ann", "2-2s", board=3)
    working = made_busy(town, "bob@example.org")
    town.move("bob", "resign", board=3)
    letters = rolled_again(town, working, "bob@example.org")
    (left,) = [each for each in letters if each.subject.endswith("board 3")]
    assert left.opening == "You leave the game."


def test_a_board_that_ends_when_it_is_rolled_again_has_not_begun(town: Town) -> None:
    """The challenger begins again, and leaves then."""
    working = made_busy(town, "ann@example.org")
    town.challenge("bob", "ann")
    town.move("bob", "2-2s", board=3, text="Good luck to you!")
    town.write("bob@example.org", f"perudo resign 3 bob {PASSWORD}")
    letters = rolled_again(town, working, "ann@example.org")
    mine = [each for each in letters if each.subject.endswith("board 3")]
    assert [each.opening for each in mine] == ["You win, ann!", "A message from bob."]


def test_words_of_a_postponed_letter_are_not_sent_to_a_player_who_has_muted_the_board_since(
    town: Town,
) -> None:
    working = made_busy(town, "bob@example.org")
    town.challenge("ann", "bob")
    town.move("ann", "2-2s", board=3, text="Rude words")
    town.write("bob@example.org", f"perudo mute bob {PASSWORD} 3")
    letters = rolled_again(town, working, "bob@example.org")
    mine = [each for each in letters if each.subject.endswith("board 3")]
    assert [each.opening for each in mine] == [
        "You no longer get what the others write at board 3.",
        "Board 3 has begun.",
        "The round is rolled again.",
    ]


def test_a_finished_board_is_left_alone(town: Town) -> None:
    town.write("ann@example.org", f"perudo resign 2 ann {PASSWORD}")
    town.move("bob", "resign", board=2)
    town.move("bob", "resign", board=1)
    assert tick.reroll(town.app.transactions, town.now) == 0
    assert town.delivered() == []


def test_a_reply_about_a_lost_move_is_answered_and_alerts_the_operator(town: Town) -> None:
    """This happens if the restore was not noticed. It was a crash once."""
    letter = town.last_letter_to("bob@example.org")
    token = Tokens((town.home / "key").read_bytes()).letter(1, 2, 9)
    for text in ("3-2s", "calza"):
        (answer,) = town.write(
            "bob@example.org",
            f"Re: {letter.subject}",
            text,
            to=f"perudo+{token}@localhost",
            headers=answering(letter),
        )
        assert "about move 9 of board 1, but that board is at move 2" in " ".join(
            answer.text.split()
        )
    with reading(town.engine) as connection:
        (section,) = operator_alerts.untold(connection)
    assert (section["kind"], section["rows"][0]["about"]) == ("restored", "board 1")


def test_a_reply_to_a_letter_from_before_a_restore_is_answered(town: Town) -> None:
    letter = town.last_letter_to("bob@example.org")
    key = (town.home / "key").read_bytes()
    processor = replace(town.processor, tokens=Tokens(key, (town.now,)))
    for number, text in enumerate(("3-2s", "yes", "dudoo", "")):  # "reply to this" would be wrong
        raw = mail("bob@example.org", "Re: x", text, message_id=f"<{number}@x>", to=letter.reply_to)
        processor.accept([IncomingMail(raw, "bob@example.org", letter.reply_to, "smtp")])
        (answer,) = town.delivered()
        words = " ".join(answer.text.split())
        assert "You answered an earlier letter about board 1." in words
        assert "Answer the latest letter about board 1, or ask for it:" in words
        assert "reply to this letter" not in words
        assert answer.token == ""  # that of the answered letter is void


def test_a_letter_from_before_a_restore_proves_no_challenge(town: Town) -> None:
    """Its token may be for a move that comes once more; its reader is still answered."""
    letter = town.last_letter_to("bob@example.org")
    raw = mail("bob@example.org", "Re: x", "3-2s", message_id="<1@x>", to=letter.reply_to)
    incoming = IncomingMail(raw, "bob@example.org", letter.reply_to, "smtp")
    for restores, is_proven in (((), True), ((town.now,), False)):
        tokens = Tokens((town.home / "key").read_bytes(), restores)
        opened = replace(town.processor, tokens=tokens).request_reader.open(incoming, town.now)
        with reading(town.engine) as connection:
            context = replace(context_on(connection), credentials=opened.credentials)
            assert proves(replace(context, answered=opened.answered), 2) == is_proven
            owners = accounts.players_of_address(connection, "bob@example.org")
            assert of_request(connection, opened, owners, town.now).trust is Trust.PROVEN


def test_a_board_without_new_dice_waits_for_the_next_check(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its dice were seen: nobody moves there, no bot either, and no deadline passes."""
    renewed = rerolls.reroll

    def broken(work: UnitOfWork, number: int) -> list[Message]:
        if number == 1:
            raise ValueError("a bug of ours")
        return renewed(work, number)

    town.move("bob", "2-3s")
    town.move("ann", "2-4s")
    failing = replace(tick.REROLLS, run=broken)
    jobs = [failing if each is tick.REROLLS else each for each in tick.JOBS]
    monkeypatch.setattr(tick, "REROLLS", failing)
    monkeypatch.setattr(tick, "JOBS", jobs)
    assert tick.reroll(town.app.transactions, town.now) == 1
    town.delivered()
    (refusal,) = town.move("bob", "2-5s")
    assert "The dice of board 1 must be rolled again before anybody moves" in " ".join(
        refusal.text.split()
    )
    town.now += 40 * DAY
    town.waited(1)
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
        assert (board.table.round, board.table.move, board.void) == (1, 4, True)
        (section,) = [
            each for each in operator_alerts.untold(connection) if each["kind"] == "broken"
        ]
    assert section["rows"][0]["about"] == "the dice of board 1 after a restore"
    town.write("bob@example.org", f"signoff bob {PASSWORD}")
    town.write("bob@example.org", f"confirm {town.asked_of('bob@example.org')}")
    monkeypatch.undo()
    letters = town.waited(1)
    assert any("this round is rolled again" in " ".join(each.text.split()) for each in letters)
    assert list(audit.problems(town.engine, 1)) == []
    town.move("ann", "2-2s")
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
        assert (board.table.winner, board.void) == (0, False)  # bob, who signed off, was on turn
