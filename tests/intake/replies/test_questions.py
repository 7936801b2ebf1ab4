"""Questions to the server in reply to a game letter are answered, and not sent to the table."""

from __future__ import annotations

from pathlib import Path
from tempfile import mkdtemp

import pytest

from pbmserv.intake.answering.answer_limits import MOST_ALIKE
from pbmserv.intake.replies.questions import is_question, page_asked
from pbmserv.timeunits import DAY
from tests.intake.new_towns import new_town
from tests.rows import each_row
from tests.stories.town import PASSWORD, Town, answering, town_at

ANN, BOB = "ann@example.org", "bob@example.org"
OF_THE_SERVER = (
    *("I have no idea what this means", "What are my dice?", "what do I do?", "Help?", "help me!"),
    *("Hi,\nI don't understand.\n\nBob", "What is this? What do I do?", "How does this work?"),
    "Hello,\n\nWhat are my dice?\n\nThanks\nBob",
    *("Je ne comprends rien !", "Quels sont mes dés ?", "C'est à qui ?", "Bonjour, que faire ?"),
    *("¿Qué dados tengo?", "No entiendo nada", "¿Y ahora qué?", "Perdón, ¿qué hago?"),
    *("Что делать?", "Я не знаю, как играть", "Помогите, пожалуйста!", "Какие у меня кости?"),
)
OF_THE_TABLE = (
    *("What do you think of my bid?", "What are your dice?", "What do I do with you, Bob?"),
    *(
        "I don't understand your bid",
        "Help yourself",
        "I do not know what to do.",
        "I have no idea what Bob means",
    ),
    *("Que penses-tu de mon annonce ?", "Je ne comprends pas ton annonce", "¿Qué dados tienes?"),
    *(
        "how many dice have you?",
        "what did u bid?",
        "is it your turn?",
        "What did you bid?",
        "сколько костей у тебя?",
        "сколько у вас костей?",
    ),
    *("¿cuántos dados tiene usted?", "what are my dice and what are yours?"),
    *("Что ты думаешь?", "Не понимаю тебя", "Bob", "", "Thanks!", "What do I do?\n\na\nb\nc"),
)


@each_row("text", OF_THE_SERVER)
def test_a_question_to_the_server_is_a_whole_text(text: str) -> None:
    assert is_question(text.split("\n"))


@each_row("text", OF_THE_TABLE)
def test_a_question_to_other_players_is_not_answered_by_the_server(text: str) -> None:
    assert not is_question(text.split("\n"))


OF_BOARDS = (
    *("Who is on turn?", "Whose turn is it?", "who's turn?", "Hi,\nis it my turn?\n\nThanks\nBob"),
    *("À qui le tour ?", "C'est à qui de jouer ?", "¿De quién es el turno?", "A quién le toca"),
    *("Чей ход?", "Кто ходит?", "What are my dice?", "what's the last bid?"),
    *("is it my turn yet?", "How many dice do I have left?", "how many dice are left?"),
    *("C'est déjà mon tour ?", "Il me reste combien de dés ?", "Combien de dés reste-t-il ?"),
    *("¿me toca a mí?", "¿Me toca ya?", "¿Cuántos dados me quedan?", "¿cuántos dados quedan?"),
    *("when is my turn?", "who's playing?", "c'est quand mon tour ?", "¿cuándo me toca?"),
    *("когда мой ход?", "кто играет?"),
    *("Уже мой ход?", "Сколько у меня осталось костей?", "сколько кубиков осталось?"),
    *(
        "how many dice do I have left? And what was the bid?",
        "What are my dice and what's the bid?",
    ),
    *("Combien de dés me reste-t-il ? Et quelle était l'annonce ?", "combien de dés a ann ?"),
    *("¿Cuántos dados me quedan? ¿Y cuál era la apuesta?", "¿Cuántos dados tiene ann, y me toca?"),
    *("Сколько у меня осталось костей? И какая была ставка?", "сколько костей у ann и чей ход?"),
    *("How many dice has Ann got left? Is it her turn?\nThanks", "how many dice does ann have?"),
)


BESIDE = (
    *("et maintenant c'est à qui ?", "Et maintenant, c'est à qui ?", "And whose turn is it now?"),
    *("But what are my dice?", "y ahora ¿a quién le toca?", "¿Y mis dados?", "А теперь чей ход?"),
    *("Ну и чей сейчас ход?", "C'est à qui maintenant ?", "How do I quit this game?"),
    *("Comment quitter la partie ?", "¿Cómo salgo de la partida?", "Как выйти из игры?"),
)


