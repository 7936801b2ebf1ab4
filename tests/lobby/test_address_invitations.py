"""Invitations by address: who gets them, and what becomes of the answers."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from sqlalchemy import insert, select, update

from pbmserv.cli.main import perudo
from pbmserv.commands.perudo.rsvp import command as rsvp
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.intake.kept_emails import retention
from pbmserv.lobby import account_erasure, invited_addresses
from pbmserv.monitoring import action_log
from pbmserv.players import bans
from pbmserv.timeunits import DAY
from tests.lobby.inviting import (
    ANN,
    BOB,
    CARL,
    MIA,
    NOAH,
    invited,
    invites,
    numbers_left_out,
    subjects,
    three_players,
)
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """Three players whose accounts are four days old."""
    with three_players(home) as town:
        yield town


REPORTS = Path(__file__).parents[1] / "mail" / "reports"


def test_a_yes_with_a_name_signs_up_and_begins_the_game(town: Town) -> None:
    letters = invites(town, "ann", f"ann bob {MIA}")
    letter = next(each for each in letters if each.to == MIA)
    assert letter.subject == "Invitation to play Perudo, from ann"
    assert "with bob" in letter.text
    assert "help rules" not in letter.text  # a stranger gets no help by email
    told = town.reply(letter, "Yes, call me Mia!\n\nHello you two.")
    welcome = next(each for each in told if each.to == MIA and "Welcome" in each.opening)
    assert "Welcome, Mia! You have an account and a seat at board 1." in " ".join(
        welcome.text.split()
    )
    assert any("ann, bob and Mia" in each.text for each in told if each.to == ANN)
    assert any("Hello you two." in each.text for each in told if each.to == BOB)
    assert all(
        "@friends" not in each.text + each.subject for each in town.letters if each.to != MIA
    )
    assert town.reply(letter, "yes mia")[0].text == "You have a seat at board 1 already.\n"


def test_a_name_like_that_of_a_player_at_the_table_is_asked_about_once(town: Town) -> None:
    """Who answers "Yes, Anna!" to ann may greet her, or be an Anna."""
    (asked,) = town.reply(invited(town), "Yes, Anna!")
    assert asked.subject == "Your name at Perudo board 1"
    assert "yes Anna" in asked.text
    told = town.reply(asked, "yes Anna")
    assert any("Welcome, Anna!" in each.text for each in told if each.to == MIA)


@pytest.mark.parametrize(("text", "name"), [("Yes, Luz!", "Luz"), ("yes dragonfly", "dragonfly")])
def test_a_word_that_may_greet_or_be_none_is_asked_about_once(
    town: Town, text: str, name: str
) -> None:
    """The inviter may be called so elsewhere, and an everyday word may be unknown."""
    (asked,) = town.reply(invited(town), text)
    assert f"the name that the others will see:\n  yes {name}\n" in asked.text
    told = town.reply(asked, f"yes {name}")
    assert any(f"Welcome, {name}!" in each.text for each in told if each.to == MIA)


def test_such_a_word_of_a_player_takes_no_seat(town: Town) -> None:
    (asked,) = town.reply(invited(town, address=CARL), "yes whichever")
    assert "I couldn't read your answer." in asked.text


def test_a_new_player_moves_by_replies_and_gets_a_password_by_reset(town: Town) -> None:
    town.reply(invited(town), "yes mia")
    town.move("ann", "1-2s")
    letters = town.reply(town.last_letter_to(MIA), "2-2s")
    assert subjects(letters)[ANN] == "Your turn: Perudo board 1"
    reset = town.reply(town.last_letter_to(MIA), "reset mia")
    assert "A new password, mia" in [each.subject for each in reset if each.to == MIA]


def test_a_yes_alone_is_asked_for_a_name_in_one_line(town: Town) -> None:
    (asked,) = town.reply(invited(town), "Yes, why not?")
    assert asked.text.startswith(
        "Reply with one line, the name that the others will see:\n  yes mia\n"
    )
    (unclear,) = town.reply(asked, "I'm in a meeting")
    assert unclear.text.startswith("I couldn't read your answer.")
    (taken,) = town.reply(asked, "Ann")
    assert taken.text.startswith("The userid Ann is taken.")
    assert "  yes Ann2\n" in taken.text
    (accented,) = town.reply(taken, "Zoë")
    assert "  yes Zoe\n" in accented.text
    (hopeless,) = town.reply(accented, "123")
    assert "  yes mia\n" in hopeless.text
    told = town.reply(hopeless, "mia")
    assert any("and a seat at board 1" in " ".join(each.text.split()) for each in told)


def test_a_no_withdraws_the_invitation_and_tells_no_address(town: Town) -> None:
    letter = invited(town)
    told = town.reply(letter, "No, sorry.\n\nNo time, Ann.")
    assert subjects(told) == {
        ANN: "Perudo board 1",
        MIA: "No game of Perudo this time",
    }
    withdrawn = next(each for each in told if each.to == ANN)
    assert withdrawn.text.startswith("A guest rejects the invitation")
    assert "A guest writes:\n| No time, Ann." in withdrawn.text
    (over,) = town.reply(letter, "yes mia")
    assert "That invitation is over" in over.text


@pytest.mark.slow
@pytest.mark.parametrize(
    "how",
    [
        "never",
        "No, never again. Thanks!",
        "STOP",
        "unsubscribe",
        "stop by itself",
        "complaint",
        "bounce",
    ],
)
def test_never_again_is_kept_for_ever(town: Town, how: str) -> None:
    """A header, a complaint and a bounce say so, too; the inviter is told of none of them."""
    letter = invited(town)
    if how == "unsubscribe":
        town.write(MIA, "pause", to=letter.unsubscribe)
    elif how == "stop by itself":
        assert town.write(MIA, "stop") == []
    elif how in {"complaint", "bounce"}:
        name = "complaint.eml" if how == "complaint" else "postfix-user-unknown.eml"
        town.carry(reported(letter, name), "", f"perudo+b-{letter.stamp.lower()}@localhost")
    else:
        town.reply(letter, how)
    town.now += 3 * 365 * DAY
    town.waited(1)
    answer = invites(town, "bob", f"bob {MIA}")
    assert [each.to for each in answer] == [BOB]
    assert answer[0].subject == "Perudo board 2"


def reported(letter: Letter, name: str) -> bytes:
    """A report about this letter, made from one about another."""
    from tests.stories.story import STAMP

    raw = (REPORTS / name).read_bytes().decode("latin-1")
    stamp = letter.stamp.lower()
    return raw.replace(STAMP, stamp).replace(STAMP.upper(), stamp.upper()).encode("latin-1")


def test_the_inviter_cannot_see_whether_an_address_is_a_players(town: Town) -> None:
    """The answers are the same for a stranger, a player, and all who get no letter."""
    town.write(CARL, f"block carl {PASSWORD} bob")
    refused = invites(town, "bob", f"bob {CARL}")
    stranger = invites(town, "bob", f"bob {MIA}")
    again = invites(town, "bob", f"bob {MIA}")
    player = invites(town, "ann", f"ann {CARL}")
    assert [len(each) for each in (refused, stranger, again, player)] == [1, 2, 1, 2]
    answers = [each[-1] for each in (refused, stranger, again, player)]
    assert {numbers_left_out(each).replace("ann", "bob") for each in answers} == {
        numbers_left_out(answers[0])
    }
    (shown,) = town.write(BOB, "perudo show 4")
    assert "ann and a guest" in shown.text
    (games,) = town.write(BOB, "perudo games carl all")
    assert "ann" not in games.text
    told = town.reply(player[0], "yes")
    assert any("ann and carl" in each.text for each in told if each.to == ANN)
    assert "  yes    you play as carl\n" in player[0].text


def set_off(town: Town) -> None:
    town.write(CARL, f"set carl {PASSWORD} challenges=off")


def suspended(town: Town) -> None:
    with writing(town.engine) as connection:
        row = models.Player
        carl = update(row).where(row.userid == "carl")
        connection.execute(carl.values(suspended_until=town.now + DAY))


def closed(town: Town) -> None:
    with writing(town.engine) as connection:
        row = models.Player
        connection.execute(update(row).where(row.userid == "carl").values(closed=True))


def banned(town: Town) -> None:
    with writing(town.engine) as connection:
        row = models.Address
        connection.execute(update(row).where(row.address == CARL).values(address=NOAH))
        bans.add(connection, CARL, None, ())


@pytest.mark.parametrize(
    "why", [set_off, suspended, closed, banned], ids=lambda each: each.__name__
)
def test_some_addresses_get_no_letter_and_the_inviter_is_not_told(town: Town, why: object) -> None:
    assert callable(why)
    why(town)
    (answer,) = invites(town, "ann", f"ann {CARL}")
    assert (answer.to, answer.subject) == (ANN, "Perudo board 1")


def blocking(town: Town) -> None:
    town.write(CARL, f"block carl {PASSWORD} ann")


@pytest.mark.parametrize(
    "why", [set_off, suspended, closed, blocking], ids=lambda each: each.__name__
)
def test_no_other_spelling_of_a_mailbox_gets_a_letter_that_its_player_refuses(
    town: Town, why: object
) -> None:
    assert callable(why)
    why(town)
    assert [each.to for each in invites(town, "ann", "ann carl+x@Example.org")] == [ANN]


def test_a_player_is_invited_at_the_address_of_the_account(town: Town) -> None:
    """Gmail ignores dots; so a player there is found, too, and gets no second account."""
    with writing(town.engine) as connection:
        row = models.Address
        theirs = update(row).where(row.address == CARL)
        connection.execute(theirs.values(address="c.a_rl+perudo@gmail.com"))
    letters = invites(town, "ann", "ann ca_r.l@googlemail.com")
    assert [each.to for each in letters] == ["c.a_rl+perudo@gmail.com", ANN]
    assert "  yes    you play as carl\n" in letters[0].text
    assert "For the rules in full: help rules" in letters[0].text


def test_a_player_who_sits_there_already_gets_no_second_seat(town: Town) -> None:
    assert [each.to for each in invites(town, "ann", f"ann carl {CARL}")] == [ANN]
    letter = invited(town, "ann", CARL)
    with writing(town.engine) as connection:  # seated there in the meantime
        carl = select(models.Player.id).where(models.Player.userid == "carl").scalar_subquery()
        first = {"board_id": 2, "seat": 5, "player_id": carl, "first_id": carl}
        connection.execute(insert(models.Seat).values(**first))
    (answer,) = town.reply(letter, "yes")
    assert "You have a seat at board 2 already." in answer.text


def test_players_who_share_an_address_say_who_plays(town: Town) -> None:
    with writing(town.engine) as connection:
        row = models.Address
        connection.execute(update(row).where(row.address == BOB).values(address=CARL))
    letter = invited(town, "ann", CARL)
    (which,) = town.reply(letter, "yes")
    assert "  yes bob   you play as bob\n  yes carl  you play as carl\n" in which.text
    told = town.reply(which, "yes Carl")
    assert any("ann and carl" in each.text for each in told if each.to == ANN)


def test_a_shell_invites_in_the_name_of_the_first_player(town: Town) -> None:
    town.now = int(time.time()) + 60  # a shell has its own clock
    run = CliRunner(env={"PBMSERV_HOME": str(town.home)})
    done = run.invoke(perudo, ["challenge", "ann", MIA], catch_exceptions=False)
    assert done.exit_code == 0
    assert [each.to for each in town.delivered()] == [MIA]
    refused = run.invoke(perudo, ["challenge", "house", NOAH], catch_exceptions=False)
    assert refused.exit_code != 0
    assert "Name the player who invites" in refused.output
    assert town.delivered() == []
    done = run.invoke(
        perudo, ["rsvp", town.last_letter_to(MIA).token, "mia"], catch_exceptions=False
    )
    assert "Welcome, mia!" in done.output


def test_the_seat_lapses_and_only_a_digest_stays(town: Town) -> None:
    letter = invited(town)
    town.waited(14 * 24 + 1)
    assert "is withdrawn" in town.last_letter_to(ANN).text
    assert [each for each in town.letters if each.to == MIA] == [letter]
    (over,) = town.reply(letter, "yes mia")
    assert "That invitation is over" in over.text
    file = sqlite3.connect(town.home / "pbmserv.sqlite")
    try:
        tables = ("address_invitations", "invited_addresses", "boards", "seats")
        kept = [file.execute(f"SELECT * FROM {each}").fetchall() for each in tables]
    finally:
        file.close()
    assert "friends" not in str(kept)
    assert subjects(town.reply(letter, "never")) == {MIA: "No more invitations"}
    town.now += 366 * DAY
    with writing(town.engine) as connection:
        retention.expire(town.app.transactions.unit_of_work(connection))
        assert connection.execute(select(models.AddressInvitation)).all() == []
        assert [each.never for each in connection.execute(select(models.InvitedAddress))] == [True]


def test_erasing_a_player_keeps_only_that_no_invitation_is_wanted(town: Town) -> None:
    town.reply(invited(town, "ann", CARL), "no")
    town.reply(invited(town, "ann", BOB), "never")
    with writing(town.engine) as connection:
        for userid in ("bob", "carl"):
            work = town.app.transactions.unit_of_work(connection)
            account_erasure.forget(work, userid, "asked")
        kept = connection.execute(select(models.InvitedAddress.never)).scalars().all()
        digests = connection.execute(select(models.AddressInvitation.digest)).scalars().all()
    assert (kept, digests) == ([True], ["", ""])


def test_a_machine_gets_no_answer_and_an_unclear_reply_one(town: Town) -> None:
    letter = invited(town)
    away = {"Auto-Submitted": "auto-replied", "In-Reply-To": str(letter.message["Message-ID"])}
    assert town.write(MIA, "Away", "yes mia", to=letter.reply_to, headers=away) == []
    (unclear,) = town.reply(letter, "Who is that?")
    assert unclear.subject == "Do you want to play Perudo?"
    assert town.reply(letter, "What do you mean?") == []
    (page,) = town.reply(letter, "help rules")
    assert page.subject == "Help: rules"
    (unknown,) = town.write(MIA, f"perudo rsvp {'A' * 26} yes mia")
    assert unknown.subject == "How to play Perudo by email"


def test_a_forwarded_letter_seats_the_address_that_was_invited(town: Town) -> None:
    """Anybody who has the letter may answer it, but signs up no address of somebody else."""
    letter = invited(town)
    (told,) = [
        each
        for each in town.write(NOAH, "Re: Perudo", "yes noah", to=letter.reply_to)
        if each.to == NOAH
    ]
    assert told.subject == "Perudo board 1"
    with reading(town.engine) as connection:
        row = models.Address
        assert connection.execute(select(row.id).where(row.address == NOAH)).all() == []
        assert len(connection.execute(select(row.id).where(row.address == MIA)).all()) == 1


def test_a_player_who_does_not_play_invites_two(town: Town) -> None:
    to_mia, to_noah, _ = invites(town, "ann", f"{MIA} {NOAH}")
    town.reply(to_mia, "yes mia")
    told = town.reply(to_noah, "yes noah")
    assert [each.subject for each in told if each.to == ANN] == ["Perudo board 1"]


def test_a_guest_cannot_join_a_player_who_was_suspended_meanwhile(town: Town) -> None:
    letter = next(each for each in invites(town, "ann", f"ann carl {MIA}") if each.to == MIA)
    suspended(town)
    (refused,) = town.reply(letter, "yes mia")
    assert "carl" in refused.text
    with reading(town.engine) as connection:
        assert "mia" not in connection.execute(select(models.Player.userid)).scalars().all()


def test_no_account_is_opened_in_an_emergency_or_at_a_banned_address(town: Town) -> None:
    letter = invited(town)
    for what in ("emergency", "ban"):
        with writing(town.engine) as connection:
            is_on = action_log.ON if what == "emergency" else action_log.OFF
            action_log.note(connection, action_log.EMERGENCY, town.now, about=is_on)
            if what == "ban":
                bans.add(connection, "friends.example", None, ())
        town.write(NOAH, "Re: Perudo", "yes mia", to=letter.reply_to)
        with reading(town.engine) as connection:
            assert "mia" not in connection.execute(select(models.Player.userid)).scalars().all()


def test_a_clock_that_is_put_back_does_not_bar_an_address_for_longer(town: Town) -> None:
    town.now += 400 * DAY
    invited(town)
    with writing(town.engine) as connection:
        invited_addresses.put_back(connection, 400 * DAY, town.now - 400 * DAY)
        moments = [
            select(each.invited_at) for each in (models.InvitedAddress, models.AddressInvitation)
        ]
        found = [connection.execute(each).scalar_one() for each in moments]
    assert found == [town.now - 400 * DAY] * 2


def test_a_stranger_who_was_never_invited_is_not_remembered(town: Town) -> None:
    assert town.write(MIA, "stop") == []
    assert invited(town).to == MIA


def test_a_guest_who_accepts_keeps_the_place_in_the_order_as_written(town: Town) -> None:
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    letters = invites(town, "ann", f"-inorder ann {MIA} bob")
    letter = next(each for each in letters if each.to == MIA)
    told = town.reply(letter, "yes mia")
    (welcome,) = told
    assert "The game begins when bob has accepted, too." in " ".join(welcome.text.split())
    (shown,) = town.write(BOB, "perudo show 1")
    assert "Players: ann, mia and bob, in this order." in shown.text
    begun = town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    assert {each.to for each in begun} == {ANN, BOB, MIA}


def test_a_shell_completes_the_answer() -> None:
    parameter = next(each for each in rsvp.params if each.name == "answer")
    with click.Context(rsvp) as context:
        found = [each.value for each in parameter.shell_complete(context, "n")]
    assert found == ["no", "never"]


def test_a_russian_yes_is_answered_in_russian(town: Town) -> None:
    """Its words are Bulgarian, too, a language of which we have no letters."""
    town.write(ANN, f"set ann {PASSWORD} language=ru")
    letter = invited(town)
    assert letter.subject == "Приглашение сыграть в перудо от ann"
    quoted = "\n".join(f"> {line}" for line in letter.text.splitlines())
    said = f"да, с удовольствием!\n\n21.11.2026 14:05, perudo пишет:\n{quoted}"
    (asked,) = town.reply(letter, said)
    assert asked.text.startswith("Ответьте одной строкой")


@each_row(
    ("language", "guest"),
    [("en", "a guest"), ("es", "un invitado"), ("fr", "un invité"), ("ru", "гость")],
)
def test_lists_have_the_guest_in_the_language_of_the_reader(
    town: Town, language: str, guest: str
) -> None:
    town.write(BOB, f"set bob {PASSWORD} language={language}")
    invites(town, "ann", f"ann {MIA} bob")
    for asked in ("list", "perudo games", "perudo show 1"):
        (letter,) = town.write(BOB, asked)
        words = " ".join(letter.text.split())
        assert guest in words
        assert (guest == "a guest") == ("a guest" in words)


def test_a_board_that_only_guests_play_is_listed(town: Town) -> None:
    invites(town, "ann", f"{MIA} {NOAH}")
    for when in ("waiting", "withdrawn"):
        for asked in ("list", "perudo games all"):
            (letter,) = town.write(BOB, asked)
            words = " ".join(letter.text.split())
            assert ("a guest, a guest" in words or "a guest asked, a guest asked" in words) == (
                when == "waiting" or asked != "list"
            )
        town.reply(town.last_letter_to(MIA), "no")


@pytest.mark.parametrize(
    "question",
    [
        *("What is Perudo?", "how do I play?", "Hi ann, what is this?\nMia", "I don't understand"),
        *("C'est quoi le Perudo ?", "¿Qué es el Perudo?", "Что такое перудо?"),
    ],
)
def test_a_guest_who_asks_about_the_game_is_told_what_it_is(town: Town, question: str) -> None:
    """And how to accept or decline; an unclear reply before it does not use up the answer."""
    letter = invited(town)
    town.reply(letter, "hmmm well")
    (told,) = town.reply(letter, question)
    assert told.to == MIA
    assert "4-2s" in told.text
    assert "dudo" in told.text
    page = told.message.get_body(("html",))
    assert page is not None
    assert "4-2s" in page.get_content()
    assert town.reply(letter, question) == []
    assert {MIA, ANN} <= {each.to for each in town.reply(told, "yes mia")}
