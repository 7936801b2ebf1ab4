"""The foot of a letter to a player: why it comes, and how to get fewer letters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, partial

from pbmserv.letters.catalogues import catalogue
from pbmserv.letters.document import HTML, TEXT, Block, Commands, Link, Links, Paragraph
from pbmserv.letters.payloads.accounts import MEASURE
from pbmserv.letters.payloads.boards import INVITATION
from pbmserv.letters.payloads.perudo import BOARDS, ENDED, SHOW
from pbmserv.letters.render import AnyPayload, WordedLetter, whole, word_in
from pbmserv.letters.reply_link import STOP
from pbmserv.letters.shortening import Notes, notes

FEWER = "help set"  # the command that explains which letters there are
CONFIRMED = "confirmed"  # the letter to an address that a player has just confirmed
_TO_PLAYERS = {CONFIRMED, "address_told"}  # the second goes to an address that a player had
# Letters about the end of letters, or of an account.
_WITHOUT_FOOT = {"paused", "pause_asked", "signed_off"}


def letter_with_foot(
    kind: str, payload: AnyPayload, language: str
) -> tuple[WordedLetter, Sequence[Block], Notes]:
    """The letter, its foot, and what it says where it is too long, all in one language."""
    return whole(partial(_letter_with_foot, kind, payload), language)


def _letter_with_foot(
    kind: str, payload: AnyPayload, language: str
) -> tuple[WordedLetter, Sequence[Block], Notes]:
    """As `letter_with_foot`; raises `Untranslated`."""
    words, too_long = word_in(kind, payload, language), notes(language)
    is_end = kind in _WITHOUT_FOOT or (kind == MEASURE.name and payload["what"] == "close")
    if is_end or not is_to_player(kind, payload):
        return words, (), too_long
    return words, [*_how_to_send(words, language), *blocks(kind, payload, language)], too_long


def _how_to_send(words: WordedLetter, language: str) -> list[Block]:
    """For text: how to send a command, if the letter has one and does not say so above it."""
    found = [each for each in words.document.blocks if isinstance(each, Commands)]
    if all(each.is_told or each.only == HTML for each in found):
        return []
    _ = catalogue(language).gettext
    return [
        Paragraph(_("To send a command above, write it as the Subject of an email."), only=TEXT)
    ]


def is_to_player(kind: str, payload: AnyPayload) -> bool:
    """Whether a player gets the letter: letters to others have no time zone."""
    return "zone" in payload or kind in _TO_PLAYERS


def foot(language: str) -> str:
    """The line below every letter to a player, which says how to get fewer; `Untranslated`."""
    _ = catalogue(language).gettext
    fewer = _("Fewer letters: send the Subject %(command)s. No more here: reply %(stop)s.")
    return f"{fewer % {'command': FEWER, 'stop': STOP}}\n"


def blocks(kind: str, payload: AnyPayload, language: str) -> list[Block]:
    """The foot of a letter of this kind: text says what HTML has links for; `Untranslated`."""
    return [Paragraph(reason(kind, payload, language)), *_how_to_get_fewer(language)]


@cache
def _how_to_get_fewer(language: str) -> Sequence[Block]:
    _ = catalogue(language).gettext
    links = (Link(_("Fewer letters"), command=FEWER), Link(_("No more letters"), command=STOP))
    return [*(Paragraph(line, only=TEXT) for line in foot(language).splitlines()), Links(links)]


def reason(kind: str, payload: AnyPayload, language: str) -> str:
    """The sentence that says why a player gets a letter of this kind; raises `Untranslated`."""
    return _reasons(language)[_why(kind, payload)] % {"board": payload.get("board", "")}


@cache
def _reasons(language: str) -> Mapping[str, str]:
    _ = catalogue(language).gettext
    return {
        "plays": _("You get this because you play on board %(board)s."),
        "watches": _("You get this because you watch board %(board)s."),
        "awaits_end": _(
            "You get this because you watch board %(board)s or asked to hear how it ends."
        ),
        "is_invited": _("You get this because you are invited to board %(board)s."),
        "has_account": _("You get this because you have an account here."),
    }


def _why(kind: str, payload: AnyPayload) -> str:
    is_player = payload.get("reader") is not None
    if kind == INVITATION.name and is_player:
        return "is_invited"
    # Who asked to see a board may be anybody.
    if (
        not kind.startswith("perudo/")
        or kind == BOARDS.name
        or not (is_player or kind != SHOW.name)
    ):
        return "has_account"
    if is_player:
        return "plays"
    return "awaits_end" if kind == ENDED.name else "watches"
