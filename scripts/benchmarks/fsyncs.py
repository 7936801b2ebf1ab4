"""Count the fsyncs of another process, and make each of them slower.

A few lines of C replace the system's fsync and fdatasync (LD_PRELOAD).  They share a file of two
numbers with us: the count, and the microseconds to wait after each call.  This needs a C compiler,
and Linux, but no privileges.
"""

from __future__ import annotations

import mmap
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path

_SOURCE = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static volatile long *shared;   /* [0] counts, [1] is the delay in microseconds */

__attribute__((constructor)) static void begin(void) {
    const char *name = getenv("PBMSERV_FSYNCS");
    int file = name ? open(name, O_RDWR) : -1;
    if (file < 0) return;
    void *found = mmap(0, 2 * sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (found != MAP_FAILED) shared = found;
    close(file);
}

static int noted(int result) {
    if (shared) {
        __sync_fetch_and_add(&shared[0], 1);
        if (shared[1]) usleep(shared[1]);
    }
    return result;
}

int fsync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fsync");
    return noted(real(file));
}

int fdatasync(int file) {
    static int (*real)(int);
    if (!real) real = dlsym(RTLD_NEXT, "fdatasync");
    return noted(real(file));
}
"""
_NUMBER = struct.Struct("@l")


class Fsyncs:
    """The fsyncs of the processes that run in `environment`."""

    def __init__(self, library: Path, shared: Path) -> None:
        shared.write_bytes(bytes(2 * _NUMBER.size))
        with shared.open("r+b") as file:
            self._numbers = mmap.mmap(file.fileno(), 0)
        self.environment = {
            **os.environ,
            "LD_PRELOAD": str(library),
            "PBMSERV_FSYNCS": str(shared),
        }

    @property
    def count(self) -> int:
        """The count so far."""
        (found,) = _NUMBER.unpack_from(self._numbers, 0)
        return int(found)

    def delay(self, seconds: float) -> None:
        """Make each later one so much slower."""
        _NUMBER.pack_into(self._numbers, _NUMBER.size, round(seconds * 1_000_000))


def why_not() -> str:
    """Why fsyncs cannot be counted here, or ""."""
    if not sys.platform.startswith("linux"):
        return "fsyncs are counted on Linux only"
    return "" if shutil.which("cc") else "no C compiler to count fsyncs with (cc)"


def fsyncs(folder: Path) -> Fsyncs | None:
    """A counter of fsyncs, built in the folder; None where `why_not` has a reason."""
    if why_not():
        return None
    source, library = folder / "fsyncs.c", folder / "fsyncs.so"
    source.write_text(_SOURCE)
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(source), "-ldl"]
    subprocess.run(command, check=True)
    return Fsyncs(library, folder / "fsyncs.numbers")
