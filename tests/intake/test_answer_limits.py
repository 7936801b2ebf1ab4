"""Replies: nobody gets more answers than the budgets hold; what waits is not lost."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from sqlalchemy import select

from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.intake.answering.answer_limits import MOST_ALIKE, NOT_ANSWERED, STRANGERS_DAILY
from pbmserv.mail.incoming import IncomingMail
from pbmserv.players.confirmations import MOST_LETTERS
from pbmserv.settings import SETTINGS_FILE
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, mail, town_at

pytestmark = pytest.mark.long

HOUR = 3600
Build = Callable[..., Town]


@pytest.fixture
def build(home: Path) -> Iterator[Build]:
    """Opens a town with these settings, in which ann and bob have played board 1 for a day."""
    with ExitStack() as towns:

        def build(**settings: str | int) -> Town:
            with town_at(home) as town:
                town.sign_up("ann", "bob")
                town.challenge("ann", "bob")
                town.waited(24)
                now = town.now
            lines = [f"{key} = {json.dumps(value)}\n" for key, value in settings.items()]
            (home / SETTINGS_FILE).write_text("".join(lines))
            town = towns.enter_context(town_at(home))
            town.now = now
            return town

        yield build


def incoming_mails(town: Town, sender: str, count: int, subject: str = "") -> list[IncomingMail]:
    """Emails of somebody; without a given Subject they ask a question with a password."""
    found = []
    subject = subject or f"set {sender.partition('@')[0]} {PASSWORD}"
    for _ in range(count):
        raw = mail(sender, subject, message_id=town.next_message_id())
        found.append(IncomingMail(raw, sender, OUR_ADDRESS, "smtp"))
    return found


def hours_until_all_came(town: Town, hours: int) -> list[int]:
    """The number of letters in each of the next hours, until all have come."""
    return [len(town.waited(1)) for _ in range(hours)]


def answers(letters: list[Letter]) -> Counter[str]:
    """The emails that letters answer."""
    return Counter(str(each.message["In-Reply-To"]) for each in letters)


def test_answers_beyond_the_budget_wait_and_leave_once_each(build: Build) -> None:
    """An address has 24 answers a day: 6 at once, then one in 80 minutes, none lost or twice."""
    town = build(answers_daily=24)
    town.processor.accept(incoming_mails(town, "ann@example.org", 10))
    at_once = town.delivered()
    assert len(at_once) == 6
    later = [letter for _ in range(6) for letter in town.waited(1)]
    assert len(later) == 4
    assert set(answers(at_once + later).values()) == {1}
    assert len(answers(at_once + later)) == 10


def test_an_answer_that_waits_is_a_line_in_the_log(
    build: Build, caplog: pytest.LogCaptureFixture
) -> None:
    town = build(answers_daily=4)
    with caplog.at_level("INFO", "pbmserv"):
        town.processor.accept(incoming_mails(town, "ann@example.org", 3))
    waiting = [each for each in caplog.messages if each.startswith("answer ")]
    assert len(waiting) == 2
    assert " to ann@example.org: waits until 20" in waiting[0]
    assert waiting[0].endswith(" UTC: the budget of answers is used up")


def test_a_player_without_answers_left_can_still_play(build: Build) -> None:
    """A player's actions at a board are sent to all players there at once."""
    town = build(answers_daily=4)
    town.processor.accept(incoming_mails(town, "ann@example.org", 3))
    assert len(town.delivered()) == 1
    assert len(town.move("ann", "2-2s")) == 2
    assert len(town.reply(town.last_letter_to("bob@example.org"), "3-2s\n\nHa!")) == 2
    told = town.write("ann@example.org", f"perudo chat 1 ann {PASSWORD}", "Well!")
    assert [each.to for each in told] == ["bob@example.org"], "that it was sent is told later"
    assert sum(hours_until_all_came(town, 24)) == 3


