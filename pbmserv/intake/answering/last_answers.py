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


def until(
    counters: Counters,
    quotas: Sequence[Quota],
    room: Sequence[int],
    spent: Mapping[str, int],
    now: int,
) -> int:
    """Until when no more answers are sent, 0 if more are.

    `room` is what was left of the daily quotas before these answers, and `spent` what they take of
    each kind.  The counters have counted them.
    """
    used_up = (
        each
        for each, left in zip(quotas, room, strict=False)
        if left > 0 and left <= spent.get(each.what, 0)
    )
    return max((fixed_window.again_at(counters, each, DAY, now) for each in used_up), default=0)


def ending(
    told: Sequence[Letter], theirs: Sequence[Letter], still: str, moment: int
) -> list[Letter]:
    """The letters; the last one to the sender now says that no more come until a moment.

    `theirs` are those to the sender.  `still` is the command that brings one more ("reset", or
    "nothing"), or why there are so few: "stranger", "elsewhere", or "alike" for answers that are
    too much alike.  The letter to a stranger says so anyway.
    """

    def last(letter: Letter) -> Letter:
        said = {render.LAST_UNPROVEN: _still_of(letter, still), render.AGAIN_AT: moment}
        return replace(letter, payload={**letter.payload, **said})

    return [
        last(each) if theirs and each is theirs[-1] and each.kind != STRANGER.name else each
        for each in told
    ]


def _still_of(letter: Letter, still: str) -> str:
    """`still` for one letter: a page of the manual also tells a stranger how to sign up."""
    return "newcomer" if still == "stranger" and letter.kind == HELP.name else still
