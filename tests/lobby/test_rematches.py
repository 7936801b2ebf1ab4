"""Rematches: the same players, rules and terms, by the same checks as a challenge."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from pbmserv.boards.authorship import LAST_WORDS
from pbmserv.boards.board import load_board
from pbmserv.boards.deadlines import STANDARD
from pbmserv.database import models
from pbmserv.database.engine import reading, writing
from pbmserv.lobby import moderation
from tests.letters.pages import read
from tests.stories.town import PASSWORD, Letter, Town, answering, town_at

pytestmark = pytest.mark.long

ANN, BOB, CLEO = "ann@example.org", "bob@example.org", "cleo@example.org"
BEGUN = "has begun"
REMATCH = f"perudo rematch 1 ann {PASSWORD}"
TERMS = ("-inorder", "-rules=bga", "-calza", "--nagtime=3", "--forfeittime=9", "--totaltime=90")


@pytest.fixture
def town(home: Path) -> Iterator[Town]:
    """Board 1 of ann and bob is over."""
    with town_at(home, settings="challenges_daily = 3\n") as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", options=TERMS)
        town.move("ann", "2-2s")
        town.move("bob", "2-3s")
        town.move("ann", "resign")
        yield town


def ends_a_game(letter: Letter) -> bool:
    return re.match(r"You win, \S+!|\S+ wins\.", letter.opening) is not None


def begins(letters: list[Letter]) -> bool:
    return any(BEGUN in each.text for each in letters)


def begins_and_ends(town: Town, sender: str, subject: str) -> bool:
    """Whether an email begins a board; who is on turn leaves it, so that it can come again."""
    begun = [each for each in town.write(sender, subject) if BEGUN in each.text]
    if begun:
        (turn,) = [each for each in begun if each.subject.startswith("Your turn")]
        userid, board = turn.to.partition("@")[0], int(turn.subject.rpartition(" ")[2])
        assert ends_a_game(town.move(userid, "resign", board)[-1])
    return bool(begun)


def refusal(letters: list[Letter]) -> str:
    """The words of the only letter, a refusal, without what was read."""
    (letter,) = letters
    assert "not played" in letter.subject or "refused" in letter.subject
    return " ".join(letter.text.partition("Nothing was changed")[0].split())


def test_the_new_board_has_the_rules_terms_and_order_of_the_old_one(town: Town) -> None:
    for board in range(2, 5):  # in random order three boards are hardly alike
        assert begins(town.write(BOB, f"perudo rematch {board - 1} bob {PASSWORD}"))
        with reading(town.engine) as connection:
            old, new = load_board(connection, 1), load_board(connection, board)
        assert new.table.rules == old.table.rules
        assert new.clock.terms == old.clock.terms
        assert new.names == ["ann", "bob"]
        assert [each.taken for each in new.seats] == [False, True]
        town.move("bob", "resign", board)
        town.move("ann", "resign", board)
        town.waited(25)


@pytest.mark.slow
def test_a_rematch_draws_the_order_if_the_game_did(town: Town) -> None:
    orders = set()
    for board in range(2, 22, 2):
        town.challenge("ann", "house", options=())
        town.move("ann", "resign", board)
        town.waited(1)
        assert begins(town.write(ANN, f"perudo rematch {board} ann {PASSWORD}"))
        with reading(town.engine) as connection:
            orders.add(tuple(load_board(connection, board + 1).names))
        town.waited(25)
    assert orders == {("ann", "house"), ("house", "ann")}


@pytest.mark.parametrize("parameter", ["-unrated", "-inorder"])
def test_a_draw_leaves_a_rated_board_rated_for_a_rematch(town: Town, parameter: str) -> None:
    """An unrated one stays unrated."""
    town.challenge("bob", "ann", options=(parameter,))
    town.write(BOB, f"perudo accept bob {PASSWORD} 2")
    town.write(ANN, f"perudo accept ann {PASSWORD} 2")
    with reading(town.engine) as connection:
        (first, second) = load_board(connection, 2).names
    town.move(first, "propose", 2)
    town.write(f"{second}@example.org", f"perudo accept {second} {PASSWORD} 2")
    assert begins(town.write(ANN, f"perudo rematch 2 ann {PASSWORD}"))
    with reading(town.engine) as connection:
        assert not load_board(connection, 2).clock.terms.rated
        assert load_board(connection, 3).clock.terms.rated == (parameter == "-inorder")


@pytest.mark.parametrize("parameter", ["-unrated", "-inorder"])
def test_a_board_of_an_older_version_is_rated_only_if_it_ended_so(
    town: Town, parameter: str
) -> None:
    """The older version kept nothing of a challenge that began at once."""
    town.challenge("bob", "ann", options=(parameter,))
    town.write(ANN, f"perudo accept ann {PASSWORD} 2")
    with writing(town.engine) as connection:
        connection.execute(update(models.Board).where(models.Board.id == 2).values(asked=""))
        (first, second) = load_board(connection, 2).names
    for userid, move in ((first, "2-2s"), (second, "2-3s"), (first, "resign")):
        town.move(userid, move, 2)
    assert begins(town.write(ANN, f"perudo rematch 2 ann {PASSWORD}"))
    with reading(town.engine) as connection:
        assert load_board(connection, 3).clock.terms.rated == (parameter == "-inorder")
        assert load_board(connection, 2).clock.terms.rated == (parameter == "-inorder")


def test_a_board_from_matchmaking_can_have_a_rematch(town: Town) -> None:
    for userid in ("ann", "cleo"):
        town.write(f"{userid}@example.org", f"perudo seek {userid} {PASSWORD} -players=2")
    town.move("ann", "resign", 2)
    town.move("cleo", "resign", 2)
    assert begins(town.write(CLEO, f"perudo rematch 2 cleo {PASSWORD}"))
    with reading(town.engine) as connection:
        assert load_board(connection, 3).clock.terms == STANDARD


def test_the_token_of_a_move_or_of_another_board_is_not_enough(town: Town) -> None:
    """The word in a reply to such a letter is not enough either."""
    before = [each for each in town.letters if each.to == ANN and each.subject.endswith("board 1")]
    spent = [each for each in before if each.token and not ends_a_game(each)]
    town.challenge("cleo", "ann")
    other = town.last_letter_to(ANN)
    assert len({each.token for each in spent}) > 1
    for letter in spent:
        for letters in (
            town.write(ANN, f"perudo rematch 1 ann {letter.token}"),
            town.reply(letter, "rematch"),
        ):
            said = refusal(letters)
            assert "You answered an earlier letter about board 1" in said
            assert "The game is over. Send it again as a reply to the latest" in said
    (told,) = town.write(ANN, f"perudo rematch 1 ann {other.token}")
    assert "Wrong user name or password" in told.text
    assert "Board 2 is not over" in refusal(town.reply(other, "rematch"))
    assert "PASSWORD is missing" in refusal(town.reply(other, "rematch 1 ann"))


def test_one_word_in_a_reply_to_the_last_letter_is_enough(town: Town) -> None:
    """Two players who ask get one board, and the words below are said."""
    ends = {to: town.last_letter_to(to) for to in (ANN, BOB)}
    assert all(map(ends_a_game, ends.values()))
    letters = town.reply(ends[ANN], "Rematch, please!\nDouble or quits?")
    assert begins(letters)
    assert all("| Double or quits?" in each.text for each in letters)
    assert all("This is the rematch of board 1." in " ".join(each.text.split()) for each in letters)
    letters = town.reply(ends[BOB], "rematch?\nGladly.")
    assert not begins(letters)
    words, told = sorted(letters, key=lambda each: each.to)
    assert words.to == ANN and "Gladly." in words.text
    assert "This is the rematch of board 1." in told.text
    with reading(town.engine) as connection:
        assert all(each.taken for each in load_board(connection, 2).seats)


def test_the_last_letter_of_somebody_else_or_of_long_ago_is_not_enough(town: Town) -> None:
    end = town.last_letter_to(ANN)
    for sender in (CLEO, "eve@example.net"):
        (told,) = town.write(sender, f"Re: {end.subject}", "rematch", to=end.reply_to)
        assert "does not come from an address of that player" in " ".join(told.text.split())
    with writing(town.engine) as connection:
        ago = town.now - LAST_WORDS
        connection.execute(update(models.Board).values(ended_at=ago, moved_at=ago))
    assert "You answered an earlier letter" in refusal(town.reply(end, "rematch"))
    (told,) = town.reply(end, "It was a good game, I think.")
    assert "not sent to the others" in " ".join(told.text.split())
    # Its token does there what it does in a reply to the last letter.
    assert "You answered an earlier letter" in refusal(town.reply(told, "rematch"))


def test_late_words_in_a_reply_to_any_letter_go_to_the_players(town: Town) -> None:
    letters = [each for each in town.letters if each.to == ANN and each.token]
    of_board = [each for each in letters if each.subject.endswith("board 1")]
    assert len({each.token for each in of_board}) > 2
    for number, letter in enumerate(of_board):
        words = f"{'so ' * number}lively a game!"
        said, receipt = town.reply(letter, words)
        assert said.to == BOB and f"| {words}" in said.text
        assert receipt.to == ANN and "reply with rematch" in receipt.text
    answer, _ = town.reply(town.last_letter_to(BOB), "Thanks!")
    assert answer.to == ANN and "| Thanks!" in answer.text
    for sender in (CLEO, "eve@example.net"):
        letter = of_board[0]
        told = town.write(sender, f"Re: {letter.subject}", "Good game!", to=letter.reply_to)
        assert not any("| Good game!" in each.text for each in told)


def test_a_word_to_a_finished_board_that_is_the_password_goes_to_nobody(town: Town) -> None:
    for letter in (
        town.last_letter_to(ANN),
        next(e for e in town.letters if "board 1" in e.subject),
    ):
        (told,) = town.reply(letter, PASSWORD)
        assert told.to == ANN and PASSWORD not in told.text


def test_a_refused_rematch_names_suspended_and_blocked_players(town: Town) -> None:
    town.app.transactions.run(lambda work: moderation.suspend(work, "bob", None, ""))
    town.delivered()
    assert "The operator has suspended this player: bob." in refusal(town.write(ANN, REMATCH))
    bobs = town.write(BOB, f"perudo rematch 1 bob {PASSWORD}")
    assert "The operator has suspended the account bob" in refusal(bobs)
    town.app.transactions.run(lambda work: moderation.resume(work, "bob", ""))
    town.delivered()
    town.write(BOB, f"block bob {PASSWORD} ann")
    assert "This player has blocked you" in refusal(town.write(ANN, REMATCH))


@pytest.mark.parametrize("taken_over", [True, False])
def test_a_refused_rematch_names_replaced_players(town: Town, taken_over: bool) -> None:
    """By a bot, or by a person who took the seat over."""
    options = ("-inorder", "--standin", "--nagtime=1h", "--forfeittime=2d")
    town.challenge("ann", "bob", options=options)
    town.move("bob", "accept", 2)
    town.reply(town.last_letter_to(ANN), "2-3s")
    town.waited(24 * 3)
    if taken_over:
        town.write(CLEO, f"perudo takeover 2 cleo {PASSWORD}")
    town.move("ann", "resign", 2)
    for sender, userid in ((ANN, "ann"), (CLEO, "cleo") if taken_over else (BOB, "bob")):
        told = refusal(town.write(sender, f"perudo rematch 2 {userid} {PASSWORD}"))
        assert "On board 2 somebody else finished the game for bob." in told
    assert "for example: perudo challenge ann bob" in told


def test_two_players_asking_for_a_rematch_get_one_board(town: Town) -> None:
    """A second or repeated request takes the seat and names the board. Its message is sent."""
    assert begins(town.write(ANN, REMATCH))
    letters = town.write(BOB, f"perudo rematch 1 bob {PASSWORD}", "Gladly.")
    assert not begins(letters)
    words, told = sorted(letters, key=lambda each: each.to)
    assert words.to == ANN and "Gladly." in words.text
    assert told.opening == "You have taken your seat at board 2."
    assert "\n\nThis is the rematch of board 1.\n\n" in told.text
    with reading(town.engine) as connection:
        assert all(each.taken for each in load_board(connection, 2).seats)
    (told,) = town.write(ANN, REMATCH)
    assert told.opening == "You play at board 2 already."
    assert "\n\nThis is the rematch of board 1.\n\nIt is " in told.text


def test_a_finished_board_is_no_longer_the_rematch(town: Town) -> None:
    town.write(ANN, REMATCH)
    town.move("ann", "resign", 2)
    assert begins(town.write(BOB, f"perudo rematch 1 bob {PASSWORD}"))
    (told,) = town.write(ANN, REMATCH)
    assert "This is the rematch of board 1." in told.text


def test_asking_for_an_offered_rematch_accepts_it(town: Town) -> None:
    """The board begins with the last yes; before that, the answer says which board it is."""
    town.write(BOB, f"set bob {PASSWORD} challenges=ask")
    town.write(CLEO, f"set cleo {PASSWORD} challenges=ask")
    town.challenge("ann", "bob", "cleo")
    town.write(BOB, f"perudo accept bob {PASSWORD} 2")
    town.write(CLEO, f"perudo accept cleo {PASSWORD} 2")
    for userid in ("ann", "bob"):
        town.move(userid, "resign", 2)
    town.write(ANN, f"perudo rematch 2 ann {PASSWORD}")
    for userid in ("ann", "bob", "bob"):
        (told,) = town.write(f"{userid}@example.org", f"perudo rematch 2 {userid} {PASSWORD}")
        assert told.opening == "You have accepted the invitation to board 3."
        assert "\n\nThis is the rematch of board 2.\n\n" in told.text
    assert begins(town.write(CLEO, f"perudo rematch 2 cleo {PASSWORD}"))
    with reading(town.engine) as connection:
        assert load_board(connection, 3).names == ["ann", "bob", "cleo"]
    (told,) = town.write(BOB, f"perudo rematch 2 bob {PASSWORD}")
    assert "This is the rematch of board 2." in told.text


def test_each_board_has_its_own_rematch(town: Town) -> None:
    """Two boards of the same players can be played again at the same time."""
    town.challenge("bob", "ann")
    town.move("bob", "resign", 2)
    assert begins(town.write(ANN, REMATCH))
    assert begins(town.write(BOB, f"perudo rematch 2 bob {PASSWORD}"))


def test_a_rematch_counts_as_a_challenge(town: Town) -> None:
    """Like one in an answer to a letter: a challenge that proves nothing has its own count."""
    last = town.last_letter_to(ANN)
    headers = answering(last)
    subject = "perudo challenge ann house"
    assert begins(town.write(ANN, subject, to=last.reply_to, headers=headers))
    assert begins_and_ends(town, ANN, REMATCH)
    assert begins_and_ends(town, ANN, REMATCH)
    assert "You have made 3 challenges in a day" in refusal(town.write(ANN, REMATCH))
    town.waited(25)
    assert begins(town.write(ANN, REMATCH))


def test_rematches_under_a_forged_from_do_not_use_up_the_players_challenges(town: Town) -> None:
    """They count for who shows the password, and for no address of another player."""
    assert [begins_and_ends(town, CLEO, REMATCH) for _ in range(4)] == [True] * 3 + [False]
    (letter,) = town.write(CLEO, f"perudo rematch 1 cleo {PASSWORD}")
    assert "You do not play on board 1" in letter.text
    town.challenge("cleo", "house")
    resigned = town.move("cleo", "resign", 5)
    assert resigned[-1].opening == "house wins."
    again = f"perudo rematch 5 cleo {PASSWORD}"
    assert [begins_and_ends(town, CLEO, again) for _ in range(4)] == [True] * 3 + [False]


def test_challenges_count_for_an_unregistered_address(town: Town) -> None:
    """Two players make no more challenges from it than one."""
    elsewhere = "somebody@elsewhere.example"
    for _ in range(2):
        assert begins_and_ends(town, elsewhere, REMATCH)
    assert begins_and_ends(town, elsewhere, f"perudo rematch 1 bob {PASSWORD}")
    before = len(town.letters)
    town.write(elsewhere, f"perudo rematch 1 bob {PASSWORD}")
    assert not begins(town.letters[before:])
    assert begins(town.write(BOB, f"perudo rematch 1 bob {PASSWORD}"))


def left(town: Town, userid: str) -> list[Letter]:
    """The letters when a player closes the account."""
    (asked,) = town.write(f"{userid}@example.org", f"signoff {userid} {PASSWORD}")
    return town.write(asked.to, f"confirm {asked.token}")


def test_no_rematch_is_offered_with_a_player_who_has_left_the_server(home: Path) -> None:
    """The last letter says so, and so does the answer to `rematch`, each with what can be done."""
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob")
        town.move("ann", "2-2s")
        town.move("bob", "3-2s")
        ended = next(each for each in left(town, "ann") if ends_a_game(each))
        (refused,) = town.reply(ended, "rematch")
        for told in (ended, refused):
            said = " ".join(told.text.split())
            assert told.to == BOB
            assert "This player has left the server: ann. So there is no rematch." in said
            assert "\n  perudo challenge bob house\n" in told.text
            assert "reply with rematch" not in said


def test_words_after_the_end_offer_no_rematch_with_who_has_left(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.challenge("ann", "bob", "cleo", options=("-inorder", "-dice=1"))
        town.move("ann", "1-2s")
        town.move("bob", "dudo")
        with reading(town.engine) as connection:
            board = load_board(connection, 1)
        out = board.names[board.table.cups.index(())]
        second = board.names[board.table.turn]
        (winner,) = {*board.names} - {out, second}
        town.move(second, "resign")
        left(town, out)
        last = town.last_letter_to(f"{winner}@example.org")
        (said, _) = town.reply(last, "Good game!")
        assert "To write back, reply with your message.\n" in said.text
        (refused,) = town.reply(last, "rematch")
        names = " ".join(each for each in ("ann", "bob", "cleo") if each != out)
        assert f"\n  perudo challenge {names}\n" in refused.text


@pytest.mark.parametrize("word", ["resign", "decline"])
def test_a_player_who_left_may_ask_again_after_the_end_in_reply_to_the_refusal(
    home: Path, word: str
) -> None:
    """It says that no letter tells of the end, and how to challenge the others at once."""
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        town.reply(town.last_letter_to("bob@example.org"), word)
        town.move("ann", "2-2s")
        left = town.last_letter_to("bob@example.org")
        (refused,) = town.reply(left, "rematch")
        said = " ".join(refused.text.split())
        assert "You have left it, so no letter tells you of its end." in said
        assert "PASSWORD" not in said
        town.move("cleo", "3-2s")
        town.move("ann", "resign")
        assert town.last_letter_to("bob@example.org") == refused
        begun = town.reply(refused, "rematch")
        assert any("This is the rematch of board 1." in " ".join(e.text.split()) for e in begun)


def test_a_player_who_left_challenges_the_others_with_the_line_of_the_refusal(home: Path) -> None:
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        town.reply(town.last_letter_to("bob@example.org"), "resign")
        town.move("ann", "2-2s")
        (refused,) = town.reply(town.last_letter_to("bob@example.org"), "rematch")
        (line,) = re.findall(r"^  (perudo challenge .*)$", refused.text, re.MULTILINE)
        begun = town.reply(refused, line)
        assert {each.to.partition("@")[0] for each in begun} == {"ann", "bob", "cleo"}
        subject = f"perudo rematch 1 bob {PASSWORD}"
        (refused,) = town.write("bob@example.org", subject)
        assert "is over, write: perudo rematch 1 bob PASSWORD" in " ".join(refused.text.split())


def test_a_player_who_plays_on_is_told_which_letter_to_answer(home: Path) -> None:
    """Who has resigned and waits for the turn will leave, and needs the password."""
    with town_at(home) as town:
        town.sign_up_and_challenge("ann", "bob", "cleo")
        letter = town.last_letter_to("cleo@example.org")
        (refused,) = town.reply(letter, "rematch")
        said = " ".join(refused.text.split())
        assert "You get a letter at its end. Reply to that one with rematch." in said
        town.reply(letter, "resign")
        (refused,) = town.reply(letter, "rematch")
        assert "perudo rematch 1 cleo PASSWORD" in refused.text


def test_rematch_in_reply_to_the_first_letter_of_a_rematch_accepts_it(town: Town) -> None:
    """Once: then it is too early for the next one."""
    asker, other = ANN, BOB
    assert begins(town.write(asker, REMATCH))
    letter = next(each for each in reversed(town.letters) if each.to == other)
    assert "This is the rematch of board 1." in " ".join(letter.text.split())
    (told,) = town.reply(letter, "rematch")
    assert "You have taken your seat at board 2." in told.text
    assert "Board 2 is not over" in refusal(town.reply(letter, "rematch"))


@pytest.mark.parametrize("below", ["reject", "decline", "or not?", "no thanks", "no wait", "нет"])
def test_rematch_above_words_that_refuse_it_is_asked_about(town: Town, below: str) -> None:
    """It would accept the rematch for which the other player asked."""
    town.move("bob", "resign")
    town.move("ann", "resign")
    assert begins(town.write(ANN, f"perudo rematch 1 ann {PASSWORD}"))
    with reading(town.engine) as connection:
        before = [each.taken for each in load_board(connection, 2).seats]
    letters = town.reply(town.last_letter_to(BOB), f"rematch\n{below}")
    assert {each.to for each in letters} == {BOB}
    with reading(town.engine) as connection:
        assert [each.taken for each in load_board(connection, 2).seats] == before


def say(letter: Letter, sentence: str) -> bool:
    """Whether both forms of a letter say it."""
    page = letter.message.get_body(("html",))
    assert page is not None
    return all(
        sentence in " ".join(each.split()) for each in (letter.text, read(page.get_content()).text)
    )


@pytest.fixture
def of_three(home: Path) -> Iterator[Town]:
    """Board 1 of ann, bob and cleo is over; cleo left it while the others played on."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo", "dora")
        town.challenge("ann", "bob", "cleo", options=("-inorder",))
        town.move("ann", "2-2s")
        town.move("bob", "2-3s")
        town.move("cleo", "resign")
        yield town


