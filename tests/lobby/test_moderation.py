"""What the operator does to accounts and addresses: it holds, is told, written down and undone."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import select, update

from pbmserv.context import UnitOfWork
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.errors import Refused
from pbmserv.letters.payloads.letter import Letter
from pbmserv.lobby import account_erasure, moderation
from pbmserv.mail.transport import Postponed, Undeliverable
from pbmserv.maintenance import mail_queue, message_trace
from pbmserv.server.app import App
from tests.cli.processes import invoked
from tests.fake_transport import FakeTransport
from tests.lobby.operating import ANN, BOB, DAY, done, flat
from tests.stories.town import OUR_ADDRESS, PASSWORD, Town, letters_in, mail

pytestmark = pytest.mark.long


def test_a_suspended_player_can_do_nothing_by_any_way(town: Town) -> None:
    letter = town.last_letter_to(ANN)
    until = town.now + 3 * DAY
    told = done(town, lambda context: moderation.suspend(context, "Ann", until, "Insults"))
    assert told == [(ANN, "Your account is suspended, ann")]
    assert "Insults" in town.last_letter_to(ANN).text
    refusal = "The operator has suspended the account ann until Friday 17 November 2023"
    assert refusal in flat(town, f"perudo move 1 ann {PASSWORD} 2-2s")
    assert refusal in flat(town, "perudo challenge ann bob")
    for text in ("2-2s", "What are my dice?", "fvie fives", "pass", "undo"):
        (said,) = town.reply(letter, text)
        assert refusal in " ".join(said.text.split())
        assert "Your dice" not in said.text
    town.now = until
    assert [each.to for each in town.reply(letter, "2-2s")] == [ANN, BOB]


def test_queued_moves_of_a_suspended_player_are_not_played(town: Town) -> None:
    town.write(BOB, f"perudo queue 1 bob {PASSWORD} 3-2s")
    done(town, lambda context: moderation.suspend(context, "bob", None, ""))
    assert "Your queued moves are dropped" in " ".join(town.last_letter_to(BOB).text.split())
    assert not any("bids three 2s" in each.text for each in town.move("ann", "2-2s"))
    done(town, lambda context: moderation.resume(context, "bob", ""))
    assert len(town.move("bob", "4-2s")) == 2


def banned(ban: str, work: UnitOfWork) -> list[Letter]:
    return moderation.ban(work, ban, None, "")[1]


def test_a_player_under_another_ban_is_not_told_to_be_free(town: Town, home: Path) -> None:
    """This holds for the player and for the operator."""
    for ban in ("example.org", ANN, "b*@example.org"):
        town.app.transactions.run(partial(banned, ban))
    town.delivered()
    assert done(town, lambda context: moderation.unban(context, "example.org", "")[1]) == []
    shown = invoked(home, "pbmserv", "unban", "b*@example.org").stdout
    assert shown == "Lifted: the ban of b*@example.org\n"
    told = done(town, lambda context: moderation.ban(context, "example.org", None, "")[1])
    assert len(told) == 3  # bob is told that he is free, too: the shell has lifted that ban
    shown = invoked(home, "pbmserv", "unban", "@Example.org").stdout
    assert shown.endswith(f"Still banned separately: {ANN}\n")
    subjects = [(each.to, each.subject) for each in letters_in(home)]
    assert subjects[-1] == (BOB, "Your address is no longer banned, bob")
    assert (ANN, "Your address is no longer banned, ann") not in subjects
    invoked(home, "pbmserv", "ban", "example.org")
    shown = invoked(home, "pbmserv", "unban", ANN).stdout
    assert shown.endswith("Still banned separately: example.org\n")


def test_a_suspension_is_ended(town: Town) -> None:
    done(town, lambda context: moderation.suspend(context, "ann", None, ""))
    told = done(town, lambda context: moderation.resume(context, "ann", ""))
    assert told == [(ANN, "Your account works again, ann")]
    assert len(town.move("ann", "2-2s")) == 2
    with pytest.raises(Refused, match="not_suspended"):
        done(town, lambda context: moderation.resume(context, "ann", ""))


def test_an_account_is_closed_and_opened_again(town: Town) -> None:
    told = done(town, lambda context: moderation.close(context, "ann", ""))
    assert (ANN, "Your account is closed, ann") in told
    assert any(to == BOB for to, _ in told)  # ann has resigned
    town.now += DAY  # she is a stranger now, and gets one answer a day
    assert "closed the account ann" in flat(town, f"perudo showas ann {PASSWORD}")
    town.now += DAY
    assert "no player has this address" in flat(town, "perudo challenge ann bob")
    told = done(town, lambda context: moderation.reopen(context, "ann", ""))
    assert told == [(ANN, "Your account is open again, ann")]
    assert "Board 2, round 1" in flat(town, "perudo challenge ann bob")


def test_a_renamed_players_old_name_stays_reserved(town: Town) -> None:
    told = done(town, lambda context: moderation.rename(context, "ann", "anna", ""))
    assert told == [(ANN, "Your userid was changed, ann")]
    assert [each.to for each in town.move("anna", "2-2s")] == [ANN, BOB]
    (letter,) = town.write("eve@example.org", f"signup ann {PASSWORD}")
    assert "The userid ann is taken" in letter.text
    with pytest.raises(Refused, match="userid_taken"):
        done(town, lambda context: moderation.rename(context, "anna", "bob", ""))
    done(town, lambda context: moderation.rename(context, "anna", "ann", ""))
    assert len(town.write(ANN, f"perudo showas ann {PASSWORD}")) == 1


def test_a_player_is_forgotten(town: Town) -> None:
    done(town, lambda context: account_erasure.forget(context, "ann", ""))
    left = models.OutboxLetter.kind != "signed_off"  # the last letter to her
    with reading(town.engine) as connection:
        userids = connection.execute(select(models.Player.userid)).scalars().all()
        letters = connection.execute(select(models.OutboxLetter.address).where(left)).scalars()
        answers = connection.execute(select(models.OutboxLetter.reason).where(left)).scalars()
        assert not any(ANN in each for each in answers)  # such as "stored in mail/ann@…"
        senders = connection.execute(select(models.InboxMail.sender)).scalars().all()
        known = connection.execute(select(models.Address.address)).scalars().all()
    assert userids == ["gone-1", "bob"]
    assert ANN not in {*letters, *senders, *known}
    assert "players ann bob" in town.write(BOB, "perudo record 1")[0].text


def test_another_sign_up_at_the_address_of_a_forgotten_player_is_still_confirmed(
    town: Town,
) -> None:
    """The letter that asks for it waits when the player is forgotten; it was dropped."""
    raw = mail(ANN, f"signup anna {PASSWORD}", message_id=town.next_message_id())
    town.bring(raw, ANN, OUR_ADDRESS)
    town.app.transactions.run(lambda context: account_erasure.forget(context, "ann", ""))
    asked = [each for each in town.delivered() if each.is_to_be_confirmed]
    assert [(each.to, each.subject) for each in asked] == [
        (ANN, "Please confirm your address, anna")
    ]
    assert "Your account works, anna" in [each.subject for each in town.reply(asked[0], "yes")]


def with_letters_that_wait(town: Town, problem: type[Exception]) -> App:
    """Let the relay take no letter to bob's address; returns the app that sends them."""

    def busy(_letter: int, address: str) -> None:
        if address == BOB:
            raise problem("450 4.2.1 try later")

    working = town.app
    town.app = replace(working, transport=FakeTransport(busy))
    town.write(BOB, "perudo games")
    town.move("ann", "2-2s")
    return working


