"""The states of a letter in the outbox.

`due`: it is sent as soon as possible.  `held`: it waits to be part of another letter, or for an
address that works.  `sent`: it was sent.  `returned`: it was sent and bounced.  `failed`: it could
not be sent, and is not tried again.  `dropped`: it is no longer wanted.
"""

from __future__ import annotations

DUE, HELD, SENT = "due", "held", "sent"
RETURNED, FAILED, DROPPED = "returned", "failed", "dropped"
