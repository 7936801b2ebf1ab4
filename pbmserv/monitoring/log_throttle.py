"""Limit repeated warnings in the log: equal ones appear once a minute."""

from __future__ import annotations

import logging

MINUTE = 60.0  # seconds
_MOST = 1000  # different warnings that are remembered


class Throttle(logging.Filter):
    """Let the first of equal warnings pass, then one a minute with the number left out.

    Lines below the level of a warning always pass.  The time is that of the lines themselves.
    """

    def __init__(self) -> None:
        super().__init__()
        self._passed: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """True if the line is to be written."""
        if record.levelno < logging.WARNING:
            return True
        key = record.name, record.getMessage()
        passed_at, left_out = self._passed.get(key, (0.0, 0))
        if record.created - passed_at < MINUTE:
            self._passed[key] = passed_at, left_out + 1
            return False
        if len(self._passed) >= _MOST:
            self._passed.clear()
        self._passed[key] = record.created, 0
        if left_out:
            record.msg, record.args = (
                f"{key[1]} ({left_out} times more since the last such line)",
                (),
            )
        return True
