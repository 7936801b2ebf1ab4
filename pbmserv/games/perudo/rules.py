"""The five rule sets of Perudo, one for each document that describes the game.

A rule set is one `Rules` value; an option of a challenge changes a field of it.  `bidding` applies
the fields to a bid, `play` to a round.  Where the five documents are silent or contradict
themselves, a comment at the field says which choice we made.
"""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple

from pbmserv.errors import Refused
from pbmserv.text.numbers import whole

FEWEST_PLAYERS = 2
MOST_PLAYERS = 6


class Rules(NamedTuple):
    """Every point on which the documents differ.  Faces count from 1, seats from 0."""

    name: str
    """The document: pbmserv, classic, bga, pyrudo or pacao."""
    raising: str
    """The general raise: literal, quantity, strict, single or one_or_both (see `bids.rises`)."""
    wild: bool
    """Ones count as every face (all but pbmserv, which counts "a certain number")."""
    to_ones: str
    """From a face to ones: `none` (no special rule), `at_least` half the dice, or `exact`."""
    opens_on_ones: bool
    """An opening bid may be on ones (bga: "can never begin with pacos, unless ... Palifico")."""
    calza: bool
    """The call "exactly so many" exists."""
    calza_by_anyone: bool
    """Everyone but the bidder may say it, until the next bid; otherwise the player on turn."""
    pacao: bool
    """The call "it is there" of a player with one die exists (pacao only)."""
    starter: str
    """Who opens after a doubt: the `winner` of it, the `loser`, or the one `after_loser`."""
    palifico: str
    """What starts a Palifico: `none`, `first` descent to one die, `every` descent, or `own`.

    With `own`, a player with one die keeps the face in later raises of that player, in every such
    round.
    """
    palifico_wild: bool
    """Ones stay wild in a Palifico round."""
    palifico_of_two: bool
    """Palifico also when two players are left (only classic exempts them)."""
    hidden: bool = False
    """The number of the others' dice is not shown (bga's option)."""
    dice: int = 5
    """Dice of each player at the start, 1-10, and the most that calza can restore."""
    faces: int = 6
    """Faces of a die, 2-20."""

    def counts_wild(self, face: int, palifico: bool) -> bool:
        """Whether ones count for a bid on `face`, in a Palifico round or an ordinary one.

        Ones never help a bid on ones (pacao: "except when the bid is on ones").
        """
        return self.wild and face != 1 and (self.palifico_wild or not palifico)

    def has_call(self, word: str) -> bool:
        """Whether a player can call `word` in some position: dudo, calza or pacao."""
        return {"dudo": True, "calza": self.calza, "pacao": self.pacao}[word]

    @property
    def never_repeats(self) -> bool:
        """No bid twice in a round: pbmserv's "higher and higher".

        The literal raise needs this rule to end: otherwise 2-1s, 1-2s, 2-1s, ... could go on
        forever.
        """
        return self.raising == "literal"


RULE_SETS: Mapping[str, Rules] = MappingProxyType(
    {
        "pbmserv": Rules(
            name="pbmserv",
            raising="literal",
            wild=False,
            to_ones="none",
            opens_on_ones=True,
            calza=False,
            calza_by_anyone=False,
            pacao=False,
            starter="winner",  # "begins with the person who guessed correctly"
            palifico="none",
            palifico_wild=False,
            palifico_of_two=False,
        ),
        "classic": Rules(
            name="classic",
            raising="single",  # "A bet cannot raise both", against its own printed example
            wild=True,
            to_ones="at_least",
            opens_on_ones=True,
            calza=False,  # an optional variation, as Palifico is
            calza_by_anyone=True,  # "at any time, except if the first bet has not occurred"
            pacao=False,
            starter="loser",
            palifico="none",
            palifico_wild=True,  # ones are "always counted"
            palifico_of_two=False,  # "not when only two players left"
        ),
        "bga": Rules(
            name="bga",
            raising="single",  # "value stays", "number stays"
            wild=True,
            to_ones="at_least",
            opens_on_ones=False,
            calza=False,
            calza_by_anyone=True,  # "everyone except the player that placed the last bid"
            pacao=False,
            starter="loser",
            palifico="every",  # "the moment a player has only one die"
            palifico_wild=False,  # "pacos do not count as jokers"
            palifico_of_two=True,
        ),
        "pyrudo": Rules(
            name="pyrudo",
            raising="single",  # "same value but more dice or higher value but same number"
            wild=True,
            to_ones="at_least",
            opens_on_ones=True,
            calza=True,
            calza_by_anyone=False,  # the French "a votre tour" decides
            pacao=False,
            starter="loser",
            palifico="first",  # "one die left for the first time"
            palifico_wild=True,  # the Palifico text changes only the face
            palifico_of_two=True,
        ),
        "pacao": Rules(
            name="pacao",
            raising="quantity",  # "more quantity at any value / same quantity, higher value"
            wild=True,
            to_ones="at_least",
            opens_on_ones=True,
            calza=False,
            calza_by_anyone=False,
            pacao=True,
            starter="after_loser",
            palifico="own",
            palifico_wild=True,  # the counting rule names no exception
            palifico_of_two=True,
        ),
    }
)


