"""Which words may be a userid, and which userids look alike.

This module does not use the database; `players/accounts.py` knows who has which userid.  A userid
has 2 to 20 letters, digits, `.`, `_`, `-` and starts with a letter.
"""

from __future__ import annotations

import re
from functools import cache

from pbmserv.errors import Refused
from pbmserv.games.perudo.notation import is_action
from pbmserv.text.phrases import words_of
from pbmserv.text.unicode_forms import unmarked

SHORTEST_USERID, LONGEST_USERID = 2, 20
_USERID = re.compile(r"[A-Za-z][A-Za-z0-9._-]*", re.ASCII)
_PUNCTUATION = re.compile(r"[._-]")

# Words of commands, which could be mistaken for a userid.
_WORDS = """
accept active add advice advise all allow and annul ban block board broadcast busy call calza
challenge change chat close confirm daemon decline delete deliver draw dudo emergency end
everybody everyone exact forget games help history inactive inf limit list message move
multiple mute next no nobody none notify off on order pacao pass pause perudo preview propose
queue rating ratings receive record referee reject rematch rename report reset resign rules seek
rsvp serve server set show showas signoff signup standin standings stats stop submit subscribe
suspend swap takeover unban unblock undo unmute unsubscribe userid vacation verify versus vs watch
won yes"""
# Names that readers take for a person who runs the server.
_OFFICES = """
abuse billing contact host info mod mods official owner password police privacy
root security service staff support sysadmin sysop system team"""
# "Sign up for Perudo", "Register me please" and "Inscription au perudo" name nobody.
_OF_SENTENCES = """
as at by for from here in me my myself now our please the this to today us we with you your
au aux avec chez et moi pour con conmigo como en mi para por yo bei beim mit zum"""
# Any userid that begins so is mistaken in the same way: admin2, a bot, our own name.
_BEGINNINGS = """
admin anonymous helpdesk hostmaster house mailer-daemon moderator no-reply donotreply operator
pbmserv postmaster superuser webmaster"""


def check_userid(userid: str) -> None:
    """Raise Refused `bad_userid` with `why`: length, characters, reserved or language.

    `language`: a language has the word for a command, a move or an answer.  Accounts that have such
    a userid keep it.
    """
    why = ""
    if not SHORTEST_USERID <= len(userid) <= LONGEST_USERID:
        why = "length"
    elif not _USERID.fullmatch(userid):
        why = "characters"
    elif is_reserved(userid) or userid.lower() in _OF_SENTENCES.split():
        why = "reserved"
    elif unmarked(userid).lower() in _other_words():
        why = "language"
    if why:
        is_long = len(userid) > LONGEST_USERID
        shown = f"{userid[: LONGEST_USERID - 1]}…" if is_long else userid  # what is shown is short
        raise Refused(
            "bad_userid", userid=shown, why=why, least=SHORTEST_USERID, most=LONGEST_USERID
        )


def skeleton(userid: str) -> str:
    """The form of a userid that is the same for all userids that look alike.

    Case, dots and dashes do not matter.  Letters that look alike are the same: 1, l and i; 0 and o;
    rn and m; vv and w.  Unicode's UTS 39 calls this form a skeleton.
    """
    bare = _PUNCTUATION.sub("", userid.lower()).translate(_CONFUSED)
    return bare.replace("rn", "m").replace("vv", "w")


def skeletons(userid: str) -> set[str]:
    """The skeletons of all userids for which this one could be mistaken.

    A capital I at the start can be read as a mere stroke: `Iann` is mistaken for ann, too.
    """
    found = {skeleton(userid)}
    if userid.startswith("I") and len(userid) > _SHORTEST_BEHIND_STROKE:
        found.add(skeleton(userid[1:]))
    return found


# The kinds of words that people write alone, to answer or to move.
_SAID_ALONE = (
    *("yes", "confirming", "refusals", "never", "stop_requests", "raise_words", "times_words"),
    *("doubt_moves", "calza_moves", "pacao_moves", "resign_moves"),
    *("propose_moves", "accept_moves", "reject_moves", "decline_moves"),
)
_RUSSIAN_ANSWERS = "da net"  # yes and no in Latin letters
_CONFUSED = str.maketrans("10i", "lol")
_SHORTEST_BEHIND_STROKE = 3  # Ian is too short to be mistaken for an
RESERVED = frozenset(skeleton(word) for word in f"{_WORDS} {_OFFICES}".split())
_RESERVED_BEGINNINGS = tuple(skeleton(word) for word in _BEGINNINGS.split())


@cache
def _other_words() -> frozenset[str]:
    """The single words that mean a command, a move or an answer in a language, without accents."""
    entries = [entry.split() for entry in words_of("command_words")]  # the words, what they mean
    found = [said for said, *others in entries if len(others) == 1]
    found += [word for entry in words_of("numbers") for word in entry.split()]
    for kind in _SAID_ALONE:
        found += [entry for entry in words_of(kind) if " " not in entry]
    return frozenset(unmarked(word).lower() for word in (*found, *_RUSSIAN_ANSWERS.split()))


def is_reserved(userid: str) -> bool:
    """Whether the userid looks like a word of commands, a move, or a person who runs the server."""
    bare = skeleton(userid)
    return bare in RESERVED or bare.startswith(_RESERVED_BEGINNINGS) or is_action(userid)
