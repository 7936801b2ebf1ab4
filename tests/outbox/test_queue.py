"""Letters leave: in order, with the right headers, and again when they could not."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator
from dataclasses import replace
from email import message_from_bytes, policy
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.database.models import states
from pbmserv.letters.payloads.letter import Letter
from pbmserv.mail.transport import Postponed, Unanswered
from pbmserv.outbox import queue
from pbmserv.transports.smtp_out import SmtpRelay
from tests.fake_relay import FakeRelay, open_relay
from tests.fake_transport import FakeTransport
from tests.stories.town import MORNING, Town, town_at

MINUTE, HOUR, DAY = 60, 3600, 86400


@pytest.fixture
def relay() -> Iterator[tuple[FakeRelay, int]]:
    """A relay on a free port of loopback."""
    handler = FakeRelay()
    with open_relay(handler) as port:
        yield handler, port


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        yield town


def rows(town: Town, *columns: str) -> list[tuple[Any, ...]]:
    """These columns of the letters that have not left."""
    letter = models.OutboxLetter
    wanted = [getattr(letter, column) for column in columns]
    with reading(town.engine) as connection:
        found = connection.execute(select(*wanted).where(letter.state != states.SENT))
        return [tuple(row) for row in found]


def written(town: Town, *letters: Letter) -> None:
    with writing(town.engine) as connection:
        queue.put(connection, letters, town.processor.tokens, town.now)


def by_relay(town: Town, port: int) -> None:
    """From now on letters leave by the relay at a port of loopback."""
    town.app = replace(town.app, transport=SmtpRelay("127.0.0.1", port, timeout=60))


HELP = {"subject": "dice", "page": "They fall as they like."}


@pytest.mark.slow
def test_a_letter_waits_longer_and_longer_for_a_failing_relay(town: Town) -> None:
    """Tried again after 1, 5, 15 and 60 minutes, then hourly, and given up after 5 days."""
    by_relay(town, 9)  # nobody listens there
    written(town, Letter("zoe@example.org", "help", HELP))
    pauses: list[int] = []
    while rows(town, "state") == [("due",)]:
        assert town.app.deliver() == 0
        ((state, due_at, tries, reason),) = rows(town, "state", "due_at", "tries", "reason")
        assert reason.startswith("relay 127.0.0.1: ")
        assert tries == len(pauses) + 1
        if state == "due":
            pauses.append(due_at - town.now)
            town.now = due_at - 1
            assert town.app.deliver() == 0  # not yet
            assert rows(town, "tries") == [(tries,)]
            town.now = due_at
    assert pauses[:4] == [MINUTE, 5 * MINUTE, 15 * MINUTE, HOUR]
    assert set(pauses[4:]) == {HOUR}
    assert 5 * DAY - 2 * HOUR < town.now - MORNING <= 5 * DAY
    assert rows(town, "state", "kind") == [("failed", "help")]


def test_a_letter_leaves_when_the_relay_is_back(town: Town, relay: tuple[FakeRelay, int]) -> None:
    by_relay(town, 9)
    written(town, Letter("zoe@example.org", "help", HELP))
    town.app.deliver()
    by_relay(town, relay[1])
    assert town.app.deliver() == 0
    town.now += MINUTE
    assert town.app.deliver() == 1
    assert rows(town, "id") == []
    ((sender, readers, data, *_),) = relay[0].taken
    stamp = sender.removeprefix("perudo+b-").removesuffix("@localhost")
    assert town.processor.tokens.is_stamp(stamp, 5, "zoe@example.org")
    assert readers == ["zoe@example.org"]
    assert b"They fall as they like." in data
    town.app.transport.close()


def test_a_letter_that_waited_during_an_outage_is_not_given_up(town: Town) -> None:
    """The relay may start later than the server: so the age of a letter does not end it."""
    by_relay(town, 9)  # nobody listens there
    written(town, Letter("zoe@example.org", "help", HELP))
    town.now += 6 * DAY
    assert town.app.deliver() == 0
    assert rows(town, "state", "tries", "due_at") == [("due", 1, town.now + MINUTE)]


def test_a_silent_relay_is_waited_for_once(town: Town) -> None:
    """It is not waited for with every letter: all are postponed from the first timeout."""
    written(town, *[Letter("zoe@example.org", "help", HELP)] * 5)
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes calls, and says nothing
        port = silent.getsockname()[1]
        town.app = replace(town.app, transport=SmtpRelay("127.0.0.1", port, timeout=0.2))
        assert town.app.deliver() == 0
        silent.settimeout(0.2)
        silent.accept()[0].close()
        with pytest.raises(TimeoutError):
            silent.accept()
    told = set(rows(town, "state", "tries", "due_at", "reason"))
    reason = "Connection unexpectedly closed: timed out"
    assert told == {("due", 1, town.now + MINUTE, "relay 127.0.0.1: " + reason)}
    assert len(rows(town, "id")) == 5


def test_letters_that_are_never_answered_do_not_starve_the_others(town: Town) -> None:
    """Each costs ten minutes.  So the first is due again before the last one was tried."""
    written(town, *[Letter(each, "help", HELP) for each in ("mute1@x", "mute2@x", "here@x")])

    def answer(letter: int, address: str) -> None:
        if address.startswith("mute"):
            town.now += 10 * MINUTE
            raise Unanswered("timed out")

    transport = FakeTransport(answer)
    town.app = replace(town.app, transport=transport)
    assert town.app.deliver(lambda: len(transport.asked) < 3) == 1
    assert transport.asked == ["mute1@x", "mute2@x", "here@x", "mute1@x"]
    assert rows(town, "tries", "reason") == [(2, "timed out"), (1, "timed out")]


@pytest.mark.parametrize("host", ["slow.example", "{}.slow.example", "{}.slow.co.uk"])
def test_a_letter_to_a_quick_host_waits_for_one_letter_to_a_slow_one_at_most(
    town: Town, host: str
) -> None:
    """A relay may ask the recipient's host, and wait for it, before it takes a letter.

    The owner of a domain can name as many hosts below it as they like.
    """
    slow = [f"zoe{each}@{host.format(each)}" for each in range(30)]
    written(town, *[Letter(each, "help", HELP) for each in slow])
    waited: list[int] = []

    def answer(letter: int, address: str) -> None:
        begun = town.now
        if "slow" in address:
            town.now += 9
            written(town, *[Letter(f"{begun}@quick.example", "help", HELP)] * 2)
        else:
            waited.append(begun - int(address.partition("@")[0]))

    transport = FakeTransport(answer)
    town.app = replace(town.app, transport=transport)
    assert town.app.deliver() == 30 * 3
    assert waited == [9] * 60
    assert [each for each in transport.asked if "slow" in each] == slow


@pytest.mark.parametrize(("problem", "minutes"), [(Unanswered, 11), (Postponed, 1)])
def test_a_new_letter_waits_for_one_slow_try_of_the_old_ones_at_most(
    town: Town, problem: type[Postponed], minutes: int
) -> None:
    """Otherwise a few letters that the relay never takes hold up all others for hours."""
    written(town, *[Letter(f"mute{each}@x", "help", HELP) for each in range(12)])

    def answer(letter: int, address: str) -> None:
        if address.startswith("mute"):
            town.now += minutes * MINUTE
            if len(transport.asked) > 12:
                written(town, Letter("here@x", "help", HELP))
            raise problem("timed out")

    transport = FakeTransport(answer)
    town.app = replace(town.app, transport=transport)
    town.app.deliver(lambda: len(transport.asked) < 12)
    town.now += 120 * MINUTE
    town.app.deliver(lambda: len(transport.asked) < 20)
    assert [each[:4] for each in transport.asked[:20]] == ["mute"] * 12 + ["mute", "here"] * 4


def test_permanent_and_temporary_failures_are_distinguished(
    town: Town, relay: tuple[FakeRelay, int]
) -> None:
    """5xx: given up at once; 4xx: tried again; neither holds up the letters behind it."""
    by_relay(town, relay[1])
    for name in ("gone", "full", "here"):
        written(town, Letter(f"{name}@example.org", "help", HELP))
    assert town.app.deliver() == 1
    assert rows(town, "address", "state", "reason", "tries") == [
        ("gone@example.org", "failed", "550 5.1.1 No such user", 0),
        ("full@example.org", "due", "452 4.2.2 Mailbox full", 1),
    ]
    town.app.transport.close()


def test_a_letter_that_left_keeps_no_payload(town: Town) -> None:
    town.challenge("ann", "bob")
    with reading(town.engine) as connection:
        letter = models.OutboxLetter
        found = connection.execute(select(letter.state, letter.payload).distinct()).all()
    assert found == [("sent", "")]


def test_an_unrenderable_letter_is_tried_again(town: Town) -> None:
    """A bug in one letter holds up no other; its reason says where, and none of the facts.

    It names each frame of ours, from the place of the bug to the delivery.
    """
    written(town, Letter("zoe@example.org", "no-such-kind", {"secret": "sesame"}))
    written(town, Letter("zoe@example.org", "help", HELP))
    assert town.app.deliver() == 1
    ((state, reason),) = rows(town, "state", "reason")
    assert state == "due"
    said, _, through = reason.partition(", called from ")
    assert re.fullmatch(r"could not be written: TemplateNotFound at jinja2/loaders\.py:\d+", said)
    frames = through.split(", ")
    assert all(re.fullmatch(r"pbmserv/\S+\.py:\d+", each) for each in frames)
    assert frames[0].startswith("pbmserv/letters/templates.py:")
    assert frames[-1].startswith("pbmserv/outbox/delivery.py:")


def test_delivery_stops_on_request(town: Town) -> None:
    written(town, Letter("zoe@example.org", "help", HELP))
    assert town.app.deliver(lambda: False) == 0
    assert len(rows(town, "id")) == 1
    assert queue.is_due(town.engine, town.now)
    assert not queue.is_due(town.engine, town.now - 1)


def test_a_letter_goes_to_every_confirmed_address(town: Town) -> None:
    """One letter each: nobody learns of another's address."""
    town.write("cleo@a.example", "signup cleo swordfish cleo@a.example cleo@b.example")
    for address in ("cleo@a.example", "cleo@b.example"):
        town.reply(town.last_letter_to(address), "yes")
    town.write("cleo@a.example", "signup dora swordfish dora@a.example dora@b.example")
    town.reply(town.last_letter_to("dora@a.example"), "yes")
    letters = town.challenge("ann", "cleo", "dora")
    assert [each.to for each in letters] == [
        "ann@example.org",
        "cleo@a.example",
        "cleo@b.example",
        "dora@a.example",
    ]
    for each in letters:
        assert not {"Cc", "Bcc", "Resent-To"} & set(each.message.keys())
        assert each.raw.count(b"@a.example") + each.raw.count(b"@b.example") <= 1


