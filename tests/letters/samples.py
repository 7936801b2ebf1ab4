"""Sample payloads of every kind of letter of the server; tests and `scripts/letters` use them.

Names and addresses in them are as long as they may be.
"""

from __future__ import annotations

import hashlib
from typing import Any

from pbmserv.games.perudo.beacon import CHAIN
from pbmserv.monitoring.operator_alerts import KINDS
from pbmserv.players.preferences import PREFERENCES

NAMES = ["x" * 18 + f"-{place}" for place in range(1, 7)]
ROW = {"board": 12, "move": 17, "turn": "ann", "rules": "bga", "status": "active", "waiting": []}
SEATS = [{"name": "ann", "dice": 5}, {"name": "bob", "dice": 0}, {"name": "cleo", "dice": None}]
LARGE = ROW | {"board": 2**31 - 1, "move": 99999, "turn": NAMES[0]}
LARGE |= {"rules": "pbmserv", "status": "won"}
MANY = [{"name": name, "dice": 10} for name in NAMES]
ASKED = {**LARGE, "status": "invited", "seats": MANY, "waiting": NAMES[1:]}
RECORD = "pbmserv record 1\n" + "x" * 300
INVITATION: dict[str, Any] = {
    "board": 12,
    "challenger": NAMES[0],
    "names": NAMES,
    "waiting": NAMES[1:],
    "inorder": False,
    "until": 1_700_000_000,
    "message": {"from": NAMES[0], "text": "Shall we?\n" + "x" * 100},
    "rules": "classic",
    "options": ["calza", "dice=3"],
    "nag": 168,
    "forfeit": 500,
    "total": 24,
    "standin": True,
    "rated": False,
}
GUEST_INVITATION: dict[str, Any] = {
    **{"board": 12, "inviter": NAMES[0], "name": "", "others": NAMES[1:], "accounts": []},
    **{"rules": "classic", "dice": 5, "wild": True, "forfeit": 24 * 21, "until": 1_701_000_000},
    **{"message": None, "token": "A" * 26, "server": "perudo@example.org"},
}
GUEST_ANSWER: dict[str, Any] = {
    **{"board": 12, "kind": "", "names": [], "code": "", "facts": {}, "is_new": False},
    "waiting": [],
}
SHORT = INVITATION | {
    "challenger": "",
    "names": ["ann", "bob"],
    "waiting": ["bob"],
    "message": None,
    "options": [],
    "total": 0,
    "standin": False,
    "rated": True,
    "inorder": True,
}
ANSWER = {name: INVITATION[name] for name in ("board", "names", "waiting", "message")}
UNSURE: dict[str, Any] = {
    "lines": [],
    "word": "",
    "nearest": "",
    "reply": False,
    "unconfirmed": False,
    "is_player": True,
}
MADE = {"number": 99998, "by": NAMES[0], "what": "14-2s", "mine": False}
LEFT = MADE | {"mine": True, "what": "resign"}
OVERTAKEN = {"board": 2**31 - 1, "move": 99999, "turn": NAMES[0], "yours": False, "made": MADE}
COMMAND_HELP = {
    "usage": "perudo mute USERID PASSWORD BOARD",
    "paragraphs": ["Write to all players.", "Send a page of the manual."],
    "options": [("-dice=N", "Dice in each cup at the start, 1 to 10.")],
    "spellings": ["silence", "deafen"],
    "example": "perudo mute ann secret 12",
    "at_shell": "perudo mute ann - 12",
    "hides": True,
}
SAMPLES: dict[str, list[dict[str, Any]]] = {
    "already_played": [
        OVERTAKEN,
        OVERTAKEN | {"made": LEFT},
        *(
            OVERTAKEN | {"made": LEFT | {"left": why, "at": 1_700_000_000}}
            for why in ("time", "resigned", "declined")
        ),
        OVERTAKEN | {"made": None},
        OVERTAKEN | {"ends": True},
        OVERTAKEN | {"turn": None, "made": MADE | {"what": "dudo"}},
        OVERTAKEN | {"words_below": "sent", "reply": False},
        OVERTAKEN | {"words_below": "unsent", "reply": True},
        OVERTAKEN | {"made": MADE | {"mine": True}, "stays": True},
    ],
    "answered_elsewhere": [
        {"board": 2**31 - 1, "address": address, "command": "move"}
        for address in ("", "x" * 242 + "@a.example")
    ],
    "bug": [{}],
    "came_before": [
        {"at": 1_700_000_000, "state": state} for state in ("done", "waiting", "aside", "dropped")
    ],
    "challenged": [
        *(
            {"board": 12, "names": NAMES, "rules": "pbmserv", "held": held}
            for held in ("", NAMES[0])
        ),
        {
            **{"board": 12, "names": NAMES, "rules": "bga", "held": "", "turn": NAMES[1]},
            **{"bidder": "house2", "bid": "2-3s"},
        },
        {
            **{"board": 12, "names": NAMES, "rules": "bga", "held": "", "turn": NAMES[1]},
            **{"bids": [("house", "1-3s"), ("house2", "2-3s")]},
            **{"rating": "unrated", "why_unrated": "bots"},
        },
        {
            **{"board": 12, "names": NAMES, "rules": "pbmserv", "held": ""},
            "line": "perudo challenge -dice=3 ann bob cleo",
        },
        {"board": 12, "names": NAMES, "rules": "pbmserv", "held": "", "line": ""},
    ],
    "chat_late": [
        {"board": 2**31 - 1, "userid": NAMES[0], "reply": reply} for reply in (True, False)
    ],
    "chat_sent": [
        {"board": 12, "to": NAMES},
        {"board": 12, "to": []},
        {"board": 12, "to": [], "yours": True, "over": False},
        {"board": 12, "to": NAMES, "yours": True, "over": False},
        {"board": 12, "to": NAMES, "yours": False, "over": True},
        {"board": 12, "to": NAMES, "yours": True, "over": False, "last": 3},
        {"board": 12, "to": NAMES, "stays": True},
    ],
    "confirm": [
        {
            "userid": NAMES[0],
            "token": "7XQ2M4KDPLR5NVTA3SWZ6YBHCE",
            "address": "x" * 242 + "@a.example",
            "proven": proven,
            "last": not proven,
        }
        for proven in (True, False)
    ]
    + [
        {
            **{"userid": "ann", "token": "7XQ2M4KDPLR5NVTA3SWZ6YBHCE", "address": "ann@x.org"},
            **{"proven": False, "again": True, "others": others},
        }
        for others in (["bob"], ["bob", "cleo"])
    ],
    "confirmed": [
        {
            **{"userid": NAMES[0], "address": "ann@example.org", "is_new": is_new},
            **{"language": "en", "timezone": "Europe/Zurich", "format": form},
            "languages": ["en", "es", "fr", "ru"],
        }
        for is_new, form in ((True, "both"), (True, "text"), (False, "both"))
    ]
    + [
        {
            **{"userid": NAMES[0], "address": "ann@example.org", "is_new": False},
            **{"language": "en", "timezone": "Europe/Zurich", "format": "both"},
            **{"languages": ["en", "es", "fr", "ru"], "used": 1_700_000_000},
        }
    ],
    "consent": [
        {"userid": NAMES[0], "challenges": challenges, "asked": asked}
        for challenges in ("start", "off")
        for asked in ([], [12, 2**31 - 1])
    ],
    "doctor": [{"address": "perudo@example.org"}, {"address": "x" * 242 + "@a.example"}],
    "doctor_answered": [{}],
    "games": [
        {"rows": []},
        {"rows": [], "everything": True},
        {
            "rows": [
                {**ROW, "seats": SEATS},
                {**LARGE, "seats": MANY},
                {**LARGE, "seats": MANY, "status": "drawn"},
                ASKED,
                {**ASKED, "status": "withdrawn"},
            ]
        },
    ],
    "help": [
        {"subject": "dice", "written": "dice"},
        {"subject": "mute", "command": COMMAND_HELP},
        {
            "subject": "commands",
            "commands": [
                [{"usage": "list [GAME]", "about": "Write to all players.", "by_mail": True}],
                [{"usage": "perudo referee", "about": "Write to all players.", "by_mail": False}],
            ],
            "pages": ["commands", "rules bga"],
        },
        {"subject": "chat", "page": "A page."},
    ],
    "incidents": [
        {
            "sections": [
                {"kind": kind, "count": count, "rows": rows, "more": count - len(rows)}
                for kind in KINDS
            ]
        }
        for count, rows in (
            (1, [{"about": "in3", "why": "", "count": 1, "last_at": 1_700_000_000}]),
            (9, [{"about": "x" * 90, "why": "x" * 90, "count": 3, "last_at": 1_700_000_000}]),
        )
    ],
    "guest_answer": [
        GUEST_ANSWER | {"kind": "joined", "names": ["mia"], "is_new": True},
        GUEST_ANSWER | {"kind": "joined", "names": ["mia"], "waiting": NAMES},
        *(GUEST_ANSWER | {"kind": each} for each in ("joined", "no", "never", "name", "unclear")),
        GUEST_ANSWER
        | {"kind": "name", "names": ["mia2"], "code": "userid_taken", "facts": {"userid": "mia"}},
        GUEST_ANSWER | {"kind": "which", "names": NAMES},
        GUEST_ANSWER | {"kind": "unclear", "names": NAMES},
        GUEST_ANSWER | {"kind": "unclear", "asks": True},
    ],
    "guest_invitation": [
        GUEST_INVITATION,
        GUEST_INVITATION | {"accounts": NAMES[:1], "others": [], "name": "Ann Miller"},
        GUEST_INVITATION | {"accounts": NAMES[:2], "message": {"from": "ann", "text": "Hello!"}},
    ],
    "invitation": [
        INVITATION
        | {
            "reader": NAMES[1],
            "reply": True,
            "zone": "Europe/Zurich",
            "commitment": hashlib.sha256(b"seed").hexdigest(),
        },
        SHORT | {"reader": "bob", "reply": False},
        SHORT | {"reader": "", "reply": False},
        INVITATION | {"reader": "", "reply": False},
    ],
    "invitation_answer": [
        ANSWER | {"kind": kind, "who": NAMES[1], "reader": reader}
        for kind in ("accepted", "rejected", "called_off", "expired", "left", "wrote")
        for reader in NAMES[:2]
    ]
    + [
        {"board": 12, "names": ["ann", "bob"], "waiting": ["bob"], "message": None}
        | {"kind": "expired", "who": "", "reader": "ann"},
        ANSWER | {"kind": "accepted", "who": "ann", "reader": "ann", "again": 11},
        ANSWER | {"kind": "accepted", "who": "ann", "reader": "ann", "reply": True},
        ANSWER | {"kind": "wrote", "who": NAMES[0], "reader": NAMES[1], "reply": True},
        ANSWER
        | {"kind": "rejected", "who": NAMES[1], "reader": NAMES[0]}
        | {"line": "perudo challenge -rules=bga ann cleo"},
    ],
    "invited": [
        {name: each[name] for name in ("board", "names", "waiting", "challenger", "until")}
        | {"held": each is INVITATION, "must": each is SHORT, "guests": guests}
        for each in (INVITATION, SHORT)
        for guests in (0, 1, 2)
    ]
    + [
        {name: SHORT[name] for name in ("board", "names", "waiting", "until")}
        | {"challenger": "ann", "held": False, "must": False, "reply": True, "without": without}
        for without in ([], NAMES[2:3], NAMES[2:])
    ]
    + [
        {name: SHORT[name] for name in ("board", "names", "waiting", "until")}
        | {"challenger": "ann", "held": True, "must": False, "reply": True}
    ],
    "annulled": [
        {"board": 12, "why": why, "counts": counts}
        for why in ("", "x " * 100)
        for counts in (True, False)
    ],
    "limit": [
        {"most": most, "boards": boards, "changed": changed}
        for most, boards in ((None, 1), (0, 0), (3, 12))
        for changed in (True, False)
    ],
    "lines": [
        {
            "lines": [
                {
                    "line": "perudo chat 12 ann",
                    "code": "",
                    "letters": [
                        {"to": 1, "kind": "resign_pending", "facts": {"board": 12}},
                        {"to": None, "kind": "resign_cancelled", "facts": {"board": 12}},
                    ],
                },
                {"line": "x" * 100, "code": "no_such_board", "facts": {"board": 12}},
                {"line": "", "code": "too_many_lines", "facts": {}},
            ]
        }
    ],
    "list": [
        {"rows": [], "seeking": []},
        {
            "rows": [{**ROW, "seats": SEATS}, {**LARGE, "seats": MANY, "status": "active"}, ASKED],
            "seeking": [
                {"who": NAMES[0], "wanted": 10, "players": 6, "rules": "classic", "options": []},
                {"who": "ann", "wanted": 1, "players": 3, "rules": "bga", "options": ["calza"]},
            ],
        },
    ],
    "preview": [
        {"board": 12, "bid": "4-2s", "legal": True, "code": "", "facts": {}, "following": following}
        for following in ([], ["5-2s", "4-3s"])
    ]
    + [
        {
            "board": 12,
            "bid": "4-2s",
            "legal": False,
            "code": "repeated_bid",
            "facts": {"bid": "4-2s", "smallest": ["5-2s"], "last": "4-3s"},
            "following": [],
        }
    ],
    "outage": [
        {
            "boards": numbers,
            "since": 1_700_000_000,
            "until": 1_700_090_000,
            "hours": hours,
            "away": [
                {
                    "userid": NAMES[0],
                    "mine": mine,
                    "begins": 1_700_000_000,
                    "ends": 1_700_900_000,
                }
                for mine in (True, False)
            ][: abs(hours) // 24],
            "zone": "Europe/Zurich",
        }
        for numbers, hours in (
            ([12], 25),
            ([12, 13, 14], 49),
            ([12], 3),
            ([12], 48),
            ([12], -8759),
        )
    ],
    "preferences": [
        {
            "userid": NAMES[0],
            "preferences": [
                {"name": name, "value": (*words, "Europe/Zurich")[0], "words": list(words)}
                for name, words in ((name, each.words()) for name, each in PREFERENCES.items())
            ],
            **changed,
        }
        for changed in (
            {},
            {
                "changed": [
                    {"name": "format", "before": "both", "value": "text"},
                    {"name": "digest", "before": "off", "value": "off"},
                ]
            },
            {"changed": [{"name": "digest", "before": "off", "value": "off"}]},
        )
    ],
    "address_told": [
        {"userid": NAMES[0], "addresses": ["ann@example.org"], "token": token}
        for token in ("A" * 26, "")
    ],
    "addresses_changed": [
        {"userid": NAMES[0], "addresses": ["ann@example.org", "x@example.com"], "waiting": waiting}
        for waiting in ("old", "new", "")
    ],
    "confirm_address": [
        {
            "userid": NAMES[0],
            "address": "ann@example.org",
            "token": "A" * 26,
        }
    ],
    "password_changed": [{"userid": NAMES[0]}],
    "reset": [{"userid": NAMES[0], "token": "A" * 26}],
    "reset_asked": [{"userid": NAMES[0]}],
    "signed_off": [{"userid": NAMES[0]}],
    "signoff": [{"userid": NAMES[0], "token": "A" * 26}],
    "message": [
        {"from": NAMES[0], "text": "Hello!\nGood luck.", "to_all": to_all}
        for to_all in (True, False)
    ],
    "message_sent": [
        {"to": ["bob", "cleo"], "count": 2, "text": "Hello!"},
        {"to": [], "count": 200, "text": "Hello!"},
        {"to": ["bob"], "count": 1, "text": "Hello!", "last": 3},
    ],
    "history": [
        {"rows": []},
        {
            "rows": [
                {
                    "board": 12,
                    "names": list(NAMES),
                    "winner": winner,
                    "started": 1_700_000_000,
                    "ended": 1_700_600_000,
                }
                for winner in (NAMES[0], None)
            ],
            "zone": "UTC",
        },
    ],
    "standings": [
        {"rules": "", "rows": [], "newcomers": [*NAMES]},
        {
            "rules": "bga",
            "newcomers": [],
            "rows": [
                {
                    "name": name,
                    "rating": 523,
                    "provisional": name == NAMES[0],
                    "won": 3,
                    "lost": 12,
                    "playing": 2,
                    "seeking": name == NAMES[0],
                    "on_time": 98 if name == NAMES[0] else None,
                }
                for name in NAMES
            ],
        },
    ],
    "advice": [
        {
            "board": 12,
            "left_out": left_out,
            "rounds": [
                {
                    "round": number,
                    "cups": [{"name": name, "dice": [1, 2, 2, 4, 6]} for name in NAMES],
                    "moves": [
                        {
                            "name": name,
                            "move": move,
                            "chance": chance,
                            "right": right,
                            "house": house,
                            "share": share,
                        }
                        for name, move, chance, right, house, share in moves
                    ],
                }
                for number, moves in rounds
            ],
        }
        for left_out, rounds in (
            (0, [(3, [(NAMES[0], "2-2s", 97, True, "2-2s", 100)])]),
            (
                2,
                [
                    (
                        3,
                        [
                            (NAMES[0], "5-2s", 12, True, "2-2s", 63),
                            (NAMES[1], "dudo", 81, False, "dudo", 100),
                        ],
                    ),
                    (
                        4,
                        [
                            (NAMES[0], "1-6s", 67, True, "1-5s", 51),
                            (NAMES[1], "calza", 30, True, "", 0),
                        ],
                    ),
                    (5, []),
                ],
            ),
        )
    ],
    "stats": [
        {"rows": []},
        {
            "rows": [
                {
                    "name": name,
                    "on_time": on_time,
                    "bids": bids,
                    "true": 71,
                    "expected_true": 68,
                    "bluffs": 22,
                    "calls": bids // 4,
                    "right": 61,
                    "expected_right": 55,
                    "call_luck": "+0.9",
                    "dice_luck": "-",
                }
                for name, bids, on_time in zip(NAMES, (143, 1, 0), (97, 0, None), strict=False)
            ]
        },
    ],
    "queued": [
        {"board": 12, "moves": moves, "unsaid": moves != []} for moves in ([], ["5-4s", "dudo"])
    ],
    "awake": [{"userid": NAMES[0], "address": "ann@example.org", "zone": "UTC"}],
    "blocked": [{"userid": NAMES[0], "other": NAMES[1], "on": on} for on in (True, False)],
    "muted": [{"board": 12, "on": on} for on in (True, False)],
    "reported": [
        {"board": 12, "count": count, "unread": unread}
        for count in (0, 1, 7)
        for unread in (False, True)
    ],
    "report": [
        {"board": 12, "by": NAMES[0], "names": NAMES, "text": "", "talk": []},
        {
            "board": 12,
            "by": NAMES[0],
            "names": NAMES,
            "text": "Please look at this.",
            "talk": [{"from": NAMES[1], "at": 1_700_000_000, "text": "Rude words."}],
        },
    ],
    "measure": [
        {
            "userid": NAMES[0],
            "what": what,
            "until": until,
            "about": about,
            "why": why,
            "zone": "UTC",
        }
        for what in ("suspend", "resume", "close", "reopen", "rename", "ban", "unban")
        for until, about, why in ((0, "x" * 20, ""), (1_700_000_000, "a@b.example", "Insults."))
    ],
    "pause_asked": [{"address": "ann@example.org"}],
    "paused": [
        {
            "userid": NAMES[0],
            "address": "somebody.with.a.long.name@mail.example.org",
            "by": by,
            "reason": reason,
            "until": until,
            "server": "perudo@localhost",
            "elsewhere": elsewhere,
            "zone": "UTC",
        }
        for by, elsewhere, reason in (
            ("asked", False, ""),
            ("asked", True, ""),
            ("bounced", False, ""),
            (
                "bounced",
                True,
                "550 5.1.1 <ann@example.org>: Recipient address rejected: " + "x" * 99,
            ),
        )
        for until in (0, 1_700_600_000)
    ],
    "unreachable": [
        {"userid": NAMES[0], "ends": 1_700_600_000, "zone": "UTC", **over}
        for over in ({}, {"over": True})
    ],
    "vacation": [
        {"userid": NAMES[0], "begins": 1_700_000_000, "ends": ends, "zone": "UTC", **whose}
        for ends in (1_700_000_000, 1_700_600_000)
        for whose in (
            {"mine": False, "board": None, "left": 0, "standin": False},
            {"mine": True, "board": None, "left": 0, "standin": False},
            {"mine": False, "board": None, "left": 0, "standin": False, "planned": True},
            {"mine": True, "board": None, "left": 0, "standin": False, "planned": True},
            {"mine": True, "board": 12, "left": 0, "standin": False},
            {"mine": True, "board": 12, "left": 1, "standin": True},
        )
    ],
    "watching": [
        {"what": what, "boards": numbers}
        for what in ("watching", "ended", "ending", "everywhere", "nowhere")
        for numbers in ([], [12], [12, 13])
    ],
    "record": [{"board": 12, "record": RECORD}],
    "refereed": [
        {"files": ["game.txt", "other.txt"]},
        {"files": ["game.txt", "other.txt"], "running": ["other.txt"]},
        {"files": ["game.txt", "other.txt"], "plain": ["game.txt"]},
    ],
    "refused": [
        *(
            {"line": line, "board": board, "code": "no_such_board", "facts": {"board": 12}}
            for line in ("", "perudo show 12", "perudo challenge " + " ".join(NAMES))
            for board in (None, 12)
        ),
        *(
            {
                **{"line": "perudo move 12", "board": 12, "code": "eliminated", "facts": {}},
                **{"brief": True, "words_below": words},
            }
            for words in ("", "sent", "unsent")
        ),
        *(
            {
                **{"line": "perudo move 12", "board": 12, "code": "own_bid", "facts": {}},
                **{"brief": True, "on_turn": {"dice": [1, 1, 4, 5, 6], "bid": bid, "by": "ann"}},
            }
            for bid in ("", "4-2s")
        ),
    ],
    "resign_cancelled": [{"board": 12}],
    "declined": [{"board": 12, "unsaid": unsaid} for unsaid in (False, True)],
    "taken": [
        {"board": 12, "waiting": waiting, "rated": rated}
        for waiting in ([], ["bob"], NAMES)
        for rated in (True, False)
    ]
    + [{"board": 12, "waiting": NAMES, "rated": True, "again": 11}]
    + [{"board": 12, "waiting": [], "rated": True, "again": 11, "seated": True, "turn": NAMES[0]}]
    + [
        {"board": 12, "waiting": [], "rated": True, "turn": "USERID"},
        {"board": 12, "waiting": ["bob"], "rated": True, "turn": NAMES[0]},
        {"board": 12, "waiting": [], "rated": True, "beacon": 123456, "opens": 1_700_000_000},
        {"board": 12, "waiting": [], "rated": True, "turn": "USERID"}
        | {
            "on_turn": {"dice": [1, 1, 4, 5, 6], "bid": "4-2s", "by": "ann"},
            "moves": ["5-2s", "dudo"],
        },
    ],
    "resign_pending": [{"board": 12, "unsaid": unsaid} for unsaid in (False, True)],
    "seeking": [
        *({"userid": NAMES[0], "seeks": [], "begun": begun} for begun in ([], [12], [12, 13])),
        {
            "userid": "ann",
            "begun": [12],
            "seeks": [
                {"wanted": 1, "players": 3, "rules": "bga", "options": ["calza"], "there": 1}
                | {"until": 1_700_000_000},
                {"wanted": 10, "players": 6, "rules": "classic", "options": [], "there": 5},
            ],
        },
    ],
    "seek_lapsed": [
        {"userid": NAMES[0], "seeks": seeks}
        for wish in ({"wanted": 10, "players": 6, "rules": "classic", "options": []},)
        for seeks in ([wish], [wish, wish | {"options": ["calza", "palifico", "dice=3"]}])
    ],
    "signed_up": [
        {
            "userid": NAMES[0],
            "addresses": ["ann@example.org", "ann@example.com"],
            "waiting": waiting,
        }
        for waiting in (True, False)
    ]
    + [{"userid": "ann", "addresses": ["ann@x.org"], "waiting": False, "folder": "/srv/p/mail"}],
    "words_left_out": [
        {"board": 2**31 - 1},
        {"board": 12, "reasons": ["password"], "rest": True},
        {"board": 0, "reasons": ["command", "often"], "rest": False},
    ],
    "language": [
        {
            **{"userid": NAMES[0], "language": language, "wanted": wanted, "of_board": of_board},
            "languages": ["en", "es", "fr", "ru"],
            **({"draw": True} if wanted == "ru" else {"invited": of_board}),
        }
        for language, wanted, of_board in (
            ("en", "ru", True),
            ("en", "en", True),
            ("fr", "fr", False),
            ("", "es", False),
        )
    ]
    + [
        {
            **{"userid": "", "language": "", "wanted": "fr", "of_board": False},
            "languages": ["en", "es", "fr", "ru"],
        }
    ],
    "stranger": [
        {"code": "", "facts": {}, "line": ""},
        {"code": "", "facts": {}, "line": "", "language": "fr"},
        {"code": "", "facts": {}, "line": "", "opponents": ["luc", "ivan"]},
        {"code": "", "facts": {}, "line": "", "waiting": "ann"},
        {"code": "no_such_board", "facts": {"board": 12}, "line": "perudo show " + " ".join(NAMES)},
    ],
    "unsure": [
        {**UNSURE, "is_player": False},
        {**UNSURE, "is_player": False, "waiting": "ann"},
        {**UNSURE, "opponents": ["luc", "ivan"], "challenger": "ann", "lines": ["play with luc"]},
        {**UNSURE, "word": "chalenge", "nearest": "challenge", "lines": ["chalenge"]},
        {**UNSURE, "lines": ["I have never asked for this!"], "unconfirmed": True},
        {**UNSURE, "lines": ["en français ?"], "unconfirmed": True, "language": "fr"},
        {
            **UNSURE,
            "lines": ["Dear server, I think that I had better bid", "\x1b[31m4-2s"],
            "reply": True,
        },
        {**UNSURE, "lines": ["4-2x"], "reply": True, "moves": ["5-2s", "dudo"]},
        {**UNSURE, "lines": ["dudo"], "reply": True, "subject_move": "4-2s", "board": 12},
        {
            **{**UNSURE, "lines": ["I quit"], "reply": True, "nearest": "resign"},
            **{"is_move": True, "resigns": True, "rated": True},
        },
        {**UNSURE, "lines": ["undo please"], "reply": True, "turn": NAMES[0], "stays": True},
        {**UNSURE, "lines": ["Nice"], "reply": True, "most": 30, "ends": 1_700_000_000},
        {**UNSURE, "lines": ["I'm on vacation next week"], "reply": True, "away": True},
        {**UNSURE, "lines": ["no thanks"], "reply": True, "turn": NAMES[0], "leaves": True},
        {**UNSURE, "lines": ["cancel"], "reply": True, "is_over": True, "winner": NAMES[0]},
        {**UNSURE, "lines": ["what?"], "reply": True, "beacon": 123456, "opens": 1_700_000_000},
        {**UNSURE, "lines": ["cancel"], "reply": True, "is_over": True, "winner": ""},
        {
            **{**UNSURE, "lines": ["4-2x"], "reply": True, "moves": ["5-2s", "dudo"]},
            "on_turn": {"dice": [1, 1, 4, 5, 6], "bid": "4-2s", "by": "ann"},
            "board": 12,
        },
        {**UNSURE, "lines": ["Why not!"], "reply": True, "invited": True},
        {
            **{**UNSURE, "lines": ["so three fours"], "reply": True, "moves": ["5-2s", "dudo"]},
            "illegal": "3-4s",
        },
        {
            **{**UNSURE, "lines": ["so three fours"], "reply": True, "moves": ["5-2s", "dudo"]},
            "illegal": "3-4s",
            "why": {
                "code": "repeated_bid",
                "facts": {"bid": "3-4s", "smallest": ["5-4s"], "last": "4-5s"},
            },
        },
        {
            **{**UNSURE, "lines": ["4-2s"], "reply": True, "moves": ["5-2s", "dudo"], "board": 12},
            **{"nearest": "4-2s", "is_move": True, "move_below_help": "4-2s"},
        },
        {
            **{**UNSURE, "lines": ["4-2s"], "reply": True, "moves": ["5-2s", "dudo"], "board": 12},
            **{"nearest": "4-2s", "is_move": True, "move_below_stop": "4-2s"},
        },
        {**UNSURE, "lines": ["no thanks"], "reply": True, "turn": NAMES[0], "declines": True},
        {**UNSURE, "lines": ["********"], "reply": True, "moves": ["dudo"]},
        {
            **{**UNSURE, "lines": ["yes"], "reply": True, "board": 12, "seated": True},
            "turn": NAMES[0],
        },
        *(
            {**UNSURE, "reply": True, "board": 12, "turn": NAMES[0], why: True}
            for why in ("declined", "is_out")
        ),
        *(
            {
                **{**UNSURE, "reply": True, "board": 12, "helps": True},
                "on_turn": {
                    "dice": [1, 4, 6],
                    "bid": "4-2s",
                    "by": NAMES[0],
                    "forfeit": 1_700_000_000,
                },
                **facts,
            }
            for facts in (
                dict[str, Any](moves=["5-2s", "dudo"]),
                dict[str, Any](turn=NAMES[0], moves=[]),
                dict[str, Any](turn=NAMES[0], moves=[], resigned=True),
                dict[str, Any](moves=["5-2s", "dudo"], page="rules pyrudo"),
                dict[str, Any](moves=["5-2s", "dudo"], unmade=True, nearest="dudo", is_move=True),
            )
        ),
    ],
    "verified": [
        {"board": 12, "rounds": [{"round": 1, "proven": True, "why": ""}]},
        *(
            {"board": 12, "rounds": [], "digest": "ab" * 32, "after": after}
            for after in (None, 0, 41)
        ),
        {
            "board": 12,
            "rounds": [
                {"round": 1, "proven": True, "why": "", "alone": True},
                {"round": 2, "last": 22, "proven": True, "why": ""},
                {"round": 23, "last": 24, "proven": True, "why": "", "alone": True},
            ],
            "salt": "9f86d081",
            "salted": [],
        },
        {
            "board": 12,
            "rounds": [{"round": 1, "proven": True, "why": ""}],
            "salt": "9f86d081",
            "salted": [
                {"move": 0, "name": "ann", "what": ""},
                {"move": 7, "name": "bob", "what": "4-2s"},
            ],
        },
        {
            "board": 12,
            "rounds": [{"round": 1, "proven": False, "why": "running"}],
            "over": False,
        },
        {"board": 12, "rounds": [{"round": 1, "proven": True, "why": ""}], "salts": True},
        {"file": "game.txt", "rounds": [{"round": 1, "proven": False, "why": "plain"}]},
        {
            "file": "game.txt",
            "rounds": [{"round": 1, "proven": True, "why": ""}],
            "over": False,
        },
        {
            "board": 12,
            "rounds": [{"round": 1, "last": 3, "proven": True, "why": ""}],
            "beacons": [
                {"round": 2, "number": 2398900, "value": "ab" * 32},
                {"round": 3, "number": 2398920, "value": ""},
                {"round": 4, "number": 2398900, "value": "ab" * 32, "known": True},
                {"round": 5, "number": 20, "value": "ab" * 32, "known": True, "early": True},
            ],
            "network": CHAIN,
            "unmixed": ["1", "3"],
        },
        {"board": 2**31 - 1, "rounds": [{"round": 1, "last": 9999, "proven": True, "why": ""}]},
        {
            "board": 12,
            "rounds": [{"round": 10, "last": 9999, "proven": True, "why": "restored"}],
        },
        {
            "board": 12,
            "rounds": [
                {"round": 1, "proven": True, "why": ""},
                {"round": 2, "proven": False, "why": "running"},
            ],
        },
    ],
}
EVERY = [(kind, facts) for kind, several in SAMPLES.items() for facts in several]