class RuleOption(NamedTuple):
    """One option of a challenge: the field it changes, and the field's value for each word."""

    field: str
    values: Mapping[str, str | bool | int]
    allowed: tuple[str, ...]

    def meant(self, word: str) -> str | bool | int | None:
        """The field's value for a word in any case, or for a number with leading zeros."""
        number = whole(word, _LARGEST_NUMBER)
        return self.values.get(word.lower() if number is None else str(number))


def _words(field: str, *words: str) -> RuleOption:
    return RuleOption(field, {word: word for word in words}, words)


def _flag(field: str, yes: str | bool = True, no: str | bool = False) -> RuleOption:
    """An option that is on or off; bare `-calza` arrives as "" and means on."""
    spellings = {"yes": yes, "no": no, "on": yes, "off": no, "true": yes, "false": no, "": yes}
    return RuleOption(field, spellings, ("yes", "no"))


def _number(field: str, least: int, most: int) -> RuleOption:
    return RuleOption(field, {str(n): n for n in range(least, most + 1)}, (f"{least}-{most}",))


_LARGEST_NUMBER = 20  # of an option: faces
_EVERYWHERE = {"dice": _number("dice", 1, 10), "faces": _number("faces", 2, _LARGEST_NUMBER)}

OPTIONS: Mapping[str, Mapping[str, RuleOption]] = MappingProxyType(
    {
        "pbmserv": {"raise": _words("raising", "literal", "quantity", "strict"), **_EVERYWHERE},
        "classic": {
            "raise": _words("raising", "single", "one_or_both"),
            "to1": _words("to_ones", "at_least", "exact"),
            "palifico": _flag("palifico", "every", "none"),
            "pal_wild": _flag("palifico_wild"),
            "calza": _flag("calza"),
            **_EVERYWHERE,
        },
        "bga": {
            "to1": _words("to_ones", "at_least", "exact"),
            "calza": _flag("calza"),
            "hidden": _flag("hidden"),
            **_EVERYWHERE,
        },
        "pyrudo": {"pal_wild": _flag("palifico_wild"), **_EVERYWHERE},
        "pacao": {**_EVERYWHERE},
    }
)
"""The options that each rule set has, by the word a challenge writes."""


def rules_named(name: str) -> Rules:
    """The rule set `name`, in any case.

    Refused: `unknown_rules` (name, known, nearest).
    """
    found = RULE_SETS.get(name.lower())
    if found is not None:
        return found
    known = list(RULE_SETS)
    nearest = get_close_matches(name.lower()[:40], known, n=1, cutoff=0.6)
    raise Refused("unknown_rules", name=name, known=known, nearest=nearest[0] if nearest else None)


def with_options(rules: Rules, options: Mapping[str, str]) -> Rules:
    """`rules` changed as the options of a challenge say, words in any case.

    Refused: `unknown_option` (option, rules, known, and always: the rule set has it without an
    option); `option_value` (option, value, allowed).
    """
    choices = OPTIONS[rules.name]
    changes: dict[str, str | bool | int] = {}
    for option, value in options.items():
        choice = choices.get(option.lower())
        if choice is None:
            built_in = {"calza": rules.calza, "palifico": rules.palifico != "none"}
            always = built_in.get(option.lower(), False)
            known = list(choices)
            raise Refused(
                "unknown_option", option=option, rules=rules.name, known=known, always=always
            )
        meant = choice.meant(value)
        if meant is None:
            raise Refused("option_value", option=option, value=value, allowed=choice.allowed)
        changes[choice.field] = meant
    return Rules(**{**rules._asdict(), **changes})


def options_of(rules: Rules) -> dict[str, str]:
    """The options that lead from the named rule set to `rules`: only the differences."""
    named = RULE_SETS[rules.name]
    found: dict[str, str] = {}
    for option, choice in OPTIONS[rules.name].items():
        value = getattr(rules, choice.field)
        if value != getattr(named, choice.field):
            found[option] = next(word for word, meant in choice.values.items() if meant == value)
    return found