@each_row("text", BESIDE)
def test_a_question_with_and_or_now_beside_it_is_for_the_server(text: str) -> None:
    assert is_question([text])


def greeted(town: Town) -> None:
    """Begin board 1, and let ann write to bob."""
    town.sign_up_and_challenge("ann", "bob")
    town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello!")


@each_row("text", OF_BOARDS)
def test_a_question_about_the_turn_is_for_the_server_below_words_of_others_too(
    tmp_path: Path, text: str
) -> None:
    """So are questions about one's own dice and the last bid; below `chat` they go to the table."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.done_once("a message to bob", lambda: greeted(town))
        for letter in (town.last_letter_to(BOB, 2), town.last_letter_to(BOB)):
            (told,) = town.reply(letter, text)
            assert (told.to, told.subject) == (BOB, "How to go on: Perudo board 1")
            assert "It is not your turn: ann has to move first." in " ".join(told.text.split())
        assert town.reply(town.last_letter_to(BOB), f"chat\n{text}")[0].to == ANN


@each_row("text", ["Is it my turn?", "whose turn is it?", "c'est à qui ?", "¿me toca?", "чей ход?"])
def test_a_question_about_the_turn_is_answered_first_on_turn(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        (told,) = town.reply(town.last_letter_to(ANN), text)
        assert told.text.startswith("It is your turn. You asked for help at board 1.")
        (told,) = town.reply(town.last_letter_to(BOB), text)
        assert "It is your turn." not in told.text


@each_row(
    "text",
    [
        *("whose turn is it? I lost track.", "What are my dice? I deleted the mail."),
        *(
            "I was away for a week. Whose turn is it?\nThanks\nBob",
            "À qui le tour ? Je suis perdu.",
        ),
        *("¿De quién es el turno? Me perdí.", "чей ход? я запутался"),
    ],
)
def test_a_question_with_a_word_about_its_writer_goes_to_nobody_else(
    tmp_path: Path, text: str
) -> None:
    """And the answer says so."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        (told,) = town.reply(town.last_letter_to(BOB), text)
        assert (told.to, told.subject) == (BOB, "How to go on: Perudo board 1")
        assert "What you wrote was not sent to the other players." in " ".join(told.text.split())


@each_row(
    "text",
    [
        *("Whose turn is it? You are slow", "whose turn is it? dudo", "whose turn? 4-2s"),
        *("Whose turn is it? Are you there?", "What now? I am tired", "чей ход? ты спишь"),
        "Whose turn is it? " + " ".join(f"word{each}" for each in range(17)),
        "Whose turn is it? It rains. It snows. We wait",
        *("whose turn is it? I quit", "whose turn is it? I leave the game"),
        *("whose turn is it? tell luc I resign", "whose turn is it? stop emailing me"),
        *("whose turn is it? swordfish", "à qui le tour ? je me rends", "чей ход? я сдаюсь"),
    ],
)
def test_a_question_beside_words_to_others_or_a_move_is_not_for_the_server(text: str) -> None:
    assert not is_question(text.split("\n"))


