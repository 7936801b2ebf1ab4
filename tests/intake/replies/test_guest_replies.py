"""Replies to an invitation by address: which are a yes with a name, a no, or never again."""

from __future__ import annotations

import re

from pbmserv.intake.replies.guest_replies import answer_of, below_answer, message_of
from pbmserv.letters import render
from pbmserv.letters.catalogues import languages
from tests.letters.samples import SAMPLES
from tests.rows import each_row

YES, NO, NEVER = ("yes",), ("no",), ("never",)
ANSWERS = {
    "yes": YES,
    "Yes!": YES,
    "Yes, why not?": YES,
    "Yes please, with pleasure": YES,
    "yes of course": YES,
    "Yes, I would love to play with you all": YES,
    "Ja, gerne!": YES,
    "👍🏽": YES,
    "Oui, volontiers": YES,
    "yes mia": ("yes", "mia"),
    "Yes, good luck!": YES,
    "yes, call me mia, have fun everyone!": ("yes", "mia"),
    "no, good luck!": NO,
    "Yes, Mia.": ("yes", "Mia"),
    "oui claire": ("yes", "claire"),
    "да иван": ("yes", "иван"),
    "yes dragonfly7": ("yes", "dragonfly7"),
    "yes, call me dragonfly": ("yes", "dragonfly"),
    "yes dragonfly": ("yes", "dragonfly", "?"),
    "yes whichever": ("yes", "whichever", "?"),
    "YES DRAGONFLY": ("yes", "DRAGONFLY", "?"),
    "Yes, Mia!": ("yes", "Mia", "?"),
    "ja klar": YES,
    "Yes! I'm mia": ("yes", "mia"),
    "YES, please call me “Mia”": ("yes", "Mia"),
    "accept mia": ("yes", "mia"),
    "Ja, ich bin Jörg": ("yes", "Jörg"),
    "Sí, soy Luz": ("yes", "Luz"),
    "yes Mia Miller from next door": (),
    "yes, next time": (),
    "yes, maybe": (),
    "yes later": (),
    "Yes, on Monday": (),
    "ok who are you": (),
    "OK, I'll think about it": (),
    "ok not now": (),
    "sure, when?": (),
    "sure thing": YES,
    "Why not, I'd love to": (),
    "With pleasure - tomorrow": (),
    "Avec plaisir, demain": (),
    "Oui, plus tard": (),
    "Oui, génial !": YES,
    "Oui, pourquoi pas ?": YES,
    "Sí, otro día": (),
    "Claro, luego": (),
    "¡Sí, cómo no!": YES,
    "С удовольствием, завтра": (),
    "Да, в следующий раз": (),
    "Да, давай, хочу сыграть": YES,
    "Ja, aber später": (),
    "Yes, unfortunately": (),
    "ok, noted": (),
    "Yes, impossible": (),
    "Oui, ça dépend": (),
    "Oui, reçu": (),
    "Oui, ce soir": (),
    "Sí, depende": (),
    "Sí, imposible": (),
    "Sí, esta noche": (),
    "Да, посмотрим": (),
    "Да, вечером": (),
    "Да, получил": (),
    "yes exactly": (),
    "yes Anna, hello": (),
    "Yes, hello Anna": (),
    "Yes, thanks, Anna": (),
    "ok boomer": (),
    "ok, mia": ("yes", "mia"),
    "yes, totally!": (),
    "oui exactement": (),
    "sí, exacto": (),
    "sí hombre": (),
    "да, точно": (),
    "yes, I'd love to. mia": ("yes", "mia"),
    "Yes please! Mia, thanks": ("yes", "Mia"),
    "With pleasure, mia": ("yes", "mia"),
    "Avec plaisir ! Mia": ("yes", "Mia"),
    "De acuerdo, mia": ("yes", "mia"),
    "хорошо, mia": ("yes", "mia"),
    "Хорошо": YES,
    "yes I'm": YES,
    "yes, I'm keen": (),
    "yes mia or ann": (),
    "yes hopefully": (),
    "oui désinscrivez-moi": (),
    "sí error": (),
    "да, ошибка": (),
    "si": YES,
    "Si, claro": YES,
    "Si, me llamo Mia": ("yes", "Mia"),
    "Sí quiero jugar, soy mia": ("yes", "mia"),
    "Si puedo, os aviso": (),
    "si mia": (),
    "no": NO,
    "No, thank you": NO,
    "nein danke": NO,
    "Nope, not this time": NO,
    "decline": NO,
    "No puedo, lo siento": NO,
    "No problem, I'm in": (),
    "No hay problema, juego": (),
    "No entiendo, ¿qué es esto?": (),
    "no bien": (),
    "No idea what this is": (),
    "j'accepte demain": (),
    "never": NEVER,
    "Never again!": NEVER,
    "No, never again. Thanks.": NEVER,
    "Stop": NEVER,
    "unsubscribe": NEVER,
    "nunca mas": NEVER,
    "No me escriban mas, gracias": NEVER,
    "nie wieder": NEVER,
    "plus jamais": NEVER,
    "Нет, больше не приглашайте.": NEVER,
    "Больше не пишите мне": NEVER,
    "Да, я mia": ("yes", "mia"),
    "¡Sí! Mia": ("yes", "Mia"),
    "J'accepte avec plaisir !": YES,
    "¡Con mucho gusto, gracias!": YES,
    "Я играю": YES,
    "Je suis partante": YES,
    "Juego?": (),
    "¡Claro que no!": (),
    "yes, no problem": YES,
    "Une autre fois, merci": NO,
    "Otra vez será": NO,
    "В другой раз": NO,
    "Не сейчас": (),
    "Never heard of it": (),
    "Who is that?": (),
    "mia": (),
    "": (),
}
NAMED = {
    "mia": ("yes", "mia"),
    "Mia!": ("yes", "Mia"),
    "call me mia": ("yes", "mia"),
    "I'm mia, thanks": ("yes", "mia"),
    "yes mia": ("yes", "mia"),
    "great": ("yes", "great"),
    "Je joue": YES,
    "acepto": YES,
    "Por supuesto que no": (),
    "Juego mañana": (),
    "With pleasure - tomorrow": (),
    "I'm in a meeting": (),
    "I'm in the bath": (),
    "I'm sick": (),
    "call me later": (),
    "Je suis malade": (),
    "Je suis en réunion": (),
    "Estoy de viaje": (),
    "я занят": (),
    "why?": (),
    "yes chico": YES,
    "yes ben": ("yes", "ben"),
    "yes Will": ("yes", "Will"),
    "Yes please": YES,
    "Yes, definitely": YES,
    "yes Chico": ("yes", "Chico"),
    "ok mia": ("yes", "mia"),
    "yes": YES,
    "no": NO,
    "never": NEVER,
    "What is a name good for here": (),
    "yes/no": (),
    "Yes. Regards": YES,
    "Yes, Sent": YES,
    "👍": YES,
    "👍🏽": YES,
    "👎": (),
    "❌": (),
    "❤️ 😂": (),
}


