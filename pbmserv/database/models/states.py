"""States of a letter in the outbox.

`due` it leaves as soon as it can; `held` it waits to be part of another letter, or for an address
that works; `sent` it left; `returned` it left and came back; `failed` it could not leave, and is
not tried any more; `dropped` nobody wants it any more.
"""

from __future__ import annotations

DUE, HELD, SENT = "due", "held", "sent"
RETURNED, FAILED, DROPPED = "returned", "failed", "dropped"
