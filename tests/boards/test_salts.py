"""Emails of players are mixed into the coming dice, and each player can find them in the record."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import select

from pbmserv.boards.record import record_text
from pbmserv.cli.main import pbmserv
from pbmserv.database import models
from pbmserv.database.engine import reading
from pbmserv.games.perudo.player_salts import part_of
from pbmserv.games.perudo.record import Record, read_record
from pbmserv.games.perudo.verify import verify
from pbmserv.schedule.tick import reroll
from tests.rows import each_row
from tests.stories.town import OUR_ADDRESS, PASSWORD, Letter, Town, mail, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo")
        yield town


def text_of(town: Town, board: int = 1) -> str:
    with reading(town.engine) as connection:
        return record_text(connection, board)


def record(town: Town, board: int = 1) -> Record:
    return read_record(text_of(town, board))


def moves(town: Town, board: int = 1) -> list[str]:
    return re.findall("^[A-F] .*$", text_of(town, board), re.MULTILINE)


def last_part(town: Town) -> str:
    """The salt of the email that was written last."""
    return part_of(f"mail-{town.mails}@client.example")


def commitment_in(letter: Letter) -> str:
    return str(letter.message["X-Perudo-Commitment"])


def test_the_email_of_a_move_stands_beside_it(town: Town) -> None:
    """By a command, by a reply, and with words of the player's own in any language."""
    town.challenge("ann", "bob")
    town.move("ann", "1-2s")
    expected = [f"A 1-2s salt={last_part(town)}"]
    assert moves(town) == expected
    town.reply(town.last_letter_to(BOB), "2-2s salt my cat  sleeps")
    expected.append(f"B 2-2s salt={last_part(town)}+{part_of('my cat sleeps')}")
    town.move("ann", "3-2s sel mon chat")
    expected.append(f"A 3-2s salt={last_part(town)}+{part_of('mon chat')}")
    town.move("bob", "не верю соль мой кот")
    expected.append(f"B dudo salt={last_part(town)}+{part_of('мой кот')}")
    assert moves(town) == expected
    assert [each.salted for each in verify(record(town))] == [{0}, frozenset()]
    town.move("ann", "resign salt goodbye")
    town.move("bob", "resign salt goodbye")
    assert part_of("goodbye") in moves(town)[-1]
    assert verify(record(town))[1].salted == {0, 1}


def test_a_move_with_words_of_its_player_is_answered(town: Town) -> None:
    """Also a bid, which brings no letter otherwise; other players' letters do not say it."""
    town.challenge("ann", "bob")
    town.write(ANN, f"set ann {PASSWORD} letters=turns")
    town.write(BOB, f"set bob {PASSWORD} letters=turns")
    said = "Your words after salt are mixed into the next roll of the dice."
    assert [each.to for each in town.move("ann", "1-2s")] == [BOB]
    letters = {each.to: each.text for each in town.move("bob", "2-2s salt my cat")}
    assert set(letters) == {ANN, BOB}
    assert said in letters[BOB]
    assert said not in letters[ANN]
    letters = {each.to: each.text for each in town.move("ann", "dudo salt my dog")}
    assert [to for to, text in letters.items() if said in text] == [ANN]


@pytest.mark.parametrize("word", ["salt", "Salt:", "sel", "соль", "sal"])
def test_salt_without_words_changes_nothing_and_shows_a_move_that_works(
    town: Town, word: str
) -> None:
    town.challenge("ann", "bob")
    (letter,) = town.move("ann", f"1-2s {word}")
    assert letter.to == ANN
    assert "There are no words after salt, so nothing was done." in letter.text
    assert "\n  1-2s salt abracadabra 17\n  1-2s\n" in letter.text
    assert moves(town) == []


def test_the_answer_to_queued_moves_tells_of_the_words_too(town: Town) -> None:
    town.challenge("ann", "bob")
    (letter,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} dudo salt my cat")
    assert "Your words after salt are mixed into the dice" in letter.text
    (letter,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} 5-5s dudo salt")
    assert "There are no words after salt, so nothing was done." in letter.text
    (letter,) = town.write(BOB, f"perudo queue 1 bob {PASSWORD} dudo")
    assert "salt" not in letter.text


def test_a_salt_may_be_in_front_of_a_number_and_a_message(town: Town) -> None:
    town.challenge("ann", "bob")
    letters = town.move("ann", "1-2s salt some words #1", text="Good luck!")
    assert moves(town) == [f"A 1-2s salt={last_part(town)}+{part_of('some words')}"]
    assert all("some words" not in letter.raw.decode() for letter in letters)
    assert "Good luck!" in town.last_letter_to(BOB).text


