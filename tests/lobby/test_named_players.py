"""The players of a challenge as people write them: "luc, ivan et moi"."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

from sqlalchemy import update

from pbmserv.database import models
from pbmserv.database.engine import writing
from tests.rows import each_row
from tests.stories.town import PASSWORD, town_at

ANN = "ann@example.org"


@each_row(
    ("said", "names"),
    [
        ("challenge luc, ivan and me", {"ann", "ivan", "luc"}),
        ("perudo challenge luc, ivan, and myself", {"ann", "ivan", "luc"}),
        ("challenge me luc", {"ann", "luc"}),
        ("challenge luc et moi", {"ann", "luc"}),
        ("défi luc, ivan et moi", {"ann", "ivan", "luc"}),
        ("perudo challenge luc y yo", {"ann", "luc"}),
        ("perudo challenge luc и я", {"ann", "luc"}),
        ("challenge luc et ivan", {"ivan", "luc"}),
        ("challenge luc и ivan", {"ivan", "luc"}),
    ],
)
def test_a_board_has_the_players_of_the_sentence(
    tmp_path: Path, said: str, names: set[str]
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "ivan", "luc")
        letters = town.write(ANN, said)
        begun = {each.to.partition("@")[0] for each in letters if "has begun" in each.text}
        assert begun | {"ann"} == names | {"ann"}
        table = next(each.text for each in letters if "THE TABLE" in each.text)
        assert ("\n  ann  " in table) == ("ann" in names)


def test_such_a_word_is_a_player_where_one_has_it(home: Path) -> None:
    """An account of an older version: nobody can have it now."""
    with town_at(home) as town:
        (refused,) = town.write("yo@example.org", f"signup yo {PASSWORD}")
        assert not refused.is_to_be_confirmed
        town.sign_up("ann", "bob")
        with writing(town.engine) as connection:
            bob = update(models.Player).where(models.Player.userid == "bob")
            connection.execute(bob.values(userid="yo", userid_key="yo"))
        letters = town.write(ANN, "perudo challenge ann yo")
        assert {each.to for each in letters} == {ANN, "bob@example.org"}


def test_one_player_is_told_the_right_command(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "luc")
        (refused,) = town.write(ANN, "perudo challenge with luc")
        assert "\n  perudo challenge ann luc\n" in refused.text


@each_row(
    "said",
    [
        *("challenge ann and luc with 3 dice", "perudo challenge ann luc 3 dice"),
        *("challenge moi et luc avec 3 dés", "perudo challenge ann luc con 3 dados"),
    ],
)
def test_the_number_of_dice_may_be_at_the_end(tmp_path: Path, said: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "luc")
        letters = town.write(ANN, said)
        assert {each.to for each in letters} == {ANN, "luc@example.org"}
        assert all("pbmserv with dice=3." in each.text for each in letters)


@each_row(
    "said",
    [
        *("ann luc 3 friends", "ann luc 3 diego", "ann luc 30 dice", "-dice=4 ann luc 3 dice"),
        *("ann luc dos dados", "ann luc dice"),
    ],
)
def test_other_words_at_the_end_are_names(tmp_path: Path, said: str) -> None:
    """A player may have the userid diego, or dos; of two numbers of dice neither is sure."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "luc")
        (refused,) = town.write(ANN, f"perudo challenge {said}")
        assert f'"{said.rsplit(maxsplit=1)[-1]}"' in refused.text


def test_one_player_with_a_number_of_dice_is_told_the_right_command(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "luc")
        for said in ("challenge Luc with 3 dice", "challenge -dice=3 Luc"):
            (refused,) = town.write(ANN, said)
            assert "\n  perudo challenge -dice=3 ann Luc\n" in refused.text
        for said in ("challenge ann with 3 dice", "challenge -dice=3 Ann"):
            (refused,) = town.write(ANN, said)
            assert "\n  perudo challenge -dice=3 ann bob\n" in refused.text


def test_who_names_only_others_is_told_how_to_play_with_them(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "luc", "ivan", "lola")
        (help_letter,) = town.write(ANN, "help")
        letters = town.reply(help_letter, "challenge -inorder luc ivan lola 3 dés")
        mine = next(each for each in letters if each.to == ANN)
        line = "perudo challenge -dice=3 ann luc ivan lola"
        said = "You do not play in this game. To begin one with you, send:"
        assert mine.text.split("\n")[:4] == ["Board 1 has begun.", "", said, f"  {line}"]
        for other in (each for each in letters if each is not mine):
            together = " ".join(other.text.split())
            assert "ann challenges you. ann does not play in this game." in together
        letters = town.write(ANN, line)
        tables = [each.text.partition("THE TABLE")[2] for each in letters]
        assert all("\n  ann  " in each for each in tables)
        assert not any("does not play" in each.text for each in letters)


@each_row(
    ("said", "line"),
    [
        ("-rules=bga luc ivan", "perudo challenge -rules=bga ann luc ivan"),
        ("luc ivan -raise=strict", "perudo challenge -raise=strict ann luc ivan"),
        ("luc ivan lola bob cleo mia", ""),
    ],
)
def test_the_line_has_the_rules_of_the_game_if_a_seat_is_free(
    tmp_path: Path, said: str, line: str
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up("ann", "luc", "ivan", "lola", "bob", "cleo", "mia")
        letters = town.write(ANN, f"perudo challenge -inorder {said}")
        mine = next(each for each in letters if each.to == ANN)
        assert "You do not play in this game." in mine.text
        assert ("To begin one with you" in mine.text) == (line != "")
        assert f"\n  {line}\n" in mine.text or not line
