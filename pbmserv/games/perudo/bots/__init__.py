"""Bots (house players): the server's own players, which choose moves from a view.

Each level has its own file; the bots' accounts and seats are in `lobby/bots.py`.
"""

from pbmserv.games.perudo.bots.choice import DEFAULT, LEVELS, choose, looks_back, policy

__all__ = ["DEFAULT", "LEVELS", "choose", "looks_back", "policy"]
