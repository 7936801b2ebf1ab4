"""A process of pytest-xdist reports only what is shown: half of the cost of a small test.

By itself it sends five messages for each test: begin, end, and reports of setup, call and teardown.
Here it sends the report of the call.  It sends the others if they failed, were skipped, or took
long enough for the list of slow ones.
"""

from __future__ import annotations

from typing import Any

import pytest

_SHOWN = 0.1  # seconds
_SENDER = "WorkerInteractor"  # xdist's class


def lessen(config: pytest.Config) -> None:
    """Call this in a process of xdist; elsewhere it changes nothing."""
    for hook in (config.hook.pytest_runtest_logstart, config.hook.pytest_runtest_logfinish):
        for each in _senders(hook):
            each.function = lambda nodeid, location: None
    for each in _senders(config.hook.pytest_runtest_logreport):
        each.function = _only_shown(each.function)


def _senders(hook: Any) -> list[Any]:
    """What xdist does at a hook of a process of its own."""
    return [each for each in hook.get_hookimpls() if type(each.plugin).__name__ == _SENDER]


def _only_shown(send: Any) -> Any:
    def send_shown(report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed or report.duration > _SHOWN:
            send(report)

    return send_shown
