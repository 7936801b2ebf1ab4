"""Words that put a move or an end off, or that may mean another end, are asked about."""

from __future__ import annotations

from pathlib import Path

from tests.intake.new_towns import new_town, town_with_bid
from tests.rows import each_row
from tests.stories.town import Letter, Town

ANN, BOB, LUC = "ann@example.org", "bob@example.org", "luc@example.org"
OVER = (("ann", "resign"),)
DRAW = ("ann", "3-2s"), ("ann", "propose")


def is_asked(letters: list[Letter], writer: str) -> bool:
    """Whether the writer alone gets a letter, which asks what was meant, or helps."""
    subjects = {"What did you mean?", "How to go on: Perudo board 1"}
    return [each.to for each in letters] == [writer] and letters[0].subject in subjects


@each_row(
    "below",
    [
        *("at the end of the week", "after this round", "tomorrow", "Is it my turn?"),
        *("après cette manche", "à la fin de la manche", "attends, c'est mon tour ?"),
        *("después de esta ronda", "al final de la semana", "espera, ¿es mi turno?"),
        *("после этого раунда", "в конце недели", "подожди, мой ход?"),
        *("please ignore", "can I do that?", "is that allowed?", "wait for my next email"),
        *("ignorez ça", "non finalement", "c'était un test", "mdr non", "lol no", "ахаха нет"),
        *("ignora eso", "no, al final no", "era una prueba", "correo equivocado", "jaja no"),
        *("не обращай внимания", "проверка", "correct: 5-2s"),
    ],
)
def test_a_move_above_them_is_asked_about(tmp_path: Path, below: str) -> None:
    for move in ("dudo", "4-2s"):
        with town_with_bid(tmp_path) as town:
            assert is_asked(town.reply(town.last_letter_to(BOB), f"{move}\n{below}"), BOB)


@each_row(
    "below",
    [
        *("at the end of the week", "after this round", "Is that ok?", "tomorrow", "on Friday"),
        *("vendredi", "en una semana", "в пятницу", "в декабре", "может быть", "I am not sure"),
        *("après cette manche", "ça vous va ?", "después de esta ronda", "¿está bien?"),
        *("после этого раунда", "вы не против?"),
    ],
)
def test_a_yes_above_them_ends_no_game(tmp_path: Path, below: str) -> None:
    with town_with_bid(tmp_path) as town:
        (asked,) = town.reply(town.last_letter_to(BOB), "I give up")
        assert is_asked(town.reply(asked, f"Yes\n{below}"), BOB)


@each_row("below", ["Good game all!", "Thanks\nBob", "I have to work now, bye"])
def test_a_yes_above_other_words_ends_it(tmp_path: Path, below: str) -> None:
    with town_with_bid(tmp_path) as town:
        (asked,) = town.reply(town.last_letter_to(BOB), "I give up")
        assert len(town.reply(asked, f"Yes\n{below}")) > 1


@each_row("text", ["oui, j'abandonne", "sí, abandono", "sí, me rindo", "да, сдаюсь"])
def test_a_yes_to_another_question_resigns_nothing(tmp_path: Path, text: str) -> None:
    """The question was whether `dudo` is meant."""
    with town_with_bid(tmp_path) as town:
        (asked,) = town.reply(town.last_letter_to(BOB), "I doubt it, Luc")
        assert "Did you mean dudo?" in asked.text
        assert is_asked(town.reply(asked, text), BOB)


@each_row(
    "text",
    [
        *("me retiro, hasta mañana", "me rindo, no sé la respuesta", "j'abandonne, tu as gagné"),
        *("сдаюсь, пойду спать", "сдаюсь, не знаю ответа", "I resign, see you"),
    ],
)
def test_words_to_leave_beside_others_plan_no_end_out_of_turn(tmp_path: Path, text: str) -> None:
    with town_with_bid(tmp_path) as town:
        assert is_asked(town.reply(town.last_letter_to(LUC), text), LUC)


@each_row("text", ["decline", "I decline", "Sorry, decline", "je décline", "declinar"])
def test_decline_below_an_offered_draw_is_asked_about(tmp_path: Path, text: str) -> None:
    """It may mean the draw: it left the game, which ended a game of two at once."""
    with new_town(tmp_path, ("ann", "bob", "luc"), DRAW) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert is_asked(letters, BOB)
        said = " ".join(letters[0].text.split())
        assert "accept the game ends as a draw reject the game goes on" in said
        assert "To leave the game, reply with decline the game." in said
        assert "Did you mean" not in said


@each_row("below", ["Another time", "not today", "une autre fois", "otro día", "не сегодня"])
def test_a_draw_or_a_seat_accepted_above_them_is_asked_about(tmp_path: Path, below: str) -> None:
    with new_town(tmp_path, ("ann", "bob", "luc"), DRAW) as town:
        assert is_asked(town.reply(town.last_letter_to(BOB), f"accept\n{below}"), BOB)


def test_a_goodbye_below_a_move_puts_nothing_off(tmp_path: Path) -> None:
    with town_with_bid(tmp_path) as town:
        letters = town.reply(town.last_letter_to(BOB), "dudo\nLater!")
        assert "You lose a die." in [each.opening for each in letters if each.to == BOB]


def test_no_letter_with_an_offered_draw_names_decline(tmp_path: Path) -> None:
    with new_town(tmp_path, ("ann", "bob", "luc"), DRAW) as town:
        assert "Reply with decline" not in town.last_letter_to(BOB).text


@each_row(
    ("text", "done"),
    [
        *(
            ("decline the game", "You leave the game."),
            ("refuser la partie", "You leave the game."),
        ),
        *(("decline the draw", "You reject the draw."), ("rechazar", "You reject the draw.")),
    ],
)
def test_words_with_one_meaning_below_an_offered_draw(tmp_path: Path, text: str, done: str) -> None:
    with new_town(tmp_path, ("ann", "bob", "luc"), DRAW) as town:
        letters = town.reply(town.last_letter_to(BOB), text)
        assert done in [each.opening for each in letters if each.to == BOB]


@each_row(
    "text",
    [
        *("rematch\nbut next week", "rematch\nnot today", "revanche\npas aujourd'hui"),
        *("revancha\nhoy no", "реванш\nне сегодня"),
    ],
)
def test_a_rematch_for_later_begins_nothing(tmp_path: Path, text: str) -> None:
    with new_town(tmp_path, moves=OVER) as town:
        last: Letter = town.last_letter_to(BOB)
        assert is_asked(town.reply(last, text), BOB)


def has_been_told(town: Town, words: str) -> bool:
    """Whether luc's reply is answered with: a move cannot be taken back."""
    (told,) = town.reply(town.last_letter_to(LUC), words)
    return "A move cannot be taken back" in " ".join(told.text.split())


@each_row("words", ["not now", "cancel", "no sorry, I mean yes"])
def test_only_who_has_moved_reads_that_a_move_stays(tmp_path: Path, words: str) -> None:
    with town_with_bid(tmp_path) as town:
        assert not has_been_told(town, words)
        town.move("luc", "accept")
        assert not has_been_told(town, words)
        town.move("bob", "4-2s")
        town.move("luc", "5-2s")
        assert has_been_told(town, words)
