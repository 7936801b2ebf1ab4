"""Programs `perudo` and `pbmserv` for a shell's PATH, which the fork server starts.

A test that runs lines of a shell would start Python for each.  A small program replaces the real
one.  It hands its words, environment, folder and files to the fork server.  It passes signals on,
and ends as the process there ends.
"""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

from tests.forked import PROGRAMS, fork_server
from tests.forkserver import LENGTH, NUMBER, OF_PYTHON, UNBUFFERED

_READ = tuple(os.fsencode(each) for each in OF_PYTHON)
# `_socket` is the only import that Python reads from a file, so starting takes 12 ms.
_STUB = """\
#!{python} -IS
import _signal, _socket, marshal, posix, sys

words = [{program!r}, *sys.argv[1:]]
environ = dict(posix.environ)
for name in {{*environ, *{environ!r}}}:
    if name.startswith({read!r}) and name != {unbuffered!r}:
        if environ.get(name) != {environ!r}.get(name):  # Python reads it as it starts
            posix.execv(words[0], words)
standard = (sys.stdin, sys.stdout, sys.stderr)
files = [number for number, file in enumerate(standard) if file is not None]
kinds = (_signal.SIGHUP, _signal.SIGINT, _signal.SIGTERM)
ignored = [each for each in kinds if _signal.getsignal(each) == _signal.SIG_IGN]
asked = marshal.dumps((words, environ, posix.getcwd(), files, ignored, None))
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect({listener!r})
numbers = b"".join(each.to_bytes(4, sys.byteorder) for each in files)
server.sendmsg([b"?"], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, numbers)] if files else [])
server.sendall(len(asked).to_bytes({length}, "big") + asked)
process = int(server.recv({number}, _socket.MSG_WAITALL))
for each in kinds:
    if each not in ignored:
        _signal.signal(each, lambda number, frame: posix.kill(process, number))
status = int(server.recv({number}, _socket.MSG_WAITALL))
if posix.WIFSIGNALED(status):
    _signal.signal(posix.WTERMSIG(status), _signal.SIG_DFL)
    posix.kill(posix.getpid(), posix.WTERMSIG(status))
posix._exit(posix.WEXITSTATUS(status))
"""


@cache
def stubs() -> Path:
    """The folder of the two programs, to be put in front of a PATH."""
    folder = tempfile.TemporaryDirectory(prefix="fork")
    atexit.register(folder.cleanup)
    listens, environ = fork_server()
    for name in ("pbmserv", "perudo"):
        program = Path(folder.name, name)
        read = {os.fsencode(each): os.fsencode(value) for each, value in environ.items()}
        program.write_text(
            _STUB.format(
                python=sys.executable,
                program=str(PROGRAMS / name),
                environ={each: read[each] for each in read if each.startswith(_READ)},
                read=_READ,
                unbuffered=os.fsencode(UNBUFFERED),
                listener=listens,
                length=LENGTH,
                number=NUMBER,
            ),
            "utf-8",
        )
        program.chmod(0o755)
    return Path(folder.name)