def test_a_letter_without_a_recipient_is_not_written(town: Town) -> None:
    """A player without any confirmed address, and an answer where nobody asked."""
    written(town, Letter(99, "help", HELP), Letter(None, "help", HELP))
    written(town)
    assert rows(town, "id") == []


def test_a_board_is_one_thread(town: Town) -> None:
    """Every letter of a board refers to the same number, and an answer to what it answers."""
    town.challenge("ann", "bob")
    town.move("ann", "2-2s")
    receipt = town.last_letter_to("ann@example.org")
    told = town.last_letter_to("bob@example.org")
    asked = f"<mail-{town.mails}@client.example>"
    assert receipt.message["In-Reply-To"] == asked
    assert receipt.message["References"] == f"<board-1@localhost> {asked}"
    assert told.message["References"] == "<board-1@localhost>"
    assert told.message["In-Reply-To"] is None
    assert receipt.message["Message-ID"] != told.message["Message-ID"]


@pytest.mark.parametrize(
    "line", ["perudo move 1 ann swordfish 2-2s", "perudo preview 1 2-2s", "perudo record 1"]
)
def test_answers_about_a_board_belong_to_its_thread(town: Town, line: str) -> None:
    town.challenge("ann", "bob")
    town.move("ann", "1-2s")
    (answer,) = town.write("ann@example.org", line)
    assert answer.message["References"] == f"<board-1@localhost> <mail-{town.mails}@client.example>"