def test_the_whole_server_has_a_budget_too(build: Build) -> None:
    town = build(all_answers_daily=8, answers_daily=8)
    town.processor.accept(
        incoming_mails(town, "ann@example.org", 1) + incoming_mails(town, "bob@example.org", 2)
    )
    assert len(town.delivered()) == 2
    assert hours_until_all_came(town, 5) == [0, 0, 0, 1, 0]


def test_strangers_have_a_budget_of_their_own(build: Build) -> None:
    """No player waits for any number of made-up addresses; and they get what their budget has."""
    town = build(strangers_daily=24)
    for number in range(100):
        town.processor.accept(incoming_mails(town, f"zoe{number}@elsewhere.example", 1, "help"))
    town.processor.accept(incoming_mails(town, "ann@example.org", 1))
    came = town.delivered()
    assert len(came) == 7
    assert came[-1].to == "ann@example.org"
    assert len([each for _ in range(30) for each in town.waited(1)]) == 18


def test_the_operator_is_told_once(build: Build) -> None:
    town = build(answers_daily=4, operator="root@example.org")
    town.processor.accept(incoming_mails(town, "ann@example.org", 3))
    town.delivered()
    letters = [each for _ in range(12) for each in town.waited(1) if each.to == "root@example.org"]
    (letter,) = letters
    assert "Answers wait, 2 times so far" in letter.text
    assert "- ann@example.org" in letter.text


def test_a_waiting_answer_says_so_in_the_queue(build: Build) -> None:
    town = build(answers_daily=4)
    town.processor.accept(incoming_mails(town, "ann@example.org", 2))
    town.delivered()
    with reading(town.engine) as connection:
        row = models.OutboxLetter
        waiting = select(row.due_at, row.reason).where(row.state == "due")
        ((due_at, reason),) = connection.execute(waiting).all()
    assert due_at == town.now + 8 * HOUR
    assert reason == "waits: the budget of answers is used up"


def test_a_letter_to_another_address_comes_out_of_the_budget_of_its_domain(build: Build) -> None:
    """A player who signs others up cannot flood a domain, even with a new name for each email."""
    town = build(domain_daily=4)
    for number in range(4):
        subject = f"signup mallory{number} swordfish v{number}@mx{number}.victim.example"
        town.processor.accept(incoming_mails(town, f"m{number}@mallory.example", 1, subject))
    subject = "signup mallory swordfish v@victim.example"
    town.processor.accept(incoming_mails(town, "m@elsewhere.example", 1, subject))
    came = [each for each in town.delivered() if "victim.example" in each.to]
    assert len(came) == 1
    later = [each for _ in range(24) for each in town.waited(1)]
    assert len([each for each in later if "victim.example" in each.to]) == 3
    for number in range(5):
        subject = f"signup late{number} swordfish w{number}@victim.example"
        letters = town.write(f"late{number}@mallory.example", subject)
    assert "too many people" in letters[0].text.lower(), "none is written that would wait a day"


def test_letters_that_ask_strangers_to_confirm_come_out_of_their_budget(build: Build) -> None:
    town = build(strangers_daily=8)
    for number in range(3):
        subject = f"signup zoe{number} swordfish"
        town.processor.accept(incoming_mails(town, f"zoe{number}@x{number}.example", 1, subject))
    assert len(town.delivered()) == 2
    assert hours_until_all_came(town, 5) == [0, 0, 0, 1, 0]


def test_the_same_refusal_ends_after_a_few(build: Build) -> None:
    """A machine that sends the same again and again is let alone; a person is answered anew."""
    town = build()
    town.processor.accept(incoming_mails(town, "ann@example.org", MOST_ALIKE + 3, "perudo move 1"))
    letters = town.delivered()
    assert len(letters) == MOST_ALIKE
    assert ["this is the last one today" in " ".join(each.text.split()) for each in letters] == [
        *[False] * (MOST_ALIKE - 1),
        True,
    ]
    town.processor.accept(
        incoming_mails(town, "ann@example.org", 1, "perudo move 2 ann swordfish 2-2s")
    )
    assert len(town.delivered()) == 1
    town.now += 24 * HOUR
    town.processor.accept(incoming_mails(town, "ann@example.org", 1, "perudo move 1"))
    assert len(town.delivered()) == 1


