"""Every code of a refusal has words, and all words belong to a code."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import given

from pbmserv.errors import Refused
from pbmserv.games.perudo.bids import Bid
from pbmserv.games.perudo.dice import PlainDice
from pbmserv.games.perudo.rules import Rules
from pbmserv.games.perudo.table import (
    Action,
    Call,
    Raise,
    Resign,
    after_all,
    legal_bids,
    new_table,
    play,
    start,
)
from pbmserv.games.perudo.verify import REASONS
from pbmserv.intake.answering.answer_limits import SMALL_PAYLOAD, TEXT_OF_SMALL_PAYLOAD
from pbmserv.letters import refusals, render
from pbmserv.letters.catalogues import languages
from pbmserv.letters.payloads.boards import NO_ERRORS
from pbmserv.letters.templates import source
from pbmserv.lobby import bots
from tests.games.games import moves, plain, randoms, rule_sets, seats
from tests.letters.lines_to_send import wide_lines
from tests.rows import each_row

SOURCE = Path(render.__file__).parents[1]
FILE: dict[str, Any] = {"round": 0, "line": 4}
RECORDS = source("perudo/refusals/records") or ""
USAGE = {
    "command": "perudo move",
    "usage": "perudo move BOARD USERID PASSWORD MOVE... ",
    "example": "perudo move 12 ann secret 4-2s",
}
BID: dict[str, Any] = {
    "bid": "4-1s",
    "last": "9-3s",
    "face": 3,
    "rules": "bga",
    "rule": "single",
    "smallest": ["10-3s", "9-4s", "5-1s"],
    "calls": ["dudo"],
    "cap": 15,
    "faces": 6,
    "least": 5,
    "exact": False,
}
LONG = "x" * 200
MADE = {"number": 16, "by": "x" * 20, "what": "14-2s", "mine": False}
LATE: dict[str, Any] = {"board": 12, "move": 17, "turn": "ann", "yours": False, "bid": "14-2s"} | {
    "made": MADE
}
FAULTS: list[dict[str, Any]] = [
    {"why": "expected", "expected": "game perudo"},
    *(
        {"why": why}
        for why in (
            *(
                "no_event",
                "other_table",
                "no_seal",
                "no_salt",
                "salts_unordered",
                "no_board",
                "no_rules",
                "no_day",
            ),
            *("no_commitment", "few_words", "other_form", "no_such_seat", "too_many_dice"),
            *("turn_without_dice", "move_zero", "no_such_bid", "no_move", "no_move_before"),
            *("other_dice", "dice_unknown"),
        )
    ),
    *({"why": why, "least": 2, "most": 6} for why in ("no_players", "player_count")),
    *(
        {"why": why, "word": LONG}
        for why in ("rules", "cups", "turn", "round", "move", "bids", "no_field")
    ),
    {"why": "rules_form", "word": "bga,calza=yes,dice=3", "written": "bga,dice=3,calza=yes"},
    {"why": "not_proven", "round": 3},
    {"why": "missing", "due": "lose B"},
    *({"why": "unexpected", "event": "lose B", "due": due} for due in ("", "lose A")),
    {"why": "refused", "event": "B dudo", "named": "not_your_turn", "turn": "A"},
]
"""Every reason for which a line, a position or a move is wrong, with its values."""
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "address_not_proven": [{}],
    "letter_overtaken": [
        {"board": 12},
        {"board": 12, "move": 7, "turn": "ann", "yours": True},
        {"board": 12, "move": 7, "turn": "bob", "yours": False},
        {"board": 12, "move": 7, "turn": None, "yours": False},
    ],
    "proves_one_board": [{"letter_of": 2**31 - 1}],
    "before_restore": [{"board": 2**31 - 1}],
    "button_elsewhere": [{}],
    "button_late": [{}],
    "button_pressed": [{}],
    "answered_before": [{"most": 1}, {"most": 5}],
    "answered_late": [{}],
    "move_ahead": [{"board": 2**31 - 1, "given": 99999, "move": 1}],
    "address_shared": [{"names": ["ann", "bob"]}],
    "bad_address": [{"address": "ann@at home"}, {"address": LONG}, {"address": ""}],
    "bad_day": [{"text": "tomorrow"}],
    "bad_limit": [{"value": "many"}],
    "bad_password": [
        {"why": why, "least": 4, "most": 128} for why in ("length", "characters", "placeholder")
    ],
    "bad_userid": [
        {"userid": "x" * 20, "why": why, "least": 2, "most": 20}
        for why in ("length", "characters", "reserved", "language")
    ],
    "bid_range": [BID | {"last": None}, BID, BID | {"smallest": [], "calls": ["dudo", "pacao"]}],
    "bad_percentage": [{"parameter": "--reliable", "value": "most"}],
    "bad_size": [{"value": "7", "least": 2, "most": 6}],
    "bad_span": [{"parameter": "--nagtime", "value": "soon"}],
    "bad_wanted": [{"value": LONG, "most": 10}],
    "too_many_acts": [{"most": 20}],
    "too_many_seeks": [{"most": 10}],
    "board_over": [{"board": 12}],
    "vacation_far": [{"years": 20}],
    "token_from_elsewhere": [{"board": 12}],
    "token_of_opponent": [{"board": 12}],
    "saw_dice": [{"board": 12}],
    "seat_taken": [{"board": 12, "by": "cleo"}, {"board": 2**31 - 1, "by": "x" * 20}],
    "not_watching": [{"boards": [12]}, {"boards": list(range(100, 200))}],
    "both_raised": [BID | {"bid": "10-4s"}],
    "broken_record": [
        FILE | {"where": f"{LONG}.txt:4", "fault": {"why": "other_dice"}},
        *({"where": "", "round": 3, "line": 9, "fault": fault} for fault in FAULTS),
        FILE
        | {
            "where": "study.txt:2",
            "rule": {"code": "over_cap", "facts": BID | {"bid": "2-2s"}},
            "fault": {"why": "refused", "event": "B 2-2s", "named": "over_cap", "turn": "-"},
        },
    ],
    "call_not_previewed": [{"call": "dudo"}, {"call": LONG}],
    "call_unknown_here": [
        {"call": "pacao", "rules": "bga", "opening": True},
        {"call": "calza", "rules": "bga", "queued": True, "board": 12},
        *(
            {"call": call, "rules": rules}
            for call in ("calza", "pacao")
            for rules in ("pbmserv", "classic", "bga", "pyrudo", "pacao")
        ),
    ],
    "calza_late": [
        LATE,
        LATE | {"bid": None, "made": MADE | {"what": "dudo"}},
        LATE | {"bid": None, "turn": None, "made": MADE | {"what": "calza"}},
    ],
    "challenge_problems": [
        {
            "problems": [
                {"code": "player_count", "facts": {"given": 7}},
                {"code": "no_such_player", "facts": {"names": ["x" * 20] * 9}},
                {"code": "same_player_twice", "facts": {"names": ["ann"]}},
            ]
        }
    ],
    "challenges_off": [{"names": ["ann"]}, {"names": ["x" * 20] * 6}],
    "confirmation_unknown": [{}],
    "eliminated": [{}, {"board": 12}],
    "board_misplaced": [USAGE],
    "extra_words": [USAGE, USAGE | {"takes_text": True}],
    "no_terminal": [{"variable": "PBMSERV_PASSWORD"}],
    "taken_back": [{}],
    "move_below_help": [
        {"move": "4-2s", "helps": True},
        {"move": "resign", "helps": True},
        {"move": "4-2s", "helps": False},
    ],
    "text_at_shell": [{}],
    "from_ones": [BID | {"last": "5-1s", "bid": "10-3s", "least": 11}],
    "game_over": [{"winner": "ann"}, {"winner": 0}],
    "limit_reached": [{"most": 0, "playing": 3}, {"most": 12}],
    "lines_refused": [{}],
    "mail_too_large": [{"limit": 262144}],
    "too_much_asked": [{}],
    "message_too_long": [{"limit": 10000}],
    "missing_words": [
        USAGE | {"word": "PASSWORD", "read": ["BOARD 12", "USERID ann"]},
        USAGE | {"word": "USERID", "read": ["BOARD dudo"], "short": "queue dudo"},
        USAGE | {"word": "", "usage": "challenge " + "USERID " * 30},
        USAGE,  # as rows of the outbox from before an upgrade have it
    ],
    "multiple_within": [{}],
    "rated_and_unrated": [{}],
    "nag_after_forfeit": [{"nag": 168, "forfeit": 24}, {"nag": 30, "forfeit": 1}],
    "no_address": [{}],
    "no_bid_yet": [{"call": "dudo"}],
    "no_boards_found": [{}],
    "just_quoted": [{}],
    "words_kept_back": [
        {"reasons": [why], "rest": why == "old"}
        for why in (
            "password",
            "command",
            "often",
            "old",
            "elsewhere",
            "unproven",
            "told",
            "below",
            "mistyped",
        )
    ],
    "no_message": [{}],
    "no_pass": [{}, {"declines": True}, {"invited": True}],
    "no_people": [{}],
    "no_raise_left": [BID, BID | {"calls": ["dudo", "calza"]}],
    "one_new_password": [{}],
    "reset_needs_password": [{}],
    "reset_unknown": [{}],
    "house_reads_nothing": [{"names": ["house"]}, {"names": ["house", "house2"]}],
    "reads_no_messages": [{"names": ["robert"]}, {"names": ["x" * 20] * 9}],
    "too_many_readers": [{"most": 10, "given": 12}],
    "no_broadcasts": [{}],
    "strangers_wait": [{}],
    "unproven": [
        {"last": each, "again_at": at}
        for each in ("", "reset", "nothing", "stranger", "newcomer", "elsewhere", "alike")
        for at in (0, 1_700_000_000)
    ],
    "newcomers_daily": [
        {"what": what, "most": most} for what in ("boards", "messages") for most in (0, 1, 3)
    ],
    "messages_daily": [
        {"what": what, "most": most} for what in ("messages", "broadcasts") for most in (0, 1, 50)
    ],
    "house_plays_on": [{"board": 12, "gone": gone} for gone in ([], ["cleo"], ["cleo", "dan"])],
    "agreed_already": [{"board": 12}],
    "not_rated": [{"board": 12}],
    "signups_closed": [{}],
    "not_annulled": [{"board": 12}],
    "asked_too_often": [{"address": "x" * 60 + "@example.org", "most": 3}],
    "too_many_signups": [{"most": 5}],
    "offered_already": [{"board": 12}],
    "draw_on_offer": [{"board": 12}],
    "no_offer": [{"board": 12}],
    "offer_ended": [{"board": 12}],
    "seat_not_taken": [{"board": 12}],
    "no_standin": [{"board": 12}],
    "no_submit": [{}],
    "no_such_board": [{"board": 2**31 - 1}],
    "no_such_entry": [{"name": "i12"}],
    "nothing_to_trace": [{"what": "zoe@example.org"}],
    "no_such_file": [
        {"name": LONG, "why": why}
        for why in ("FileNotFoundError", "UnicodeDecodeError", "IsADirectoryError")
    ],
    "no_such_round": [
        {"board": 12, "given": "soon", "last": 7},
        {"board": 12, "given": "", "last": 7},
        {"board": 12, "given": "", "last": 0},
    ],
    "move_as_message": [
        {"board": 12, "text": "I bid 4-2s", "move": "4-2s", "yours": True},
        {"board": 12, "text": "dudo", "move": "dudo", "yours": False},
    ],
    "no_such_move": [{"board": 12, "given": 99, "last": 17}],
    "no_such_page": [{"nearest": ""}, {"nearest": "challenge"}],
    "no_such_bot": [
        {"names": ["house-shrewd"], "known": bots.words()},
        {"names": ["house-easy", "housemate"], "known": bots.words()},
    ],
    "no_such_player": [{"names": ["robert"]}, {"names": ["x" * 20] * 9}],
    "no_swap": [{}],
    "no_undo": [{}],
    "no_vacation": [{}],
    "not_a_board_number": [{"text": "twelve"}],
    "not_a_player": [{}],
    "not_a_raise": [
        BID | {"bid": "9-3s", "rule": rule, "rules": rules}
        for rule, rules in (
            ("literal", "pbmserv"),
            ("quantity", "pacao"),
            ("strict", "pbmserv"),
            ("single", "bga"),
            ("one_or_both", "classic"),
            ("palifico", "bga"),
        )
    ]
    + [BID | {"last": "5-1s", "face": 1, "bid": "4-1s"}],
    "not_begun": [
        *({"board": 12, "withdrawn": True}, {"board": 12, "withdrawn": False}),
        {"board": 12, "withdrawn": False, "invited": True},
    ],
    "not_confirmed": [{"userid": "x" * 20}],
    "seat_is_taken": [{"board": 12}],
    "invite_person": [{"address": "noreply@example.com"}, {"address": LONG}],
    "invite_twice": [{}],
    "invite_who": [{}],
    "invite_unproven": [{"line": "perudo challenge ann"}],
    "invite_words": [{"why": why, "most": 300, "lines": 5} for why in ("link", "length")],
    "invite_userid": [{"names": ["spam.example"]}],
    "invite_enough": [{"most": 1}, {"most": 3}],
    "invite_later": [
        {"off": True, "site": ""},
        {"off": False, "site": ""},
        {"off": False, "site": "example.com"},
    ],
    "invite_over": [{}],
    "invite_seated": [{"board": 12}],
    "invited_enough": [{"names": ["ann"], "most": 3}, {"names": ["ann", "x" * 20], "most": 3}],
    "challenged_enough": [{"names": ["ann"], "most": 20}, {"names": ["ann", "bob"], "most": 1}],
    "sender_refuted": [{}],
    "not_on_board": [{"board": 12}],
    "not_started": [{}],
    "not_your_turn": [{"turn": "x" * 20}, {"turn": "bob", "board": 12, "move": "5-4s"}],
    "on_board_already": [{"board": 12}],
    "players_replaced": [{"board": 12, "names": names} for names in (["ann"], ["ann", "bob"])],
    "rematch_too_early": [
        {"board": 12, "turn": "bob", **each}
        for each in (
            {},
            {"reply": "end"},
            {"reply": "this", "names": ["ann", "bob", "cleo"]},
            {"reply": "", "names": ["x" * 20] * 6},
        )
    ],
    "opening_ones": [BID | {"last": None, "bid": "3-1s"}],
    "option_value": [
        {"option": "calza", "value": "perhaps", "allowed": ["yes", "no"]},
        {"option": "dice", "value": LONG, "allowed": ["1-10"]},
        {"option": "dice", "value": "", "allowed": ["1-10"]},
    ],
    "over_cap": [BID | {"bid": "16-2s"}],
    "overbooked": [{"names": ["ann"]}, {"names": ["x" * 20] * 6}],
    "own_bid": [{"call": "calza"}],
    "pacao_once": [{}],
    "pacao_one_die": [{"dice": 3}],
    "palifico_face": [BID, BID | {"rules": "pacao"}],
    "parameter_twice": [{"parameter": "-rules"}],
    "pause_by_email": [{}],
    "player_count": [
        {"given": 1},
        {"given": 1, "offered": ["cleo", "dora"]},
        {"given": 7, "offered": []},
    ],
    "preferences": [
        {
            "problems": [
                {
                    "kind": "value",
                    "name": "digest",
                    "value": "hourly",
                    "allowed": ["off", "daily"],
                },
                {
                    "kind": "value",
                    "name": "timezone",
                    "value": "Mars",
                    "allowed": ["Europe/Zurich"],
                },
                {"kind": "name", "name": "colour", "allowed": ["language", "timezone"]},
                {"kind": "twice", "name": "format"},
            ]
        }
    ],
    "proof_broken": [{"round": 3, "reason": each} for each in REASONS],
    "repeated_bid": [BID],
    "same_player_twice": [{"names": ["ann"]}, {"names": ["ann", "bob"]}],
    "seek_problems": [
        {
            "problems": [
                {"code": "bad_wanted", "facts": {"value": "many", "most": 10}},
                {"code": "limit_reached", "facts": {"most": 5}},
            ]
        }
    ],
    "shell_only": [{"command": "referee"}],
    "signed_off": [
        {"names": ["ann"]},
        {"names": ["ann", "bob"]},
        {"names": ["ann"], "others": ["bob"]},
        {"names": ["ann"], "others": ["bob", "cleo"]},
    ],
    "beacon_awaited": [
        {"board": 12, "name": "bob", "beacon": 2398900, "opens": 1_700_000_064},
        {"beacon": 2398900, "opens": 1_700_000_064},
    ],
    "beacon_unannounced": [{"beacon": None}, {"beacon": 2398900}],
    "round_void": [{"board": 12}],
    "suspended": [{"names": ["ann"]}, {"names": ["ann", "bob"]}],
    "stopped_after_unknown": [{}],
    "to_ones": [BID, BID | {"exact": True}],
    "too_many_addresses": [{"most": 5, "given": 9}],
    "too_many_attempts": [{"minutes": 60}],
    "too_many_challenges": [{"most": 20}],
    "too_many_changes": [
        {"what": what, "most": most}
        for what, most in (("vacation", 4), ("addresses", 3), ("password", 3))
    ],
    "too_many_lines": [{}],
    "too_many_moves": [{"most": 10}],
    "just_games": [{"userid": "ann"}],
    "one_status": [{"words": ["active", "next"], "known": ["all", "active", "inactive", "next"]}],
    "none_legal": [
        {"board": 12, "moves": ["1-2s", "calza"], "smallest": smallest, "may_call": True}
        for smallest in ([], ["5-5s", "1-6s"])
    ],
    "too_many_passwords": [{"most": 4}],
    "unknown_command": [{"word": "chalenge", "nearest": "challenge"}, {"word": "x", "nearest": ""}],
    "unknown_option": [
        {"option": LONG, "rules": "bga", "known": ["to1", "calza"]},
        {"option": "palifico", "rules": "bga", "known": ["to1", "calza"], "always": True},
    ],
    "no_command": [{"command": "pbmserv perudo"}],
    "option_with_value": [{"option": "--version"}],
    "option_misplaced": [
        {"option": "--json", "behind": True, "example": "perudo show --json 1"},
        {"option": "--home", "behind": False, "example": "perudo --home DIR show"},
    ],
    "option_without_value": [{"command": "pbmserv perudo", "option": "--home"}],
    "salt_without_words": [{"move": "14-2s"}],
    "unknown_parameter": [{"parameter": f"-{LONG}", "known": []}],
    "unknown_rules": [
        {"name": "bgaa", "nearest": "bga", "known": ["pbmserv", "bga"]},
        {"name": LONG, "nearest": None, "known": ["pbmserv", "bga"]},
        {"name": "", "nearest": None, "known": ["pbmserv", "bga"]},
    ],
    "unknown_word": [{"word": "ann", "known": ["all", "active"]}],
    "unreliable": [{"names": ["ann"], "least": 90}, {"names": ["ann", "bob"], "least": 9}],
    "unreadable_event": [{"text": LONG}],
    "unreadable_digest": [{}],
    "unreadable_move": [
        {"text": "4--2s", "legal": ["5-2s", "dudo"]},
        {"text": "4--2s"},
        {"text": LONG},
        {"text": "\x1b[2J\u202eevil"},
    ],
    "unreadable_number": [{"text": "x"}],
    "unreadable_position": [{"text": LONG, "fault": fault} for fault in FAULTS],
    "unreadable_record": [{"line": 4, "fault": fault} for fault in FAULTS],
    "blocked_by": [{"names": ["ann"]}, {"names": ["ann", "bob"], "others": True}],
    "blocked_by_you": [{"names": ["ann", "bob"]}],
    "block_oneself": [{}],
    "block_house": [{}],
    "blocked_already": [{"userid": "ann"}],
    "not_blocked": [{"userid": "ann"}],
    "muted_already": [{"board": 12}],
    "not_muted": [{"board": 12}],
    "too_many_blocks": [{"most": 100}],
    "too_many_reports": [{"most": 5}],
    "account_suspended": [{"userid": "ann", "until": until} for until in (0, 1_700_000_000)],
    "account_closed": [{"userid": "ann"}],
    "address_banned": [{"address": "mallory@evil.example"}],
    "bad_ban": [{"ban": "*"}],
    "too_many_bans": [{"most": 100}],
    "banned_already": [{"ban": "evil.example"}],
    "no_such_ban": [{"ban": "evil.example"}],
    "not_suspended": [{"userid": "ann"}],
    "suspended_already": [{"userid": "ann"}],
    "same_userid": [{"userid": "ann"}],
    "account_is_closed": [{"userid": "ann"}],
    "not_closed": [{"userid": "ann"}],
    "userid_alike": [{"userid": "ann.", "like": "ann"}],
    "our_address": [{"address": "perudo+x@example.org"}],
    "signed_up_already": [{"userid": "x" * 20}],
    "userid_taken": [{"userid": "ann"}],
    "vacation_too_long": [{"days": 40, "left": left, "allowance": 30} for left in (1, 12)],
    "vacation_twice": [{"begins": 1_700_000_000, "ends": 1_700_600_000}],
    "wrong_move": [{"board": 12, "given": 16, "expected": 17}],
    "wrong_password": [{}],
}
EVERY = [(code, facts) for code, several in SAMPLES.items() for facts in several]


def texts() -> list[str]:
    """The text of each module of the program."""
    return [file.read_text("utf-8") for file in SOURCE.rglob("*.py")]


def calls_of_refused() -> Iterator[str]:
    """The code of every `Refused(...)` in the source that names it outright."""
    for text in [each for each in texts() if "Refused" in each]:  # parsing all takes seconds
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Refused":
                code = node.args[0]
                if isinstance(code, ast.Constant):
                    yield str(code.value)


@cache
def words_of_the_source() -> frozenset[str]:
    """Every string in the code: some codes are chosen first and raised later."""
    return frozenset(
        node.value
        for text in texts()
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def test_every_raised_code_has_words() -> None:
    """A code may instead have its own letter: tests/letters/test_raising.py compares its facts."""
    assert set(calls_of_refused()) <= refusals.codes() | NO_ERRORS


def test_every_worded_code_is_raised() -> None:
    assert refusals.codes() <= words_of_the_source()


def test_the_samples_below_cover_every_code() -> None:
    assert set(SAMPLES) == refusals.codes()


def test_the_samples_have_every_fault_of_a_record_or_position() -> None:
    """A fault is a code in the source, and has a sentence in the template."""
    worded = re.findall(r'fault.why == "(\w+)"', refusals.macros_of(RECORDS)["unreadable_record"])
    known = {fault["why"] for fault in FAULTS}
    assert known == set(worded)
    assert known <= words_of_the_source()
    for fault in FAULTS:
        for language in languages():
            text = render.refusal("unreadable_record", {"line": 4, "fault": fault}, language)
            assert fault["why"] not in text or "_" not in fault["why"]


@each_row("language", languages())
@each_row(("code", "facts"), EVERY, ids=[code for code, _ in EVERY])
def test_a_refusal_is_readable_lines_of_72_columns(
    code: str, facts: dict[str, Any], language: str
) -> None:
    text = render.refusal(code, facts, language)
    assert text
    assert "{" not in text
    assert "  \n" not in text + "\n"
    assert all(line.isprintable() for line in text.split("\n"))
    assert wide_lines(text, refusals.document_of(code, facts, language)) == []


@each_row(("code", "facts"), EVERY, ids=[code for code, _ in EVERY])
def test_a_refusal_of_few_facts_is_short(code: str, facts: dict[str, Any]) -> None:
    """With the greeting and the command that it quotes, the letter fits into its budget."""
    if len(json.dumps(facts)) <= SMALL_PAYLOAD:
        assert len(render.refusal(code, facts, "en").encode()) <= TEXT_OF_SMALL_PAYLOAD - 500


@each_row(("code", "facts"), EVERY, ids=[code for code, _ in EVERY])
def test_a_refusal_is_made_of_whole_sentences(code: str, facts: dict[str, Any]) -> None:
    """Every line at the margin begins or goes on with a sentence, and the last one ends it."""
    lines = [
        line for line in render.refusal(code, facts, "en").split("\n") if not line.startswith(" ")
    ]
    if code != "broken_record":
        assert lines[0][0].isupper() or lines[0][0] in '"-0123456789'
        assert lines[-1][-1] in ".?:"


def an_action(random: Random) -> Action:
    """Any action, most of them illegal."""
    if random.random() < 0.2:
        calls: list[Action] = [Call("dudo"), Call("calza"), Call("pacao"), Resign()]
        return random.choice(calls)
    return Raise(Bid(random.randint(0, 14), random.randint(0, 7)))


@given(rules=rule_sets(), players=seats, random=randoms)
def test_every_refusal_can_be_worded(rules: Rules, players: int, random: Random) -> None:
    """Words and facts fit in every position that a game comes to, and name a legal bid."""
    dice = plain(random)
    empty = new_table(rules, players)
    begun = after_all(empty, start(empty, dice))
    for table, _, _, _ in moves(begun, random, dice):
        seat, action = random.choice([table.turn, random.randrange(players)]), an_action(random)
        try:
            play(table, seat, action, PlainDice())
        except Refused as refusal:
            text = render.refusal(refusal.code, refusal.facts, "en")
            if "smallest" in refusal.facts and (legal := legal_bids(table)):
                assert any(str(bid) in text for bid in legal)


def test_a_refusal_queued_by_an_older_version_is_worded_as_today() -> None:
    """A letter queued before an upgrade is sent after it."""
    word, value = {"name": "digest", "allowed": ["off"]}, {"value": "hourly"}
    old = {"problems": [{**word, "value": ""}, {**word, **value}]}
    new = {"problems": [{**word, "kind": "name"}, {**word, **value, "kind": "value"}]}
    assert render.refusal("preferences", old, "en") == render.refusal("preferences", new, "en")