@each_row("text", ["Whose turn is it, ann?", "Who is next to lose a die?", "What are your dice?"])
def test_a_question_to_a_player_below_words_goes_to_the_table(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        town.write(ANN, f"perudo chat 1 ann {PASSWORD}", "Hello!")
        assert town.reply(town.last_letter_to(BOB), text)[0].to == ANN


def test_the_answer_has_the_writers_dice_and_moves_and_goes_to_nobody_else(town: Town) -> None:
    """Also in the turn of another, and in reply to it a move is played."""
    town.move("ann", "2-2s")
    dice = {}
    for address, text in (
        (ANN, "Help me!!!"),
        (BOB, "help"),
        (BOB, "Помогите!"),
        (BOB, "Help please\nBob"),
    ):
        (told,) = town.reply(town.last_letter_to(address), text)
        assert (told.to, told.subject) == (address, "How to go on: Perudo board 1")
        said = " ".join(told.text.split())
        assert "A bid such as 4-2s says that all cups together hold at least four" in said
        assert said.count("Your dice: ") == 1
        dice[address] = said.partition("Your dice: ")[2][:9]
        assert ("The bid to beat is 2-2s, by ann." in said) == (address == BOB)
        assert ("The last bid is 2-2s, by ann." in said) == (address == ANN)
        assert ("It is not your turn: bob has to move first." in said) == (address == ANN)
        assert all(f"help {page}" in said for page in ("tutorial", "rules", "commands"))
    for address, cup in dice.items():
        assert f"Your dice: {cup}" in town.last_letter_to(address).text
    letters = town.reply(told, "3-2s")
    assert {each.opening for each in letters} >= {"You bid three 2s."}


def test_in_reply_to_an_earlier_letter_it_is_not_a_late_move(town: Town) -> None:
    """The answer shows what the board waits for now, and a reply to it is a move."""
    earlier = town.last_letter_to(ANN)
    town.move("ann", "2-2s")
    town.move("bob", "3-2s")
    for text in ("help", "What are my dice?", "How does this work?", "¿Y ahora qué?"):
        (told,) = town.reply(earlier, text)
        assert (told.to, told.subject) == (ANN, "How to go on: Perudo board 1")
        said = " ".join(told.text.split())
        assert "Your dice: " in said
        assert "The bid to beat is 3-2s, by bob." in said
    (other,) = town.write(
        "eve@example.net", "Re: x", text, to=earlier.reply_to, headers=answering(earlier)
    )
    assert "Your dice" not in other.text
    assert not any("You bid" in each.text for each in town.reply(other, "4-2s"))
    assert {each.opening for each in town.reply(told, "4-2s")} >= {"You bid four 2s."}


@pytest.mark.parametrize("text", ["help", "What are my dice?"])
def test_at_another_address_the_answer_has_no_dice(town: Town, text: str) -> None:
    letter = town.last_letter_to(ANN)
    for each in town.write(
        "eve@example.net", "Re: x", text, to=letter.reply_to, headers=answering(letter)
    ):
        assert "Your dice" not in each.text


def test_help_with_a_page_and_in_a_subject_is_the_manual(town: Town) -> None:
    letter = town.last_letter_to(ANN)
    assert town.reply(letter, "help rules")[0].subject == "Help: rules"
    assert town.write(ANN, "help")[0].subject == "Help: commands"


def test_the_answer_is_in_the_language_of_its_reader(town: Town) -> None:
    letter = town.last_letter_to(ANN)
    for language, subject in (
        ("fr", "Que faire : Perudo, partie 1"),
        ("es", "Qué hacer: Perudo, partida 1"),
        ("ru", "Что делать: Perudo, партия 1"),
    ):
        town.write(ANN, f"set ann {PASSWORD} language={language}")
        assert town.reply(letter, "help")[0].subject.replace("\N{NO-BREAK SPACE}", " ") == subject


def test_a_player_who_has_resigned_or_declined_or_is_out_is_told_so(town_of_three: Town) -> None:
    """Another `resign` would take the first one back."""
    town, bob = town_of_three, "bob@example.org"
    town.reply(town.last_letter_to(bob), "resign")
    for text in ("What are my dice?", "no thanks"):
        (told,) = town.reply(town.last_letter_to(bob), text)
        said = " ".join(told.text.split())
        assert "To stay in it, reply again with just the word resign." in said
        assert "To leave the game" not in said
        assert "You will get a letter when it is your turn" not in said
    letters = town.move("ann", "2-2s")
    assert any("bob resigned" in each.text for each in letters)
    (told,) = town.reply(letters[0] if letters[0].to == bob else town.last_letter_to(bob), "help")
    said = " ".join(told.text.split())
    assert "You are out of this game" in said
    assert "resign" not in said


def test_a_player_who_asks_for_help_all_day_is_still_asked_what_an_unclear_move_means(
    town: Town,
) -> None:
    letter = town.last_letter_to(ANN)
    asked = [town.reply(letter, text) for text in ["help", "What now?"] * (MOST_ALIKE // 2 + 1)]
    assert [len(each) for each in asked] == [1] * MOST_ALIKE + [0, 0]
    last = " ".join(asked[MOST_ALIKE - 1][0].text.split())
    assert "this is the last one today" in last
    assert "We send no more such answers until Wednesday 15 November 2023, 22:13 UTC." in last
    assert town.reply(letter, "fvie fives")[0].subject == "What did you mean?"
    (told,) = town.reply(letter, "How do I play?\n4-2s")
    assert "Did you mean 4-2s? If so, reply with just that." in told.text
    assert {each.opening for each in town.reply(told, "yes")} >= {"You bid four 2s."}


def test_after_the_last_answer_of_a_day_the_next_one_comes_when_it_says(town: Town) -> None:
    """It is 24 hours after the first answer, and not after the last."""
    letter = town.last_letter_to(ANN)
    for _ in range(MOST_ALIKE):
        town.now += 600
        town.reply(letter, "help")
    said = " ".join(town.last_letter_to(ANN).text.split())
    assert "We send no more such answers until Wednesday 15 November 2023, 22:23 UTC." in said
    town.now += DAY - 10 * 600
    assert town.reply(letter, "help") == []
    town.now += 600
    assert [each.subject for each in town.reply(letter, "help")] == ["How to go on: Perudo board 1"]


@each_row(
    "text", ["Help!\n\n4 twos", "How do I play?\n4-2s", "Hello, whose turn is it?\n4-2s\nBob"]
)
def test_a_move_below_a_question_is_asked_about(tmp_path: Path, text: str) -> None:
    """It may be an example, so it is not played. Of two moves, neither is asked about."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        letter = town.last_letter_to(ANN)
        (told,) = town.reply(letter, text)
        assert "Did you mean 4-2s? If so, reply with just that." in told.text
        for below in ("\n5-2s", "\naccept", "\n99-2s"):
            for each in town.reply(letter, text + below):
                assert "Did you mean" not in each.text
                assert "You bid" not in each.text


@each_row(
    "text",
    [
        *(
            "take that back",
            "Can I take that back?",
            "can I undo my move please?",
            "I want to change my bid",
        ),
        *("Puis-je annuler mon coup ?", "¿Puedo deshacer mi jugada?", "Можно взять ход назад?"),
    ],
)
def test_a_player_who_wants_a_move_back_is_told_that_it_cannot_be_taken_back(
    tmp_path: Path, text: str
) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        town.move("ann", "2-2s")
        (told,) = town.reply(town.last_letter_to(ANN), text)
        assert told.to == ANN
        said = " ".join(told.text.split())
        assert "A move cannot be taken back: the others have seen it." in said
        assert "What you wrote was not sent to the other players." in said


def test_the_pages_about_moves_say_that_a_move_cannot_be_taken_back(town: Town) -> None:
    for page in ("move", "bid"):
        (told,) = town.write(ANN, f"help {page}")
        assert "cannot be taken back: the others have seen it." in " ".join(told.text.split())
    (told,) = town.reply(town.last_letter_to(ANN), "undo")
    assert "Perudo has no undo: the others have seen your move" in " ".join(told.text.split())


def test_a_question_that_names_a_bid_of_ones_explains_it(town: Town) -> None:
    """On turn; in the turn of another no bid is named."""
    (told,) = town.reply(town.last_letter_to(ANN), "hmm?")
    assert "2-1s is a bid of two ones. Ones are not wild: they" in " ".join(told.text.split())
    (told,) = town.reply(town.last_letter_to(BOB), "hmm?")
    assert "is a bid of two ones" not in told.text
    town.challenge("ann", "bob", options=("-inorder", "-rules=bga"))
    town.move("ann", "2-2s", board=2)
    (told,) = town.reply(town.last_letter_to(BOB), "one one?")
    (told,) = town.reply(town.last_letter_to(BOB), "shall I say three ones?")
    assert "Ones are wild: they count for every other face, too." in " ".join(told.text.split())


@pytest.mark.parametrize("language", ["en", "fr", "ru", "es"])
def test_help_in_reply_to_a_letter_without_a_board_is_a_short_page(
    home: Path, language: str
) -> None:
    """What can be done now, three examples, and where the rest is."""
    with town_at(home) as town:
        town.sign_up("ann")
        (told,) = town.write(ANN, f"set ann {PASSWORD} language={language}")
        (page,) = town.reply(told, "Help please!")
        for question in ("What do I do now?", "¿Qué hago ahora?", "Que faire ?", "Что делать?"):
            assert town.reply(told, question)[0].text == page.text
        lines = page.body.partition("\n--\n")[0].rstrip("\n").split("\n")
        assert len(lines) <= 20
        examples = [line for line in lines if line.startswith("  perudo ")]
        assert [line.split()[1] for line in examples] == ["challenge", "games", "showas"]
        assert any(line.startswith("  help commands ") for line in lines)
        (all_commands,) = town.reply(page, "help commands")
        assert "help basics" in all_commands.body
        assert page.subject.endswith(": basics")


@each_row(
    ("text", "page"),
    [
        ("what does wild mean?", "rules"),
        ("Hi, what are aces? Thanks", "rules"),
        ("how does palifico work", "palifico"),
        ("When can I call calza?", "calza"),
        ("What's dudo?", "dudo"),
        ("Qu'est-ce que le palifico ?", "palifico"),
        ("Bonjour,\nque veut dire joker ?", "rules"),
        ("¿Los unos son comodines?", "rules"),
        ("¿Qué es la calza?", "calza"),
        ("Что такое палифико?", "palifico"),
        ("What does wild mean, ann?", ""),
        ("What is Bob?", ""),
        ("Dudo is wild", ""),
        ("palifico - what's that?", "palifico"),
        ("Palifico? What is it?", "palifico"),
        ("palifico : c'est quoi ?", "palifico"),
        ("Palifico, ¿qué es eso?", "palifico"),
        ("палифико - что это?", "palifico"),
        ("palifico - I lost a die", ""),
        ("", ""),
    ],
)
def test_a_question_about_a_word_of_the_rules_has_its_page(text: str, page: str) -> None:
    assert page_asked(text.split("\n")) == page
    assert is_question(text.split("\n")) == bool(page)


def test_the_page_of_the_rules_answers_and_the_others_may_be_asked(home: Path) -> None:
    """The answer has the rules of that board, and says how to ask the other players."""
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=["-inorder", "-rules=bga"])
        for address in (ANN, BOB):
            (told,) = town.reply(town.last_letter_to(address), "what does wild mean?")
            assert (told.to, told.subject) == (address, "How to go on: Perudo board 1")
            said = " ".join(told.text.split())
            assert "What you wrote was not sent to the other players." in said
            assert "Ones, the pacos, are wild: they count for every face" in said
            assert "To write to the others, reply with the word chat" in said
        letters = town.reply(told, "chat\nwhat does wild mean?")
        assert ANN in {each.to for each in letters}
        (told,) = town.reply(town.last_letter_to(BOB), "What is palifico?")
        assert "Palifico is a special round" in " ".join(told.text.split())


@each_row(
    "text",
    [
        "What are the rules?",
        "Quelles sont les règles ?",
        "¿Cuáles son las reglas?",
        "Какие правила?",
    ],
)
def test_a_question_about_the_rules_brings_the_first_part_of_the_boards_rules(
    tmp_path: Path, text: str
) -> None:
    """The answer names the whole page, with options and with what the source leaves unclear."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        (told,) = town.reply(town.last_letter_to(BOB), text)
        assert "RULES pbmserv" in told.text
        assert "Ones are not wild: they count only as ones." in told.text
        assert "-raise=literal" not in told.text
        assert "  help rules pbmserv  the whole page" in told.text
        (page,) = town.reply(told, "help rules pbmserv")
        assert "-raise=literal" in page.text
        (page,) = town.write(BOB, text)
        assert page.text.startswith("PERUDO\n")


@each_row(
    "text",
    [
        *("I'm on vacation next week", "je pars en vacances du 1er au 10"),
        *("estoy de vacaciones hasta el 10", "я в отпуске до 10 числа"),
    ],
)
def test_who_tells_of_a_vacation_is_told_the_command(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        for letters in (
            town.reply(town.last_letter_to(BOB), text),
            town.write(BOB, "Hi", text, headers={"Content-Language": "en"}),
        ):
            (told,) = letters
            assert "  vacation bob PASSWORD FROM TO" in told.text
        (told,) = town.reply(town.last_letter_to(ANN), "Hm, perhaps")
        assert "vacation" not in told.text


@each_row(
    "text", ["How many dice has ann got left? And what was the bid?", "Чей ход и какая ставка?"]
)
def test_both_questions_of_a_reply_are_answered(tmp_path: Path, text: str) -> None:
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        town.move("ann", "4-2s")
        (told,) = town.reply(town.last_letter_to(ANN), text)
        said = " ".join(told.text.split())
        assert "The last bid is 4-2s, by ann. Dice left: ann 5, bob 5." in said
        assert "It is not your turn: bob has to move first." in said


def test_hidden_numbers_of_dice_are_not_told(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob")
        town.challenge("ann", "bob", options=("-inorder", "-rules=bga", "-hidden"))
        town.move("ann", "4-2s")
        (told,) = town.reply(town.last_letter_to(ANN), "how many dice has bob?")
        assert "The last bid is 4-2s, by ann." in told.text
        assert "Dice left" not in told.text


ACCOUNT = (
    *("how do I delete my account?", "How can I change my password?", "can I change my user name?"),
    *("Hi,\nhow do I change my email address?\nThanks\nBob", "Comment supprimer mon compte ?"),
    *("Comment changer de mot de passe ?", "Je veux changer d'adresse", "¿Cómo borro mi cuenta?"),
    *("¿Cómo cambio mi contraseña?", "¿Puedo cambiar de nombre?", "Как удалить аккаунт?"),
    *("как сменить пароль?", "Как изменить адрес?"),
)


@each_row("text", ACCOUNT)
def test_a_question_about_an_account_brings_the_page_about_accounts(
    tmp_path: Path, text: str
) -> None:
    """In a reply to a game letter, in a new email, and from a stranger."""
    with town_at(Path(mkdtemp(dir=tmp_path)) / "home") as town:
        town.sign_up_and_challenge("ann", "bob")
        for letters in (
            town.reply(town.last_letter_to(BOB), text),
            town.write(BOB, "Question", text),
            town.write("zoe@elsewhere.example", "Question", text),
        ):
            (told,) = letters
            assert "signoff ann PASSWORD" in told.text
            assert "change address ann PASSWORD" in told.text
            assert "reset ann" in told.text


LANGUAGE = (
    *("How do I change the language?", "Comment changer de langue ?", "¿Cómo cambio el idioma?"),
    "Как поменять язык?",
)


@each_row("text", LANGUAGE)
def test_a_question_about_the_language_brings_the_page_about_languages(text: str) -> None:
    assert page_asked([text]) == "languages"


def test_account_is_a_page_of_the_manual(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("bob")
        for subject in ("help account", "help my account", "help user name"):
            (told,) = town.write(BOB, subject)
            assert "YOUR ACCOUNT" in told.text


@each_row(
    ("text", "page"),
    [
        ("C'est quoi un pacao ?", "RULES pbmserv"),
        ("C'est quoi dudo déjà ?", "DUDO"),
        ("What happens if I say dudo and I'm wrong?", "DUDO"),
        ("¿Qué pasa si digo dudo?", "DUDO"),
        ("what beats 2-4s?", "A BID"),
        ("Qu'est-ce qui bat 2-4s ?", "A BID"),
        ("¿Qué supera a dos cuatros?", "A BID"),
        ("Чем перебить 2-4s?", "A BID"),
        ("что значит «подходит одна»?", "A BID"),
        ("Can I say exactly 3 fours?", "CALZA"),
    ],
)
def test_a_question_about_a_word_or_a_bid_offers_no_move(
    tmp_path: Path, text: str, page: str
) -> None:
    """On turn and off turn; a yes to the answer plays nothing."""
    with new_town(tmp_path, ("ann", "bob", "luc"), moves=(("ann", "2-4s"),)) as town:
        for reader in (BOB, "luc@example.org"):
            (told,) = town.reply(town.last_letter_to(reader), text)
            assert page in told.text
            assert "Did you mean" not in told.text
            (again,) = town.reply(told, "yes")
            assert again.to == reader
            assert again.opening == "I found no command in your email, so nothing was done."


@each_row(
    ("text", "said"),
    [
        ("Combien de temps j'ai pour jouer ?", "you are out of the game on"),
        ("¿cuántos días tengo?", "you are out of the game on"),
        ("When is my next turn?", "you are out of the game on"),
        ("Сколько времени на ход?", "you are out of the game on"),
        ("How do I leave the game?", "you leave the game"),
        ("Comment annuler cette partie ?", "All players who still have dice can agree on a draw."),
        ("Je peux partir en vacances ?", "vacation"),
        ("Can I go on holiday?", "vacation"),
        ("¿cómo me doy de baja?", "signoff"),
        ("Comment je propose un match nul ?", "A reject or any move ends the offer."),
        ("How do I offer a draw?", "Reply to a letter about the game."),
        ("Стоп, а чей сейчас ход?", "It is your turn."),
        ("Wait, whose turn is it?", "It is your turn."),
    ],
)
def test_a_question_about_time_or_leaving_is_answered(tmp_path: Path, text: str, said: str) -> None:
    """The answer has what was asked for; the other player reads nothing."""
    with new_town(tmp_path) as town:
        (told,) = town.reply(town.last_letter_to(ANN), text)
        assert told.opening != "I found no command in your email, so nothing was done."
        assert said in " ".join(told.text.split())
