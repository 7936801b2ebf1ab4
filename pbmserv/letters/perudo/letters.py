"""Write the document of a letter about a board: its blocks, in the order of the letter.

`parts.py` has the parts that several kinds of letters share.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pbmserv.letters import document
from pbmserv.letters.payloads.perudo import CHAT, ENDED, MOVED, NAG, OFFER, SHOW, STARTED
from pbmserv.letters.perudo.parts import BoardParts

SECTION = "perudo/section"
_DECLINED = {"declined", "unanswered"}  # notes


class BoardLetter(BoardParts):
    """A letter about a board, of any kind."""

    def write(self, kind: str) -> None:
        """Write the letter of a kind."""
        BOARD_LETTERS[kind](self)

    def started(self) -> None:
        """A board has begun."""
        self.subject(is_asked=self.mine["on_turn"])
        is_asked = self.mine["on_turn"]
        if is_asked:
            self.turn("your_turn")
        else:
            self.headline(self.say("has_begun"))
        self.writer.p(self.say("players_in_order", not is_asked))
        if self.mine["first"]:
            self.writer.small(self.say("ones_in_short"))
        self.state()
        if self.all["rules"].calza and self.all["rules"].calza_by_anyone:
            self.writer.small(self.say("calza_needs_letters"))
        if self.mine["rated"] and self.mine["waiting"]:
            self.writer.small(self.say("counts_once_answered"))
        if self.mine["rating"] != "rated":
            self.writer.small(self.say("unrated_from_the_start"))
        if self.mine["held"]:
            self.writer.p(self.say("opening_held"))
        self.end()

    def moved(self) -> None:
        """A move was made."""
        self.subject(is_asked=self.mine["on_turn"])
        news = ""
        if self.mine["on_turn"]:
            self.turn("your_turn")
        else:
            news = self.news()
            self.headline(news)
            self.writer.preview(f"{document.as_sentence(news)} {self.say('turn_of')}")
        self.state(noted=bool(self.mine["note"]) and news == self.say("note_text"))
        self.end()

    def nag(self) -> None:
        """The board waits for its reader's move."""
        self.subject(is_asked=self.mine["on_turn"])
        self.turn("still_your_turn")
        self.state()
        self.end()

    def chat(self) -> None:
        """A player writes to the table."""
        self.subject(is_asked=False)
        self.headline(self.say("words_from"))
        if self.all["message"]:
            self.writer.preview(f"{self.say('writes')} {self.all['message'][1]}")
        self.words()
        if self.all["over"]:
            self.writer.p(self.say("board_is_over"))
            self.after_the_end()
            self.foot(where=True)
            return
        self.state(told=True)
        self.end()

    def offer(self) -> None:
        """A player offers a draw, or answers the offer."""
        offer = self.mine["offer"] or {"waiting": (), "who": "", "kind": ""}
        self.subject(is_asked=self.mine["on_turn"] or self.mine["reader"] in offer["waiting"])
        self.headline(self.say("offer_title"))
        self.writer.p(self.say("offer_text"))
        agreed = (*(self.mine["draw"] or {"agreed": ()})["agreed"], offer["who"])
        self.draw_answers(offer["waiting"], agreed if offer["waiting"] else ())
        self.state(offered=True)
        self.end()

    def ended(self) -> None:
        """The game is over."""
        self.subject(is_asked=False)
        note, winner, reader = self.mine["note"], self.all["winner"], self.mine["reader"]
        self.headline(self.say("end_title"))
        is_declined = bool(note and note["kind"] in _DECLINED)
        if note:  # the headline says who has declined
            self.writer.p(self.say("uncounted" if note["kind"] == "declined" else "note_text"))
        result = None if is_declined else self.mine["result"]
        summary = self.own_result()
        self.writer.p(summary)
        self.writer.preview(f"{document.as_sentence(self.say('end_title'))} {summary}")
        if reader and reader != winner and not is_declined:
            self.writer.p(self.say("thanks"))
        self.words()
        self.story(without="won")  # the headline says it
        if result:
            self.result()
        else:
            self.seats()
        self.writer.p(self.say("took_rounds"))
        board = self.all["board"]
        record, proof = f"perudo record {board}", f"perudo verify {board}"
        check_by = "check_by_reply" if self.mine["reply"] else "check_by_subject"
        self.writer.for_text(self.say(check_by), at_shell=self.say("check_at_shell"))
        self.writer.send(record, proof, only=document.TEXT)
        self.writer.for_html(self.say("check_the_dice"))
        self.writer.links(
            document.Link(self._label("record"), command=record),
            document.Link(self._label("verify"), command=proof),
        )
        if result:
            self.advice(result)
        if not is_declined:
            self._say_who_left()
            self.again()
        self.foot(where=False)

    def _say_who_left(self) -> None:
        """Whom a rematch does not invite; spectators cannot ask for one."""
        mine = self.mine
        if mine["early"] and mine["reader"] and not mine["gone"]:
            self.writer.p(self.say("rematch_without"))

    def shown(self) -> None:
        """A board that the reader has asked for."""
        self.subject(is_asked=False)
        self.headline(self.say("shown_title"))
        if self.all["over"]:
            self.story()
            self.seats()
            self.writer.p(self.say("took_rounds"))
            self.foot(where=False)
            return
        if (waits := self.mine["waits"]) and not self.mine["out"]:
            if waits["leaving"]:
                self.writer.p(self.say("you_will_leave"))
            elif waits["moves"]:
                self.writer.p(self.say("queued"))
        self.state()
        if (then := self.mine["then"]) and then["cups"]:
            caption = self.say("cups_of", then["round"])
            self.writer.add(document.Cups(caption, then["cups"]))
        self.end()

    def section(self) -> None:
        """A board in a letter about several boards."""
        blocks = self.writer.document.blocks
        self.writer.of_board(self.all["board"])
        begun, title = len(blocks), self.say("above")
        self.writer.section(title)
        if self.mine["note"]:
            self.writer.p(self.say("note_text"))
        self.state()
        shows = f"perudo show {self.all['board']}"
        blocks[begun] = document.Section(title, shows, len(blocks) - begun - 1)


BOARD_LETTERS: Mapping[str, Callable[[BoardLetter], None]] = {
    STARTED.name: BoardLetter.started,
    MOVED.name: BoardLetter.moved,
    NAG.name: BoardLetter.nag,
    CHAT.name: BoardLetter.chat,
    OFFER.name: BoardLetter.offer,
    ENDED.name: BoardLetter.ended,
    SHOW.name: BoardLetter.shown,
    SECTION: BoardLetter.section,
}
