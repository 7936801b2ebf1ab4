"""The message of a challenge waits until the challenger has proven to be the writer."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from tests.stories.town import PASSWORD, Letter, Town, answering, town_at

OURS = "mx.perudo.example"
ANN = "ann@example.org"
SAID = "Send me your money!"
CHALLENGE = "perudo challenge -inorder ann bob cleo"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town whose mail server proves senders."""
    with town_at(home, settings=f'authserv_id = "{OURS}"\n') as town:
        town.sign_up("ann", "bob", "cleo")
        yield town


def result(verdict: str) -> dict[str, str]:
    """The header of the town's mail server: DKIM, SPF and DMARC in one word."""
    return {"Authentication-Results": f"{OURS}; dmarc={verdict} header.from=example.org"}


def hearing(letters: list[Letter]) -> list[str]:
    """Who reads ann's words in these letters, beside herself."""
    names = {each.to.partition("@")[0] for each in letters if SAID in each.text}
    return sorted(names - {"ann"})


def taken(town: Town) -> list[bool]:
    """Which seats of the first board are taken."""
    with reading(town.engine) as connection:
        seat = models.Seat
        query = select(seat.taken_at).where(seat.board_id == 1).order_by(seat.seat)
        return [each is not None for each in connection.execute(query).scalars()]


def test_without_a_proof_the_words_wait_for_the_first_move(town: Town) -> None:
    """Their writer alone is told; they go out once."""
    letters = town.write(ANN, CHALLENGE, SAID)
    assert hearing(letters) == []
    assert ["opening message waits" in each.text for each in letters] == [
        True,
        False,
        False,
    ]
    assert taken(town) == [False] * 3
    assert hearing(town.reply(town.last_letter_to(ANN), "2-2s\nHello!")) == ["bob", "cleo"]
    assert taken(town) == [True, False, False]
    assert hearing(town.reply(town.last_letter_to("bob@example.org"), "2-3s")) == []


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        ("move 1 ann PASSWORD accept", ""),
        ("chat 1 ann PASSWORD", "Hello!"),
        ("queue 1 ann PASSWORD 2-2s", ""),
    ],
)
def test_any_answer_with_a_proof_sends_the_opening_message(
    town: Town, subject: str, text: str
) -> None:
    town.write(ANN, CHALLENGE, SAID)
    letters = town.write(ANN, f"perudo {subject.replace('PASSWORD', PASSWORD)}", text)
    assert hearing(letters) == ["bob", "cleo"]


@pytest.mark.parametrize(
    ("subject", "text"),
    [
        (f"move 1 ann {PASSWORD} 2-2s", ""),
        (f"move 1 ann {PASSWORD} accept", ""),
        (f"chat 1 ann {PASSWORD}", "Hello!"),
    ],
)
def test_the_password_of_the_first_answer_is_looked_for_in_the_opening_message(
    town: Town, subject: str, text: str
) -> None:
    words = f"we went there with our {PASSWORD.title()} and with my friends"
    town.write(ANN, CHALLENGE, f"{SAID}\n{words}\nSee you!")
    with reading(town.engine) as connection:
        assert words in connection.execute(select(models.Board.opening)).scalar_one()
    letters = town.write(ANN, f"perudo {subject}", text)
    assert hearing(letters) == ["bob", "cleo"]
    assert PASSWORD not in "".join(each.body.lower() for each in letters)
    assert all("| See you!" in each.text for each in letters if each.to != ANN)


def test_a_queued_move_sends_the_opening_message_alone(town: Town) -> None:
    town.write(ANN, "perudo challenge -inorder bob ann", SAID)
    letters = town.write(ANN, f"perudo queue 1 ann {PASSWORD} 4-2s")
    assert hearing(letters) == ["bob"]


@pytest.mark.parametrize("proof", ["from", "token", "password"])
def test_with_a_proof_an_opening_message_goes_out_at_once(town: Town, proof: str) -> None:
    """The challenger's seat is taken, too."""
    if proof == "from":
        letters = town.write(ANN, CHALLENGE, SAID, headers=result("pass"))
    elif proof == "token":
        town.write(ANN, "perudo challenge -unrated ann bob")
        town.write(ANN, "perudo challenge ann bob")
        letter = town.last_letter_to(ANN)
        letters = town.write(ANN, CHALLENGE, SAID, to=letter.reply_to)
    else:
        lines = f"set ann {PASSWORD}\n{CHALLENGE}\n\n{SAID}"
        letters = town.write(ANN, "multiple", lines)
    assert hearing(letters) == ["bob", "cleo"]
    if proof == "from":
        assert taken(town) == [True, False, False]


