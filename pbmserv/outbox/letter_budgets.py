"""Rate limits: the token buckets for answers and other letters, and their sizes.

A sender with proof has a bucket for each mailbox, and all of them share another.  Letters to
unproven addresses use other buckets.  So emails with invented names, or with players' names, delay
no player.  Each bucket counts letters, and has a second bucket that counts kilobytes of text.  The
HTML of a letter is not counted: its size depends on that of the text, and has a limit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pbmserv.mail.addresses import site
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.counters import Counters
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.ratelimit.token_bucket import Share
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY

# Names with a blank, which no address and no userid has.
EVERYBODY = "the whole server"
STRANGERS = "addresses that are no player's"
RESETS = "unproven reset"  # what `fixed_window` counts: password resets asked for by unproven email
OLD_LETTERS = "old letters"  # the same: answers to emails that reply to an older letter
CLAIMED = "players' addresses in mail that proves nothing"

OLD_LETTERS_DAILY = 20  # answers to emails whose only proof is that they reply to an older letter
KILOBYTES = 8  # of one letter, on average over a day
# Bytes of the longest letter to a stranger, as it is sent, without its HTML.
SHORT = 4096
_HEAD = 2048  # bytes of a letter's header, and of the growth of its text by encoding


def of_player(settings: Settings, player: str, sizes: Iterable[int]) -> list[Share]:
    """The shares of answers to a player; `player` names the bucket, `sizes` are texts in bytes."""
    counted = list(sizes)
    mine = _both(player, settings.answers_daily, counted, own=True)
    return [*mine, *_both(EVERYBODY, settings.all_answers_daily, counted)]


def of_strangers(settings: Settings, sizes: Iterable[int]) -> list[Share]:
    """The shares of answers to addresses that belong to no player; `sizes` are texts in bytes."""
    return list(_both(STRANGERS, settings.strangers_daily, list(sizes)))


def of_claimed(settings: Settings, sizes: Iterable[int]) -> list[Share]:
    """The shares of answers to unproven emails from players' addresses; `sizes` as above."""
    return list(_both(CLAIMED, settings.strangers_daily, list(sizes)))


def of_confirmations(settings: Settings, addresses: Iterable[str]) -> list[Share]:
    """The shares of letters that ask these addresses to confirm something."""
    found: list[Share] = []
    for address in addresses:
        domain = f"domain {site(address)}"
        found += _both(STRANGERS, settings.strangers_daily, [SHORT - _HEAD])
        found += _both(domain, settings.domain_daily, [SHORT - _HEAD], own=True)
    return found


def of_old_letters(mailbox: str, answers: int) -> list[Quota]:
    """The daily quota of a mailbox for answers whose only proof is a reply to an older letter.

    Such a letter may have been forwarded.  Its new reader may write, but cannot cause a flood.
    """
    return [Quota(OLD_LETTERS, mailbox, OLD_LETTERS_DAILY, answers)] if answers else []


def kept_for_reset(counters: Counters, settings: Settings, mailbox: str, now: int) -> int:
    """How many letters a day (0 or 1) are kept for a player who has forgotten the password.

    The last one of `unproven_daily` is kept until a new password was asked for.
    """
    if settings.unproven_daily <= 1:
        return 0
    return max(0, fixed_window.room_in(counters, [Quota(RESETS, mailbox, 1)], DAY, now)[0])


def sent(size: int) -> int:
    """The approximate size in bytes of a sent letter, from the size of its text."""
    return size + _HEAD


def _both(name: str, daily: int, sizes: list[int], *, own: bool = False) -> Iterator[Share]:
    kilobytes = sum(-(-sent(size) // 1024) for size in sizes)
    yield Share(name, daily, len(sizes), own)
    yield Share(f"kilobytes, {name}", daily * KILOBYTES, kilobytes, own)
