"""Decide from a bounce's status and words whether the address no longer works.

A letter may also fail because of its content, its sender or the route.  Then the address is not to
blame, and the next letter may arrive.  Enhanced status codes are those of RFC 3463.
"""

from __future__ import annotations

import re

_ENHANCED = re.compile(r"(?<![\d.])([45])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
_BASIC = re.compile(r"(?<![\d.])([45]\d\d)(?![\d.])")

# SMTP replies about the mailbox (RFC 5321, 4.2.3; 521 and 556: RFC 7504). 552 means a full mailbox.
# 554 is unspecific. 530 and 535 are between us and our relay.
_LASTING_REPLIES = {"521", "550", "551", "553", "556"}
# Of the addressing statuses (X.1.x) these are about the sender; 90 is Microsoft's "sent too much".
_OF_THE_SENDER = {"7", "8", "90"}
# X.2.x: 0 "other", 1 disabled.  A full mailbox (2) or a letter too large (3) does not count.
_DEAD_MAILBOX = {"0", "1"}
# X.4.x: 4 no route, 310 Microsoft's code for it; 1 is its code for an unknown recipient.  Others,
# such as 6 (a loop) and 7 (out of time), are faults of the route.
_NO_WAY = {"1", "4", "310"}

_FULL = ("mailbox full", "is full", "quota", "out of storage", "insufficient storage",
         "exceeded storage")  # fmt: skip
_NOBODY = ("user unknown", "unknown user", "no such user", "no such recipient", "no mailbox",
           "does not exist", "doesn't exist", "doesn't have a", "unknown recipient",
           "recipient not found", "invalid recipient", "account disabled")  # fmt: skip


def is_lasting(status: str, words: str, *, otherwise: bool = False) -> bool:
    """True where further letters to the address will fail as well.

    `status` is an enhanced status code or "", `words` the text beside it.  A status of the fourth
    class is never lasting, and neither is a full mailbox.  Policies (X.7.x), contents and protocols
    are not the address's fault: a relay that suddenly refuses everything must not suppress
    everybody.  `otherwise` is the answer without any information.
    """
    said = words.lower()
    found = _ENHANCED.search(status)
    if found is None or found[2] == found[3] == "0":  # Exim's 5.0.0 only says "permanent"
        found = _ENHANCED.search(words) or found
    reply = _BASIC.search(words)
    told = found[1] if found else reply[1][0] if reply else ""
    if not told:
        return otherwise and not any(phrase in said for phrase in _FULL)
    if told != "5" or any(phrase in said for phrase in _FULL):
        return False
    if any(phrase in said for phrase in _NOBODY):
        return True
    if found and not found[2] == found[3] == "0":
        return _speaks_of_the_address(found[2], found[3])
    return reply is None or reply[1] in _LASTING_REPLIES


def _speaks_of_the_address(subject: str, detail: str) -> bool:
    if subject == "1":
        return detail not in _OF_THE_SENDER
    return (subject == "2" and detail in _DEAD_MAILBOX) or (subject == "4" and detail in _NO_WAY)
