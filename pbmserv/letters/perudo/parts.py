"""The parts of a letter about a board: what its reader can do, the story, the table, the foot.

The sentences are in `games/perudo/letters/sentences.jinja`, and the facts come from `view.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbmserv.games.perudo.bids import Bid
from pbmserv.letters import document
from pbmserv.letters.document import Answer, Link
from pbmserv.letters.perudo.context import ByAll, ByOne, Part
from pbmserv.letters.perudo.view import counts_for_last
from pbmserv.letters.writer import Writer
from pbmserv.text.board_subjects import of_board, of_turn

_PICTURED = 6  # faces of a die that has a picture
_MOST_PICTURES = 6  # dice that are drawn; ten would take a third of a letter's size
_ROW = 3  # bids in a row of buttons
_MOST_CUPS = 2  # opened rounds whose cups are shown in rows
_MOST_DICE = 40  # in such rows; the last round is always shown


class BoardParts:
    """A letter about a board, while it is written: its parts.

    `say` calls a sentence by its name; `labels` are single words.
    """

    def __init__(
        self,
        writer: Writer,
        all_see: ByAll,
        mine: ByOne,
        say: Callable[..., str],
        labels: Mapping[str, str],
    ) -> None:
        self.writer = writer
        self.all = all_see
        self.mine = mine
        self.say = say
        self.labels = labels
        self.asks_for_move = False  # the headline says whose turn it is

    def subject(self, *, is_asked: bool) -> None:
        """The Subject: it says whether the reader is asked for something."""
        words = of_turn if is_asked else of_board
        self.writer.subject(words(self.all["board"], self.writer.document.language))

    def headline(self, title: str) -> None:
        """A headline, with the board and its round above."""
        self.writer.headline(title, self.say("above"))

    def turn(self, title: str) -> None:
        """The headline of a letter that asks for a move."""
        self.asks_for_move = True
        self.writer.headline(self.say(title), self.say("above"), self.say("task"))
        if not (self.all["offered"] and self.all["calls"]) or self.all["frozen"]:
            self.writer.for_html(self.say("task"))  # the card of the bid does not say it
        self.writer.preview(self.say("preview_of_turn"))

    def news(self) -> Mapping[str, Any]:
        """The step of the last move that a headline tells."""
        steps = [each for each in self.all["steps"] if each["kind"] != "dealt"]
        ends = [each for each in steps if each["kind"] != "bade"]
        return (ends or steps or [{"kind": "restored"}])[-1]

    def state(self, *, told: bool = False, offered: bool = False) -> None:
        """The running board: what the reader can do, and what has happened.

        `told`: the words of people are told already; `offered`: so is the draw.
        """
        mine = self.mine
        if mine["note"]:
            self.writer.p(self.say("note_text"))
        if mine["queue"]:
            self.writer.p(self.say("queue_text"))
        if mine["draw"] and not offered:
            self.writer.p(self.say("draw_on_offer"))
            self.draw_answers(mine["draw"]["waiting"], mine["draw"]["agreed"])
        self._bid()
        self._own_dice()
        if mine["on_turn"]:
            self._choices()
        else:
            self._waiting()
        if not told:
            self.words()
        self.story()
        self.seats()

    def _bid(self) -> None:
        if (last := self.all["last"]) is None:
            return
        bid: Bid = last["bid"]
        words = self.say("bid_words", bid)
        self.writer.add(document.Bid(self.say("bid_label"), words, bid.quantity, bid.face))
        if not self.mine["on_turn"]:
            self.writer.for_text(self.say("bid_to_beat"))

    def _own_dice(self) -> None:
        mine = self.mine
        if mine["dice"]:
            dice = tuple(document.Die(die, counts_for_last(die, self.all)) for die in mine["dice"])
            note = self.say("counting_note") if self.all["last"] else ""
            pictures = self.all["rules"].faces <= _PICTURED and len(dice) <= _MOST_PICTURES
            self.writer.add(document.OwnDice(self._label("dice"), dice, note, pictures))
        self.writer.small(self.say("in_play"))
        if not mine["on_turn"]:  # else it follows the choices, which are wanted at once
            self.writer.p(self.say("special"))

    def _choices(self) -> None:
        """What the player on turn can do."""
        if not self.asks_for_move:
            self.writer.p(self.say("it_is_your_turn"))
        offered, reply = self.all["offered"], self.mine["reply"]
        bids = [
            Answer(
                str(bid), self.say("bid_words", bid), "bid", quantity=bid.quantity, face=bid.face
            )
            for bid in offered
        ]
        if offered and reply and len(offered) % _ROW:
            bids.append(Answer("", self._label("another"), title="…"))
        note = "example" if self.all["last"] is None else "least" if len(offered) > 1 else "only"
        calls = [self._call(call) for call in self.all["calls"]]
        self.writer.answers(bids, calls, self._label(note) if offered else "")
        self.writer.p(self.say("special"))
        times = self.say("deadline") if self.mine["times"] else ""
        if reply:
            if offered and len(offered) % _ROW == 0:
                self.writer.links(Link(self._label("another"), ""))
            self.writer.for_text(f"{self.say('how_to_move')} {times}")
            self.writer.for_html(f"{self.say('press')} {times}", small=True)
            return
        self.writer.p(self.say("move_by_subject"))
        move = offered[0] if offered else "dudo"
        self.writer.send(f"perudo move {self.all['board']} {self.mine['reader']} PASSWORD {move}")
        self.writer.p(times)

    def _call(self, call: str) -> Answer:
        kind = call if call in {"dudo", "calza"} else "other"
        words, meaning = self.say("call_words", call), self.say("call_meaning", call)
        return Answer(call, words, kind, self._label(call), meaning=meaning)

    def _waiting(self) -> None:
        """What happens next, for a reader who is not on turn."""
        times = self.say("deadline") if self.mine["times"] else ""
        self.writer.p(f"{self.say('turn_of')} {times}")
        if self.mine["may_calza"]:
            self.writer.p(self.say("may_call_calza"))
            if self.mine["reply"]:
                self.writer.answers([], [self._call("calza")])

    def draw_answers(self, waiting: Sequence[str], agreed: Sequence[str]) -> None:
        """How the reader answers an offer of a draw, or takes it back."""
        reader, reply = self.mine["reader"], self.mine["reply"]
        board = self.all["board"]
        if reader in waiting and reply:
            self.writer.for_text(self.say("answer_draw"))
            yes = Answer("accept", self._label("ends"), "yes", self._label("accept"))
            no = Answer("reject", self._label("goes_on"), "no", self._label("reject"))
            self.writer.answers([], [yes, no])
        elif reader in waiting:
            self.writer.p(self.say("answer_draw_by_subject"))
            self.writer.send(f"perudo accept {reader} PASSWORD {board}")
        elif reader in agreed and reply:
            self.writer.for_text(self.say("take_back_draw"))
            self.writer.links(Link(self._label("back"), "reject"))
        elif reader in agreed:
            self.writer.p(self.say("take_back_by_subject"))
            self.writer.send(f"perudo reject {reader} PASSWORD {board}")

    def words(self) -> None:
        """The words of people."""
        if self.all["message"]:
            self.writer.said(self.say("writes"), self.all["message"][1])

    def story(self) -> None:
        """What has happened, round by round."""
        since = self.mine["since"]
        if not any(part["steps"] for part in since):
            return
        self.writer.section(self.say("since_title"))
        cups = _shown_cups(since)
        for part in since:
            self._part(part, with_cups=part["round"] in cups)

    def _part(self, part: Part, *, with_cups: bool) -> None:
        """A round of the story: its bids, its end, and its cups."""
        reader = self.mine["reader"]
        bids = [step for step in part["steps"] if step["kind"] == "bade"]
        others = [step for step in part["steps"] if step["kind"] != "bade"]
        told = [self.say("told", step, reader) for step in others]
        made = [self.say("bids_of", part["round"], bids, reader)] if bids else []
        self.writer.p(" ".join(made + told))
        if with_cups and (opened := part["opened"]):
            bid = opened["bid"]
            note = self.say("cups_note", bid) if bid else ""
            total = opened["total"] if bid else None
            caption = "" if bid else self.say("cups_of", part["round"])
            self.writer.add(document.Cups(caption, opened["cups"], total, note))

    def seats(self) -> None:
        """The players in order of play."""
        self.writer.section(self.say("table_title"))
        reader = self.mine["reader"]
        seats = tuple(
            document.Seat(
                each["name"],
                0 if each["out"] else each["dice"],
                self.all["rules"].dice,
                self._remark(each),
                "" if each["bid"] is None else str(each["bid"]),
                "" if each["bid"] is None else self.say("bid_words", each["bid"]),
                each["name"] == reader,
            )
            for each in self.all["seats"]
        )
        self.writer.add(document.Seats(seats, out=self._label("out")))

    def _remark(self, seat: Mapping[str, Any]) -> str:
        mine = seat["name"] == self.mine["reader"]
        if seat["turn"]:
            return self._label("you_now" if mine else "now")
        if mine:
            return self._label("you")
        return self._label("next") if seat["next"] and not self.all["over"] else ""

    def result(self) -> None:
        """The places, what each player lost, and the ratings."""
        result = self.mine["result"]
        if result is None:
            return
        self.writer.section(self.say("result_title"))
        rows = []
        for place, seat in enumerate(result["seats"], 1):
            name = f"{place}. {seat['name']}" if result["placed"] else seat["name"]
            rows.append((name, self.say("lost_by", seat)))
        self.writer.listing((), rows)
        if result["ratings"]:
            self.writer.section(self.say("ratings_title"))
            rated = [(r["name"], r["rating"], f"({r['change']:+d})") for r in result["ratings"]]
            self.writer.listing((), rated, right=(1, 2))
        elif result["placed"]:
            self.writer.p(self.say("unrated"))

    def own_result(self) -> str:
        """The reader's place and rating."""
        result, reader = self.mine["result"], self.mine["reader"]
        if not result or not reader:
            return ""
        names = [seat["name"] for seat in result["seats"]]
        found = ""
        if result["placed"] and reader in names and reader != self.all["winner"]:
            found = self.say("place_of", names.index(reader) + 1, len(names))
        for each in result["ratings"]:
            if each["name"] == reader:
                found += " " + self.say("rating_of", each["rating"], each["change"])
        return found.strip()

    def after_the_end(self) -> None:
        """How to write back when the game is over."""
        reader, board = self.mine["reader"], self.all["board"]
        if self.mine["reply"]:
            self.writer.for_text(self.say("write_back"))
            self.writer.links(Link(self._label("rematch"), "rematch"), self._write_link())
        elif reader:
            self.writer.p(self.say("write_by_subject"))
            self.writer.send(f"perudo chat {board} {reader} PASSWORD")

    def again(self) -> None:
        """How to play again."""
        reader, board = self.mine["reader"], self.all["board"]
        if self.mine["reply"]:
            self.writer.for_text(self.say("play_again"))
            self.writer.answers([], [Answer("rematch", "", "yes", self._label("rematch"))])
            self.writer.links(self._write_link())
        elif reader:
            self.writer.p(self.say("play_again_by_subject"))
            self.writer.send(f"perudo rematch {board} {reader} PASSWORD")
        else:
            self.writer.p(self.say("same_players"))
            options = "".join(f" -{option}" for option in self.all["options"])
            names = " ".join(self.all["names"])
            self.writer.send(f"perudo challenge -rules={self.all['rules'].name}{options} {names}")

    def end(self) -> None:
        """How a letter about a running board ends."""
        mine = self.mine
        if mine["reply"] and not mine["on_turn"]:
            if mine["may_calza"]:
                self.writer.for_text(self.say("call_calza"))
            self.writer.for_text(self.say("how_to_write"))
        elif mine["asked"] and not mine["reply"]:
            self.writer.p(self.say("decline_by_subject"))
            self.writer.send(f"perudo decline {mine['reader']} PASSWORD {self.all['board']}")
        self.foot(where=True)

    def foot(self, *, where: bool) -> None:
        """Where the letter belongs, how to leave, and the proof of the dice."""
        mine, rules = self.mine, self.all["rules"].name
        self.writer.foot()
        if where:
            self.writer.p(self.say("where"))
        help_rules = f"help rules {rules}"
        links = [Link(self._label("rules"), command=help_rules)]
        if mine["reply"] and not self.all["over"]:
            self.writer.for_text(self.say("how_to_leave"))
            if mine["on_turn"]:
                self.writer.for_html(self.say("how_by_hand"))
            leave = ("decline", "decline") if mine["asked"] else ("leave", "resign")
            links += [self._write_link(), Link(self._label(leave[0]), leave[1])]
        self.writer.for_text(f"{self.say('rules_by_subject')} {help_rules}")
        self.writer.links(*links)
        if self.all["seal"]:
            self.writer.add(document.Proof(self.say("proof_label"), self.all["seal"]))

    def _write_link(self) -> Link:
        return Link(self._label("write"), "chat")

    def _label(self, name: str) -> str:
        return self.labels[name]


def _shown_cups(since: Sequence[Part]) -> Sequence[int]:
    """The rounds whose cups are shown: the last ones, as long as the letter stays small."""
    opened = [(part["round"], part["opened"]["cups"]) for part in since if part["opened"]]
    shown: list[int] = []
    dice = 0
    for number, cups in reversed(opened[-_MOST_CUPS:]):
        dice += sum(len(cup.dice) for cup in cups)
        if shown and dice > _MOST_DICE:
            break
        shown.append(number)
    return shown
