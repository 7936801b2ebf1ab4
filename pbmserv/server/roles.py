"""The two roles of a server, each in a process of its own.

One takes emails in, handles deadlines and listens for shells.  The other words and sends letters.
Two threads of one interpreter would cost each other a third of their time.
"""

from __future__ import annotations

from typing import Literal, TypeAlias

Role: TypeAlias = Literal["intake", "sending"]
INTAKE: Role = "intake"
SENDING: Role = "sending"
ROLES: tuple[Role, ...] = (SENDING, INTAKE)
"""In the order in which they start: when email is accepted, its answers can leave."""
