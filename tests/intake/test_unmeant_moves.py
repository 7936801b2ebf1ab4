"""A move above a condition, or words that say that it was sent in error, is asked about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.commands.move_lines.retracted_commands import is_call_taken_back
from pbmserv.commands.parser import CommandCall
from tests.intake.new_towns import new_town, town_with_bid
from tests.intake.test_doubted_moves import ASKED, BOB, played
from tests.intake.test_held_moves import TALK as PLANS
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, answering

CONDITIONS = (
    *("if Luc agrees", "unless luc has a 2", "but only if you have no 2s", "if I lose this one"),
    *("si luc est d'accord", "si luc quiere", "если люк согласен", "unless ann wants to continue"),
    *("if nobody objects", "si je perds encore un dé", "mais seulement si luc passe"),
    *("si pierdo esta", "pero solo si luc pasa", "если проиграю", "но только если люк не против"),
)
UNSURE = (
    *("hesitating", "not sure yet", "I'll decide tonight", "J'hésite", "je déciderai ce soir"),
    *("dudando", "lo decido esta noche", "ещё не уверен", "решу вечером"),
)
ERRORS = (
    *("I've changed my mind", "I'm kidding", "I am just joking", "that was a joke", "joke!"),
    *("P.S. just kidding", "PS just kidding", "P.S.: wait, no", "but wait", "hmmm, hold on"),
    *("no, sorry", "sorry, no", "ah no, sorry", "not what I meant", "that's not what I wanted"),
    *("I made a mistake", "that's a mistake", "that's wrong", "sent by mistake", "sent too early"),
    *("sent this by accident", "withdraw", "revoke", "I replied to the wrong letter", "wrong mail"),
    *("wrong table", "not me, my son typed that", "J'ai changé d'avis", "annuler", "pas sérieux"),
    *("annulez mon coup", "C'est une erreur", "erreur de frappe", "envoyé par erreur"),
    *("mince, mauvais numéro", "plutôt non", "anular", "es un error", "enviado por error"),
    *("me equivoqué de botón", "me equivoqué de partida", "no va en serio", "опечатка"),
    *("отправил по ошибке", "не туда", "нет, извини"),
)
OTHER_BOARDS = (
    *("this was for board 2", "(board 2)", "on board 2", "this is for board 7"),
    *("that was meant for the other game", "oops, that was for the other game"),
    *("not for this game", "not this game, sorry", "for the game with Claire"),
    *("c'était pour l'autre partie", "era para la otra partida", "perdón, otra mesa"),
    *("это для другой партии", "ошибся игрой"),
)
LEAVING = (
    *("when I have one die left", "after this round", "next week", "maybe later"),
    *("ask me tomorrow", "as soon as I'm home", "when I'm back", "what happens if I do?"),
    *("how do I do that?", "What does that do?", "Can I come back later?", "oops"),
    "Does it count for my rating?",
    *("is not an option", "is what ann said", "says luc", "bob never will", "I will never"),
    *("I withdraw that", "la semaine prochaine", "que se passe-t-il alors ?"),
    *("dès que je perds un dé", "la semana que viene", "¿qué pasa entonces?", "cuando vuelva"),
    *("на следующей неделе", "а что тогда будет?", "когда вернусь"),
)
CALLS = (
    *("dudo?", "Dudo or bid? hmm", "What does dudo mean?", "is what I want to say, but I can't"),
    *("would be stupid", "is stupid so 4-2s"),
)
TALK = (
    *("If I'm wrong, I buy the beer", "If I'm wrong I buy the beer", "if you like", "if you dare"),
    *("if I may", "If I'm not mistaken", "si tu veux", "si quieres", "если хочешь", "Sí, claro"),
    *("Si je me trompe, je paie la bière", "Si pierdo, pago la cena", "Если что, я дома"),
    *("thanks for the game with Claire", "see you on board 2", "see you in the other game"),
    *("too early for me", "I am too early", "No joke!"),
    *("Is it raining in Rome?", "es lo que hay", "c'est le jeu", "Did you expect dudo?"),
    *("board 1 is the best", "No mercy, sorry", "Sorry I'm late"),
)
BELOW_BIDS = ("What a mistake, ann", "Was that a joke?", "wait for it...")
FAREWELLS = (
    *("Sorry, too busy this week", "See you next week", "when is the next game?", "rematch?"),
    *("Can I join the next game?", "Next time I'll do better", "Thanks all, see you tomorrow"),
    *("Until next time", "If you need me, call me", "When I'm back, I'll join again"),
    *("Would be nice to play again", "Was fun playing with you", "When are you back?"),
    *("À la semaine prochaine", "On rejoue quand ?", "Hasta luego", "¿Cuándo es la próxima?"),
    *("Увидимся завтра", "Когда следующая игра?", "À plus tard"),
)


@pytest.fixture
def town(tmp_path: Path) -> Iterator[Town]:
    """Board 1 with a bid, which no question changes."""
    with town_with_bid(tmp_path) as made:
        yield made


@pytest.mark.parametrize(
    ("move", "below"),
    [
        ("4-2s", (*CONDITIONS, *UNSURE, *ERRORS, *OTHER_BOARDS)),
        ("dudo", (*CONDITIONS, *UNSURE, *ERRORS, *OTHER_BOARDS, *CALLS)),
        ("resign", (*CONDITIONS, *UNSURE, *ERRORS, *OTHER_BOARDS, *LEAVING)),
    ],
)
def test_a_move_above_such_words_is_taken_back(move: str, below: tuple[str, ...]) -> None:
    assert [each for each in below if not _takes_back(move, each)] == []


@pytest.mark.parametrize("move", ["4-2s", "dudo", "resign"])
def test_its_writer_is_asked(move: str, town: Town) -> None:
    """One of each kind, in each language: the rule itself is tried above."""
    kinds = CONDITIONS[:7], ERRORS[-8:], OTHER_BOARDS[-6:], LEAVING[-9:] if move == "resign" else ()
    assert played(town, (f"{move}\n{words}" for kind in kinds for words in kind)) == []


@each_row("move", ["4-2s", "dudo", "resign"])
def test_ordinary_talk_takes_no_move_back(move: str) -> None:
    talk = TALK + FAREWELLS if move == "resign" else TALK + PLANS + BELOW_BIDS
    assert [each for each in talk if _takes_back(move, each)] == []


def test_the_number_of_the_board_itself_confirms_the_move() -> None:
    assert not _takes_back("4-2s", "on board 1")


@each_row(
    ("move", "words"),
    [
        ("4-2s", "please don't play this yet"),
        ("resign", "please don't play this yet"),
        ("dudo", "if Luc agrees"),
        ("4-2s", "ce n'est pas mon coup"),
    ],
)
def test_below_a_move_in_the_subject_they_go_to_nobody(
    tmp_path: Path, move: str, words: str
) -> None:
    """So it is for a player who has written to the others before, too."""
    with town_with_bid(tmp_path) as town:
        town.write(BOB, f"perudo chat 1 bob {PASSWORD}", "Hello everybody")
        letter = town.last_letter_to(BOB)
        subject = f"Re: {letter.subject} {move}"
        (told,) = town.write(BOB, subject, words, to=letter.reply_to, headers=answering(letter))
        assert (told.to, told.subject) == (BOB, ASKED)


def test_below_rematch_in_the_subject_they_go_to_nobody(tmp_path: Path) -> None:
    with new_town(tmp_path) as town:
        town.move("ann", "resign")
        letter = town.last_letter_to(BOB)
        headers = answering(letter)
        subject = f"Re: {letter.subject} rematch"
        (told,) = town.write(BOB, subject, "not now", to=letter.reply_to, headers=headers)
        assert (told.to, told.subject) == (BOB, ASKED)


def _takes_back(move: str, below: str) -> bool:
    call = CommandCall("perudo", "move", ("1", "*", "token", *move.split()))
    return is_call_taken_back(call, below.split("\n"), reads_as_move)
