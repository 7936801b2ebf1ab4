"""A board has a List-Id of its own, and a reply that copies it is not a mailing list's email."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

from pbmserv.mail.list_id import is_of_board, list_id
from pbmserv.mail.reading import read
from tests.rows import each_row
from tests.stories.town import PASSWORD, answering, town_at

OWN = "perudo@perudo.example"
OURS = "List-Id: Perudo board 12 <12.board.perudo.perudo.example>\n"
LISTS = "List-Id: Liars <liars.example.org>\n"
UNSUBSCRIBE = "List-Unsubscribe: <mailto:perudo+u-x@perudo.example?subject=pause>\n"
ANSWERS = f"In-Reply-To: <12.1700000000.{'A' * 32}@perudo.example>\n"
FILED = re.compile(r"[a-z]+(-[a-z]+)*; board=1(; move=[0-9]+)?")


@given(st.integers(1, 2**32 - 1), st.emails())
@example(12, "perudo@bücher.example")
@example(12, "@")
@example(12, "+.+@[127.0.0.1]")
def test_the_list_of_a_board_is_known_again(board: int, own: str) -> None:
    found = list_id(board, own)
    assert re.fullmatch(r"[0-9]+\.board(\.[a-z0-9-]+)+", found) and len(found) < 350
    assert is_of_board(f"Perudo board {board} <{found}>", own)
    assert not is_of_board(f"<{found}.example>", own)
    assert not is_of_board(f"<{found}> <liars.example.org>", own)
    assert not is_of_board(found, own)


@each_row(
    ("copied", "reason"),
    [
        (OURS + ANSWERS, ""),
        (OURS + UNSUBSCRIBE + ANSWERS, ""),
        (OURS.upper().replace("LIST-ID", "List-Id") + ANSWERS, ""),
        (OURS, "List-Id"),  # it answers no letter
        (UNSUBSCRIBE + ANSWERS, "List-Unsubscribe"),
        (LISTS + ANSWERS, "List-Id"),
        (OURS + LISTS + ANSWERS, "List-Id"),
        (OURS + UNSUBSCRIBE + "List-Post: <mailto:x@y>\n" + ANSWERS, "List-Post"),
        (OURS + "Mailing-List: contact x@y\n" + ANSWERS, "Mailing-List"),
        (OURS + "X-Pbmserv: letter\n" + ANSWERS, "X-Pbmserv"),
        (OURS + "Auto-Submitted: auto-replied\n" + ANSWERS, "Auto-Submitted"),
    ],
)
def test_only_a_copy_of_our_list_id_is_not_a_sign_of_a_machine(copied: str, reason: str) -> None:
    raw = f"From: ann@example.org\nMessage-ID: <1@x>\nSubject: Re: x\n{copied}\n4-2s\n".encode()
    found = read(raw, envelope_sender="ann@example.org", recipient=OWN, own=OWN).automatic
    assert found.startswith(reason) and bool(found) == bool(reason)


def test_letters_about_a_board_are_filed_by_it_and_others_are_not(home: Path) -> None:
    """The headers hold numbers of boards and moves, and no die and no token."""
    with town_at(home) as town:
        town.sign_up("ann", "bob", "cleo")
        town.write("cleo@example.org", f"perudo subscribe 1 cleo {PASSWORD}")
        others = list(town.letters)
        begun = town.challenge("ann", "bob")
        turn = begun[0]
        copied = answering(turn) | {each: turn.message[each] for each in ("List-Id", "X-Perudo")}
        subject = f"Re: {turn.subject}"
        moved = town.write("ann@example.org", subject, "1-2s", to=turn.reply_to, headers=copied)
        assert any("You bid one 2" in each.text for each in moved)
        town.write("bob@example.org", f"perudo chat 1 bob {PASSWORD}", "Well!")
        town.waited(8 * 24)
        town.move("bob", "dudo")
        town.move("ann", "7-7s")
        for name in ("ann", "bob"):
            town.write(f"{name}@example.org", f"perudo resign 1 {name} {PASSWORD}")
        told = {each.number: each for each in town.letters[len(others) :]}
        assert {each.message["List-Id"] for each in told.values()} == {
            "Perudo board 1 <1.board.perudo.localhost>"
        }
        filed = [str(each.message["X-Perudo"]) for each in told.values()]
        assert all(map(FILED.fullmatch, filed)), filed
        for each, about in zip(told.values(), filed, strict=True):
            is_turn = each.subject.startswith("Your turn")
            assert is_turn == about.startswith("your-turn; board=1; move="), about
        kinds = {each.partition(";")[0] for each in filed}
        assert kinds >= {"your-turn", "started", "moved", "chat", "chat-sent", "refused", "ended"}
        assert not any(each.message["List-Id"] or each.message["X-Perudo"] for each in others)
