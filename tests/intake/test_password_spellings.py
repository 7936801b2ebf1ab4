"""A password of another spelling, or among rare words, goes to nobody below a move."""

from __future__ import annotations

from itertools import cycle
from pathlib import Path
from tempfile import mkdtemp

import pytest
from sqlalchemy import delete, update

from pbmserv.database import models
from pbmserv.database.engine import writing
from pbmserv.intake.stray_passwords import MOST_BESIDE, MOST_SPELLED
from pbmserv.security.passwords import Passwords
from pbmserv.text.unicode_forms import plain_letters
from tests.rows import each_row
from tests.stories.town import Letter, Town, town_at

ANN, BOB, CLEO = (f"{name}@example.org" for name in ("ann", "bob", "cleo"))


def with_password_of_ann(town: Town, password: str) -> None:
    """Let ann's password be another one, and no word be counted."""
    with writing(town.engine) as connection:
        stored = town.processor.passwords.hash(password)
        mine = update(models.Player).where(models.Player.userid == "ann")
        connection.execute(mine.values(password_hash=stored))
        connection.execute(delete(models.Counter))


def holders(letters: list[Letter], password: str) -> list[str]:
    """Who gets a letter with the password, in any spelling."""
    texts = [(each.to, f"{each.subject}\n{each.body}\n{each.raw.decode()}") for each in letters]
    return [to for to, text in texts if plain_letters(password) in plain_letters(text)]


