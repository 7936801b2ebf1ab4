"""The programs `perudo` and `pbmserv` as they start: a running server carries out most commands.

Importing what a command needs takes much longer than the command itself, and a server has already
imported it.  So this module imports only a few modules of the standard library.  It hands the words
and the standard files to the server's shell process (`cli/shell_server.py`).  They meet at a unix
socket of the home.  Then it waits for the exit code.  Without a server, this process carries out
the command.

The server sends its greeting before the client asks for anything.  From then on this process
carries out the command itself only if the server says that nothing was begun.  So nothing is done
twice.

If the home is another user's, that user's server may let players use its socket.  It gets no
terminal of ours (`client_terminals.py`), and it must run as the home's owner.
"""

from __future__ import annotations

import gc
import os
import sys

# What `socket` adds to this module in C is an eighth of the time of this program.
from _socket import AF_UNIX, SCM_RIGHTS, SHUT_WR, SO_PEERCRED, SOL_SOCKET, socket
from collections.abc import Callable, Mapping, Sequence

TYPE_CHECKING = False  # as `typing` has it, whose import takes long
if TYPE_CHECKING:
    from pbmserv.cli.client_terminals import Terminals

SOCKET_FILE = "shell.socket"  # in the home
GREETING, BUSY = b"1", b"B"  # the first byte of the server; the greeting is the protocol's number
DONE, NOT_MINE = b"X", b"N"  # further ones: an exit code follows; nothing was begun
ASKS, READS = b"P", b"R"  # a prompt follows; it reads standard input from now on
TYPED, NO_TERMINAL, END_OF_INPUT, INTERRUPTED = b"T", b"W", b"E", b"K"  # the answers to a prompt
LENGTH = 4  # bytes of the length of what follows
LARGEST = 256 * 1024  # bytes of the words and the variables
# The operator's commands for the server.
HANDED = ("deliver", "player", "queue", "receive", "status", "trace")
VARIABLES = (
    "COLUMNS",
    "LANG",
    "LC_ALL",
    "LC_MESSAGES",
    "LINES",
    "NO_COLOR",
    "PBMSERV_NEW_PASSWORD",
    "PBMSERV_PASSWORD",
    "PBMSERV_RANDOM",
    "TERM",
)
RANDOM = "PBMSERV_RANDOM"  # a variable: the caller's part of the coming dice
IN_PLACE = "PBMSERV_IN_PLACE"  # a variable: not empty if no server is to be asked
_RANDOM = 16  # bytes
_CREDENTIALS = 12  # bytes of SO_PEERCRED
_INT = 4  # bytes of the number of a file
_PATIENCE = 10.0  # seconds for the greeting: its process may have to start
_CUT_OFF = (
    "the server ended during this command, which may be done or not: "
    "check that before you type it again"
)
_TRY_LATER, _INTERRUPTED = 75, 130  # exit codes: EX_TEMPFAIL of sysexits.h; as shells have it
_FEWER_COLLECTIONS = 200_000  # objects: a short command has made about 110,000 when it ends


def perudo() -> None:
    """Run `perudo`."""
    _run("perudo")


def pbmserv() -> None:
    """Run `pbmserv`."""
    _run("pbmserv")


def _run(program: str) -> None:
    try:
        code = handed_over(program, sys.argv[1:], os.environ)
        if code is None:
            _carry_out(program)
    except KeyboardInterrupt:  # click catches it only when a command runs
        sys.stderr.write("\nAborted!\n")  # as click says it
        sys.exit(1)
    # Python would take apart what it has imported, for a tenth of the time.
    os._exit(code or 0)


def _carry_out(program: str) -> None:
    """Carry the command out in this process; raises SystemExit."""
    gc.set_threshold(_FEWER_COLLECTIONS)
    from pbmserv.cli import main

    try:
        {"perudo": main.perudo, "pbmserv": main.pbmserv}[program]()
    finally:
        # As it ends, Python would look through all objects for garbage, for a sixth of the time.
        # What a command must close is closed already.
        gc.freeze()


def handed_over(program: str, words: Sequence[str], environ: Mapping[str, str]) -> int | None:
    """The exit code of a command that the server carried out; None if this process must do it."""
    home, words = _parted(words, environ)
    if environ.get(IN_PLACE) or f"_{program}_complete".upper() in environ:
        return None
    if not home or not _is_for_server(program, words) or not all(map(_is_open, range(3))):
        return None
    asked = _encoded(program, words, environ)
    if len(asked) > LARGEST:
        return None
    call = socket(AF_UNIX)
    try:
        return _handed_at(call, home, asked)
    finally:
        call.close()


def _handed_at(call: socket, home: str, asked: bytes) -> int | None:
    """Hand the words to the server at the socket of a home; None if it does not take them."""
    files, terminals = [0, 1, 2], None
    try:
        call.settimeout(_PATIENCE)
        is_own = _connect(call, home)
        if call.recv(1) != GREETING:
            return None
        call.settimeout(None)
        if not is_own and any(map(os.isatty, files)):
            from pbmserv.cli.client_terminals import Terminals

            terminals = Terminals()
            files = terminals.handed
        handed = b"".join(each.to_bytes(_INT, sys.byteorder) for each in files)
        length = len(asked).to_bytes(LENGTH, "big")
        call.sendmsg([length], [(SOL_SOCKET, SCM_RIGHTS, handed)])
    except OSError:
        return None
    if terminals:
        terminals.are_handed()
    return _answered(call, asked, terminals)


def default_home(environ: Mapping[str, str]) -> str:
    """The home without --home and PBMSERV_HOME: the same as `home.find_home` says."""
    data = environ.get("XDG_DATA_HOME", "").strip() or os.path.expanduser("~/.local/share")
    return os.path.join(data, "pbmserv")


