"""Who sent it: what forged emails do at a real listener, and what counts instead of a password."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbmserv.commands.parser import CommandCall
from pbmserv.errors import Refused
from pbmserv.intake.command_lines import with_proven_address
from pbmserv.players.validation import check_password
from tests.rows import each_row
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, town_at

OURS = "mx.perudo.example"
PROVEN = {"Authentication-Results": f"{OURS}; dmarc=pass header.from=example.org"}
UNPROVEN = "Nothing proves that this email is from an address of that player"


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """A town whose mail server proves senders; ann, bob and cleo play on board 1, ann to move."""
    with town_at(home, settings=f'authserv_id = "{OURS}"\n') as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo")
        yield town


def carried(town: Town, *lines: str, envelope: str = "ann@example.org") -> list[Letter]:
    """An email of exactly these lines, sent to the listener."""
    head = [f"To: {OUR_ADDRESS}", f"Message-ID: {town.next_message_id()}"]
    raw = "\r\n".join([*head, *lines, ""]).encode()
    return town.carry(raw, envelope, OUR_ADDRESS)


def moved(letters: list[Letter]) -> bool:
    """True if a move was made: every player has a letter about it."""
    return [each.to for each in letters] == [f"{who}@example.org" for who in ("ann", "bob", "cleo")]


SUBJECT = ("Subject: perudo move 1 ann - 2-3s", "")
RESULT = f"Authentication-Results: {PROVEN['Authentication-Results']}"


def test_a_proven_from_moves(town: Town) -> None:
    """The tests below change this email a little."""
    assert moved(carried(town, RESULT, "From: ann@example.org", *SUBJECT))


@pytest.mark.parametrize(
    "froms",
    [
        ["From: ann@example.org", "From: mallory@mallory.example"],
        ["From: mallory@mallory.example", "From: ann@example.org"],
        ["From: ann@example.org, bob@example.org"],
        ['From: "ann@example.org" <mallory@mallory.example>'],
        ["From: ann@example.org <mallory@mallory.example>"],
        ["From: =?utf-8?q?ann=40example=2Eorg?= <mallory@mallory.example>"],
    ],
)
def test_an_email_with_several_froms_moves_nothing(town: Town, froms: list[str]) -> None:
    letters = carried(town, RESULT, *froms, *SUBJECT)
    assert [UNPROVEN in " ".join(each.text.split()) for each in letters] == [True]


def test_only_the_result_of_our_own_server_counts(
    town: Town,
) -> None:
    real = f"Authentication-Results: {OURS}; dmarc=fail header.from=example.org"
    letters = carried(town, real, RESULT, "From: ann@example.org", *SUBJECT)
    assert not moved(letters)


def test_an_envelope_sender_proves_nothing(town: Town) -> None:
    letters = carried(town, "From: ann@example.org", *SUBJECT, envelope="ann@example.org")
    assert not moved(letters)


def test_the_token_of_another_player_moves_nothing(town: Town) -> None:
    """This holds even in an email proven to be ann's: bob's token is not her password."""
    token = town.last_letter_to("bob@example.org").token
    (letter,) = town.write("ann@example.org", f"perudo move 1 ann {token} 2-3s", headers=PROVEN)
    assert "Wrong user name or password" in letter.text
    (letter,) = town.write(
        "ann@example.org", "", "2-3s", to=OUR_ADDRESS.replace("@", f"+{token}@"), headers=PROVEN
    )
    told = " ".join(letter.text.split())
    assert "answers a letter to another player of board 1" in told, "bob is not on turn"


def test_a_token_works_in_small_letters_too(town: Town) -> None:
    token = town.last_letter_to("ann@example.org").token.lower()
    to = OUR_ADDRESS.replace("@", f"+{token}@")
    assert moved(town.write("ann@example.org", "", "2-3s", to=to))


def test_a_replayed_email_does_nothing(town: Town) -> None:
    head = f"To: {OUR_ADDRESS}", RESULT, "Message-ID: <1@x>", "From: ann@example.org"
    raw = "\r\n".join([*head, "Subject: perudo move 1 ann 2-3s", "", ""]).encode()
    assert moved(town.carry(raw, "ann@example.org", OUR_ADDRESS))
    assert town.carry(raw, "ann@example.org", OUR_ADDRESS) == []
    assert town.carry(raw, "mallory@mallory.example", OUR_ADDRESS.replace("@", "+x@")) == []


def test_a_replayed_email_proves_nothing_under_another_number(town: Town) -> None:
    """A signature covers From, Date, Subject and text, and seldom the Message-ID."""
    town.move("ann", "2-3s")
    signed = (RESULT, "From: ann@example.org", "Date: today", "Subject: perudo move 1 ann dudo", "")
    (early,) = carried(town, *signed)
    assert "It is not your turn" in early.text
    town.move("bob", "3-3s")
    town.move("cleo", "4-3s")
    (replayed,) = carried(town, *signed)
    assert UNPROVEN in " ".join(replayed.text.split())
    assert carried(town, *signed[:2], "Date: tomorrow", *signed[3:])[0].to == "ann@example.org"
    assert "ann called dudo" in " ".join(town.last_letter_to("bob@example.org").text.split())


@pytest.mark.parametrize(
    "line",
    [
        "signoff ann -",
        "change password ann - new-password",
        "change address ann - mallory@mallory.example",
        "set ann - language=en",
        "perudo showas ann -",
        "perudo chat 1 ann -",
        "perudo resign 1 ann -",
        "perudo queue 1 ann - dudo",
    ],
)
def test_a_proven_from_allows_moves_alone(town: Town, line: str) -> None:
    """No other command is proven, even beside a proven move."""
    *_, answer = town.write(
        "ann@example.org", "multiple", f"perudo move 1 ann - 2-3s\n{line}", headers=PROVEN
    )
    done, refused = answer.text.split("\n> ")[:2]
    assert "You bid two 3s" in done
    assert UNPROVEN in " ".join(refused.split())


def test_an_email_from_a_shared_address_must_name_its_player(town: Town) -> None:
    (letter,) = town.write("ann@example.org", "signup amy swordfish")
    town.reply(letter, "yes")
    (letter,) = town.write(
        "ann@example.org", "Re: Your turn: Perudo board 1", "2-3s", headers=PROVEN
    )
    assert "Several players have your address: ann and amy" in letter.text
    assert moved(town.write("ann@example.org", "perudo move 1 ann 2-3s", headers=PROVEN))


def test_a_command_without_password_and_proof_is_told_which_is_missing(town: Town) -> None:
    (letter,) = town.write("ann@example.org", "perudo move 1 ann 2-3s")
    assert "perudo move BOARD USERID PASSWORD MOVE..." in letter.text


def is_password(text: str) -> bool:
    try:
        check_password(text)
    except Refused:
        return False
    return True


MOVES = ["4-2s", "4 2", "bid 4 2", "raise to 4 2", "four twos", "dudo", "call", "calza", "resign"]
PASSWORDS = st.one_of(
    st.sampled_from(["raise", "call", "dudo", "four", "4-2s", "secret", "twos", "calza", "4x22"]),
    st.text("abcdr4-2sx", min_size=4, max_size=8),
).filter(is_password)


@given(PASSWORDS, st.sampled_from(MOVES))
def test_no_password_is_ever_taken_for_a_part_of_a_move(password: str, move: str) -> None:
    order = CommandCall("perudo", "move", ("12", "ann", password, *move.split()))
    assert with_proven_address(order) == order


@each_row("last", [(), ("#17",), ("**",)])
@each_row("move", [*MOVES, "propose", "accept"])
def test_a_move_without_a_password_is_known_as_one(move: str, last: tuple[str, ...]) -> None:
    order = with_proven_address(CommandCall("perudo", "move", ("12", "ann", *move.split(), *last)))
    kept = tuple(word for word in last if word != "**")
    assert order == CommandCall("perudo", "move", ("12", "ann", "-", *move.split(), *kept))


def test_a_stolen_password_alone_moves_no_address(town: Town) -> None:
    """The reader of the old address must agree; until then the new one gets no email."""
    thief = "mallory@mallory.example"
    letters = town.write(thief, f"change address ann {PASSWORD} {thief} more@mallory.example")
    assert [each.to for each in letters] == ["ann@example.org", thief]
    assert not letters[1].is_to_be_confirmed
    told = {each.to for each in town.write("bob@example.org", "perudo challenge ann house")}
    assert told == {"ann@example.org", "bob@example.org"}
    token = town.asked_of("ann@example.org")
    agreed = town.write("ann@example.org", f"confirm {token}")
    assert [each.to for each in agreed if each.is_to_be_confirmed] == [
        thief,
        "more@mallory.example",
    ]
    assert (
        "That confirmation code is wrong"
        in town.write("ann@example.org", f"confirm {token}")[0].text
    )


def test_a_new_password_ends_a_change_of_addresses(town: Town) -> None:
    town.write("mallory@x.example", f"change address ann {PASSWORD} mallory@x.example")
    token = town.asked_of("ann@example.org")
    town.write("ann@example.org", f"change password ann {PASSWORD} herring")
    (letter,) = town.write("ann@example.org", f"confirm {token}")
    assert "That confirmation code is wrong" in letter.text


def test_an_unproven_request_does_not_void_an_earlier_reset_letter(town: Town) -> None:
    """The first letter still works after two more; what it sets ends them all."""
    asked = []
    for sender in ("ann@example.org", "eve@example.net", "mallory@example.net"):
        town.write(sender, "reset ann")
        asked.append(town.asked_of("ann@example.org"))
    (told,) = town.write("ann@example.org", f"reset ann {asked[0]} herring")
    assert told.subject == "Your password was changed, ann"
    for token in asked:
        (told,) = town.write("ann@example.org", f"reset ann {token} stolen")
        assert "That reset code is wrong, used" in told.text