def test_a_stranger_gets_one_answer_a_day_that_says_how_to_go_on(build: Build) -> None:
    """This holds for help, a public command and an unknown one."""
    town = build()
    for subject in ("perudo games", "help", "Hello!", "multiple"):
        town.processor.accept(incoming_mails(town, "zoe@elsewhere.example", 1, subject))
    (letter,) = town.delivered()
    assert "signup USERID PASSWORD" in letter.text
    town.now += 24 * HOUR
    assert len(town.write("z.oe+x@elsewhere.example", "help")) == STRANGERS_DAILY


@pytest.mark.parametrize(
    ("subject", "words"),
    [("help rules bga", "Rules bga"), ("help perudo", "Perudo"), ("help signup", "signup USERID")],
)
def test_a_stranger_gets_the_page_of_the_manual_that_was_asked_for(
    build: Build, subject: str, words: str
) -> None:
    """It is the answer of the day, without HTML, and says how to sign up."""
    town = build()
    (letter,) = town.write("zoe@elsewhere.example", subject)
    assert letter.subject == f"Help: {subject.removeprefix('help ')}"
    assert words.casefold() in letter.text.casefold()
    assert "our only answer to it today" in " ".join(letter.text.split())
    assert "signup USERID PASSWORD" in letter.text
    assert town.write("zoe@elsewhere.example", "help dice") == []
    town.now += 24 * HOUR
    (letter,) = town.write("zoe@elsewhere.example", "multiple", "help rules\nhelp dice")
    assert letter.subject == "How to play Perudo by email"


@pytest.mark.parametrize(
    ("language", "subject", "words"),
    [
        ("fr", "help rules bga", "notre seule réponse d'aujourd'hui"),
        ("ru", "help rules bga", "сегодня это наш единственный ответ"),
        ("es", "help signup", "nuestra única respuesta de hoy"),
        ("fr", "aide", "1. Ouvrir un compte"),
        ("ru", "помощь", "1. Зарегистрируйтесь"),
        ("es", "ayuda", "1. Abre una cuenta"),
        ("en", "help", "1. Open an account"),
        ("en", "help commands", "1. Open an account"),
    ],
)
def test_a_stranger_is_answered_in_the_strangers_language(
    build: Build, language: str, subject: str, words: str
) -> None:
    """A page as well as the letter that says how to begin, which bare help brings."""
    town = build()
    headers = {"Content-Language": language}
    (letter,) = town.write("zoe@elsewhere.example", subject, headers=headers)
    text = " ".join(letter.text.split())
    assert words.casefold() in text.casefold()
    assert "signup USERID PASSWORD" in text


def test_a_stranger_reads_what_a_name_is_and_that_another_try_is_answered(build: Build) -> None:
    town = build()
    (letter,) = town.write("zoe@elsewhere.example", "signup зоя swordfish")
    words = " ".join(letter.text.split())
    assert "2 to 20 Latin letters and digits, such as ann7" in words
    assert "it is answered today, too" in words
    (asked,) = town.write("zoe@elsewhere.example", "signup zoe swordfish")
    assert asked.is_to_be_confirmed


def test_a_stranger_sees_a_whole_sign_up_and_that_this_is_the_answer_of_the_day(
    build: Build,
) -> None:
    """The password in the example is refused, because everybody knows it."""
    town = build()
    (letter,) = town.write("zoe@elsewhere.example", "Hello! What is this?")
    words = " ".join(letter.text.split())
    assert "This is the one for today. A right sign-up is answered all the same." in words
    assert "For example: signup ann some-long-words" in words
    (letter,) = town.write("zoe@elsewhere.example", "signup ann some-long-words")
    assert letter.text.startswith("Your command was refused.")
    assert town.write("zoe@elsewhere.example", "signup ann some-long-words") == []
    (asked,) = town.write("zoe@elsewhere.example", "signup zoe five-long-words")
    assert asked.is_to_be_confirmed