def _parted(words: Sequence[str], environ: Mapping[str, str]) -> tuple[str, Sequence[str]]:
    """The home, and the words behind the options that choose it.

    The home is "" on systems that do not tell who calls: no server listens for shells there.
    """
    if not sys.platform.startswith("linux"):
        return "", words
    chosen = ""
    while words:
        name, is_given, value = words[0].partition("=")
        if name != "--home" or (not is_given and len(words) == 1):
            break
        chosen, words = (value, words[1:]) if is_given else (words[1], words[2:])
    chosen = chosen or environ.get("PBMSERV_HOME", "")
    return os.path.expanduser(chosen) if chosen else default_home(environ), words


def _is_for_server(program: str, words: Sequence[str]) -> bool:
    """Whether these words may be for the server, which decides it: no options, no other command."""
    if not words or words[0].startswith("-"):
        return False
    if program == "perudo" or words[0] in HANDED:
        return True
    file = f"{words[0].lower().replace('-', '_')}.py"
    return not os.path.exists(os.path.join(os.path.dirname(__file__), "operator", file))


def _is_open(number: int) -> bool:
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


def _connect(call: socket, home: str) -> bool:
    """Connect to the socket of the home, whose path may be longer than a socket's name.

    Returns whether the home is our own.  Raises OSError, also if the server is not its owner's.
    """
    folder = os.open(home, os.O_PATH | os.O_DIRECTORY)
    try:
        owner = os.fstat(folder).st_uid
        call.connect(f"/proc/self/fd/{folder}/{SOCKET_FILE}")
    finally:
        os.close(folder)
    if _user_of(call.getsockopt(SOL_SOCKET, SO_PEERCRED, _CREDENTIALS)) != owner:
        raise PermissionError
    return owner == os.geteuid()


def _user_of(credentials: bytes) -> int:
    """The second of the numbers: process, user and group."""
    return int.from_bytes(credentials[4:8], sys.byteorder)


def _encoded(program: str, words: Sequence[str], environ: Mapping[str, str]) -> bytes:
    """What the server needs to know; no word and no variable has a NUL."""
    files = [
        each
        for number, file in enumerate((sys.stdin, sys.stdout, sys.stderr))
        for each in (file.encoding, file.errors or "strict", "1" if os.isatty(number) else "0")
    ]
    variables = {name: environ[name] for name in VARIABLES if name in environ}
    variables.setdefault(RANDOM, os.urandom(_RANDOM).hex())  # the server must not draw it
    if os.isatty(1):  # its process may not have this terminal
        for name, size in zip(("COLUMNS", "LINES"), os.get_terminal_size(1), strict=True):
            if size:
                variables.setdefault(name, str(size))
    fields = [program, str(len(words)), *words, *files]
    fields += [f"{name}={value}" for name, value in variables.items()]
    return "\0".join(fields).encode("utf-8", "surrogatepass")


def _answered(call: socket, asked: bytes, terminals: Terminals | None) -> int | None:
    """Send what is asked, and do what the server wants until it has an exit code."""

    def heard() -> bytes:
        if terminals:
            terminals.attend(call)
        return call.recv(1)

    is_left = False
    try:
        call.sendall(asked)
        while True:
            tag, is_left = _interruptible(call, heard, is_left=is_left)
            if not tag:
                break
            if tag == NOT_MINE:
                return None
            if tag == DONE:
                return call.recv(1)[0]
            if tag == ASKS:
                _prompt(call, is_left=is_left)
            elif terminals:
                terminals.reads()
    except (OSError, IndexError):
        pass
    sys.stderr.write(f"pbmserv: try again later: {_CUT_OFF}\n")
    return _TRY_LATER


def _interruptible(call: socket, wait: Callable[[], bytes], *, is_left: bool) -> tuple[bytes, bool]:
    """Wait; Ctrl-C interrupts the command, which says so, and a second one only this process.

    `is_left`: the command is interrupted.  Returns what came, and whether it is now.
    """
    if not is_left:
        try:
            return wait(), False
        except KeyboardInterrupt:
            call.shutdown(SHUT_WR)
    try:
        return wait(), True
    except KeyboardInterrupt:
        os._exit(_INTERRUPTED)


def _prompt(call: socket, *, is_left: bool) -> None:
    """Ask for a password without showing it, and send it.

    A command that was interrupted may still have asked for one: then nobody is asked.
    """
    from signal import SIG_BLOCK, SIG_UNBLOCK, SIGINT, pthread_sigmask

    pthread_sigmask(SIG_BLOCK, [SIGINT])  # else Ctrl-C may come when half of this is read
    from getpass import GetPassWarning, getpass
    from warnings import catch_warnings, simplefilter

    length = int.from_bytes(_exactly(call, LENGTH), "big")
    prompt = _exactly(call, length).decode("utf-8", "surrogatepass")
    if is_left:
        pthread_sigmask(SIG_UNBLOCK, [SIGINT])
        return
    typed = b""
    with catch_warnings():
        simplefilter("error", GetPassWarning)
        try:
            pthread_sigmask(SIG_UNBLOCK, [SIGINT])
            typed, became = getpass(prompt).encode("utf-8", "surrogatepass"), TYPED
        except GetPassWarning:
            became = NO_TERMINAL
        except EOFError:
            became = END_OF_INPUT
        except KeyboardInterrupt:
            became = INTERRUPTED
    call.sendall(became + len(typed).to_bytes(LENGTH, "big") + typed)


def _exactly(call: socket, length: int) -> bytes:
    """So many bytes; raises OSError if the server hangs up before."""
    found = b""
    while len(found) < length:
        if not (more := call.recv(length - len(found))):
            raise ConnectionError
        found += more
    return found