@pytest.mark.parametrize("board", ["99", "twelve"])
def test_a_missing_board_has_no_thread(town: Town, board: str) -> None:
    """The next board to be opened may get its number, and begins a thread of its own."""
    (answer,) = town.write("ann@example.org", f"perudo show {board}")
    assert answer.message["References"] == f"<mail-{town.mails}@client.example>"


def test_a_letter_has_all_required_headers(town: Town) -> None:
    """Date, sender, an answer's address, and the marks that keep machines from answering."""
    town.challenge("ann", "bob")
    town.move("ann", "2-2s")
    for each in town.letters[-2:]:
        head = each.message
        assert head["From"] == "Perudo game server <perudo@localhost>"
        assert parsedate_to_datetime(str(head["Date"])).timestamp() == MORNING
        assert each.reply_to == f"perudo+{each.token.lower()}@localhost"
        assert f".{each.token}@localhost>" in str(head["Message-ID"])
        assert head.get_content_type() == "multipart/alternative"
        parts = [
            (part.get_content_type(), part.get_content_charset()) for part in head.iter_parts()
        ]
        assert parts == [("text/plain", "utf-8"), ("text/html", "utf-8")]
        assert str(head["Auto-Submitted"]).startswith("auto-")
        assert all(len(line) <= 72 for line in each.text.splitlines() if "move" not in line)
    assert town.letters[-2].message["Auto-Submitted"] == "auto-replied"
    assert town.letters[-1].message["Auto-Submitted"] == "auto-generated"
    assert len({each.token for each in town.letters[-2:]}) == 2