def test_a_shell_adds_a_random_salt(town: Town) -> None:
    """The same command at two shells has two salts."""
    town.challenge("ann", "bob")
    town.challenge("ann", "bob")
    for board in ("1", "2"):
        words = ["perudo", "move", board, "ann", PASSWORD, "1-2s", "salt", "my", "words"]
        done = CliRunner().invoke(pbmserv, ["--home", str(town.home), *words])
        assert done.exit_code == 0, done.output
    lines = [*moves(town), *moves(town, 2)]
    found = [re.fullmatch(r"A 1-2s salt=([0-9a-f]{8})\+" + part_of("my words"), x) for x in lines]
    assert all(found)
    assert len({each[1] for each in found if each}) == 2


def test_a_queued_move_has_the_salt_of_the_email_that_queued_it(town: Town) -> None:
    town.challenge("ann", "bob")
    town.write(BOB, f"perudo queue 1 bob {PASSWORD} 2-2s dudo salt any words")
    queued = last_part(town)
    town.move("ann", "1-2s")
    assert moves(town)[1] == f"B 2-2s salt={queued}+{part_of('any words')}"


def test_a_round_after_house_players_alone_has_nothing_of_a_person_and_verify_says_so(
    town: Town,
) -> None:
    """ann leaves in round 1; after the new round 2 the house plays by itself, one round or more."""
    town.write(ANN, "perudo challenge -inorder -dice=2 ann house house2")
    town.write(ANN, f"perudo resign 1 ann {PASSWORD}")
    salted = [each.salted for each in verify(record(town))]
    assert salted[:3] == [{0}, {0}, frozenset()]
    (letter,) = town.write(ANN, "perudo verify 1")
    said = r"rounds? 3(-\d+)? were fixed before (the round|these rounds), but by the server alone"
    assert re.search(said, " ".join(letter.text.split()))


def test_the_seed_of_round_1_is_committed_in_the_letters_before(town: Town) -> None:
    """The next board of the same player has another one, shown from then on."""
    before = commitment_in(town.last_letter_to(ANN))
    assert before != commitment_in(town.last_letter_to(BOB))
    town.challenge("ann", "bob")
    assert record(town).commitment == before
    assert record(town).salts == ((0, last_part(town)),)
    after = commitment_in(town.last_letter_to(ANN))
    assert after != before
    town.challenge("ann", "bob")
    assert record(town, 2).commitment == after


def test_an_invitation_shows_its_commitment_and_a_yes_adds_to_the_dice(town: Town) -> None:
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.write(CLEO, f"set cleo {PASSWORD} challenges=ask")
    committed = commitment_in(town.last_letter_to(ANN))
    town.write(ANN, "perudo challenge -inorder ann bob cleo")
    added = [last_part(town)]
    for address in (BOB, CLEO):
        invitation = next(
            each for each in reversed(town.letters) if each.to == address and committed in each.text
        )
        town.reply(invitation, "accept")
        added.append(last_part(town))
    assert record(town).commitment == committed
    assert record(town).salts == tuple(enumerate(added))


def test_a_player_who_completes_a_board_of_seekers_adds_to_its_dice(town: Town) -> None:
    committed = commitment_in(town.last_letter_to(BOB))
    town.write(ANN, f"perudo seek ann {PASSWORD} -players=2")
    town.write(BOB, f"perudo seek bob {PASSWORD} -players=2")
    found = record(town)
    assert found.commitment == committed
    assert dict(found.salts) == {found.players.index("bob"): last_part(town)}


def test_after_a_restore_every_commitment_is_another(town: Town) -> None:
    """Otherwise a person who knows the backup would know the dice of the next boards."""
    town.challenge("ann", "bob")
    with reading(town.engine) as connection:
        seeds = select(models.Player.opening_seed).order_by(models.Player.id)
        before = connection.execute(seeds).scalars().all()
    reroll(town.app.transactions, town.now)
    with reading(town.engine) as connection:
        after = connection.execute(seeds).scalars().all()
    assert len({*before, *after}) == 2 * len(before) == 6
    town.delivered()
    committed = commitment_in(town.last_letter_to(ANN))
    assert committed == hashlib.sha256(after[0] or b"").hexdigest()


def test_a_salt_counts_only_for_a_seed_that_a_letter_has_shown(town: Town) -> None:
    """Of two challenges in one email only the first had a commitment before it."""
    town.write(ANN, "multiple", "perudo challenge -inorder ann bob\n" * 2)
    assert record(town).salts
    assert record(town, 2).salts == ()
    town.move("ann", "2-2s", 2)
    town.move("bob", "dudo", 2)
    (letter,) = town.write(ANN, "perudo verify 2")
    said = "The dice of round 1 were fixed before the round, but by the server alone."
    assert said in " ".join(letter.text.split())
    town.challenge("ann", "bob")
    assert record(town, 3).salts  # the letters about board 2 showed it


