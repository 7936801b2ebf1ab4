"""A text that is not a move may name one, so that its writer can be asked whether it was meant."""

from __future__ import annotations

from pbmserv.games.perudo.notation import (
    has_call,
    is_action,
    may_raise,
    named_move,
    nearest_word,
)
from tests.rows import each_row

LEAVE_IN_FRENCH = "j'abandonne la partie"
LEGAL = frozenset({"4-2s", "4-3s", "4-5s", "5-2s", "5-5s", "1-6s", "dudo"})


@each_row(
    ("text", "move"),
    [
        ("4 duex", "4-2s"),
        ("4 doces", "4-2s"),
        ("I'd say it's a bluff", "dudo"),
        ("à mon avis il ment", "dudo"),
        ("Yo creo que eso es mentira.", "dudo"),
        ("¡Que no!", "dudo"),
        ("По-моему, он блефует", "dudo"),
        ("quatro deux", "4-2s"),
        ("fvie fives", "5-5s"),
        ("fours of twos!", "4-2s"),
        ("4-2x", "4-2s"),
        ("4-2s?", "4-2s"),
        ("4-2s and good grief", "4-2s"),
        ("4-2s because I feel brave today, my friends", "4-2s"),
        ("I would say four twos this time", "4-2s"),
        ("creo que hay cuatro doses", "4-2s"),
        ("думаю, там 4 двойки", "4-2s"),
        ("четыре штуки двоек", "4-2s"),
        ("4 шт. по 2", "4-2s"),
        ("3-2s is too low, so 4-2s", "4-2s"),
        ("dudo hmpf", "dudo"),
        ("je doute fort", "dudo"),
        ("3-2s? Dudo, of course", "dudo"),
        ("Bluff!", "dudo"),
        ("You're bluffing", "dudo"),
        ("Tu bluffes !", "dudo"),
        ("¡Mentira!", "dudo"),
        ("проверяю", "dudo"),
        ("Ну, проверяю?", "dudo"),
        ("Не может быть!", "dudo"),
        ("cinq à 2", "5-2s"),
        ("cuatro del dos", "4-2s"),
        ("DUDOOOO!!!", "dudo"),
        ("menteuuuur", "dudo"),
        ("Не верююю!", "dudo"),
        ("me huele a mentira", "dudo"),
        ("4 dados de dos", "4-2s"),
        ("четыре кубика по два", "4-2s"),
        ("4 кости по 2", "4-2s"),
        ("A ver los dados", "dudo"),
        ("нет, не верю", "dudo"),
        ("Нет не верю!", "dudo"),
        ("Je crois pas.", "dudo"),
        ("montre tes dés", "dudo"),
        ("4 dés de 2", "4-2s"),
        ("quatre fois le 2", "4-2s"),
        ("4 deux bonne et belle soirée", "4-2s"),  # "bonne" is like "onze", but this is not a typo
        ("on soulève", "dudo"),
        ("C'est pas possible !", "dudo"),
        ("J’en doute fort", "dudo"),
        ("I doubt it, Luc", "dudo"),
        ("I doubt it Luc!", "dudo"),
        ("Luc, I doubt it", "dudo"),
        ("je doute, luc", "dudo"),
        ("I don't believe you, luc", "dudo"),
        ("Luc, menteur !", "dudo"),
        ("No te creo, Luc", "dudo"),
        ("не верю, Люк", "dudo"),
        ("Hmm no way, I call bluff", "dudo"),
        ("oh come on, Luc, you bluff", "dudo"),
        ("Haha, bluff! 4-2s", "4-2s"),
        ("Oh là là, c'est du bluff", "dudo"),
        ("hm, no puede ser, es un farol", "dudo"),
        ("ну нет, это блеф", "dudo"),
        ("ok I call bullshit", "dudo"),
        ("Hmm no way. Three 6s? You're bluffing lol", "dudo"),
        ("ni hablar, 8 seises es imposible 😂", "dudo"),
    ],
)
def test_a_text_names_one_move(text: str, move: str) -> None:
    assert not is_action(text)
    assert named_move(text, LEGAL) == move


@each_row(
    "text",
    [
        *("", "Good luck!", "9-9s", "4-2s or 5-2s", "4-2s? dudo!", "calza then, or what"),
        *("Nice bluff!", "I call you later", "проверяю почту", "хороший блеф", "Exactly!"),
        *("I want a six", "see you on 12 November", "call me at 020 7946 0018", "4", "42s"),
        *("I doubt that Luc is at home", "Luc, good morning", "too late, Luc", "I doubt, then"),
        *("not a bluff, luc", "Nice, what a bluff"),
        "I was away the whole week and could not play, impossible, sorry for the delay",
        "I was four or five days away, and twofold thanks to all of you for it",
    ],
)
def test_a_text_names_none_or_more_than_one(text: str) -> None:
    """Moves that are not legal now count for nothing."""
    assert named_move(text, LEGAL) == ""


