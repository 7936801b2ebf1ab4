"""Lengths of time in seconds."""

from __future__ import annotations

HOUR, DAY = 3600, 24 * 3600
