"""An environment for programs that learn to play Perudo (extra: env).

It plays the games of `games/perudo` in the way of PettingZoo; docs/training.md describes it.
"""

from __future__ import annotations

from pbmserv.env.environment import PerudoEnv, env

__all__ = ["PerudoEnv", "env"]
