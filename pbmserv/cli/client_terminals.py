"""Pipes in place of the caller's terminal, for a server of another user.

A process that has a terminal can read what is typed there later, and write what looks like another
program's.  So it gets pipes, and this process copies what goes through them.  It reads the
terminal only while the command reads: text typed earlier is for the caller's next command.
"""

from __future__ import annotations

import os
import select

TYPE_CHECKING = False  # as `typing` has it, whose import takes long
if TYPE_CHECKING:
    from _socket import socket

LARGEST_PIECE = 64 * 1024  # bytes, copied at once
_INPUT, _OUTPUT, _ERROR = 0, 1, 2


class Terminals:
    """The pipes for those standard files that are terminals.

    `handed` has the numbers of the three files for the server's process.
    """

    def __init__(self) -> None:
        self.handed = [_INPUT, _OUTPUT, _ERROR]
        self._theirs: list[int] = []
        self._typed = -1  # where to write what is typed
        self._is_read = False
        self._shown: dict[int, int] = {}  # the terminal of each pipe that the server writes to
        if os.isatty(_INPUT):
            self.handed[_INPUT], self._typed = os.pipe()
            self._theirs.append(self.handed[_INPUT])
        for number in (_OUTPUT, _ERROR):
            if os.isatty(number):
                self.handed[number] = self._pipe_to(number)

    def _pipe_to(self, number: int) -> int:
        """The end to write to: one pipe for one terminal, which keeps the order of what comes."""
        same = os.isatty(_OUTPUT) and os.path.sameopenfile(_OUTPUT, number)
        if number == _ERROR and same:
            return self.handed[_OUTPUT]
        ours, theirs = os.pipe()
        self._shown[ours] = number
        self._theirs.append(theirs)
        return theirs

    def are_handed(self) -> None:
        """Close the ends that the server has now, so that the others hear when it closes them."""
        for each in self._theirs:
            os.close(each)

    def reads(self) -> None:
        """The command reads standard input from now on."""
        self._is_read = self._typed >= 0

    def attend(self, call: socket) -> None:
        """Copy until the server says something, after all that it has written before."""
        while True:
            typed = [_INPUT] if self._is_read else []
            ready, _, _ = select.select([*self._shown, *typed, call.fileno()], [], [])
            if written := [each for each in ready if each in self._shown]:
                for each in written:
                    self._show(each)
            elif call.fileno() in ready:
                return
            else:
                self._type()

    def _show(self, pipe: int) -> None:
        if not (piece := os.read(pipe, LARGEST_PIECE)):
            del self._shown[pipe]
        while piece:
            piece = piece[os.write(self._shown[pipe], piece) :]

    def _type(self) -> None:
        """Copy what was typed, until it ends or until nobody reads it."""
        try:
            piece = os.read(_INPUT, LARGEST_PIECE)
            while piece:
                written = os.write(self._typed, piece)
                piece = piece[written:]
                if not piece:
                    return
        except BrokenPipeError:
            pass
        os.close(self._typed)
        self._typed, self._is_read = -1, False