@pytest.mark.parametrize("problem", [Postponed, Undeliverable])
def test_letters_that_wait_for_a_forgotten_player_are_dropped(
    town: Town, problem: type[Exception]
) -> None:
    """Otherwise each try to send one would be reported as a bug."""
    with_letters_that_wait(town, problem)
    assert len(mail_queue.listed(town.engine, everything=False)) == 2
    town.app.transactions.run(lambda context: account_erasure.forget(context, "bob", ""))
    waiting = mail_queue.listed(town.engine, everything=False)
    assert [each["kind"] for each in waiting] == ["perudo/ended", "signed_off"]


def test_letters_to_another_player_with_a_forgotten_players_address_are_kept(town: Town) -> None:
    town.write(BOB, f"signup cleo {PASSWORD}")
    town.reply(town.last_letter_to(BOB), "yes")
    town.challenge("ann", "cleo")
    working = with_letters_that_wait(town, Postponed)
    town.move("ann", "2-2s", board=2)
    town.app = working
    done(town, lambda context: account_erasure.forget(context, "bob", ""))
    letters = town.waited(1)
    assert any("Your turn, cleo" in each.text for each in letters if each.to == BOB)


def test_no_operator_record_keeps_a_forgotten_players_name_or_words(town: Town) -> None:
    """Neither `trace` nor a limit counts it against the next player with that userid."""
    town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "I am Ann.")
    town.write(ANN, f"report ann {PASSWORD} 1", "Ann was insulted.")
    town.write(BOB, f"block bob {PASSWORD} ann")
    done(town, lambda context: moderation.suspend(context, "ann", None, "Ann swears."))
    done(town, lambda context: moderation.rename(context, "ann", "anna", ""))
    done(town, lambda context: account_erasure.forget(context, "anna", ""))
    with reading(town.engine) as connection:
        acts = connection.execute(
            select(models.Action.who, models.Action.about, models.Action.why)
        ).all()
        assert connection.execute(select(models.Talk.text)).all() == []
    assert acts == [
        ("gone-1", "", ""),
        ("bob", "gone-1", ""),
        ("operator", "gone-1", ""),
        ("operator", "gone-1", ""),
        ("operator", "gone-1", ""),
    ]


