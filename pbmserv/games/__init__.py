"""The games that the server can play.

Each game is a folder here and is pure: no email, no database, no clock, no random numbers.  The
server uses Perudo's `table` (play, after, view), `notation` and `record`; another game must offer
the same.
"""

from __future__ import annotations

GAMES = ("perudo",)
"""The games, by the word that their commands begin with."""
