"""An event loop in a thread of its own, which has ended all that it began when it is closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any

_PATIENCE = 60.0  # seconds


class LoopInThread:
    """A running event loop; tests run coroutines in it, one after the other."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever)
        self._thread.start()

    def run(self, coroutine: Coroutine[Any, Any, Any]) -> Any:
        """The result of a coroutine."""
        return asyncio.run_coroutine_threadsafe(coroutine, self.loop).result(_PATIENCE)

    def close(self) -> None:
        """Wait for the tasks that have begun, and end the loop.

        A task that is left would be found by the collector, in another test.
        """
        self.run(_settled())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.run_until_complete(self.loop.shutdown_default_executor())
        self.loop.close()


async def _settled() -> None:
    if others := asyncio.all_tasks() - {asyncio.current_task()}:
        await asyncio.wait(others, timeout=_PATIENCE / 2)


@contextmanager
def loop_in_thread() -> Iterator[LoopInThread]:
    """An event loop, closed at the end."""
    running = LoopInThread()
    try:
        yield running
    finally:
        running.close()
