"""A plain yes or no in a reply to an invitation answers it; other words are asked about."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.intake.replies.draw_replies import REJECT
from pbmserv.intake.replies.guest_replies import answer_of
from pbmserv.intake.replies.invitation_replies import is_undone_below
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"


@pytest.fixture
def invitation(town_of_three: Town) -> Letter:
    """The invitation to bob, for board 2."""
    town = town_of_three
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.challenge("ann", "bob", "cleo")
    return town.last_letter_to(BOB)


@pytest.mark.parametrize(
    "text",
    [
        "Yes",
        "yes, thanks!",
        "OK",
        "Oui !",
        "oui j'accepte avec plaisir",
        "OK pour moi",
        "да",
        "ok cleo",
        *("sounds fun", "lets go!", "on joue !", "vale, juguemos", "suena bien", "погнали!"),
    ],
)
def test_a_yes_accepts(town_of_three: Town, invitation: Letter, text: str) -> None:
    letters = town_of_three.reply(invitation, text)
    assert "Perudo board 2" in letters[0].subject
    assert any("A new game of Perudo has begun" in each.text for each in letters)


@pytest.mark.parametrize(
    "text", ["No", "no, thanks", "Désolé, non", "нет", "non merci, pas cette fois"]
)
def test_a_no_rejects(town_of_three: Town, invitation: Letter, text: str) -> None:
    letters = town_of_three.reply(invitation, f"{text}\n\nI have no time.")
    assert any("bob rejects the invitation to board 2" in each.text for each in letters)
    assert any("I have no time." in each.text for each in letters if each.to == ANN)


@each_row(
    ("text", "reason"),
    [
        ("decline\n\nlet's wait for Claire", "let's wait for Claire"),
        ("Decline. Let's wait for a game with Claire in it.", "Let's wait for a game"),
        ("No thanks, let's wait for a game with Claire in it.", "let's wait for a game"),
        ("Declino, esta semana no puedo", "esta semana no puedo"),
        ("Désolé, non merci, je n'ai pas le temps", "je n'ai pas le temps"),
        ("Je refuse. Attendons Claire !", "Attendons Claire !"),
        ("rechazar la partida, falta Claire", "falta Claire"),
        ("Отказаться от игры. Без Клэр не играю", "Без Клэр не играю"),
    ],
)
@pytest.mark.parametrize("is_asked_first", [True, False])
def test_a_no_may_have_its_reason(
    tmp_path: Path, *, is_asked_first: bool, text: str, reason: str
) -> None:
    """The answer to an invitation shows it to the others; a declined board waits for the turn."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        if is_asked_first:
            town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.challenge("ann", "bob", "cleo")
        letters = town.reply(town.last_letter_to(BOB), text)
        if is_asked_first:
            (told,) = [each for each in letters if each.to == ANN]
            assert "bob rejects the invitation to board 1" in told.text
            assert f"| {reason}" in told.text
        else:
            (told,) = letters
            assert told.opening == "You have declined board 1."


@each_row(
    "text",
    [
        *("Decline. Just kidding", "No thanks. OK, I'm in!", "decline, unless Claire plays, too"),
        *("No, let's wait for Claire.", "Decline? Let's wait for Claire.", "Decline. 3-2s"),
        *("Je refuse, sauf si Claire joue.", "No thanks, maybe", "no\nactually yes"),
        *("decline\nunless cleo plays", "decline\nactually yes", "нет\nвсё-таки да"),
    ],
)
def test_a_no_in_doubt_is_asked_about(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.challenge("ann", "bob", "cleo")
        (asked,) = town.reply(town.last_letter_to(BOB), text)
        assert asked.to == BOB
        assert "rejected" not in asked.text


@pytest.mark.parametrize(
    "text",
    [
        "Yes, but not now",
        "no problem, I play",
        "Yes?",
        "maybe",
        "ok boomer",
        "sorry",
        "oui, mais pas cette fois",
    ],
)
def test_other_words_are_asked_about(town_of_three: Town, invitation: Letter, text: str) -> None:
    (asked,) = town_of_three.reply(invitation, text)
    assert asked.opening == "I found no command in your email, so nothing was done."
    assert "\nYour email answers a letter about board 2.\n" in asked.text
    assert "  accept  I play\n  reject  not this time\n" in asked.text
    assert "a bid such as" not in asked.text
    letters = town_of_three.reply(asked, "accept")
    assert any("A new game of Perudo has begun" in each.text for each in letters)


def test_a_yes_counts_only_for_an_invitation_that_waits(
    town_of_three: Town, invitation: Letter
) -> None:
    """Not from another address, and not after the board has begun or was given up."""
    town = town_of_three
    headers = {"In-Reply-To": str(invitation.message["Message-ID"])}
    letters = town.write("eve@example.net", "Re: x", "yes", to=invitation.reply_to, headers=headers)
    assert not any("has begun" in each.text for each in letters)
    town.reply(invitation, "no")
    (asked,) = town.reply(invitation, "yes")
    assert "nothing was done" in asked.text


@each_row(
    "text",
    [
        *("accept\nif cleo plays", "accept\nbut not before Monday", "oui\nsi cleo joue"),
        *("accept\nLet me check with my wife first", "sí\nsi cleo juega", "да\nесли клео играет"),
        *("oui si cleo joue", "Oui, si cleo joue"),
    ],
)
def test_a_yes_with_a_condition_is_asked_about(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        town.challenge("ann", "bob", "cleo")
        (asked,) = town.reply(town.last_letter_to(BOB), text)
        assert (asked.to, asked.subject) == (BOB, "What did you mean?")


@each_row(
    "below",
    [
        *("I mean yes", "actually yes", "sorry, I meant yes", "after all yes", "yes after all"),
        *("actually I'm in", "on second thought, count me in", "finalement oui", "oui finalement"),
        *("finalement je joue", "al final sí", "pero sí", "al final juego", "хотя да"),
        *("всё-таки да", "да, всё-таки", "хотя давай", "unless luc plays"),
    ],
)
@pytest.mark.parametrize("said", ["no", "non", "нет", "decline"])
def test_a_no_above_a_yes_in_other_words_does_not_count(said: str, below: str) -> None:
    """A guest's does not, either."""
    assert is_undone_below([said, below], REJECT)
    assert answer_of("", [said, below], is_named=False) == ()


@each_row(
    "below",
    [
        *("I'm not sure I have time", "Let's play later", "I'll play tomorrow with my son"),
        *("I am sure you will find somebody", "next time for sure", "bonne partie à tous"),
        *("mais amusez-vous bien", "peut-être demain", "pero que os divirtáis", "нет времени"),
        *("может, завтра", "но удачи вам", "If I find time, I'll join the next one"),
    ],
)
def test_a_no_above_its_reason_counts(below: str) -> None:
    assert not is_undone_below(["no", below], REJECT)
    assert answer_of("", ["no", below], is_named=False) == ("no",)
