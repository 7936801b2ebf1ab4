"""The last answer within a daily quota says so, and until when no more are sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pbmserv.fast_dataclasses import replace
from pbmserv.letters import render
from pbmserv.letters.payloads.letter import Letter
from pbmserv.letters.payloads.mails import HELP, STRANGER
from pbmserv.ratelimit import fixed_window
from pbmserv.ratelimit.counters import Counters
from pbmserv.ratelimit.fixed_window import Quota
from pbmserv.timeunits import DAY


def used_up(quotas: Sequence[Quota], room: Sequence[int], spent: Mapping[str, int]) -> list[Quota]:
    """The quotas that are used up by what is `spent` of each kind; `room` is what was left."""
    return [
        each
        for each, left in zip(quotas, room, strict=False)
        if left > 0 and left <= spent.get(each.what, 0)
    ]


def again_at(counters: Counters, quotas: Sequence[Quota], now: int) -> int:
    """When an email that needs all these daily quotas is answered again."""
    return max(fixed_window.again_at(counters, each, DAY, now) for each in quotas)


def ending(
    told: Sequence[Letter], theirs: Sequence[Letter], still: str, until: int
) -> list[Letter]:
    """The letters; the last one to the sender now says that no more come until a moment.

    `theirs` are those to the sender.  `still` is the command that brings one more ("reset", or
    "nothing"), or why there are so few: "stranger", "elsewhere", or "alike" for answers that are
    too much alike.  The letter to a stranger says so anyway.
    """

    def last(letter: Letter) -> Letter:
        said = {render.LAST_UNPROVEN: _still_of(letter, still), render.AGAIN_AT: until}
        return replace(letter, payload={**letter.payload, **said})

    return [
        last(each) if theirs and each is theirs[-1] and each.kind != STRANGER.name else each
        for each in told
    ]


def _still_of(letter: Letter, still: str) -> str:
    """`still` for one letter: a page of the manual also tells a stranger how to sign up."""
    return "newcomer" if still == "stranger" and letter.kind == HELP.name else still
