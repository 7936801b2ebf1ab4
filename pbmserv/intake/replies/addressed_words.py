"""Recognise words to one of the other players: "Bob, I think you have no fives".

In the turn of others no bid can be made, so such a line may speak of bids and dice.
"""

from __future__ import annotations

import re

from pbmserv.games.perudo.move_parser import MOVE_WORDS
from pbmserv.games.perudo.move_words import words_of_moves
from pbmserv.text.phrases import EVERYDAY, by_language, one_of, single_words, words_of
from pbmserv.text.unicode_forms import unmarked

_AROUND = ".,;:!?¡¿()'\"*_~…"
_VERBS = frozenset(
    {
        *("bid", "call", "calza", "challenge", "dodo", "doubt", "dudo", "dudu", "exact", "liar"),
        *("pacao", "raise", "resign", "sleep"),
    }
)
WORDS_OF_BIDS = (MOVE_WORDS - _VERBS) | frozenset(
    unmarked(word)
    for kind in ("faces", "numbers")
    for some in by_language(kind).values()
    for each in some
    for word in each.split()
)
"""Words of bids, without accents: numbers and faces."""
_OWN_DICE = re.compile(rf"(?<!\w)(?:i have|i've|i got|{one_of('own_dice_leads')})(?!\w)")
_NO_NAMES = single_words(
    *EVERYDAY, "remarks", "postponing_remarks", "yes", "refusals", "chat_words"
)


def is_to_somebody(line: str) -> bool:
    """Whether a line has a name at its beginning or its end, and says "you" in some language.

    The other words tell no dice of the writer's.  They do not begin with a bid, as "Bob, three
    fives for you" does.
    """
    name, comma, rest = line.strip().partition(",")
    if not (comma and _is_name(name)):
        rest, comma, name = line.strip().rstrip(_AROUND).rpartition(",")
    if not (comma and _is_name(name.strip())):
        return False
    words = [each.strip(_AROUND).lower() for each in rest.split()]
    is_bid = bool(words) and unmarked(words[0]) in WORDS_OF_BIDS
    speaks = any(each in words_of("second_person") for each in words)
    return speaks and not is_bid and not _OWN_DICE.search(rest.lower())


def _is_name(word: str) -> bool:
    said = word.lower()
    is_known = said in _NO_NAMES or said in MOVE_WORDS or unmarked(said) in words_of_moves()
    return word.isalpha() and word.istitle() and not is_known
