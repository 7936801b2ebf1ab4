"""A line below an answer that makes it depend on something is told from ordinary talk."""

from __future__ import annotations

from pbmserv.commands.move_lines.conditional_answers import is_conditional
from tests.rows import each_row


@each_row(
    "line",
    [
        *(
            "if luc plays",
            "If Luc plays, too",
            "but if luc plays",
            "if luc plays, I'm in",
            "only if luc plays",
        ),
        *("Thanks! If luc plays", "OK, if luc plays", "as long as luc plays", "if luc does too"),
        *("but not before Monday", "only after Monday", "Let me check with my wife first"),
        *("si luc joue", "mais si luc joue", "à condition que luc joue", "sauf si luc refuse"),
        *("mais pas avant lundi", "je dois demander à ma femme", "Si Luc veut bien, d'accord"),
        *("si luc juega", "pero si luc juega", "siempre que juegue luc", "pero no antes del lunes"),
        *("tengo que consultarlo con mi mujer", "a menos que juegue ann"),
        *("если люк играет", "но если люк играет", "при условии, что люк играет"),
        *("но не раньше понедельника", "мне надо спросить у жены", "Если Люк тоже играет"),
    ],
)
def test_a_condition_below_a_yes_is_recognised(line: str) -> None:
    assert is_conditional(line, is_no=False)


@each_row(
    "line",
    [
        *("If I am slow, it's because of my exams", "If you need anything, tell me", "if you like"),
        *("if only I had known", "If it rains tomorrow, I'll play all day", "Let me check"),
        *("But I am slow", "but I don't know the rules", "Only two weeks to Christmas!", "if"),
        *("I wonder if it rains", "See you on Monday", "What if it rains?", "Great!", "", "…"),
        *("s'il vous plaît", "si tu veux", "Si seulement", "mais je suis lent", "Si !"),
        *("si quieres", "Si no contesto, es que estoy de viaje", "pero soy lento", "¡Si, vamos!"),
        *("если что, пишите", "если честно, я новичок", "но я играю медленно", "если бы"),
    ],
)
def test_ordinary_talk_makes_no_condition(line: str) -> None:
    assert not is_conditional(line, is_no=False)


@each_row(
    ("line", "is_said"),
    [
        *(("unless luc plays", True), ("sauf si luc joue", True), ("если люк не играет", True)),
        *(("let me check with my wife", False), ("but not before Monday", False)),
    ],
)
def test_below_a_no_only_a_condition_counts(line: str, *, is_said: bool) -> None:
    """A no stays a no until somebody was asked."""
    assert is_conditional(line, is_no=True) == is_said