def test_a_copy_of_a_proven_email_proves_nothing(town: Town) -> None:
    """Signers seldom cover the Message-ID."""
    headers = result("pass") | {"DKIM-Signature": "v=1; b=abc", "Date": "today"}
    assert hearing(town.write(ANN, CHALLENGE, SAID, headers=headers)) != []
    assert hearing(town.write(ANN, CHALLENGE, SAID, headers=headers)) == []


@pytest.mark.parametrize(("verdict", "passed_on"), [("pass", ["bob", "cleo"]), ("none", [])])
def test_words_to_an_earlier_letter_go_out_where_the_email_proves_its_writer(
    town: Town, verdict: str, passed_on: list[str]
) -> None:
    """The letter's token was good until ann's next turn."""
    town.write(ANN, CHALLENGE)
    town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Good luck!")
    letter = town.last_letter_to(ANN)
    for name, bid in (("ann", "2-2s"), ("bob", "3-2s"), ("cleo", "4-2s")):
        town.move(name, bid)
    headers = answering(letter) | result(verdict)
    letters = town.write(ANN, f"Re: {letter.subject}", SAID, to=letter.reply_to, headers=headers)
    assert hearing(letters) == passed_on


def test_a_refuted_sender_starts_nothing(town: Town) -> None:
    town.write(ANN, CHALLENGE, SAID, headers=result("fail"))
    with reading(town.engine) as connection:
        assert connection.execute(select(models.Board.id)).all() == []


def test_words_of_an_invitation_wait_as_well(town: Town) -> None:
    """They go to all who were asked when the challenger accepts, or else with the first move."""
    town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
    for _ in range(2):
        letters = town.write(ANN, CHALLENGE, SAID)
        assert hearing(letters) == []
        assert "opening message waits" in letters[-1].text
    letters = town.write(ANN, f"perudo accept ann {PASSWORD} 1")
    assert hearing(letters) == ["bob", "cleo"]
    assert hearing(town.write("bob@example.org", f"perudo accept bob {PASSWORD} 1")) != []
    assert taken(town) == [True, True, False]
    assert hearing(town.write("bob@example.org", f"perudo accept bob {PASSWORD} 2")) == []
    assert hearing(town.write(ANN, f"perudo move 2 ann {PASSWORD} 2-2s")) == ["bob", "cleo"]


def test_a_challenger_outside_the_board_proves_the_words_with_the_password(town: Town) -> None:
    letters = town.write(ANN, "perudo challenge bob cleo", SAID)
    assert hearing(letters) == []
    (mine,) = [each for each in letters if each.to == ANN]
    assert "perudo accept ann PASSWORD 1" in mine.text
    letters = town.write(ANN, f"perudo accept ann {PASSWORD} 1")
    assert hearing(letters) == ["bob", "cleo"]
    (refused,) = town.write(ANN, f"perudo accept ann {PASSWORD} 1")
    assert "You do not play on board 1" in refused.text


def test_a_newcomer_chats_three_times_a_day_before_others_take_their_seats(tmp_path: Path) -> None:
    """They never asked for words; once all have sat down they are company."""
    home = tmp_path / "home"
    with town_at(home, settings="newcomers_daily = 3\n") as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(ANN, CHALLENGE)
        chat = f"perudo chat 1 ann {PASSWORD}"
        heard = [hearing(town.write(ANN, chat, f"{SAID} {number}")) for number in range(5)]
        assert heard == [["bob", "cleo"]] * 3 + [[]] * 2
        for name in ("bob", "cleo"):
            town.write(f"{name}@example.org", f"perudo move 1 {name} {PASSWORD} accept")
        assert hearing(town.write(ANN, chat, SAID)) == ["bob", "cleo"]


def test_an_email_has_a_limit_on_messages_to_other_players(town: Town) -> None:
    """Ten thousand characters for others are enough; the lines beyond are refused."""
    town.write(ANN, CHALLENGE)
    text = "a" * 1800
    lines = [f"perudo chat 1 ann {PASSWORD} --message={line:02}{text}" for line in range(15)]
    letters = town.write(ANN, "multiple", "\n".join(lines))
    answer = next(each for each in letters if each.to == ANN)
    assert answer.text.count("Your message is too long") == 10