def replied(folder: Path, password: str, text: str) -> list[Letter]:
    """The letters that a reply of ann's brings, to the letter of her turn at a board of three."""
    with town_at(Path(mkdtemp(dir=folder)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        with_password_of_ann(town, password)
        return town.reply(town.last_letter_to(ANN), text)


@each_row(
    ("password", "lines"),
    [
        ("kestrel", "hello all\nkestrel Rivendell wessex"),
        ("kestrel", "hello all\nkestrel Pantagruel Quixote zaphod"),
        ("kestrel", "Hi bob\nuser kestrel yesss mississippi"),
        ("kestrel", "Hi bob\nkestrel Albatross Wessex Knossos"),
        ("moineau", "bonjour à tous\nmoineau Cosette Gavroche Fantine"),
        ("gorrión", "hola a todos\ngorrión Quijote Ulises Dulcinea"),
        ("воробей", "всем привет\nворобей Онегин Печорин Чичиков"),
    ],
)
def test_other_spellings_take_the_place_of_no_word(
    password: str, lines: str, tmp_path: Path
) -> None:
    """Four words of an email are compared, in whichever of its lines they are."""
    first, *_ = lines.split("\n")
    letters = replied(tmp_path, password, f"2-2s\n{lines}")
    for reader in (BOB, CLEO):
        (told,) = [each for each in letters if each.to == reader]
        assert f"| {first}" in told.text
    assert holders(letters, password) == []


@pytest.mark.parametrize(
    "line",
    [
        "kestrel Rivendell wessex",
        "Albatross, Wessex and Knossos are lovely",
        "Gavroche et Fantine, quelle histoire",
        "Dulcinea y Quijote, vaya pareja",
        "Онегин и Печорин, вот это да",
    ],
)
def test_rare_words_that_are_not_a_password_are_sent(line: str, tmp_path: Path) -> None:
    letters = replied(tmp_path, "sparrow", f"2-2s\nhello all\n{line}")
    assert all(any(f"| {line}" in e.text for e in letters if e.to == to) for to in (BOB, CLEO))


SPELLED = (  # the password, and how its player types it
    *(("Fußball77", each) for each in ("fussball77", "Fussball77", "FUSSBALL77", "fußball77")),
    *(("Großmutter", each) for each in ("grossmutter", "Grossmutter", "GROSSMUTTER")),
    *(("großmutter", "grossmutter"), ("strasse2", "straße2"), ("Strasse2", "straße2")),
    *(("ΣΟΦΙΑΣ77", "σοφιας77"), ("σοφιας77", "ΣΟΦΙΑΣ77"), ("Σοφιας77", "σοφιας77")),
    *(("елка2020", "Ёлка2020"), ("ёлка2020", "Елка2020"), ("Ёлка2020", "елка2020")),
    *(("медвежонок", "Медвежонок"), ("ежевика", "ёжевика"), ("ЗАНЗИБАР1", "занзибар1")),
    *(("elodie75", "Élodie75"), ("élodie75", "ÉLODIE75"), ("Élodie", "E\u0301lodie")),
    *(("corazon7", "Corazón7"), ("España82", "españa82"), ("niño2000", "NIN\u0303O2000")),
    *(("istanbul34", "İstanbul34"), ("istanbul34", "ıstanbul34"), ("Istanbul34", "ISTANBUL34")),
    *(("KESTREL7", "kestrel7"), ("kestrel", "KESTREL"), ("Kestrel", "kestrel")),
)
BELOW_MOVES = (
    "{}",
    "are you bluffing, {}?",
    "set ann {} language=fr",
    "hello all\nand {}, see you",
    "bonjour à tous\nmerci {} !",
    "hola a todos\n¡gracias, {}!",
    "всем привет\nспасибо, {}!",
)


ROWS = [
    *((*SPELLED[0], below) for below in BELOW_MOVES),
    *((*spelled, below) for spelled, below in zip(SPELLED[1:], cycle(BELOW_MOVES), strict=False)),
]


@each_row(("password", "written", "below"), ROWS)
def test_a_password_of_another_spelling_goes_to_nobody(
    password: str, written: str, below: str, tmp_path: Path
) -> None:
    letters = replied(tmp_path, password, f"2-2s\n{below.format(written)}")
    assert any(each.to == BOB for each in letters)
    (told,) = [each for each in letters if each.to == ANN]
    assert "has your password" in told.text
    assert holders(letters, password) == []


def test_a_password_of_another_spelling_in_a_command_is_neither_shown_again_nor_stored(
    tmp_path: Path,
) -> None:
    commands = cycle(("help {}", "perudo show {}", "challenge bob {}", "stats {}"))
    with town_at(tmp_path / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        for (password, written), command in zip(SPELLED, commands, strict=False):
            with_password_of_ann(town, password)
            letters = town.reply(town.last_letter_to(ANN), command.format(written))
            assert letters
            assert holders(letters, password) == []
        stored = b"".join(each.read_bytes() for each in town.home.rglob("*") if each.is_file())
        assert [written for _, written in SPELLED if written.encode() in stored] == []


def test_the_comparisons_of_an_email_have_a_limit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where each of its words has many spellings."""
    compared: list[str] = []
    prove = Passwords.prove

    def noted(self: Passwords, key: str, stored: str | None, word: str, now: int) -> bool:
        compared.append(word)
        return prove(self, key, stored, word, now)

    monkeypatch.setattr(Passwords, "prove", noted)
    words = " ".join(f"ÉTÉ{number}PASSERELLE" for number in range(9))
    replied(tmp_path, "sparrow", f"2-2s\nhello all\n{words}")
    spelled = [each for each in compared if each not in words.split()]
    assert (len(compared), len(spelled)) == (MOST_BESIDE + MOST_SPELLED, MOST_SPELLED)


@each_row(("password", "written"), SPELLED)
def test_a_password_in_a_command_is_left_out_below_it_in_any_spelling(
    password: str, written: str, tmp_path: Path
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        with_password_of_ann(town, password)
        for number, subject in enumerate(("perudo chat 1 ann {}", "message ann {} bob")):
            text = f"Hello{number}!\nand {written}, you\nSee you!"
            letters = town.write(ANN, subject.format(password), text)
            (told,) = [each for each in letters if each.to == BOB]
            assert f"| Hello{number}!" in told.text
            assert holders(letters, password) == []
        refused = town.write(ANN, f"perudo move 1 ann {password} {written}")
        assert refused
        assert holders(refused, password) == []