def test_after_a_restore_an_invitation_has_a_new_seed_and_no_salts(town: Town) -> None:
    """Its old seed may be known: then who accepts could choose a salt, and so the dice."""
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    committed = commitment_in(town.last_letter_to(ANN))
    town.challenge("ann", "bob")
    reroll(town.app.transactions, town.now)
    town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    assert record(town).commitment != committed
    assert record(town).salts == ()


@each_row(
    ("proof", "told"),
    [
        ("<mail-{n}@client.example>", "Move 1 of ann, 1-2s, has the salt {part}."),
        ("mail-{n}@client.example", "Move 1 of ann, 1-2s, has the salt {part}."),
        ("{part}", "Move 1 of ann, 1-2s, has the salt {part}."),
        ("salt my words", f"Move 1 of ann, 1-2s, has the salt {part_of('my words')}."),
        ("salt other words", f"No move of this game has the salt {part_of('other words')}."),
        ("<other@client.example>", f"has the salt {part_of('other@client.example')}."),
        (
            "<mail-{challenge}@client.example>",
            "ann has added the salt {first} to the dice of round 1.",
        ),
        ("0123abcd", "No move of this game led to a digest that begins with 0123abcd."),
        ("{wrong}", "No move of this game led to a digest that begins with {wrong}."),
        ("<no-sign>", f"No move of this game has the salt {part_of('no-sign')}."),
        ("{SEAL}", "The digest that begins with {seal:.8} covers all moves up to move"),
        (
            "{seal:.8}",
            "The digest that begins with {seal:.8} covers all moves up to move",
        ),
        ("{seal:.30} {rest}", "The digest that begins with {seal:.8} covers all moves"),
        ("{seal:.7}", "A digest has 64 characters"),
        ("{seal}0", "A digest has 64 characters"),
        ("hello", "A digest has 64 characters"),
    ],
)
def test_verify_finds_the_move_of_a_salt(home_with_a_move: Path, proof: str, told: str) -> None:
    """Its Message-ID, its digits, or the words of the player name it.

    Where no digest fits, the answer has all digits that were asked about.
    """
    with town_at(home_with_a_move) as town:
        number, first = (int(each) for each in (home_with_a_move / "mails").read_text().split())
        facts = {
            "n": number,
            "part": part_of(f"mail-{number}@client.example"),
            "challenge": first,
            "first": part_of(f"mail-{first}@client.example"),
        }
        with reading(town.engine) as connection:
            seal = record_text(connection, 1).split()[-1]
        facts |= {"seal": seal, "SEAL": seal.upper(), "rest": seal[30:]}
        facts["wrong"] = seal[:-1] + ("0" if seal[-1] != "0" else "1")
        (letter,) = town.write(BOB, f"perudo verify 1 {proof.format(**facts)}")
        said = " ".join(letter.text.split())
        assert told.format(**facts) in said
        assert ("in the source of the email that you sent" in said) == (
            "No move" in said and "salt" in said
        )


def test_verify_says_where_one_finds_the_message_id_of_an_own_email(town: Town) -> None:
    """As soon as a round with salts is opened."""
    town.challenge("ann", "bob", options=("-inorder",))
    where = "in the source of the email that you sent, in the line that begins with Message-ID."
    (letter,) = town.write(BOB, "perudo verify 1")
    assert where not in " ".join(letter.text.split())
    town.move("ann", "2-2s")
    town.move("bob", "dudo")
    (letter,) = town.write(BOB, "perudo verify 1")
    assert where in " ".join(letter.text.split())


def test_verify_knows_a_message_id_without_at(home: Path) -> None:
    """RFC 5322 demands the @.  Some programs leave it out, and the salt is made without it."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=("-inorder",))
        line = f"perudo move 1 ann {PASSWORD} 1-2s"
        raw = mail("ann@example.org", line, message_id="<20261120-1>")
        town.carry(raw, "ann@example.org", OUR_ADDRESS)
        for given in ("20261120-1", "<20261120-1>"):
            (letter,) = town.write(BOB, f"perudo verify 1 {given}")
            wanted = f"Move 1 of ann, 1-2s, has the salt {part_of('20261120-1')}."
            assert wanted in " ".join(letter.text.split())


@pytest.fixture(scope="module")
def home_with_a_move(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("salts") / "home"
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob")
        first = town.mails
        town.move("ann", "1-2s salt my words")
        (home / "mails").write_text(f"{town.mails} {first}")
    return home