def test_a_letter_sent_again_after_a_crash_is_the_same_letter(town: Town) -> None:
    """Same number, same bytes; a mailbox holds it once."""
    town.challenge("ann", "bob")
    written(town, Letter("zoe@example.org", "help", HELP))
    with reading(town.engine) as connection:
        letter = models.OutboxLetter
        rows_before = (
            connection.execute(select(letter).where(letter.state == states.DUE)).mappings().one()
        )
        payload = rows_before["payload"]
    (first,) = town.delivered()
    with writing(town.engine) as connection:  # as if the crash had come before the mark
        again = update(models.OutboxLetter).where(models.OutboxLetter.id == rows_before["id"])
        connection.execute(again.values(state=states.DUE, payload=payload))
    assert town.app.deliver() == 1
    folder = town.home / "mail" / "zoe@example.org" / "new"
    (file,) = folder.iterdir()
    assert file.read_bytes() == first.raw


def test_a_letter_reads_back_as_it_was_written(town: Town) -> None:
    """The composed bytes say to Python's own parser what the letter says."""
    said = "Grüße — „gut“ 😀\n.\n..\nFrom here\n" + "long " * 300
    town.challenge("ann", "bob")
    letters = town.move("ann", "2-2s", text=said)
    for each in letters:
        message = message_from_bytes(each.raw, policy=policy.default)
        assert not message.defects
        assert "| Grüße — „gut“ 😀\n| .\n| ..\n| From here\n| long" in each.text


def test_our_own_letters_are_never_answered(town: Town) -> None:
    """Every letter that its reader sends back unchanged is a machine's email to us."""
    town.challenge("ann", "bob")
    for number, each in enumerate(list(town.letters)):
        raw = each.raw.replace(b"Message-ID: <", b"Message-ID: <again-", 1)
        assert town.carry(raw, each.to, "perudo@localhost") == [], number
        forged = raw.replace(b"perudo@localhost", b"ann@example.org")
        assert town.carry(forged.replace(b"<again-", b"<forged-"), each.to, each.reply_to) == []


def test_an_answer_quoting_our_letter_is_read_without_the_quote(town: Town) -> None:
    letters = town.challenge("ann", "bob")
    first = next(each for each in letters if "Your turn" in each.text)
    quote = "\n".join(f"> {line}" for line in first.text.splitlines())
    answer = town.reply(first, f"2-2s\n\nHello\n\nOn Tue, 14 Nov 2023, Perudo wrote:\n{quote}\n")
    assert len(answer) == 2
    assert "| Hello\n" in answer[0].text
    assert "Proof of the dice" not in answer[0].text.partition("writes:")[2].partition("\n\n")[0]
