"""An email that was not understood is shown again without what may be a password in it."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.commands.framework import vocabulary
from pbmserv.commands.move_lines.bare_moves import reads_as_move
from pbmserv.intake.excerpt import LONGEST_LINE, MOST_LINES, lines_found
from pbmserv.intake.password_redaction import is_request
from pbmserv.intake.replies.greetings import is_greeting, read_greeted, ungreeted
from pbmserv.security.credentials import BLANKED, SHORTEST_PASSWORD
from tests.rows import each_row


def shown(*typed: str) -> tuple[str, ...]:
    return lines_found("Re: Hello", typed, vocabulary(), reads_as_move)


@each_row(
    ("typed", "again"),
    [
        ("swordfish", BLANKED),
        ("swordfish 4-2s", f"{BLANKED} 4-2s"),
        ("ann swordfish 4-2s", f"ann {BLANKED} 4-2s"),
        ("perudo mvoe 12 ann swordfish 4-2s", f"perudo mvoe 12 ann {BLANKED} 4-2s"),
        ("my password is swordfish ok", f"my {BLANKED} is {BLANKED} ok"),
        ("mein Passwort ist swordfish", f"{BLANKED} {BLANKED} ist {BLANKED}"),
        ("I think that you are bluffing!", "I think that you are bluffing!"),
        ("Ich glaube, du lügst wie immer", "Ich glaube, du lügst wie immer"),
        ("4-2s", "4-2s"),
        ("4‑2s, or dudo", "4-2s, or dudo"),
        ("move 12", "move 12"),
        ("move 12 1234", f"move 12 {BLANKED}"),
        ("swordfish!", BLANKED),
        ("Annuler", "Annuler"),
        ("¡Basta!", "¡Basta!"),
        ("annuler swordfish", f"annuler {BLANKED}"),
        ("????", BLANKED),
    ],
)
def test_possible_passwords_are_not_shown_again(typed: str, again: str) -> None:
    assert shown(typed) == (again,)


def test_a_few_lines_are_shown_and_no_empty_ones() -> None:
    assert shown("", "1", " ", *(str(n) for n in range(2, 50))) == ("1", "2", "3", "4", "5")
    assert len(shown(*["a"] * 50)) == MOST_LINES


def test_an_email_without_text_shows_a_subject_of_its_own() -> None:
    def found(subject: str, *typed: str) -> tuple[str, ...]:
        return lines_found(subject, typed, vocabulary(), reads_as_move)

    assert found("perudo xyzzy ann swordfish") == (f"perudo {BLANKED} ann {BLANKED}",)
    assert found("Let us play, shall we?", "", " ") == ("Let us play, shall we?",)
    assert found("Let us play, shall we?", "4-2s") == ("4-2s",)
    assert found("Re: Let us play, shall we?") == found("") == found(" ") == ()


def test_a_long_line_is_cut_behind_a_word() -> None:
    (line,) = shown("we " * 100)
    assert len(line) <= LONGEST_LINE + len(" ...")
    assert line.endswith("we ...")


@each_row(
    ("typed", "again"),
    [
        ("I call horsefeathers", "I call horsefeathers"),
        ("I call Horsefeathers!", "I call Horsefeathers!"),
        ("I call swordfish", f"I call {BLANKED}"),
        ("I call Swordfish!", f"I call {BLANKED}"),
        ("je dis sornettes", "je dis sornettes"),
        ("dudo horsefeathers", f"dudo {BLANKED}"),  # a password is beside a move alone
        ("bid 4-2s horsefeathers", f"bid 4-2s {BLANKED}"),
        ("I call horsefeathers2", f"I call {BLANKED}"),
    ],
)
def test_a_rare_word_that_ends_a_sentence_is_shown_if_it_is_not_the_password(
    typed: str, again: str
) -> None:
    """With any capitals.  It is compared only in a reply to a game letter."""

    def is_password(word: str) -> bool:
        return "swordfish" in word.lower()

    found = lines_found("Re: Hello", (typed,), vocabulary(), reads_as_move, is_password)
    assert found == (again,)
    assert "horsefeathers" not in shown("I call horsefeathers")[0]


def test_usual_words_are_shown_to_a_known_writer_and_rare_ones_are_compared_first() -> None:
    """Here four words are compared.  Nobody takes a remark or the writer's name for a password."""
    typed = (
        *("Three 4s? Gosh!", "Really unsure about Luc", "Cheers,", "Cleo Zanzibar"),
        "4-2s? horsefeathers, jabberwocky or codswallop, 5-2s",
    )
    compared: list[str] = []

    def is_password(word: str) -> bool | None:
        compared.append(word)
        return word == "jabberwocky" if len(compared) <= 4 else None

    written = "Re: Hello", typed, vocabulary(), reads_as_move
    found = lines_found(*written, is_password, {"cleo", "zanzibar"})
    last = f"4-2s? horsefeathers, {BLANKED} or codswallop, 5-2s"
    assert found == (*typed[:-1], last)
    assert compared[:4] == ["Gosh!", "horsefeathers,", "jabberwocky", "codswallop,"]
    assert len(compared) == len({*compared})
    found = lines_found(*written, lambda word: None, {"cleo", "zanzibar"})
    last = f"4-2s? {BLANKED} {BLANKED} or {BLANKED} 5-2s"
    assert found == (f"Three 4s? {BLANKED}", *typed[1:-1], last)