def finished(town: Town) -> Letter:
    """The last letter to ann after bob has given up."""
    with reading(town.engine) as connection:
        board = load_board(connection, 1)
    if board.names[board.table.turn] == "ann":
        town.move("ann", "2-2s")
    town.move("bob", "resign")
    return town.last_letter_to(ANN)


def test_who_left_early_is_not_invited_to_a_rematch(of_three: Town) -> None:
    """The last letter says so, and the first one of the rematch."""
    last = finished(of_three)
    assert say(last, "cleo left the game early. A rematch does not invite this player.")
    letters = of_three.reply(last, "rematch")
    assert {each.to for each in letters} == {ANN, BOB}
    for letter in letters:
        assert "This is the rematch of board 1. cleo left that game early" in " ".join(
            letter.text.split()
        )
        assert say(letter, "cleo left that game early and is not invited again.")
    with reading(of_three.engine) as connection:
        assert set(load_board(connection, 2).names) == {"ann", "bob"}


def test_the_challenger_can_name_who_left_and_others(of_three: Town) -> None:
    finished(of_three)
    letters = of_three.write(ANN, f"perudo rematch 1 ann {PASSWORD} Cleo, dora")
    assert begins(letters)
    assert not any("left that game early" in " ".join(each.text.split()) for each in letters)
    with reading(of_three.engine) as connection:
        assert set(load_board(connection, 2).names) == {"ann", "bob", "cleo", "dora"}


def test_who_left_early_can_ask_for_a_rematch(of_three: Town) -> None:
    finished(of_three)
    assert begins(of_three.write(CLEO, f"perudo rematch 1 cleo {PASSWORD}"))
    with reading(of_three.engine) as connection:
        assert set(load_board(connection, 2).names) == {"ann", "bob", "cleo"}


def test_the_challenger_is_told_who_is_not_invited_before_the_game(of_three: Town) -> None:
    of_three.write(BOB, f"set bob {PASSWORD} challenges=ask")
    letters = of_three.reply(finished(of_three), "rematch")
    (mine,) = [each for each in letters if each.to == ANN]
    assert say(mine, "cleo left that game early and is not invited again.")
    (invitation,) = [each for each in letters if each.to == BOB]
    begun = [each for each in of_three.reply(invitation, "accept") if BEGUN in each.text]
    assert "cleo left that game early and is not invited again." in " ".join(begun[0].text.split())


def test_who_signed_off_early_keeps_nobody_from_a_rematch(of_three: Town) -> None:
    left(of_three, "cleo")
    assert begins(of_three.reply(finished(of_three), "rematch"))
