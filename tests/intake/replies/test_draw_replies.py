"""A yes or no answers a draw that waits for its writer, if it says no more than that."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from pbmserv.intake.replies.draw_replies import LONGEST, answer_to_draw, answer_to_invitation
from tests.rows import each_row
from tests.stories.town import PASSWORD, Letter, Town, answering, town_at

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
ASKED = "I couldn't read this line"


@each_row(
    "text, answer",
    [
        *((text, "accept") for text in ("yes", "Yes, please!", "OK", "\nagreed", "I accept it")),
        *((text, "") for text in ("oui si nul", "Oui, si match nul", "sí si quiero")),
        *((text, "accept") for text in ("I agree to the draw.", "Ja", "Sí, thank you")),
        *((text, "reject") for text in ("no", "No thanks", "Nope, sorry.", "nein", "no draw")),
        *((text, "reject") for text in ("I decline the draw", "Rejected")),
        *((text, "accept") for text in ("si", "Si, acepto", "de acuerdo", "Claro que si!")),
        *((text, "accept") for text in ("Acepto el empate", "Sí quiero, gracias")),
        *((text, "reject") for text in ("Rechazo el empate", "no quiero tablas")),
        *((text, "accept") for text in ("Oui, j'accepte la nulle", "ok pour moi", "Volontiers !")),
        *((text, "reject") for text in ("Non, désolé", "Non merci, je refuse la nulle")),
        *((text, "reject") for text in ("No, rechazo", "No. Rechazo el empate")),
        *((text, "") for text in ("no rechazo", "no lo rechazo", "no reject", "Je ne refuse pas")),
        *((text, "") for text in ("j'accepte la partie", "oui, je joue", "avec plaisir")),
        *((text, "accept") for text in ("Согласна на ничью.", "Да, ничья", "конечно")),
        *((text, "reject") for text in ("Отклоняю ничью", "Нет, отказываюсь")),
        *((text, "") for text in ("Да, играю", "Нет, играем дальше")),
        *((text, "") for text in ("si quieres", "si no", "claro que no", "acepto la partida")),
        *((text, "") for text in ("", "sorry", "yes?", "yes and no", "no problem", "decline")),
        *((text, "") for text in ("yes, but not now", "not now", "yes swordfish", "the draw")),
        *((text, "") for text in ("с удовольствием", "me apunto", "another time", "otra vez será")),
        *((text, "reject") for text in ("No, muchas gracias", "нет, большое спасибо")),
        *((text, "reject") for text in ("non merci beaucoup", "no, thank you very much")),
        *((text, "reject") for text in ("Non merci, pas cette fois", "no, lo siento mucho")),
        *((text, "reject") for text in ("no gracias, esta vez no", "извините, нет")),
        *((text, "accept") for text in ("Sí, con mucho gusto", "👍", "👍🏽")),
        *((text, "reject") for text in ("👎", "👎🏽", "❌", "No 👎")),
        *((text, "") for text in ("👍 👎", "👎?", "🅂🄸")),
        # Words of two languages, and others than those of an answer, may mean anything.
        *((text, "") for text in ("no bien", "bien no", "no la game", "non the draw")),
        *((text, "") for text in ("j'accepte demain", "принимаю твой ход", "acepto tu apuesta")),
        *((text, "") for text in ("accept your turn", "acepto mañana", "приму завтра")),
        *(
            (text, "accept")
            for text in ("yes, good game!", "Oui, belle partie !", "да, спасибо всем")
        ),
        *((text, "") for text in ("yes, let me think", "yes, no hurry", "yes no, good game")),
        *((text, "") for text in ("tak", "yes " * LONGEST)),  # "tak" is Danish for thanks
    ],
)
def test_an_answer_is_a_line_of_known_words(text: str, answer: str) -> None:
    assert answer_to_draw(text.split("\n")) == answer


@each_row(
    "text, answer",
    [
        *((text, "accept") for text in ("yes", "OK, I accept the invitation", "Sí quiero jugar")),
        *((text, "accept") for text in ("si juego", "Acepto la invitación", "vale")),
        *((text, "accept") for text in ("Да, играю!", "принимаю приглашение", "согласен сыграть")),
        *((text, "reject") for text in ("Отклоняю вызов", "нет, отказываюсь от игры")),
        *((text, "accept") for text in ("Sí, con mucho gusto", "genial, acepto")),
        *((text, "accept") for text in ("I'm in!", "je joue", "Avec plaisir, merci")),
        *((text, "accept") for text in ("¡Me apunto!", "con mucho gusto", "Я играю.")),
        *((text, "accept") for text in ("Yes, with pleasure!", "Да, играю", "ok, count me in")),
        *((text, "accept") for text in ("Let's go!", "Bien sûr !", "¡Vamos!", "Поехали")),
        *((text, "reject") for text in ("No, not this time.", "Non, une autre fois")),
        *((text, "accept") for text in ("yes, good luck!", "Oui, bonne chance à tous !")),
        *(
            (text, "accept")
            for text in ("sí, ¡buena suerte!", "Да, удачи всем!", "ok good luck Mia")
        ),
        *(
            (text, "accept")
            for text in ("I'm in, have fun!", "yes :-) See you!", "да, приятной игры")
        ),
        *((text, "reject") for text in ("no, good luck!", "Non, amusez-vous bien !")),
        *((text, "") for text in ("yes, good luck, jk", "yes, good luck, but not today")),
        *(
            (text, "")
            for text in ("good luck, yes?", "good luck", "yes, one moment", "no, no hurry")
        ),
        *((text, "") for text in ("yes, another time", "no, count me in")),
        *((text, "reject") for text in ("Count me out, sorry", "leave me out", "Comptez sans moi")),
        *(
            (text, "reject")
            for text in ("¡Esta vez paso!", "conmigo no cuenten", "без меня, извини")
        ),
        *((text, "reject") for text in ("Désolé, sans moi", "на меня не рассчитывайте")),
        *((text, "reject") for text in ("Une autre fois", "otra vez será", "Может, в другой раз")),
        *((text, "") for text in ("juego?", "not now", "ahora no", "не сейчас", "je joue demain")),
        *((text, "reject") for text in ("no", "no thanks", "no quiero jugar", "Nein, danke")),
        *((text, "reject") for text in ("Esta vez no, gracias", "No, rechazo")),
        *((text, "") for text in ("no rechazo", "no lo rechazo", "je refuse pas")),
        *((text, "") for text in ("no bien", "j'accepte demain", "accept your turn")),
        *((text, "") for text in ("принимаю твой ход", "no la partie")),
        *((text, "") for text in ("ahora no puedo", "si me va bien", "con mucho gusto, pero no")),
        *(
            (text, "")
            for text in ("", "yes?", "yes, but not now", "si puedo", "no draw", "decline")
        ),
        *((text, "accept") for text in ("ok, si, juego", "Si, vale", "si quiero", "Sì, ok")),
        # "si" is "if" in French, and in Spanish below the yes with its accent.
        *((text, "") for text in ("oui si mia joue", "Oui, si on joue", "si je joue")),
        *((text, "") for text in ("oui, si", "sí si mia juega", "Sí, si juego", "ok si on joue")),
        *((text, "accept") for text in ("ok mia", "Ja klar!", "Oui, Claire !", "да, Иван")),
        *((text, "reject") for text in ("no, Anna", "Non merci, Claire")),
        *((text, "accept") for text in ("I'd like to play", "j'aimerais jouer", "quiero jugar")),
        *((text, "reject") for text in ("not interested", "pas intéressée", "мне не интересно")),
        *((text, "") for text in ("no quiero jugar con mia", "no juego con Anna")),
        *((text, "") for text in ("ok boomer", "ok mia anna", "mia", "yes mia?", "ok mia later")),
        *((text, "") for text in ("I accept the draw", "acepto el empate", "jugar", "the game")),
    ],
)
def test_an_answer_to_an_invitation_is_such_a_line_too(text: str, answer: str) -> None:
    assert answer_to_invitation([text]) == answer


@pytest.fixture
def town(town_of_three: Town) -> Town:
    return town_of_three


ABOUT_DRAWS = ("accept", "reject", "no longer agree")  # the verbs, with "you" and with a name


def told_of_draw(letters: list[Letter]) -> dict[str, str]:
    """What each letter says of the answer to a draw."""
    return {
        each.to: next((verb for verb in ABOUT_DRAWS if verb in each.opening), "")
        for each in letters
    }


def test_a_yes_accepts_out_of_turn_and_a_no_rejects(town: Town) -> None:
    town.move("ann", "1-2s")
    town.move("bob", "draw?")
    told = town.reply(town.last_letter_to(ANN), "Yes, thanks\n\nUntil next year!")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")
    assert "| Until next year!" in told[1].text
    (asked,) = town.reply(town.last_letter_to(ANN), "yes")  # she has answered
    assert ASKED in asked.text
    told = town.reply(town.last_letter_to(CLEO), "no thanks")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "reject")
    (asked,) = town.reply(town.last_letter_to(CLEO), "no")  # nothing is on offer any more
    assert ASKED in asked.text


def test_a_question_or_an_exclamation_accepts_no_draw(town: Town) -> None:
    """A question offers one, if none is on offer."""
    (asked,) = town.reply(town.last_letter_to(ANN), "Nulle !")
    assert "Did you mean nulle?" in asked.text
    told = town.reply(asked, "ничья?")
    assert "You offer a draw." in told[0].text
    for words in ("ничья?", "draw?", "Match nul ?"):
        (asked,) = town.reply(town.last_letter_to(BOB), words)
        assert asked.opening.startswith("You asked about a draw, and one is already on offer")
    (asked,) = town.reply(town.last_letter_to(BOB), "¡Empate!")
    assert "A draw is on offer." in asked.text
    assert told_of_draw(town.reply(asked, "accept"))[BOB] == "accept"


def test_a_yes_that_takes_itself_back_or_may_mean_another_thing_is_asked_about(
    town: Town,
) -> None:
    begun = town.last_letter_to(BOB)
    town.move("ann", "I offer a draw")
    for letter, words in (
        (begun, "yes"),  # he may mean the challenge
        (town.last_letter_to(BOB), "yes\nbut not before Monday"),
        (town.last_letter_to(BOB), "yes\njk"),
        (town.last_letter_to(BOB), "accept\n\nno wait"),
        (town.last_letter_to(BOB), "no\nyes"),
    ):
        (asked,) = town.reply(letter, words)
        assert asked.subject == "What did you mean?"
    told = town.reply(town.last_letter_to(CLEO), "agreed")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def _offered(town: Town) -> Letter:
    """The letter to bob about a draw that ann offers him on his turn."""
    town.move("ann", "1-2s")
    town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    town.now += 60
    town.move("ann", "propose")
    return town.last_letter_to(BOB)


@pytest.mark.parametrize(
    "text",
    ["I accept your turn!", "принимаю твой ход", "Acepto tu turno", "no bien"],
)
def test_a_player_who_accepts_a_turn_does_not_accept_a_draw(town: Town, text: str) -> None:
    (asked,) = town.reply(_offered(town), text)
    assert asked.subject == "What did you mean?"
    told = town.reply(asked, "accept, your turn")
    assert told_of_draw(told)[BOB] == "accept"


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        *("Thanks!", "I would love to", "I am not so sure about it", "Je ne peux pas"),
        *("con mucho gusto", "hoy no me va bien, amigos", "с большим удовольствием"),
        *("мне это не подходит, друзья", "Merci !"),
    ],
)
def test_words_that_may_answer_a_draw_do_not_go_to_the_table(town: Town, text: str) -> None:
    """A draw is on offer, and they are few, or deny something."""
    (asked,) = town.reply(_offered(town), text)
    assert "A draw is on offer." in asked.text
    words = "I will think about it until tomorrow"
    told = town.reply(asked, words)
    assert any(f"| {words}" in each.text for each in told)


def test_a_yes_from_elsewhere_or_to_an_earlier_letter_accepts_nothing(town: Town) -> None:
    earlier = town.last_letter_to(ANN)
    town.move("ann", "1-2s")
    town.move("bob", "propose")
    offer = town.last_letter_to(ANN)
    letters = town.reply(earlier, "yes")
    letters += town.write("eve@example.net", f"Re: {offer.subject}", "yes", to=offer.reply_to)
    assert [each.to for each in letters] == [ANN, "eve@example.net"]
    assert not any("draw" in each.opening for each in letters[:1])
    told = town.reply(offer, "yes")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def test_a_player_who_agreed_is_told_how_to_take_it_back(town: Town) -> None:
    town.move("bob", "propose")
    how = "To take it back, reply with reject on the first line."
    assert how in town.last_letter_to(BOB).text
    assert how not in town.last_letter_to(ANN).text
    town.reply(town.last_letter_to(ANN), "accept")
    assert how in town.last_letter_to(ANN).text
    assert how in town.last_letter_to(BOB).text
    (seen,) = town.write(BOB, "perudo showas bob swordfish 1")
    assert "To take it back," in seen.text
    told = town.reply(town.last_letter_to(BOB), "reject")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "no longer agree")
    assert "bob no longer agrees to a draw.\n\nThe game goes on." in told[0].text
    (asked,) = town.reply(town.last_letter_to(ANN), "accept")
    assert "Nobody has proposed a draw" in asked.text


def test_a_late_yes_is_told_in_one_line_that_the_offer_has_ended(town: Town) -> None:
    """So is a late no; the answer is meant for that offer, not for a newer one."""
    town.move("ann", "1-2s")
    town.move("bob", "draw?")
    to_ann, to_cleo = town.last_letter_to(ANN), town.last_letter_to(CLEO)
    town.move("bob", "2-2s")
    ended = "The draw on board 1 is no longer on offer: a bid, a call or a no has ended it."
    for letter in (to_ann, to_cleo):
        for words in ("yes", "accept", "No, thanks.", "reject"):
            (told,) = town.reply(letter, words)
            assert " ".join(told.text.split()).startswith(ended), words
    assert "2-2s" in town.write(ANN, "perudo show 1")[0].text
    town.move("cleo", "propose")  # another offer is not the one of the old letter
    (told,) = town.reply(to_ann, "yes")
    assert " ".join(told.text.split()).startswith(ended)


def test_players_who_agreed_are_told_that_a_bid_has_ended_the_offer(tmp_path: Path) -> None:
    """With letters only of own turns, too."""
    ended = "A draw is no longer on offer: the game has gone on."
    with town_at(tmp_path / "home") as town:
        town.sign_up("ann", "bob", "cleo", letters="turns")
        town.challenge("ann", "bob", "cleo")
        town.move("ann", "1-2s")
        town.move("ann", "draw")
        town.move("cleo", "draw")
        told = {each.to: " ".join(each.text.split()) for each in town.move("bob", "2-2s")}
        assert set(told) == {ANN, CLEO}
        assert all(ended in each for each in told.values())
        told = {each.to: " ".join(each.text.split()) for each in town.move("cleo", "3-2s")}
        assert set(told) == {ANN}
        assert ended not in told[ANN]


def test_a_digest_tells_that_a_bid_has_ended_the_offer(town: Town) -> None:
    town.write(CLEO, f"set cleo {PASSWORD} digest=daily")
    town.move("ann", "1-2s")
    town.write(CLEO, f"perudo move 1 cleo {PASSWORD} draw")
    town.move("bob", "2-2s")
    letters = town.waited(48)
    told = next(each for each in letters if each.to == CLEO)
    ended = "On board 1 a draw is no longer on offer: the game has gone on."
    assert ended in " ".join(told.text.split())


def test_an_accept_to_an_older_letter_without_the_seat_does_not_end_the_game(town: Town) -> None:
    """It may mean the challenge.  The newest letter, which asks about the draw, may be answered."""
    begun = town.last_letter_to(CLEO)
    town.move("ann", "1-2s")
    town.move("bob", "draw")
    offer = town.last_letter_to(CLEO)
    for words in ("accept", "reject"):
        (refusal,) = town.reply(begun, words)
        assert "you have not taken your seat yet" in " ".join(refusal.text.split())
    told = town.reply(offer, "accept")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def test_a_yes_to_a_question_of_ours_accepts_no_draw(town: Town) -> None:
    """The answer "Did you mean dudo?" has a token; a yes to it is about dudo."""
    town.move("ann", "1-2s")
    town.move("cleo", "propose")
    (asked,) = town.reply(town.last_letter_to(BOB), "dud")
    assert "Did you mean dudo?" in asked.text
    for words in ("yes", "no", "👍", "👎"):
        (again,) = town.reply(asked, words)
        assert ASKED in again.text
    told = town.reply(asked, "accept")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def test_a_yes_to_a_question_on_turn_accepts_no_draw_either(town: Town) -> None:
    for userid, move in (("ann", "1-2s"), ("bob", "2-2s"), ("cleo", "3-2s")):
        town.move(userid, move)
    (asked,) = town.reply(town.last_letter_to(ANN), "dud")
    town.move("bob", "propose")
    (again,) = town.reply(asked, "yes")
    assert ASKED in again.text


def test_a_yes_to_a_letter_from_before_the_offer_accepts_no_draw(town: Town) -> None:
    """It may answer the words of that letter: its reader has not heard of a draw."""
    town.move("ann", "1-2s", text="Shall we meet on Friday?")
    turn = town.last_letter_to(BOB)
    town.reply(turn, "chat\nI am here.")  # he has taken his seat
    town.now += 60
    town.move("ann", "propose")
    for words in ("Yes!", "no, sorry"):
        (asked,) = town.reply(turn, words)
        assert asked.subject == "What did you mean?"
    (seen,) = town.write(BOB, f"perudo showas bob {PASSWORD} 1")  # it tells of the draw
    told = town.reply(seen, "yes")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


@pytest.mark.parametrize("hours", [0, 27])
@pytest.mark.parametrize("is_marked", [True, False], ids=["marked", "unmarked"])
def test_a_late_yes_to_a_letter_from_before_the_offer_accepts_no_draw_either(
    town: Town, hours: int, *, is_marked: bool
) -> None:
    """A yes without References and In-Reply-To does not say what it answers: it accepts none."""
    town.move("ann", "1-2s")
    turn = town.last_letter_to(BOB)
    town.write(BOB, f"perudo accept bob {PASSWORD} 1")
    town.now += 60
    town.move("ann", "propose")
    offer = town.last_letter_to(BOB)
    town.waited(hours)
    headers = answering if is_marked else lambda letter: {}
    ok = partial(town.write, BOB, f"Re: {turn.subject}", "OK, thanks")
    (asked,) = ok(to=turn.reply_to, headers=headers(turn))
    assert asked.subject == "What did you mean?"
    told = ok(to=offer.reply_to, headers=headers(offer))
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")


def test_a_yes_to_the_end_of_an_offer_does_not_accept_the_next_one(town: Town) -> None:
    town.move("ann", "1-2s")
    town.move("cleo", "propose")
    town.now += 60
    town.move("cleo", "reject")
    ended = town.last_letter_to(BOB)
    assert ended.opening == "cleo no longer agrees to a draw."
    town.now += 60
    town.move("ann", "propose")
    (asked,) = town.reply(ended, "OK, thanks")
    assert asked.subject == "What did you mean?"
    told = town.reply(town.last_letter_to(BOB, back=2), "OK, thanks")
    assert told_of_draw(told) == dict.fromkeys((ANN, BOB, CLEO), "accept")
