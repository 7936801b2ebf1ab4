"""A second engine, written from the rules' documents before the first one was read.

It imports nothing of the game.  The words in quotes are those of the documents, or of the decisions
where they are silent.  One line follows the first engine: a Palifico round whose player resigns.
`test_reference` plays both engines side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Bid = tuple[int, int]
Cups = Sequence[Sequence[int]]

ON_BY_DEFAULT = {"pyrudo": {"palifico", "calza"}, "bga": {"palifico"}, "pacao": {"palifico"}}
RAISES = {"pbmserv": "literal", "pacao": "quantity"}  # by default; the others: one number rises


class Reference:
    """A game of `seats` players from its first deal; `options` are those of a challenge."""

    def __init__(self, name: str, seats: int, options: Mapping[str, str]) -> None:
        self.name, self.options = name, options
        self.seats = range(seats)
        self.dice = int(options.get("dice", 5))
        self.faces = int(options.get("faces", 6))
        self.left = [self.dice for _ in self.seats]
        self.palifico: int | None = None
        self.had_palifico: set[int] = set()
        self.winner: int | None = None
        self.begin(0)

    def is_on(self, option: str) -> bool:
        """Optional rules are "off unless chosen at challenge time"."""
        default = option in ON_BY_DEFAULT.get(self.name, set())
        return self.options.get(option, "yes" if default else "no") == "yes"

    def begin(self, starter: int) -> None:
        """A new round."""
        self.turn = starter
        self.bids: list[tuple[int, Bid]] = []

    @property
    def living(self) -> list[int]:
        """The players with dice."""
        return [seat for seat in self.seats if self.left[seat]]

    def after(self, seat: int) -> int:
        """The "next living player on the left"."""
        turns = [(seat + step) % len(self.seats) for step in range(1, len(self.seats) + 1)]
        return next(each for each in turns if self.left[each])

    @property
    def cap(self) -> int:
        """ "Quantity <= dice in play"; hidden counts: "refuse only above the starting total"."""
        return len(self.seats) * self.dice if self.is_on("hidden") else sum(self.left)

    def legal_bids(self) -> list[Bid]:
        """All bids of the player on turn."""
        every = [(q, f) for q in range(self.cap + 3) for f in range(self.faces + 2)]
        return [bid for bid in every if self._is_legal(*bid)]

    def _is_legal(self, quantity: int, face: int) -> bool:
        if not (1 <= quantity <= self.cap and 1 <= face <= self.faces):
            return False
        if not self.bids:  # bga: not on ones, "unless a player is Palifico"
            return face != 1 or self.name != "bga" or self.palifico is not None
        last, last_face = self.bids[-1][1]
        # pacao: a player with "one die at the start of a round" keeps the face
        mine = self.name == "pacao" and self.left[self.turn] == 1
        if self.palifico is not None or mine:
            return face == last_face and quantity > last
        if self.name != "pbmserv" and 1 in {face, last_face}:
            return self._is_legal_on_ones(quantity, face)
        return self._rises(quantity - last, face - last_face, (quantity, face))

    def _is_legal_on_ones(self, quantity: int, face: int) -> bool:
        last, last_face = self.bids[-1][1]
        if face == last_face:  # "ones on ones: more dice"
            return quantity > last
        if last_face == 1:  # "4 -> 9"
            return quantity >= 2 * last + 1
        half = last // 2 + last % 2  # "halve, round up: 9 -> 5"
        return quantity == half or (quantity > half and self.options.get("to1") != "exact")

    def _rises(self, more: int, higher: int, bid: Bid) -> bool:
        reading = self.options.get("raise", RAISES.get(self.name, "single"))
        if reading == "single":  # "exactly one number rises, the other stays"
            return (more > 0 and higher == 0) or (more == 0 and higher > 0)
        if reading == "quantity":  # "more dice of any face, or equal dice of a higher face"
            return more > 0 or (more == 0 and higher > 0)
        if reading in {"strict", "one_or_both"}:  # "nothing falls"
            return min(more, higher) == 0 < max(more, higher) or min(more, higher) > 0
        # "one number up", and "no bid twice in one round"
        return max(more, higher) > 0 and bid not in [made for _, made in self.bids]

    def calls(self, seat: int) -> set[str]:
        """The calls that a seat may make: a doubt and pacao on turn, calza by the rule set."""
        found = {"dudo"} if self.bids and seat == self.turn else set()
        if found and self.name == "pacao" and self.left[seat] == 1:  # "exactly one die"
            found.add("pacao")
        # pyrudo: "at your turn"; the others: "everyone except the player that placed the last bid"
        may = seat == self.turn if self.name == "pyrudo" else self.left[seat] > 0
        if self.bids and self.is_on("calza") and may and seat != self.bids[-1][0]:
            found.add("calza")
        return found

    def bid(self, bid: Bid) -> None:
        """The player on turn bids."""
        self.bids.append((self.turn, bid))
        self.turn = self.after(self.turn)

    def count(self, cups: Cups) -> int:
        """How many dice count for the last bid: ones are wild "except when the bid is on ones"."""
        face = self.bids[-1][1][1]
        wild = self.name != "pbmserv" and face != 1
        if self.palifico is not None:  # bga: "pacos do not count as jokers"
            wild = wild and self.name != "bga" and self.options.get("pal_wild") != "no"
        return sum(die == face or (wild and die == 1) for cup in cups for die in cup)

    def call(self, seat: int, word: str, cups: Cups) -> None:
        """A call opens the cups, and a new round begins or the game ends."""
        bidder, (quantity, _) = self.bids[-1]
        found = self.count(cups)
        if word == "calza":
            loser = None if found == quantity else seat
            if loser is None and self.left[seat] < self.dice:  # "at most 5"
                self.left[seat] += 1
            self._end_round(loser, seat)  # "in either case the caller starts"
            return
        is_true = found >= quantity
        # pacao turns a doubt round: ">=: bidder loses, <: caller"
        loser = bidder if is_true == (word == "pacao") else seat
        right = seat if loser == bidder else bidder
        # pbmserv: "the person who guessed correctly"; the others: the loser, or the one after
        self._end_round(loser, right if self.name == "pbmserv" else loser)

    def _end_round(self, loser: int | None, starter: int) -> None:
        self.palifico = None
        if loser is not None:
            self.left[loser] -= 1
            self.palifico = self._palifico_of(loser)
        if self.name == "pacao" or not self.left[starter]:
            starter = self.after(starter)
        self._go_on(starter)

    def _palifico_of(self, loser: int) -> int | None:
        if self.left[loser] != 1 or self.name == "pacao" or not self.is_on("palifico"):
            return None
        if self.name == "pyrudo" and loser in self.had_palifico:  # "for the first time"
            return None
        if self.name == "classic" and len(self.living) == 2:  # "not when only two players left"
            return None
        self.had_palifico.add(loser)
        return loser

    def resign(self) -> None:
        """ "Dice leave the game, round restarts, starter = left of him"; a Palifico goes on."""
        seat = self.turn
        self.left[seat] = 0
        if seat == self.palifico or (self.name == "classic" and len(self.living) == 2):
            self.palifico = None
        self._go_on(self.after(seat))

    def _go_on(self, starter: int) -> None:
        if len(self.living) == 1:  # "the last player with dice wins"
            self.winner = self.living[0]
        self.begin(starter)