def test_the_last_letter_of_a_day_that_asks_for_a_yes_says_so(build: Build) -> None:
    town = build()
    asked = [
        town.write("zoe@elsewhere.example", f"signup zoe{number} swordfish")[0].text
        for number in range(MOST_LETTERS)
    ]
    last = ["last letter of this kind to your address today" in " ".join(a.split()) for a in asked]
    assert last == [False] * (MOST_LETTERS - 1) + [True]
    (refused,) = town.write("zoe@elsewhere.example", "signup zoe9 swordfish")
    assert refused.subject == "How to play Perudo by email"


def test_the_answer_to_a_stranger_explains_a_wrong_command(build: Build) -> None:
    town = build()
    (letter,) = town.write("zoe@elsewhere.example", "signup z swordfish")
    assert "z" in letter.text and "2 to 20" in letter.text
    assert "signup USERID PASSWORD" in letter.text
    assert town.write("zoe@elsewhere.example", "signup y swordfish") == []
    with reading(town.engine) as connection:
        reasons = connection.execute(select(models.InboxMail.reason)).scalars().all()
    assert NOT_ANSWERED in reasons[-1]
    (asked,) = town.write("zoe@elsewhere.example", "signup zoe swordfish")
    assert asked.is_to_be_confirmed, "the right command is heard all the same"


def test_the_answer_to_an_email_of_many_lines_is_limited(build: Build) -> None:
    """Repeated requests are dropped in the end. A move among them is reported."""
    lines = ["help commands"] * 18 + [f"perudo move 1 ann {PASSWORD} 2-2s", "perudo show 1 1 1"]
    letters = build().write("ann@example.org", "multiple", "\n".join(lines))
    (answer,) = (each for each in letters if each.subject == "Your commands")
    assert len(answer.text) < 60_000
    assert answer.text.count("Left out, because") > 1
    assert "You bid two 2s." in answer.text


def test_a_record_among_other_lines_is_there_to_be_read(build: Build) -> None:
    """Nothing can be attached to a part of a letter."""
    (answer,) = build().write("ann@example.org", "multiple", "perudo record 1\nlist")
    assert "> perudo record 1\npbmserv record 2\ngame perudo\nboard 1\n" in answer.text
    assert "attached" not in answer.text


def test_every_letter_of_an_answer_comes_out_of_the_budget(build: Build) -> None:
    """Six boards are six answers; one that is named six times is one."""
    town = build(answers_daily=24)
    town.move("ann", "2-2s")
    town.move("bob", "3-2s")  # strangers could not have so many boards
    for _ in range(5):
        town.write("bob@example.org", "perudo challenge ann bob")
    town.waited(24)
    show = f"perudo showas ann {PASSWORD}"
    assert len(town.write("ann@example.org", f"{show} 1 1 1 1 1 1")) == 1
    assert len(town.write("ann@example.org", f"{show} 1 2 3 4 5")) == 5
    assert town.write("ann@example.org", f"set ann {PASSWORD}") == []
    assert [each.to for each in town.waited(2)] == ["ann@example.org"]


def test_a_letter_about_a_move_does_not_wait_with_a_delayed_answer(
    build: Build,
) -> None:
    """Letters about moves are not answers: they leave for every line, even if no answer is left."""
    town = build(answers_daily=4)
    town.processor.accept(incoming_mails(town, "ann@example.org", 3))
    town.delivered()
    letters = town.write("ann@example.org", "multiple", f"perudo move 1 ann {PASSWORD} 2-2s\nhelp")
    assert sorted(each.to for each in letters) == ["ann@example.org", "bob@example.org"]
    assert all("two 2s" in each.text for each in letters)
    waited = [each for _ in range(24) for each in town.waited(1)]
    (answer,) = [each for each in waited if each.subject == "Your commands"]
    assert "two 2s" not in answer.text
