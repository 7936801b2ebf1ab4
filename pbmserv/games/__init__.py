"""The games that the server can play: pure rules, without email, database, clock or chance.

Boards with players are in `boards`, which needs a game's `table`, `notation` and `record`.
"""

from __future__ import annotations

GAMES = ("perudo",)
"""The games, by the word that their commands begin with."""