def said_and_done(town: Town) -> tuple[list[tuple[str, str]], list[tuple[str, str, str]]]:
    """What the town keeps of talk and of blocks: who said what, and who blocked whom."""
    act = models.Action
    with reading(town.engine) as connection:
        talk = connection.execute(select(models.Talk.userid, models.Talk.text)).all()
        blocks = select(act.who, act.about, act.why).where(act.what.in_(("block", "suspend")))
        done = connection.execute(blocks.order_by(act.id)).all()
    return [(each[0], each[1]) for each in talk], [(each[0], each[1], each[2]) for each in done]


def test_forgetting_a_player_does_not_affect_others_with_that_userid(town: Town) -> None:
    """This holds for the former and for the present owner."""

    def lives(name: str, sender: str) -> None:
        town.now += 60
        town.write(sender, f"perudo chat 1 {name} {PASSWORD}", f"Here is {sender[:3]}.")
        town.write(sender, f"block {name} {PASSWORD} zoe")
        done(town, lambda context: moderation.suspend(context, name, None, f"{sender[:3]} swears."))
        done(town, lambda context: moderation.resume(context, name, ""))
        town.write(sender, f"unblock {name} {PASSWORD} zoe")
        town.now += 60

    def renamed(old: str, new: str) -> None:
        done(town, lambda context: moderation.rename(context, old, new, "wished"))

    town.sign_up("zoe")
    lives("ann", ANN)
    renamed("ann", "anna")
    lives("bob", BOB)
    renamed("bob", "Ann")
    lives("Ann", BOB)
    renamed("Ann", "rob")
    renamed("anna", "ann")
    lives("ann", ANN)
    town.now += 60
    before = said_and_done(town)
    done(town, lambda context: account_erasure.forget(context, "rob", ""))
    talk, acts = said_and_done(town)
    assert talk == [each for each in before[0] if "bob" not in each[1]]
    assert [each for each in acts if "gone-2" not in each] == [
        each for place, each in enumerate(before[1]) if place in {0, 1, 6, 7}
    ]
    assert acts[2:6] == [("gone-2", "zoe", ""), ("operator", "gone-2", "")] * 2
    town.sign_up("rob")
    lives("rob", "rob@example.org")
    last = said_and_done(town)[1][-2:]
    assert last == [("rob", "zoe", ""), ("operator", "rob", "rob swears.")]
    done(town, lambda context: account_erasure.forget(context, "ann", ""))
    talk, acts = said_and_done(town)
    assert talk == []
    assert "ann" not in {name for each in acts for name in each[:2]}
    assert acts[-2:] == last