@each_row(
    "text",
    [
        *("no dudo", "dudo no", "I would never say dudo", "not yet 4-2s", "don't bid 4-2s"),
        *(
            "je ne doute pas de toi",
            "sans doute",
            "je m’en doute",
            "n'annonce pas dudo",
            "pas 4-2s",
        ),
        *("no lo dudo", "no mientes", "sin cuatro doses", "no dudo de ti", "nunca mientes"),
        *("не сомневаюсь", "ты не врёшь", "без четырёх двоек", "не 4-2", "нет 4-2"),
        *("dudo? ha, no", "4-2s? lol no", "dudo? mais non", "dudo? just kidding"),
        *("дудо? ну нет", "dudo? jaja, no", "dudo? je ne crois pas"),
        *("dudo, no gracias", "dudo? no", "dudo... no", "nodudo", "dudo-no", "nul doute"),
        *("4-2s no", "4-2s? no", "4-2s, no wait", "je doute, non merci", "дудо? нет", "nedudo"),
        *("dudo? nope", "dudo nah", "4-2s? nah"),
    ],
)
def test_what_a_text_denies_is_not_meant(text: str) -> None:
    assert named_move(text, LEGAL) == nearest_word(text, LEGAL) == ""


@each_row("text", ["je monte", "Je monte !", "subo", "повышаю", "I raise", "je relance"])
def test_a_raise_without_a_bid_is_not_a_mistyped_call(text: str) -> None:
    assert nearest_word(text, LEGAL) == ""


@each_row(
    ("text", "move"),
    [
        *(("I quit", "resign"), ("Hi, I want to resign!", "resign"), ("a tie?", "draw")),
        *(("je veux quitter la partie", LEAVE_IN_FRENCH), ("Forfait !", LEAVE_IN_FRENCH)),
        ("Abandonne !", LEAVE_IN_FRENCH),  # said to another player
        *(
            ("Quiero abandonar.", "abandono la partida"),
            ("hola, ya no quiero jugar", "abandono la partida"),
        ),
        *(("Хочу выйти из игры", "выхожу из игры"), ("выхожу", "выхожу из игры")),
        ("On fait match nul ?", "je propose la nulle"),
        *(("Égalité ?", "je propose la nulle"), ("¿Y si hacemos tablas?", "propongo tablas")),
        *(("может, ничья?", "ничья"), ("Сыграем вничью?", "ничья")),
    ],
)
def test_a_whole_text_may_mean_to_leave_or_to_draw(text: str, move: str) -> None:
    """So it is asked about.  Among other words it is not: they may tell of another game."""
    assert not is_action(text)
    assert named_move(text, LEGAL) == ""
    assert nearest_word(text, LEGAL) == move
    assert nearest_word(f"{text} and go home to my family tonight", LEGAL) == ""


@each_row(
    "text",
    [
        *("one more", "I'd say one higher", "I raise it", "je dis un de plus", "creo que uno más"),
        "ещё одну!",
    ],
)
def test_a_bid_may_lack_its_number(text: str) -> None:
    assert may_raise(text)
    assert named_move(text, LEGAL) == ""


def test_a_text_may_have_a_call_that_it_denies() -> None:
    assert all(map(has_call, ("no dudo", "dudo lol", "je ne doute pas")))
    assert not any(map(has_call, ("undo", "4-2s", "no more than one more")))


@each_row(
    ("text", "move"),
    [
        *(
            ("No, dudo lol", "dudo"),
            ("Not this time. 4-2s then", "4-2s"),
            ("I say 4-2s, no?", "4-2s"),
            ("4-2s? ok, no doubt", "4-2s"),
            ("dudo? no, 4-2s", "4-2s"),
        ),
        *(("non, je doute fort", "dudo"), ("Pas possible ; 4 deux alors", "4-2s")),
        ("no te creo ni un poco", "dudo"),
        *(("no sé, lo dudo jaja", "dudo"), ("no te creo nada de nada", "dudo")),
        *(("нет, не верю же", "dudo"), ("ну не верю и всё", "dudo")),
    ],
)
def test_a_denial_of_something_else_does_not_matter(text: str, move: str) -> None:
    """It is in another clause, or a part of the phrase."""
    assert named_move(text, LEGAL) == move


@each_row(
    "text",
    [
        *("haha nice one", "there two", "then fives"),
        *("encore un tour", "j'accepte demain", "je propose demain"),
        *("tengo unos problemas", "eres un sol", "no tengo nada"),
        *("проверяю почту", "принимаю гостей", "не понимаю"),
    ],
)
def test_everyday_words_are_not_taken_for_a_mistyped_move(text: str) -> None:
    every = LEGAL | {f"{quantity}-{face}s" for quantity in range(1, 20) for face in range(1, 7)}
    assert named_move(text, every) == nearest_word(text, every) == ""


@each_row(
    ("text", "move"),
    [("Exactly!", "calza"), ("pile", "calza"), ("Exacto", "calza"), ("в точку", "calza")],
)
def test_the_word_exactly_names_a_calza_where_it_is_legal(text: str, move: str) -> None:
    assert not is_action(text)
    assert named_move(text, LEGAL | {"calza"}) == move


def test_a_mistyped_call_is_named_only_where_it_is_legal() -> None:
    assert nearest_word("dud", LEGAL) == nearest_word("dud") == "dudo"
    assert nearest_word("dud", frozenset({"4-2s"})) == ""
    assert nearest_word("calzza", LEGAL) == ""
    assert nearest_word("resing", frozenset()) == "resign"
    assert nearest_word("resing and many other words") == ""


@each_row("text", ["верю", "Верю тебе", "да, согласен", "te creo", "хочу играть", "не отказываюсь"])
def test_no_word_is_near_a_phrase_that_denies_it(text: str) -> None:
    assert nearest_word(text) == ""


@each_row(("text", "move"), [("не вериь", "dudo"), ("no te cro", "dudo")])
def test_a_mistyped_phrase_may_deny(text: str, move: str) -> None:
    assert nearest_word(text) == move