def test_the_first_line_answers() -> None:
    found = {text: answer_of("Re: ann invites", [text], is_named=False) for text in ANSWERS}
    assert found == ANSWERS


@each_row("language", languages())
def test_the_words_that_an_invitation_shows_are_understood(language: str) -> None:
    facts = SAMPLES["guest_invitation"][0]
    assert not facts["accounts"]
    text = render.word("guest_invitation", facts, language).text
    shown = re.findall(r"^  (\w+)  ", text, re.MULTILINE)
    assert [answer_of("", [each], is_named=False) for each in shown] == [YES, NO, NEVER]
    (example,) = re.findall(r"\w+\smia\b(?=;| ;)", text)
    assert answer_of("", [example], is_named=False) == ("yes", "mia")


def test_behind_the_question_for_a_name_one_word_is_a_name() -> None:
    found = {text: answer_of("Re: Your name", [text], is_named=True) for text in NAMED}
    assert found == NAMED


def test_a_word_alone_below_a_yes_is_a_name_and_a_greeting_above_is_not() -> None:
    found = {
        text: (answer_of("", lines, is_named=False), message_of(lines, ["yes", "mia"]))
        for text in (
            "Yes!\n\nmia", "Oui\nexactement", "Yes\nMia Miller", "Hi Anna,\n\nyes, mia\nSee you!"
        )
        for lines in [text.split("\n")]
    }  # fmt: skip
    assert list(found.values()) == [
        (("yes", "mia"), ""), (YES, "exactement"), (YES, "Mia Miller"), (("yes", "mia"), "See you!")
    ]  # fmt: skip


def test_a_command_a_farewell_or_a_call_alone_below_a_yes_is_not_a_name() -> None:
    below = ("stop", "unsubscribe", "LG", "Bises", "Regards", "iPhone", "Bob!", "what?", "dudo")
    found = {
        (yes, word): answer_of("", [yes, "", word], is_named=False)
        for yes in ("Yes", "Oui", "Ja", "да")
        for word in below
    }
    assert not any(each[1:] for each in found.values()), found


def test_the_next_line_may_take_a_yes_back() -> None:
    taken_back = (
        "Yes,\nbut not this week", "yes mia\nactually no, sorry", "Sure\nnot",
        "Yes\nI don't want it",
        "OK\nbut who are you?", "Oui,\nmais pas maintenant", "ok\n\nunsubscribe",
        "Да\nнет, не хочу",
        "yes mia\njk", "Oui, mia\n\nje plaisante", "Да\nподожди",
        "Yes, with pleasure,\ntomorrow", "Sí\nno, gracias", "With pleasure\n\nplease unsubscribe",
    )  # fmt: skip
    for each in taken_back:
        assert answer_of("", each.split("\n"), is_named=True) == (), each
    kept = (
        "yes mia\nSee you later!", "yes mia\n\nI don't know the rules yet, but I learn",
        "Yes\nGood luck",
        "Yes,\nI would love to", "Yes\nHello from work", "yes mia\nNo problem",
        "yes mia\nI hope that I am not late",
    )  # fmt: skip
    for each in kept:
        assert answer_of("", each.split("\n"), is_named=True)[:1] == YES, each


def test_empty_lines_above_do_not_matter_and_the_text_below_is_for_the_others() -> None:
    typed = ["", "yes mia", "", "Hello Ann,", "", "here I am."]
    assert answer_of("", typed, is_named=False) == ("yes", "mia")
    assert below_answer(typed) == "Hello Ann,\n\nhere I am."
    assert below_answer([]) == ""
    assert answer_of("stop", [], is_named=False) == NEVER


@each_row(
    "text",
    [
        *("no English", "sorry, no English", "No hablo inglés", "No, in French please"),
        *("no\nwait, yes", "no\nyes", "non\nje plaisante", "no thanks\njust kidding"),
    ],
)
def test_a_no_that_is_taken_back_or_is_about_a_language_does_not_count(text: str) -> None:
    assert answer_of("", text.split("\n"), is_named=False) == ()


@each_row("text", ["no", "no thanks", "No\nnot now, sorry", "non merci"])
def test_a_plain_no_stays_one(text: str) -> None:
    assert answer_of("", text.split("\n"), is_named=False) == ("no",)