@each_row(
    "typed", ["I am not sure that swordfish is good", "Really swordfish", "Thanks Swordfish!"]
)
def test_the_password_of_a_known_writer_is_hidden_in_a_sentence_too(typed: str) -> None:
    def is_password(word: str) -> bool:
        return "swordfish" in word.lower()

    (found,) = lines_found("Re: Hello", (typed,), vocabulary(), reads_as_move, is_password)
    assert BLANKED in found
    assert "swordfish" not in found.lower()


@example("????", [])
@example("::??", ["12", "ann", "move", "perudo"])
@example("???A", ["12", "ann", "move", "perudo"])
@example("AB??", ["ann", "move", "perudo"])
@example("AAAA", ["12", "ann", "move", "4-2s"])
@example("MORE", [])
@given(
    st.text(alphabet=st.characters(categories=["L", "N", "P", "S"]), min_size=SHORTEST_PASSWORD),
    st.lists(st.sampled_from(["12", "4-2s", "ann", "move", "perudo"]), max_size=4, unique=True),
)
def test_no_password_among_a_commands_words_is_shown(password: str, words: list[str]) -> None:
    """In any place and of any form, unless it is a word of the commands, or of a request to us.

    No word comes twice: several short words that no command knows make a sentence, not a command.
    """
    for place in range(len(words) + 1):
        line = " ".join([*words[:place], password, *words[place:]])
        (again,) = shown(line)
        rest = again.split()
        is_cut = len(line) > LONGEST_LINE and rest[place] == "..."
        commands = {word for spellings in vocabulary().values() for word in spellings}
        is_command = rest[place].strip(".,;:!?()'\"*_").lower() in commands | {"perudo"}
        known = is_cut or rest[place] == BLANKED or is_command
        assert (
            known
            or is_request(rest[place])
            or reads_as_move(line)
            or reads_as_move(password.strip(".,;:!?()'\"*_"))
        )


@each_row(
    "line",
    [
        *("Hi", "Hello,", "Dear server,", "Hallo zusammen!", "Sehr geehrter Server,", "Bonjour,"),
        *("Hola:", "Ciao a tutti,", "Hoi,", "Olá,", "Dzień dobry,", "Здравствуйте!", "你好，"),
        *("こんにちは。", "HELLO"),
    ],
)
def test_a_greeting_above_a_move_is_skipped(line: str) -> None:
    assert is_greeting(line)
    assert ungreeted((line, "", "4-2s", "Thanks"), vocabulary(), reads_as_move) == (
        "4-2s",
        "Thanks",
    )
    assert ungreeted(("", line, "perudo show 1"), vocabulary(), reads_as_move) == ("perudo show 1",)


@pytest.mark.parametrize(
    "line", ["Hello all", "Hi Bob", "Hallo ihr Lieben", "Hi  everybody", "Bonsoir tout le monde"]
)
def test_a_short_greeting_without_a_comma_above_a_move_is_passed_over(line: str) -> None:
    assert ungreeted((line, "", "4-2s"), vocabulary(), reads_as_move) == ("4-2s",)
    for below in ("perudo show 1", "I am Ann"):
        typed = (line, "", below)
        assert ungreeted(typed, vocabulary(), reads_as_move) == typed


@pytest.mark.parametrize(
    "typed",
    [
        ("Hello,", "", "I am Ann"),
        ("Hello,",),
        ("Hi there everybody I bid", "4-2s"),
        ("Help", "4-2s"),
        ("dudo", "Hi,", "4-2s"),
        (),
    ],
)
def test_no_line_but_a_greeting_is_skipped(typed: tuple[str, ...]) -> None:
    assert ungreeted(typed, vocabulary(), reads_as_move) == typed


def test_a_greeting_above_a_message_goes_out_with_it() -> None:
    """Also where these read as a command: the Subject says what is wanted."""
    typed = ("Hello bob, what a round!", "", "Board 2 as you see it, ann.")
    asked = read_greeted("message ann PASSWORD bob", typed, None, vocabulary(), reads_as_move)
    assert asked.message == "\n".join(typed)
    asked = read_greeted("Hi", typed, None, vocabulary(), reads_as_move)
    assert [type(each).__name__ for each in asked.lines] == ["CommandCall"]
