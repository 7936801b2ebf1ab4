"""Parse moves as players write them, leniently, after any change by a mail program.

Programs write the strict notation of `event_notation`.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from unicodedata import category

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.events import Action, Call, Raise, Resign
from pbmserv.games.perudo.move_words import in_english, salt_words
from pbmserv.text.phrases import one_of, words_of
from pbmserv.text.unicode_forms import compatible, with_plain_digits, without_format

RESIGN = "resign"
_EVERYDAY = frozenset(("call", "challenge", "doubt", "liar", "sleep"))  # words for dudo
_DOUBTS = ("dudo", "dodo", "dudu", *sorted(_EVERYDAY))
WORDS: dict[str, Action] = {
    **{word: Call("dudo") for word in _DOUBTS},
    "calza": Call("calza"),
    "exact": Call("calza"),
    "pacao": Call("pacao"),
    RESIGN: Resign(),
}
_UP_TO_TWENTY = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen twenty"
)
_NUMBERS = _UP_TO_TWENTY.split()
QUANTITIES = {word: number for number, word in enumerate(_NUMBERS, 1)} | {"a": 1, "an": 1}
_PLURALS = {
    word.replace("ty", "tie") + ("es" if word.endswith("x") else "s"): word for word in _NUMBERS
}
_ONES = ("paco", "pacos", "pasari", "ace", "aces")
FACES = (
    QUANTITIES
    | {plural: QUANTITIES[word] for plural, word in _PLURALS.items()}
    | dict.fromkeys(_ONES, 1)
)
MOVE_WORDS = frozenset((*WORDS, *QUANTITIES, *FACES, "bid", "raise"))
"""The words of moves, in lower case."""
_CALLS = frozenset(word for word, action in WORDS.items() if isinstance(action, Call))
ANSWERS = frozenset({"propose", "accept", "reject", "decline"})
"""Words that answer a draw or a challenge, where a move could be."""
ENDING_MOVES = ANSWERS | {RESIGN}
"""Words that end a game, or answer a question."""
_DRAW = re.compile(r"(?:(?:offer|propose|suggest) )?(?:a )?draw ?\??")
_PLAIN = str.maketrans("–—‑−‐‒―ـ×’\u00a0\u202f", "--------x'  ", "\ufe0f\u20e3")
_PICTURES = frozenset({"So", "Sk", "Mn", "Cn", "Co"})  # Unicode categories
LONGEST = 100  # characters of a text that are read
# Around a move: quotes, brackets, marks of bold and italic text, and how a sentence ends.
_AROUND = "\"'`‘’“”„‟«»_*~()[]<>¡ "
_ENDS = "!.,;:" + _AROUND
_STRUCK_OUT = "~~"
# "I give up, see you tomorrow" may give up for today alone, so the writer is asked.
_NOT_BEFORE_FAREWELL = _EVERYDAY | {RESIGN}
_QUOTES = "\"'`‘’“”„‟«»"
_DIE = re.compile("(?:([0-9]) ?)?([⚀-⚅])")
# "8)" is a smile, but "8-3" is a bid.
_SMILE = re.compile(r"[ !.,](?:[:;=]-?[()dp|3/]|8-?[()dp|/]|\^\^|xd|<3)$")
_MINE = re.compile("my (?:next )?(?:move|bid|call|answer)(?: is)?[ :=]+|move[ :=]+|bid ?[:=] ?")
_I = re.compile("(?:i will|i'll|i|we will|we'll|we) ")
_LET_US = re.compile("let'?s ")
_SAY = re.compile(
    "(?:bid|say|play|raise it to|raise to|raise|make it|go with|(?:start|open|begin) (?:with|at)) "
)
_CALL = re.compile("(?:call|say) (?:a )?")
_IT = re.compile(" (?:it|that|this)$")
_BID = re.compile(
    r"(?:(?:bid|raise(?: to)?) )?(?:([0-9]{1,3})|([a-z]{1,9}))"
    r"(?:-| - ?| ?[x*] ?| |(?<=[0-9])(?=[a-z]{3}))(?:([0-9]{1,2})(?:'?s)?|([a-z]{3,10}))"
)
# "twenty two" may be 22, or twenty twos.
_IS_ONE_NUMBER = re.compile(f"twenty[- ](?:{'|'.join(_NUMBERS[:9])})$")
_AS_IN_LETTERS = re.compile("(?:[0-9]{1,3}-[0-9]{1,2}s?)?")  # or nothing
# A bid with the letters x and s of a Russian keyboard.
_RUSSIAN = re.compile("\\b([0-9]{1,3}(?: ?[-x*\u0445] ?| )[0-9]{1,2})(\u0441?)$")


def bare_move(text: str) -> str:
    """The text of a move without differences that do not matter.

    These are case, wide letters, the digits of other scripts, and direction marks.  They are also
    typographic dashes and blanks, and text around the move.  The words of `I bid …`, `My move: …`
    and `… please` are too.  `draw` and `I offer a draw` are `propose`.  A move in words of another
    language is as in English.  The lists of such words are closed: any other word makes the text no
    move.
    """
    return text if _AS_IN_LETTERS.fullmatch(text) else _bare(text[:LONGEST])


@lru_cache(maxsize=16)  # each line of an email is read some times
def _bare(text: str) -> str:
    whole = " ".join(_DIE.sub(_digits, spelled_plainly(text)).split())
    plain = without_leads(_RUSSIAN.sub(_latin, unadorned(whole)))
    move = in_english(plain) or _unphrased(plain)
    if move in ENDING_MOVES and _takes_a_turn().search(whole):
        return whole
    if move in _NOT_BEFORE_FAREWELL and _farewell().search(whole):
        return whole
    return whole if _familiar().search(whole) and _may_jest(plain, move) else move


def _may_jest(plain: str, move: str) -> bool:
    """Whether a move is not meant as one beside familiar words: "liar, mate", "no te creo jaja".

    Bids are meant, and calls by their names.
    """
    if move in _NOT_BEFORE_FAREWELL or move in ENDING_MOVES or plain in words_of("epithets"):
        return True
    is_phrase = " " in plain and bool(in_english(plain)) and not _BID.fullmatch(move)
    return is_phrase and plain not in words_of("plain_calls")


def spelled_plainly(text: str, longest: int = LONGEST) -> str:
    """The beginning of a text in lower case, with plain digits, dashes, quotes and blanks."""
    plain = with_plain_digits(compatible(without_format(text[:longest])))
    return plain.translate(_PLAIN).lower()


def _latin(found: re.Match[str]) -> str:
    """The bid with Latin letters."""
    return found[1].replace("\u0445", "x") + ("s" if found[2] else "")


def _digits(found: re.Match[str]) -> str:
    """A drawn die as the digit of its face; `6⚂` is `6-3`."""
    face = str("⚀⚁⚂⚃⚄⚅".index(found[2]) + 1)
    return f"{found[1]}-{face}" if found[1] else face


@cache
def _manners() -> re.Pattern[str]:
    """Polite words at the end of a move."""
    either = "|".join(map(one_of, ("manners", "turn_manners", "farewells", "wishes")))
    return re.compile(f"[ !.,]¡?(?:(?:{one_of('joining_words')}) )?(?:{either})$")


@cache
def _familiar() -> re.Pattern[str]:
    """Laughter, or a word to friends, at the end of a move; not behind words of somebody else."""
    return re.compile(rf"(?<![{_QUOTES}])[ !.,](?:{one_of('familiar_words')})(?=\W*$)")


@cache
def _takes_a_turn() -> re.Pattern[str]:
    """A sentence such as "I accept your turn", which accepts no draw, nor a challenge."""
    return re.compile(rf"\w (?:{one_of('turn_manners')}|{one_of('farewells')})\W*$")


@cache
def _farewell() -> re.Pattern[str]:
    """A farewell as in "Sleep, see you tomorrow", where an everyday word hardly doubts a bid."""
    return re.compile(rf"[ !.,](?:{one_of('farewells')}|{one_of('wishes')})\W*$")


@cache
def _leads() -> re.Pattern[str]:
    """Words such as `ok` with which a line begins, before the move, and greetings."""
    return re.compile(f"^(?:(?:{one_of('move_leads')}|{one_of('greetings')})[ ,.!:]+)+")


def without_leads(plain: str) -> str:
    """The text without greetings, and words such as `ok`, in front."""
    return _leads().sub("", plain)


def begins_politely(text: str) -> bool:
    """Whether words such as `ok` or a greeting are in front of a move."""
    return _leads().match(unadorned(spelled_plainly(text))) is not None


def unadorned(plain: str) -> str:
    """The text without pictures, smiles, thanks, quotes and marks at its ends.

    A text with `~~`, the mark of struck out words, stays as it is: ~~dudo~~ is not meant.
    """
    if _STRUCK_OUT in plain:
        return plain
    longer = ""
    while plain != longer:
        longer = plain
        plain = _SMILE.sub("", plain).lstrip(_AROUND).rstrip(_ENDS)
        while plain and category(plain[-1]) in _PICTURES:
            plain = plain[:-1]
        while plain and category(plain[0]) in _PICTURES:
            plain = plain[1:]
        bare = _familiar().sub("", _manners().sub("", plain))
        plain = plain if bare == plain else bare.rstrip(" -")
    return plain


def _unphrased(plain: str) -> str:
    """The text without the words with which a sentence tells a move, such as `I bid`."""
    if found := _MINE.match(plain):
        return plain[found.end() :].lstrip(_AROUND)
    if found := _LET_US.match(plain):
        rest = plain[found.end() :]
        said = _SAY.match(rest) or _CALL.match(rest)
        return rest[said.end() :] if said else plain
    rest = plain[found.end() :] if (found := _I.match(plain)) else plain
    if _DRAW.fullmatch(rest):
        return "propose"
    if (said := _CALL.match(rest)) and rest[said.end() :] in _CALLS:
        return rest[said.end() :]
    word = _IT.sub("", rest)
    if word in _CALLS or (word == rest and word in ENDING_MOVES):
        return word
    if rest != plain and (said := _SAY.match(rest)):
        return rest[said.end() :]
    return plain


def without_salt(text: str) -> tuple[str, str]:
    """The text of a move, and the words behind `salt` with single blanks; "" without any.

    Commands name the word in each language.
    """
    words = text.split()
    names = salt_words()
    at = next((at for at, word in enumerate(words) if at and word.lower().rstrip(":") in names), 0)
    if not at:
        return text, ""
    return " ".join(words[:at]), " ".join(words[at + 1 :])[:LONGEST]


def split_salt(text: str) -> tuple[str, str]:
    """As `without_salt`; raises Refused `salt_without_words` (move) if no words are behind it."""
    move, words = without_salt(text)
    if move != text and not words:
        raise Refused("salt_without_words", move=move[:80])
    return move, words


def is_action(text: str) -> bool:
    """Whether `read_action` can read a text, legal or not."""
    return is_bare_action(bare_move(text))


def is_bare_action(bare: str) -> bool:
    """The same for a text that `bare_move` has made."""
    return _action_of(bare) is not None


def read_action(text: str) -> Action:
    """The move a player wrote: `4-2s`, `4x2`, `bid 4 2`, `five 5s`, `dudo`, `resign`, ...

    `bare_move` removes differences that do not matter.  Refused: `unreadable_move` (text).  `play`
    checks whether the move is legal.
    """
    action = _action_of(bare_move(text))
    if action is None:
        raise Refused("unreadable_move", text=text[:80])
    return action


@lru_cache(maxsize=16)  # as often as `_bare`
def _action_of(plain: str) -> Action | None:
    """The move that the text of `bare_move` says; None if it says none."""
    action = WORDS.get(plain)
    if action is not None:
        return action
    found = _BID.fullmatch(plain)
    if found and not _IS_ONE_NUMBER.search(plain):
        digits, word, face_digits, face_word = found.groups()
        quantity = int(digits) if digits else QUANTITIES.get(word)
        face = int(face_digits) if face_digits else FACES.get(face_word)
        if quantity is not None and face:
            return Raise(Bid(quantity, face))
    return None
