"""Challenges: check what a new board needs and who may be seated, and report every problem.

`lobby/challenge_start.py` begins the board, or invites players who want to be asked first.
`lobby/eligibility.py` has what players allow others to do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import astuple
from typing import TypeVar

from sqlalchemy import Connection

from pbmserv.boards import authorship, play, rating_eligibility
from pbmserv.boards.deadlines import STANDARD, Terms, read_span
from pbmserv.boards.opening_seeds import Opening
from pbmserv.boards.record import Played
from pbmserv.context import Context, UnitOfWork
from pbmserv.errors import Fact, Refused
from pbmserv.fast_dataclasses import dataclass
from pbmserv.games.perudo.notation import write_bid
from pbmserv.games.perudo.rules import (
    FEWEST_PLAYERS,
    MOST_PLAYERS,
    OPTIONS,
    RULE_SETS,
    Rules,
    options_of,
    rules_named,
    with_options,
)
from pbmserv.letters.payloads.boards import Challenged, Planned
from pbmserv.letters.payloads.guests import GUEST
from pbmserv.lobby import address_checks, bots, challenge_limits, eligibility, newcomers
from pbmserv.lobby.address_checks import bare, is_address
from pbmserv.lobby.challenge_lines import DEFAULT_RULES, challenge_line
from pbmserv.lobby.eligibility import ASK, START, Candidate
from pbmserv.players import accounts
from pbmserv.players.accounts import Player
from pbmserv.players.userids import LONGEST_USERID
from pbmserv.players.validation import address_key
from pbmserv.ratelimit import fixed_window
from pbmserv.text.numbers import whole
from pbmserv.text.phrases import words_of
from pbmserv.timeunits import DAY, HOUR

_YES, _NO = {"", "yes", "on", "true"}, {"no", "off", "false"}
_RULE_OPTIONS = frozenset(option for choices in OPTIONS.values() for option in choices)
_WHOLE = 100  # percent
_EXAMPLE = ("ann", "bob")  # players of a command that is offered
_DAILY = "challenges"  # what `fixed_window` counts

Value = TypeVar("Value")
Words = Mapping[str, str | None]
"""The options of a challenge by their names without dashes; None for an option not given."""


@dataclass(frozen=True, slots=True)
class Plan:
    """The plan of a new board: rules, time limits, and whether seats are in the order written.

    `again` is the finished board that this one plays again; 0 for none.
    """

    rules: Rules
    terms: Terms = STANDARD
    inorder: bool = False
    again: int = 0

    def kept(self) -> dict[str, object]:
        """What the row of a board keeps of the plan, for a rematch."""
        return {"inorder": self.inorder, "terms": astuple(self.terms), "again": self.again}

    def described(self) -> Planned:
        """The plan as a payload of letters; times in hours."""
        terms = self.terms
        options = [
            option if value == "yes" else f"{option}={value}"
            for option, value in options_of(self.rules).items()
        ]
        return {
            "rules": self.rules.name,
            "options": options,
            "nag": terms.nag // HOUR,
            "forfeit": terms.forfeit // HOUR,
            "total": terms.total // HOUR,
            "standin": terms.standin,
            "rated": terms.rated and rating_eligibility.is_standard(self.rules),
        }


class Problems:
    """All problems of a challenge or a search, collected to be reported together."""

    def __init__(self, code: str = "challenge_problems") -> None:
        """`code` is the code of the Refused that reports several problems."""
        self.code = code
        self.found: list[Refused] = []

    def add(self, code: str, **facts: Fact) -> None:
        """Add a problem."""
        self.found.append(Refused(code, **facts))

    def tried(self, otherwise: Value, read: Callable[..., Value], *words: object) -> Value:
        """Return `read(*words)`; if it refuses, add the problem and return `otherwise`."""
        try:
            return read(*words)
        except Refused as refusal:
            self.found.append(refusal)
            return otherwise

    def refuse(self) -> None:
        """Raise the problems: a single one as it is, several in one Refused."""
        if len(self.found) == 1:
            raise self.found[0]
        if self.found:
            each: list[Fact] = [{"code": one.code, "facts": one.facts} for one in self.found]
            raise Refused(self.code, problems=each)


def weighed(
    context: Context, challenger: Player | None, userids: Sequence[str], words: Words
) -> tuple[Plan, list[Candidate]]:
    """The board that a challenge asks for, and its players in the order written.

    Players who must be asked first have `challenges` set to ask, even if they chose otherwise.
    Raises one Refused that names every problem.
    """
    _check_daily(context, challenger)
    problems = Problems()
    least = problems.tried(0, _read_percentage, words.get("reliable"))
    plan = Plan(
        read_rules(problems, words),
        _read_terms(problems, words, with_bots=any(map(bots.is_bot, userids))),
        problems.tried(False, _is_on, "-inorder", words.get("inorder")),
    )
    named = _without_sentence(context.connection, userids, challenger)
    return plan, _seated(context, problems, named, challenger, plan, least)


def _without_sentence(
    connection: Connection, userids: Sequence[str], challenger: Player | None
) -> list[str]:
    """The userids in `bob et moi`: such words count as userids only for players who have them.

    `bob.` with the stop of a sentence is bob, unless a player has that userid.
    """
    found = []
    for said in userids:
        is_last = said.endswith(".") and not accounts.find(connection, said)
        each = said.rstrip(".") if is_last else said
        word = each.lower()
        is_mine = challenger is not None and word in words_of("myself")
        if not (is_mine or word in words_of("joins_names")) or accounts.find(connection, each):
            found.append(each)
        elif challenger is not None and is_mine:
            found.append(challenger.userid)
    return found


def weighed_again(
    context: Context,
    problems: Problems,
    challenger: Player,
    userids: Sequence[str],
    plan: Plan,
) -> list[Candidate]:
    """The players of a challenge whose plan is known: that of an earlier board.

    `problems` are the reasons against it that were found before.  Raises Refused as `weighed` does.
    """
    _check_daily(context, challenger)
    return _seated(context, problems, userids, challenger, plan)


def begin(
    work: UnitOfWork,
    number: int,
    plan: Plan,
    seats: Sequence[tuple[int, str]],
    taken: Collection[int],
    opening: Opening,
) -> Played:
    """Begin a board whose row exists, with its seats in the order that the plan asks for.

    `taken` are the players who take their seats by this (`boards/seating.py`), `opening` is what
    its first dice follow from.
    """
    seats = list(seats)
    if not plan.inorder:
        work.chance.shuffle(seats)
    return play.begin(work, number, plan.rules, seats, plan.terms, taken, opening)


def told(work: UnitOfWork, played: Played, challenger: Player | None) -> Challenged:
    """The payload for a challenger who does not play: a board has begun; None for a shell."""
    board = played.board
    found: Challenged = {
        "board": board.id,
        "names": board.names,
        "rules": board.table.rules.name,
        "held": challenger.userid if challenger and board.opening else "",
        "rating": rating_eligibility.rating_of(board),
    }
    if challenger is not None:
        found["line"] = _with_seat(played, challenger)
    elif not board.on_turn.level:
        found["turn"] = board.on_turn.userid
    if found["rating"] == "unrated":
        found["why_unrated"] = rating_eligibility.why_board_unrated(work, board)
    if board.table.bids:
        found["bids"] = [(board.names[seat], write_bid(bid)) for seat, bid in board.table.bids]
    return found


def _with_seat(played: Played, challenger: Player) -> str:
    """The challenge for this game with the challenger as a player; "" if no seat is free."""
    board = played.board
    if len(board.names) >= MOST_PLAYERS:
        return ""
    names = challenger.userid, *board.names
    return challenge_line(board.table.rules, board.clock.terms, names)


def read_rules(problems: Problems, words: Words) -> Rules:
    """The rule set with the given options; each wrong option is a problem of its own."""
    named = words.get("rules")
    rules = problems.tried(None, rules_named, DEFAULT_RULES if named is None else named)
    if rules is None:
        return RULE_SETS[DEFAULT_RULES]
    for option, value in words.items():
        if value is not None and option in _RULE_OPTIONS:
            rules = problems.tried(rules, with_options, rules, {option: value})
    return rules


def _read_terms(problems: Problems, words: Words, *, with_bots: bool) -> Terms:
    def span(name: str, otherwise: int) -> int:
        text = words.get(name)
        return otherwise if text is None else problems.tried(0, read_span, f"--{name}", text)

    nag = span("nagtime", STANDARD.nag)
    forfeit = span("forfeittime", STANDARD.forfeit)
    if nag and forfeit and nag >= forfeit:
        problems.add("nag_after_forfeit", nag=nag // HOUR, forfeit=forfeit // HOUR)
    standin = problems.tried(False, _is_on, "--standin", words.get("standin"))
    rated = _read_rated(problems, words, with_bots=with_bots)
    return Terms(nag, forfeit, span("totaltime", STANDARD.total), standin, rated)


def _read_rated(problems: Problems, words: Words, *, with_bots: bool) -> bool:
    """Whether the result is to count for ratings: with bots only if the challenge asks for it."""
    unrated = problems.tried(False, _is_on, "-unrated", words.get("unrated"))
    asked = words.get("rated")
    rated = problems.tried(False, _is_on, "-rated", asked)
    if rated and unrated:
        problems.add("rated_and_unrated")
    return not unrated and (rated or (asked is None and not with_bots))


def _is_on(parameter: str, text: str | None) -> bool:
    """Whether an option that is on or off was switched on; raises Refused `option_value`."""
    if text is not None and text.lower() not in _YES | _NO:
        raise Refused("option_value", option=parameter[1:], value=text, allowed=["yes", "no"])
    return text is not None and text.lower() in _YES


def _read_percentage(text: str | None) -> int:
    text = "0" if text is None else text.removesuffix("%")
    if (percentage := whole(text, _WHOLE)) is None:
        raise Refused("bad_percentage", parameter="--reliable", value=text[:80])
    return percentage


def _seated(
    work: Context,
    problems: Problems,
    userids: Sequence[str],
    challenger: Player | None,
    plan: Plan,
    least: int = 0,
) -> list[Candidate]:
    """The players named in a challenge; raises all problems, also those found before.

    An address in place of a userid is somebody who is invited by it.
    """
    own = challenger.id if challenger else None
    short = plan.terms.forfeit < challenge_limits.SHORTEST_FORFEIT  # then every player is asked
    userids = _counted_names(problems, userids, challenger, plan.rules)
    addresses = [each for each in userids if is_address(each)]
    people = [each for each in userids if not (bots.is_bot(each) or is_address(each))]
    words = [each for each in userids if bots.is_bot(each)]
    known = eligibility.candidates(work.connection, people, work.settings.challenges)
    known = {key: candidate for key, candidate in known.items() if candidate.works}
    unknown = [each for each in people if each.lower() not in known]
    if unknown:
        problems.add("no_such_player", names=[each[:LONGEST_USERID] for each in unknown])
    problems.found += (no_bots := bots.objections(words))
    if not (people or addresses):
        problems.add("no_people")
    waiting = challenge_limits.unanswered(work.connection, own, list(known.values()))
    known = {
        key: each if each.id == own else challenge_limits.asked(each, waiting, short=short)
        for key, each in known.items()
    }
    candidates = [known[each.lower()] for each in people if each.lower() in known]
    names = [candidate.userid for candidate in candidates] + bots.names(words)
    if twice := sorted({name for name in names if names.count(name) > 1}):
        problems.add("same_player_twice", names=twice)
    different = list({candidate.id: candidate for candidate in candidates}.values())
    problems.found += eligibility.objections(work, different, own, least)
    problems.found += challenge_limits.objections(work, different, waiting)
    inviter = inviting(challenger, candidates)
    if inviter or not (unknown or no_bots):
        problems.found += address_checks.objections(work, inviter, addresses, names)
    problems.refuse()
    seated_bots = map(_candidate_of_bot, bots.seated(work.connection, words, work.now))
    known |= {each.lower(): _candidate_of_address(each) for each in addresses}
    return [next(seated_bots) if bots.is_bot(each) else known[each.lower()] for each in userids]


def _counted_names(
    problems: Problems, userids: Sequence[str], challenger: Player | None, rules: Rules
) -> list[str]:
    """The names and addresses in a challenge; too many or too few of them are a problem."""
    if not FEWEST_PLAYERS <= len(userids) <= MOST_PLAYERS:
        offered = _with_challenger(userids, challenger)
        if dice := options_of(rules).get("dice"):
            offered = [f"-dice={dice}", *(offered or _EXAMPLE)]
        problems.add("player_count", given=len(userids), offered=offered)
    userids = userids[: 2 * MOST_PLAYERS]  # the count is refused already; this bounds the work
    return [bare(each) if is_address(each) else each for each in userids]


def inviting(challenger: Player | None, candidates: Sequence[Candidate]) -> Player | None:
    """Who invites people by address: the challenger; at a shell, the first player named."""
    people = (Player(each.id, each.userid, "") for each in candidates if each.id and not each.level)
    return challenger or next(people, None)


def _with_challenger(userids: Sequence[str], challenger: Player | None) -> list[Fact]:
    """The players that a challenger means who named only one other; empty for anybody else."""
    if challenger is None or [each.lower() for each in userids[:2]] == [challenger.userid.lower()]:
        return []
    return [challenger.userid, *userids] if len(userids) == 1 else []


def _candidate_of_address(address: str) -> Candidate:
    key = address_key(address)
    return Candidate(0, GUEST, ASK, None, works=True, left=False, level="", address=key)


def _candidate_of_bot(player: Player) -> Candidate:
    return Candidate(player.id, player.userid, START, None, works=True, left=False, level="house")


def _counter_names(context: Context, challenger: Player | None) -> list[str]:
    """The counters of a challenge: one for the player, and one for the sender's address."""
    who = [f"player {challenger.id}"] if challenger else []
    return [*who, context.sender] if context.sender else who


def _apart(context: Context, challenger: Player | None) -> str:
    """The prefix of the counter for challenges whose sender is not proven, else ""."""
    return (
        ""
        if challenger is None or authorship.is_from(context, challenger.id)
        else newcomers.UNPROVEN
    )


def _check_daily(context: Context, challenger: Player | None) -> None:
    most, apart = context.settings.challenges_daily, _apart(context, challenger)
    for who in _counter_names(context, challenger):
        if not fixed_window.allowed(
            context.connection, apart + _DAILY, who, most, DAY, context.now
        ):
            raise Refused("too_many_challenges", most=most)
    if challenger:
        newcomers.check(context, challenger.id, newcomers.BOARDS, apart=apart)


def note_daily(context: Context, challenger: Player | None) -> None:
    """Count a challenge that was made."""
    apart = _apart(context, challenger)
    for who in _counter_names(context, challenger):
        fixed_window.note(context.connection, apart + _DAILY, who, DAY, context.now)
    if challenger:
        newcomers.note(context, challenger.id, newcomers.BOARDS, apart=apart)