def test_operator_actions_at_a_shell_appear_in_trace(town: Town, home: Path) -> None:
    for words in (
        ("player", "suspend", "ann", "--until", "2099-01-31", "--why", "Insults"),
        ("player", "show", "ann"),
        ("player", "resume", "ann"),
        ("player", "rename", "bob", "robert"),
        ("ban", "evil.example", "--until", "2099-01-31"),
        ("ban",),
        ("unban", "evil.example"),
        ("player", "close", "ann"),
        ("player", "reopen", "ann"),
        ("player", "forget", "robert", "--yes"),
    ):
        done = invoked(home, "pbmserv", *words)
        assert done.returncode == 0, done.stderr + done.stdout
        if words == ("player", "show", "ann"):
            assert "ann@example.org  confirmed 2023-11-14" in done.stdout
            assert "suspended until 2099-01-31" in done.stdout
        if words == ("ban",):
            assert done.stdout == "evil.example  until 2099-01-31 00:00 UTC\nBans: 1\n"
    told = "\n".join(message_trace.traced(town.engine, "ann", 20))
    assert "operator: suspend ann (Insults)" in told
    assert "operator: reopen ann" in told
    assert "operator: unban evil.example" in "\n".join(
        message_trace.traced(town.engine, "evil.example", 9)
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("player suspend ann", "The account ann is already suspended, for the same time."),
        ("player suspend ann --until 2099-01-31", "is already suspended, for the same time."),
        ("player resume ann", "The account ann is not suspended."),
        ("player close ann", "The account ann is closed."),
        ("player reopen ann", "The account ann is not closed."),
        ("player rename ann ann", "The account ann already has that userid."),
        ("ban evil.example", '"evil.example" is already banned, for the same time.'),
        ("ban evil.example --until 2099-01-31", "is already banned, for the same time."),
        ("unban evil.example", '"evil.example" is not banned.'),
        ("annul 1", "Board 1 is already left out of the ratings."),
        ("annul 1 --undo", "Board 1 is not annulled."),
        ("emergency on", "The state of emergency is on already; nothing has changed."),
        ("emergency off", "The state of emergency is off already; nothing has changed."),
    ],
)
def test_an_action_without_effect_is_reported_and_not_recorded(
    town: Town, home: Path, words: str, said: str
) -> None:
    """An act that changes nothing is not in `trace`, and no player is told."""
    before = "player suspend ann", "player close ann", "ban", "emergency on", "annul 1"
    if words.startswith(before) and "undo" not in words:
        assert invoked(home, "pbmserv", *words.split()).returncode == 0
    acts = written_acts(town)
    letters = len(letters_in(home))
    done = invoked(home, "pbmserv", *words.split())
    assert said in " ".join((done.stdout + done.stderr).split())
    assert "othing has changed" in " ".join((done.stdout + done.stderr).split())
    assert written_acts(town) == acts
    assert len(letters_in(home)) == letters


def test_operator_actions_on_a_departed_player_are_refused(town: Town, home: Path) -> None:
    with writing(town.engine) as connection:
        row = models.Player
        connection.execute(update(row).where(row.userid == "ann").values(left_at=town.now))
    done = invoked(home, "pbmserv", "player", "close", "ann")
    assert (done.returncode, "left the server: ann" in done.stderr) == (1, True)


def written_acts(town: Town) -> int:
    with reading(town.engine) as connection:
        return len(connection.execute(select(models.Action)).all())


def test_all_boards_of_an_account_are_shown_won_or_lost(town: Town) -> None:
    """Ann has lost a board, and the operator does not read "won 1"."""
    town.challenge("ann", "bob")
    town.move("bob", "accept", board=2)
    town.move("ann", "resign", board=2)
    town.challenge("ann", "bob")
    town.write(ANN, f"perudo decline ann {PASSWORD} 3")
    with reading(town.engine) as connection:
        (*_, boards) = moderation.shown(connection, "ann", town.now)
    assert boards == "  boards: 1 ended by declining, 1 running, 1 finished"


def test_the_invitations_of_an_account_are_shown(town: Town) -> None:
    """One of them waits, and the other one is withdrawn."""
    town.write("bob@example.org", f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob")
    town.move("bob", "reject", board=2)
    town.challenge("ann", "bob")
    with reading(town.engine) as connection:
        (*_, boards) = moderation.shown(connection, "bob", town.now)
    assert boards == "  boards: 1 waiting for players to accept, 1 running, 1 never begun"


def test_forgetting_a_player_lists_where_letters_remain(town: Town, home: Path) -> None:
    """It omits letters to other players. It includes the last letter to the player."""
    done = invoked(home, "pbmserv", "player", "forget", "bob", "--yes")
    folder = home / "mail" / "bob@example.org"
    assert f"Its letters stay in {folder}: remove it" in done.stdout
    town.write("ann@example.org", f"signup cleo {PASSWORD}")
    town.reply(town.last_letter_to("ann@example.org"), "yes")
    done = invoked(home, "pbmserv", "player", "forget", "ann", "--yes")
    assert done.stdout == "Forgotten: ann\n"
