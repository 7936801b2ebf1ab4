"""The Subjects of a board's letters: their words are in one place, for every language."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pbmserv.text import board_subjects, phrases
from pbmserv.text.board_subjects import as_command, of_board, of_refusal, of_turn
from pbmserv.text.subject_prefixes import bare_subject
from tests.rows import each_row

OF_LANGUAGES = {
    "en": {
        "turn_subjects": ["Your turn: Perudo board {board}", "Nag: Perudo board {board}"],
        "board_subjects": ["Perudo board {board}"],
        "refused_subjects": ["Perudo board {board}: not played"],
    },
    "fr": {
        "turn_subjects": ["À vous : Perudo, table {board}"],
        "board_subjects": ["Perudo, table {board}"],
        "refused_subjects": ["Perudo, table {board} : pas joué"],
    },
    "ja": {"turn_subjects": ["Perudo {board} 番：あなたの番です"]},
}
CACHED = (board_subjects._ours, board_subjects._tails, phrases.words_of, phrases.first_of)


@pytest.fixture
def languages(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Three languages; what is remembered of the real ones is forgotten, and these afterwards."""
    monkeypatch.setattr(phrases, "_languages", lambda: OF_LANGUAGES)
    monkeypatch.setattr(phrases, "_language", lambda name: OF_LANGUAGES.get(name, {}))
    for each in CACHED:
        each.cache_clear()
    yield
    for each in CACHED:
        each.cache_clear()


def test_a_language_writes_its_first_subject_or_the_english_one(languages: None) -> None:
    assert [of_turn(12, each) for each in ("en", "fr", "xx")] == [
        "Your turn: Perudo board 12",
        "À vous : Perudo, table 12",
        "Your turn: Perudo board 12",
    ]
    assert of_board(12, "fr") == "Perudo, table 12"
    assert of_refusal(12, "fr") == "Perudo, table 12 : pas joué"
    assert of_refusal(12, "ja") == "Perudo board 12: not played"


@each_row(
    ("subject", "command"),
    [
        ("Your turn: Perudo board 12 4-2s", "perudo board 12 4-2s"),
        ("your  turn :perudo BOARD 12 ann Secret 4-2s", "perudo board 12 ann Secret 4-2s"),
        ("Nag: Perudo board 12 ann **", "perudo board 12 ann **"),
        ("à vous: perudo, table 12 4-2s", "perudo board 12 4-2s"),
        ("À vous\u00a0: Perudo, table 12", "perudo board 12"),
        ("Perudo, table 12 : pas joué 4-2s", "perudo board 12 4-2s"),
        ("Perudo, table 12 : pas jo…", "perudo board 12"),
        ("Perudo 12 番：あなたの番です 4-2s", "perudo board 12 4-2s"),
        ("Perudo board 12: not played", "perudo board 12"),
        ("Perudo board 12: not...", "perudo board 12"),
        ("Perudo board 12: not mine", "perudo board 12 not mine"),
        ("Perudo board 12 n", "perudo board 12 n"),
        # Subjects and lines that are not ours stay as they are.
        ("perudo board 12#3 ann secret dudo", "perudo board 12#3 ann secret dudo"),
        ("Your turn: Perudo board", "Your turn: Perudo board"),
        ("It is your turn: Perudo board 12", "It is your turn: Perudo board 12"),
        ("perudo move 12 ann secret dudo", "perudo move 12 ann secret dudo"),
        ("", ""),
    ],
)
def test_a_subject_of_any_language_is_the_template_of_a_move(
    languages: None, subject: str, command: str
) -> None:
    assert as_command(subject) == command


OURS = {
    "en": ("Your turn: Perudo board 12", "Perudo board 12", "Perudo board 12: not played"),
    "fr": (
        "À vous de jouer : Perudo, partie 12",
        "Perudo, partie 12",
        "Perudo, partie 12 : non joué",
    ),
    "ru": ("Ваш ход: Perudo, партия 12", "Perudo, партия 12", "Perudo, партия 12: ход не сделан"),
    "es": (
        "Te toca: Perudo, partida 12",
        "Perudo, partida 12",
        "Perudo, partida 12: no se ha jugado",
    ),
}
MARKS = ["", "Re: ", "RE: ", "Re[2]: ", "Fwd: ", "TR : ", "RV: ", "Отв: ", "Ответ: ", "Re: RE : "]


@each_row("language", OURS)
@each_row("mark", MARKS)
def test_a_subject_comes_back_in_each_language(language: str, mark: str) -> None:
    """Behind the marks of mail programs, with a move behind it, shortened, in other blanks."""
    written = (of_turn(12, language), of_board(12, language), of_refusal(12, language))
    assert written == OURS[language]
    for subject in written:
        cut = subject if subject.endswith("12") else f"{subject[:-2]}…"  # the number remains
        for changed in (subject, subject.upper(), subject.replace(" ", "\u00a0"), cut):
            assert as_command(bare_subject(mark + changed)) == "perudo board 12"
        for words in ("4-2s", "ann Secret dudo"):
            told = as_command(bare_subject(f"{mark}{subject} {words}"))
            assert told == f"perudo board 12 {words}"
