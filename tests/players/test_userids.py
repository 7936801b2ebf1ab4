"""Which words may name a player, and which of them look alike."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlalchemy import update

from pbmserv.commands.framework import vocabulary
from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.errors import Refused
from pbmserv.players.userids import check_userid, skeleton, skeletons
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

WORDS = {word for words in vocabulary().values() for word in words} | set(vocabulary())
MISTYPED = {"", "mvoe"}  # no words that anybody would choose to write


@pytest.mark.parametrize("userid", ["Al", "ann", "a1.b_c-d", "Z" + "9" * 19, "homer", "shower"])
def test_a_valid_userid_is_accepted(userid: str) -> None:
    check_userid(userid)


@each_row(
    ("userid", "why"),
    [
        ("a", "length"),
        ("", "length"),
        ("a" * 21, "length"),
        ("1ann", "characters"),
        (".ann", "characters"),
        ("an n", "characters"),
        ("änn", "characters"),
        ("ann\n", "characters"),
        ("аnn", "characters"),  # the first letter is Cyrillic
        ("ann@x", "characters"),
        ("next", "reserved"),
        ("ALL", "reserved"),
        ("house", "reserved"),
        ("House-cautious", "reserved"),
        ("dudo", "reserved"),
        ("postmaster", "reserved"),
        ("two-twos", "reserved"),  # a bid
        ("and", "reserved"),  # joins names
    ],
)
def test_an_invalid_userid_is_refused(userid: str, why: str) -> None:
    with pytest.raises(Refused) as caught:
        check_userid(userid)
    assert (caught.value.code, caught.value.facts["why"]) == ("bad_userid", why)
    assert len(str(caught.value.facts["userid"])) <= 20


def test_a_long_userid_is_quoted_as_cut_off() -> None:
    """Its first 20 letters alone would be a userid that is valid."""
    with pytest.raises(Refused) as caught:
        check_userid("abcdefghijklmnopqrstu")
    assert caught.value.facts["userid"] == "abcdefghijklmnopqrs…"


FOREIGN = """
oui OUI aide revanche deux relance defi dos subo ayuda charla non nein ja da net"""
PEOPLE = "otto max marie ivan maria juan lucas anna dario nadia oscar unai paco"


@each_row("userid", FOREIGN.split())
def test_a_word_of_commands_or_answers_of_another_language_is_refused(userid: str) -> None:
    with pytest.raises(Refused) as caught:
        check_userid(userid)
    assert (caught.value.code, caught.value.facts["why"]) == ("bad_userid", "language")


@each_row("userid", PEOPLE.split())
def test_names_of_people_are_not_words_of_commands(userid: str) -> None:
    check_userid(userid)


def test_an_account_keeps_a_userid_that_is_a_word_of_commands(tmp_path: Path) -> None:
    """Those who signed up before it was refused play on; nobody else gets such a name."""
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob")
        with writing(town.engine) as connection:
            named = {"userid": "oui", "userid_key": "oui", "skeleton": skeleton("oui")}
            connection.execute(
                update(models.Player).where(models.Player.userid == "ann").values(named)
            )
        (letter,) = town.write("ann@example.org", f"set oui {PASSWORD}")
        assert letter.subject == "The preferences of oui"
        answers = town.write("eve@example.org", f"signup aide {PASSWORD}")
        assert "this word is a command, a move or an answer" in " ".join(answers[-1].text.split())


RESERVED = """
admin administrator operator moderator support abuse security webmaster postmaster root hostmaster
mailer-daemon noreply no-reply help house everybody server owner system staff sysadmin userid
for me your to here with au para"""


@each_row("userid", RESERVED.split())
def test_a_userid_like_an_office_of_the_server_is_refused(userid: str) -> None:
    """So is a word of a Subject such as "Sign up for Perudo"."""
    with pytest.raises(Refused, match="bad_userid"):
        check_userid(userid)


@each_row(
    "userid",
    ["Adm1n", "ad.min", "adrnin", "AdmIn2", "operat0r", "s-upport", "rnoderator", "h0use", "ro_ot"],
)
def test_no_userid_looks_like_a_reserved_one(userid: str) -> None:
    with pytest.raises(Refused, match="bad_userid"):
        check_userid(userid)


@each_row("word", sorted(WORDS - MISTYPED))
def test_no_userid_can_be_mistaken_for_a_command(word: str) -> None:
    with pytest.raises(Refused, match="bad_userid"):
        check_userid(word)


@each_row(
    ("one", "other"),
    [
        ("ann", "Ann."),
        ("ann", "a-n_n"),
        ("bill", "biIl"),
        ("bill", "b1l1"),
        ("bob", "b0b"),
        ("tom", "torn"),
        ("will", "vvill"),
        ("marla", "rnarIa"),
    ],
)
def test_similar_userids_are_equal(one: str, other: str) -> None:
    assert skeleton(one) == skeleton(other)


@pytest.mark.parametrize(("one", "other"), [("ann", "anna"), ("bob", "bo"), ("cleo", "cleo2")])
def test_distinct_userids_are_unequal(one: str, other: str) -> None:
    assert skeletons(one).isdisjoint(skeletons(other))


def test_a_stroke_in_front_is_overlooked() -> None:
    """Iann is read as |ann; but Ian is a name of its own, and so is lann."""
    assert skeleton("ann") in skeletons("Iann")
    assert skeleton("an") not in skeletons("Ian")
    assert skeleton("ann") not in skeletons("lann")
