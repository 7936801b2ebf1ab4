"""The buttons of letters without a board: the token of each is good for its own command alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv.timeunits import DAY
from tests.intake.buttons import ANN, BOB, CLEO, REPLIES, a_blocker, buttons, one, players, press
from tests.stories.town import PASSWORD

PRESSED = "You have already pressed this button"


@REPLIES
def test_a_player_is_unblocked_once(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        unblock = a_blocker(town)
        assert "You have unblocked bob" in one(press(town, unblock))
        assert PRESSED in one(press(town, unblock))
        town.now += DAY
        again = a_blocker(town)
        assert PRESSED in one(press(town, unblock)), "an old letter does not undo a new one"
        assert "You have unblocked bob" in one(press(town, again))


@REPLIES
def test_a_board_is_unmuted(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.challenge("ann", "bob")
        (muted,) = town.write(ANN, f"perudo mute ann {PASSWORD} 1")
        link = buttons(muted)["Unmute board 1"]
        assert "You get what the others write" in one(press(town, link))
        assert PRESSED in one(press(town, link))


@REPLIES
def test_challenges_are_allowed_refused_and_asked_about(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        (told,) = town.write(ANN, f"perudo accept ann {PASSWORD}")
        refuse, ask = buttons(told)["Refuse all challenges"], buttons(told)["Ask me each time"]
        (off,) = press(town, refuse)
        assert "Nobody can challenge you now" in one([off])
        assert "start at once" in one(press(town, buttons(off)["Allow challenges"]))
        assert "challenges is now ask." in one(press(town, ask))
        assert PRESSED in one(press(town, ask))


@REPLIES
@pytest.mark.parametrize("answer", ["accept", "reject"])
def test_an_invitation_is_answered_from_a_letter_about_challenges(
    home: Path, replies: str, answer: str
) -> None:
    with players(home, replies) as town:
        town.write(ANN, f"set ann {PASSWORD} challenges=ask")
        town.challenge("bob", "ann")
        (told,) = town.write(ANN, f"perudo {answer} ann {PASSWORD}")
        letters = press(town, buttons(told)[f"{answer.title()} board 1"], words="I am glad to!")
        (mine,) = [each for each in letters if each.to == ANN]
        expected = "Board 1 has begun" if answer == "accept" else "You have rejected the invitation"
        assert expected in one([mine])
        again = one(press(town, buttons(told)[f"{answer.title()} board 1"]))
        assert PRESSED in again


@pytest.mark.slow
@REPLIES
def test_a_search_is_ended_begun_and_repeated(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        (listed,) = town.write(ANN, "list perudo")
        (sought,) = press(town, buttons(listed)["Seek a game"])
        assert "You seek these boards" in one([sought])
        assert "You seek no boards now" in one(press(town, buttons(sought)["End the search"]))
        town.write(BOB, f"perudo seek bob {PASSWORD} 2 -rules=classic -calza -players=5")
        (listed,) = town.write(ANN, "list perudo")
        assert "classic" in one(press(town, buttons(listed)["Seek the same"]))
        lapsed = next(
            each for each in town.waited(31 * 24) if each.to == ANN and "search" in each.subject
        )
        again = buttons(lapsed)["Search again"]
        assert "-calza" in again.subject
        assert "You seek these boards" in one(press(town, again))
        assert PRESSED in one(press(town, again))


@REPLIES
def test_buttons_send_words_cancel_a_queue_and_leave_a_game(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.challenge("bob", "cleo", "ann")
        (queued,) = town.write(ANN, f"perudo queue 1 ann {PASSWORD} 9-6s dudo", "Hello!\n")
        links = buttons(queued)
        told = press(town, links["Write to the others"], words="Good luck, all of you.\n")
        assert {each.to for each in told if "Good luck" in each.text} == {BOB, CLEO}
        assert "You have no queued moves" in one(press(town, links["Cancel the queue"]))
        (refused,) = town.write(ANN, f"perudo decline ann {PASSWORD} 1")
        left = press(town, buttons(refused)["Leave the game"])
        assert "You will leave board 1" in one(left)
        assert PRESSED in one(press(town, buttons(refused)["Leave the game"])), "it stays left"


@REPLIES
def test_a_board_is_declined_played_after_all_and_shown_often(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.challenge("bob", "cleo", "ann")
        (declined,) = town.write(ANN, f"perudo decline ann {PASSWORD} 1")
        (taken,) = press(town, buttons(declined)["Play after all"])
        assert "You have taken your seat" in one([taken])
        for _ in range(2):
            assert "Your dice" in one(press(town, buttons(taken)["Show board 1"]))


@REPLIES
def test_a_message_is_answered(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        told = town.write(BOB, f"message bob {PASSWORD} ann", "Shall we play?\n")
        (said,) = [each for each in told if each.to == ANN]
        answer = buttons(said)["Answer bob"]
        assert "Your message is empty" in one(press(town, answer))
        letters = press(town, answer, words="Yes, on Sunday.\n")
        assert [each.to for each in letters if "bob writes" not in each.text] == [BOB, ANN]
        again = one(press(town, answer, words="Yes, on Sunday.\n"))
        assert "You have sent this message before, so nothing was sent now." in again


@REPLIES
def test_preferences_are_set_and_a_time_zone_is_written(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        (told,) = town.write(ANN, f"set ann {PASSWORD}")
        links = buttons(told)
        assert "digest is now daily." in one(press(town, links["One letter a day"]))
        zone = links["Change the time zone"]
        wrong = one(press(town, zone, change=("Europe/Zurich", "Atlantis")))
        assert "Atlantis" in wrong and "refused" in wrong
        changed = ("Europe/Zurich", "Asia/Tokyo")
        assert "timezone is now Asia/Tokyo." in one(press(town, zone, change=changed))
        assert PRESSED in one(press(town, zone))


@REPLIES
def test_a_new_player_chooses_another_language(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        zoe = "zoe@example.net"
        (asked,) = town.write(zoe, f"signup zoe {PASSWORD}")
        (welcome,) = town.reply(asked, "yes")
        (told,) = press(town, buttons(welcome)["Français"], zoe)
        assert told.subject == "Réglages : zoe"


@REPLIES
def test_refusals_offer_what_to_do(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        days = f"vacation ann {PASSWORD} 2023-12-24 2023-12-31"
        town.write(ANN, days)
        (twice,) = town.write(ANN, days)
        assert "is over" in one(press(town, buttons(twice)["End the vacation"]))
        town.challenge("ann", "bob")
        (early,) = town.write(ANN, f"perudo rematch 1 ann {PASSWORD}")
        assert "is not over" in one(press(town, buttons(early)["Play again"]))


@REPLIES
def test_an_opening_message_that_waits_for_proof_is_sent(home: Path, replies: str) -> None:
    with players(home, replies) as town:
        town.write(BOB, f"set bob {PASSWORD} challenges=ask")
        letters = town.write(ANN, "perudo challenge ann bob", "Shall we play, bob?\n")
        (told,) = [each for each in letters if each.to == ANN]
        assert not [each for each in letters if "Shall we" in each.text and each.to == BOB]
        sent = press(town, buttons(told)["Send the message"])
        assert [each.to for each in sent if "Shall we play, bob?" in each.text] == [BOB]
