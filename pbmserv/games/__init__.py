"""The shelf of games.

A game is a folder here, pure: no mail, no database, no clock, no chance.  The server asks of one
what Perudo's `table` (play, after, view), `notation` and `record` give.
"""

from __future__ import annotations

GAMES = ("perudo",)
"""The games on the shelf, by the word that commands begin with."""
