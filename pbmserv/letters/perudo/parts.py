"""The parts of a letter about a board: what its reader can do, the story, the table, the foot.

The sentences are in `games/perudo/letters/*sentences.jinja`, and the values come from `view.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pbmserv.games.perudo.bids import Bid
from pbmserv.letters import document
from pbmserv.letters.document import MOST_PICTURES, PICTURED, TEXT, Answer, Link
from pbmserv.letters.document_writer import DocumentWriter
from pbmserv.letters.payloads.perudo import Result
from pbmserv.letters.perudo.context import ByAll, ByOne, StoryPart
from pbmserv.letters.perudo.story import shown_cups
from pbmserv.letters.wrapping import BOUND
from pbmserv.text.board_subjects import of_board, of_turn

_ROW = 3  # bids in a row of buttons
_EVEN = 50  # percent
_COLONS = {"fr": f"{BOUND}:"}


class BoardParts:
    """A letter about a board, while it is written: its parts.

    `say` calls a sentence by its name; `labels` are single words.
    """

    def __init__(
        self,
        writer: DocumentWriter,
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
        """The Subject: it says whether the reader is asked for a move."""
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

    def news(self) -> str:
        """What has happened: the last move, or else what the note says, such as a takeover.

        A reader who is out reads that first, even if others have played on.
        """
        steps = [each for each in self.all["steps"] if each["kind"] != "dealt"]
        if not steps:
            return self.say("note_text" if self.mine["note"] else "turn_of")
        reader = self.mine["reader"]
        ends = [each for each in steps if each["kind"] != "bade"]
        own = [each for each in ends if each.get("out") and each["out"] == reader]
        return self.say("headline_of", (own or ends or steps)[-1], reader)

    def state(self, *, told: bool = False, offered: bool = False, noted: bool = False) -> None:
        """The running board: what the reader can do, and what has happened.

        `told`: the words of people are told already; `offered`: so is the draw; `noted`: the note.
        """
        mine = self.mine
        if mine["note"] and not noted:
            self.writer.p(self.say("note_text"))
        if mine["queue"]:
            self.writer.p(self.say("queue_text"))
        if mine["salted"]:
            self.writer.small(self.say("salted"))
        if mine["draw_ended"]:
            self.writer.p(self.say("draw_ended"))
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
        for change in ("lost", "gained"):
            if mine["before"][change]:
                self.writer.small(self.say(f"{change}_before"))

    def _bid(self) -> None:
        if (last := self.all["last"]) is None or self.all["pending"]:
            return
        bid: Bid = last["bid"]
        words = self.say("bid_words", bid)
        colon = _COLONS.get(self.writer.document.language, ":")
        label, numbers = self.say("bid_label"), (bid.quantity, bid.face)
        self.writer.add(document.BidToBeat(label, words, *numbers, colon=colon))
        if not self.mine["on_turn"]:
            self.writer.for_text(self.say("bid_to_beat"))

    def _own_dice(self) -> None:
        mine = self.mine
        if mine["dice"]:
            faces = self.all["faces"]
            dice = tuple([document.one_die(die, die in faces) for die in mine["dice"]])
            note = self.say("counting_note") if self.all["last"] else ""
            label = "dice" if len(dice) > 1 else "die"
            pictures = self.all["rules"].faces <= PICTURED and len(dice) <= MOST_PICTURES
            self.writer.add(document.OwnDice(self._label(label), dice, note, pictures))
        self.writer.small(self.say("in_play"), short="")
        if not mine["on_turn"]:  # else it follows the choices, which are wanted at once
            self.writer.p(self.say("special"))

    def _choices(self) -> None:
        """What the player on turn can do."""
        if not self.asks_for_move:
            self.writer.p(self.say("it_is_your_turn"), short=self.say("task_beyond_buttons"))
        offered, has_buttons = self.all["offered"], self.mine["buttons"]
        bids = [
            Answer(
                str(bid), self.say("bid_words", bid), "bid", quantity=bid.quantity, face=bid.face
            )
            for bid in offered
        ]
        if offered and has_buttons:
            bids.append(self._another_bid(is_alone=len(offered) % _ROW == 0))
        are_least = self.all["last"] and self.all["rules"].raising != "literal"
        note = "example" if not are_least else "least" if len(offered) > 1 else "only"
        calls = [self._call(call) for call in self.all["calls"]]
        self.writer.answers(bids, calls, self._label(note) if offered else "")
        self.writer.p(self.say("special_on_turn"))
        times = self.say("deadline") if self.mine["times"] else ""
        move = offered[0] if offered else "dudo"
        board, reader = self.all["board"], self.mine["reader"]
        self._how_to("to_move", f"perudo move {board} {reader} PASSWORD {move}", times)
        if has_buttons:
            # A letter about several boards says once how its buttons work.
            press = "" if self.mine["several"] else self.say("press")
            short = self.say("deadline_in_short") if times else None
            self.writer.for_html(f"{press} {times}".strip(), small=True, short=short)

    def _another_bid(self, *, is_alone: bool) -> Answer:
        """The button for a bid that is not offered; `is_alone` in its row."""
        label, short = self._label("another"), self._label("other")
        if is_alone:
            return Answer("", "", title=label[:1].upper() + label[1:], short=short)
        return Answer("", label, title="…", short=short)

    def _call(self, call: str) -> Answer:
        kind = call if call in {"dudo", "calza"} else "other"
        words, meaning = self.say("call_words", call), self.say("call_meaning", call)
        return Answer(call, words, kind, self._label(call), meaning=meaning)

    def _waiting(self) -> None:
        """What happens next, for a reader who is not on turn; no deadlines for one who left."""
        times = self.say("deadline") if self.mine["times"] and not self.mine["left"] else ""
        self.writer.for_text(f"{self.say('turn_of')} {times}")
        self.writer.for_html(self.say("turn_of"))
        self.writer.for_html(times, small=True)
        if self.mine["may_calza"]:
            self.writer.p(self.say("may_call_calza"))
            if self.mine["reply"]:
                self.writer.answers([], [self._call("calza")])

    def draw_answers(self, waiting: Sequence[str], agreed: Sequence[str]) -> None:
        """How the reader answers an offer of a draw, or takes it back."""
        reader, board = self.mine["reader"], self.all["board"]
        if reader in waiting:
            self._how_to("answer_draw", f"perudo accept {reader} PASSWORD {board}")
            if self.mine["buttons"]:
                yes = Answer("accept", self._label("ends"), "yes", self._label("accept"))
                no = Answer("reject", self._label("goes_on"), "no", self._label("reject"))
                self.writer.answers([], [yes, no])
        elif reader in agreed:
            self._how_to("take_back", f"perudo reject {reader} PASSWORD {board}")
            if self.mine["buttons"]:
                self.writer.links(Link(self._label("back"), "reject"))

    def _how_to(self, do: str, command: str, more: str = "") -> None:
        """How the reader answers: by a reply, or if that is not understood, by a command.

        Where there are buttons, only text says it; `more` follows.
        """
        if self.mine["reply"]:
            self.writer.for_text(f"{self.say(do)} {more}")
            return
        only = TEXT if self.mine["buttons"] else ""
        self.writer.p(self.say(f"{do}_by_subject"), only=only, at_shell=self.say(f"{do}_at_shell"))
        self.writer.send(command, only=only)
        self.writer.p(more, only=only)

    def words(self) -> None:
        """The words of people."""
        if self.all["message"]:
            self.writer.said(self.say("writes"), self.all["message"][1])
            if self.mine["reply"] and not self.all["over"]:
                self.writer.links(self._write_link())

    def story(self, *, without: str = "") -> None:
        """What has happened, round by round, `without` the steps of a kind that is told already."""
        since = self.mine["since"]
        if not any(part["steps"] for part in since):
            return
        self.writer.section(self.say("since_title"))
        if self.mine["left_out"]:
            self.writer.p(self.say("left_out", self.mine["left_out"]))
            self.writer.send(f"perudo advise {self.all['board']} 1")
        cups = shown_cups(since, self.mine["reader"])
        for part in since:
            self._part(part, with_cups=part["round"] in cups, without=without)

    def _part(self, part: StoryPart, *, with_cups: bool, without: str) -> None:
        """A round of the story: its bids, its end, and its cups, in rows or else in a line."""
        reader = self.mine["reader"]
        bids = [step for step in part["steps"] if step["kind"] == "bade"]
        others = [step for step in part["steps"] if step["kind"] not in {"bade", without}]
        told = [self.say("told", step, reader) for step in others]
        made = (
            [self.say("bids_of", part["round"], bids, reader, part["whole"], part["cut"])]
            if bids
            else []
        )
        opened = part["opened"]
        cups = [self.say("cups_in_line", opened)] if opened and not with_cups else []
        self.writer.p(" ".join(made + told + cups))
        if with_cups and opened:
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
                each["turn"],
            )
            for each in self.all["seats"]
        )
        self.writer.add(document.Seats(seats, out=self._label("out")))

    def _remark(self, seat: Mapping[str, Any]) -> str:
        mine = seat["name"] == self.mine["reader"]
        is_next = seat["next"] and not self.all["over"]
        words = ("you_now", "you_next", "you") if mine else ("now", "next", "")
        chosen = words[0 if seat["turn"] else 1 if is_next else 2]
        return self._label(chosen) if chosen else ""

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
            self.writer.p(self.say("unrated_because" if self.mine["why_unrated"] else "unrated"))

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
            again = [] if self.mine["gone"] else [Link(self._label("rematch"), "rematch")]
            self.writer.for_text(self.say("write_back" if again else "write_back_alone"))
            self.writer.links(*again, self._write_link())
        elif reader:
            self.writer.p(self.say("write_by_subject"), at_shell=self.say("write_at_shell"))
            self.writer.send(f"perudo chat {board} {reader} PASSWORD")

    def advice(self, result: Result) -> None:
        """The call with the most luck, and how to get the chances of all moves; two lines."""
        luckiest = result.get("luckiest")
        if not (luckiest or result.get("advised")):
            return
        if luckiest and (luckiest["chance"] < _EVEN) == luckiest["right"]:
            self.writer.p(self.say("luckiest_call", luckiest))
        if self.mine["reply"]:
            self.writer.for_text(self.say("advice_by_reply"))
            self.writer.links(Link(self._label("advise"), "advise"))
        else:
            self.writer.p(self.say("advice_by_subject"))
            self.writer.send(f"perudo advise {self.all['board']}")

    def again(self) -> None:
        """How to play again."""
        reader, board = self.mine["reader"], self.all["board"]
        if gone := self.mine["gone"]:
            here = [each for each in self.all["names"] if each not in gone]
            others = [each for each in here if each != reader] or ["house"]
            self.writer.p(self.say("no_rematch"))
            self.writer.send(" ".join(["perudo challenge", *([reader] if reader else []), *others]))
            if self.mine["reply"]:
                self.writer.links(self._write_link())
        elif self.mine["reply"]:
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
        rules_by = "rules_by_reply" if mine["reply"] else "rules_by_subject"
        record = [Link(self._label("record"), command=f"perudo record {self.all['board']}")]
        links = [Link(self._label("rules"), command=help_rules), *(record if where else ())]
        if mine["reply"] and not self.all["over"]:
            self.writer.for_text(how := self.say("how_to_leave"))
            if mine["on_turn"]:
                self.writer.for_html(self.say("how_by_hand"))
            leave = ("decline", "decline") if mine["asked"] else ("leave", "resign")
            stay = ("rejoin", "accept") if mine["asked"] else ("stay", "resign")
            label, word = stay if mine["leaving"] else leave
            links += [] if self.all["message"] else [self._write_link()]
            links += [Link(self._label(label), word)] if how else []
        self.writer.for_text(
            f"{self.say(rules_by)} {help_rules}",
            at_shell=f"{self.say('rules_at_shell')} {document.typed(help_rules)}",
        )
        self.writer.links(*links)
        if self.all["seal"]:
            self.writer.add(document.Commitment(self.say("proof_label"), self.all["seal"]))

    def _write_link(self) -> Link:
        return Link(self._label("write"), "chat")

    def _label(self, name: str) -> str:
        return self.labels[name]
