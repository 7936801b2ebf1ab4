"""Rate limits: out of which buckets a letter comes, and how large they are.

Who has proven something has a bucket of their own, and all of them one together.  Letters to
addresses that have proven nothing come out of others: so whoever writes under made-up names, or
under the names of players, makes no player wait.  Each bucket counts letters, and has a second
one that counts kilobytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sqlalchemy import Connection

from pbmserv.mail.addresses import site
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.ratelimit.token_bucket import Share
from pbmserv.settings import Settings
from pbmserv.timeunits import DAY

# Names with a blank: no address and no userid is called like this.
EVERYBODY = "the whole server"
STRANGERS = "addresses that are no player's"
RESETS = "unproven reset"  # what `fixed_window` counts: requests by unproven email
CLAIMED = "players' addresses in mail that proves nothing"

OLD_LETTERS_DAILY = 20  # answers to mail that nothing proves but a letter which is no latest one
KILOBYTES = 8  # of one letter, on average over a day
SHORT = 4096  # bytes of the longest letter to a stranger, as it is sent
_HEAD = 2048  # bytes of a letter's head, and what its text grows by when it is encoded


def of_player(settings: Settings, player: str, sizes: Iterable[int]) -> list[Share]:
    """What answers to a player (by a name to count by) take; `sizes` are their texts in bytes."""
    counted = list(sizes)
    mine = _both(player, settings.answers_daily, counted, own=True)
    return [*mine, *_both(EVERYBODY, settings.all_answers_daily, counted)]


def of_strangers(settings: Settings, sizes: Iterable[int]) -> list[Share]:
    """What answers take that go to addresses which are no player's."""
    return list(_both(STRANGERS, settings.strangers_daily, list(sizes)))


def of_claimed(settings: Settings, sizes: Iterable[int]) -> list[Share]:
    """What answers take to mail from players' addresses that proves nothing."""
    return list(_both(CLAIMED, settings.strangers_daily, list(sizes)))


def of_confirmations(settings: Settings, addresses: Iterable[str]) -> list[Share]:
    """What letters take that ask these addresses to confirm something."""
    found: list[Share] = []
    for address in addresses:
        domain = f"domain {site(address)}"
        found += _both(STRANGERS, settings.strangers_daily, [SHORT - _HEAD])
        found += _both(domain, settings.domain_daily, [SHORT - _HEAD], own=True)
    return found


def of_old_letters(mailbox: str, answers: int) -> list[Quota]:
    """How many answers a mailbox gets in a day that some letter to it proves, and nothing else.

    Such a letter may have been passed on: whoever has it may write, but brings no flood.
    """
    return [Quota("old letters", mailbox, OLD_LETTERS_DAILY, answers)] if answers else []


def kept_for_reset(connection: Connection, settings: Settings, mailbox: str, now: int) -> int:
    """How many letters of a day (0 or 1) are kept for who has forgotten the password.

    The last of `unproven_daily` is, until a new password was asked for.
    """
    if settings.unproven_daily <= 1:
        return 0
    return max(0, fixed_window.room(connection, [Quota(RESETS, mailbox, 1)], DAY, now)[0])


def sent(size: int) -> int:
    """How many bytes a letter has when it is sent, more or less, by those of its text."""
    return size + _HEAD


def _both(name: str, daily: int, sizes: list[int], *, own: bool = False) -> Iterator[Share]:
    kilobytes = sum(-(-sent(size) // 1024) for size in sizes)
    yield Share(name, daily, len(sizes), own)
    yield Share(f"kilobytes, {name}", daily * KILOBYTES, kilobytes, own)
