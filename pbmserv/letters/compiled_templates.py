"""Compiled templates: shared by all languages of a process, and kept in the home for the next one.

Compiling all templates takes half a second.  The files are code, so they are loaded only if nobody
else can write them.  The folder's name has the versions of jinja2, Python and our code generator.
A file has a digest of the template's source, and jinja2 compares it.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import CodeType

import jinja2
from jinja2.bccache import Bucket, BytecodeCache

_CODE = 5  # another number whenever `templates.DirectEnvironment` compiles in another way
FOLDER = f"templates-{jinja2.__version__}-{sys.implementation.cache_tag}-{_CODE}"
_OURS = re.compile(r"templates-[0-9]+\.[0-9.a-z]+-[a-z]+-[0-9]+(?:-[0-9]+)?")
_OTHERS_MAY_WRITE = 0o022


class CompiledTemplates(BytecodeCache):
    """The compiled templates, by name, source and the options of their environment.

    `home` is where they are kept; None for nowhere.
    """

    def __init__(self) -> None:
        self.home: Path | None = None
        self._known: dict[tuple[str, str], CodeType] = {}

    def load_bytecode(self, bucket: Bucket) -> None:
        """Give a template its code, if it is known or kept."""
        name = _name(bucket)
        bucket.code = self._known.get((name, bucket.checksum))
        if bucket.code is None and self.home is not None:
            self._load(bucket, name, self.home)

    def _load(self, bucket: Bucket, name: str, home: Path) -> None:
        # Without O_NONBLOCK a pipe of this name would hold us.
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        with (
            suppress(OSError),
            _folder(home) as folder,
            os.fdopen(os.open(name, flags, dir_fd=folder), "rb") as kept,
        ):
            _check_ours(kept.fileno())
            try:
                bucket.load_bytecode(kept)
            except Exception:  # a damaged file may raise any, and is written anew
                bucket.reset()
        if not isinstance(bucket.code, CodeType):
            bucket.reset()
        else:
            self._known[name, bucket.checksum] = bucket.code

    def dump_bytecode(self, bucket: Bucket) -> None:
        """Keep the code of a template; if the home cannot be written, only in memory."""
        name = _name(bucket)
        if bucket.code is None:
            return
        self._known[name, bucket.checksum] = bucket.code
        if self.home is None:
            return
        with suppress(OSError):
            self._make_folder(self.home)
            with _folder(self.home) as folder:
                new = f"{name}.{os.getpid()}"
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
                file = os.open(new, flags, 0o600, dir_fd=folder)
                try:
                    with os.fdopen(file, "wb") as kept:
                        bucket.write_bytecode(kept)
                    os.replace(new, name, src_dir_fd=folder, dst_dir_fd=folder)
                except OSError:  # the disk is full
                    os.unlink(new, dir_fd=folder)

    def _make_folder(self, home: Path) -> None:
        """Make the folder if it is missing, and delete those of other versions."""
        try:
            (home / FOLDER).mkdir(0o700)
        except FileExistsError:
            return
        for other in home.glob("templates-*"):
            if other.name != FOLDER and _OURS.fullmatch(other.name):
                shutil.rmtree(other, ignore_errors=True)


COMPILED = CompiledTemplates()


@contextmanager
def _folder(home: Path) -> Iterator[int]:
    """The folder of a home, opened; raises OSError unless it is ours alone."""
    folder = os.open(home / FOLDER, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _check_ours(folder)
        yield folder
    finally:
        os.close(folder)


def _check_ours(file: int) -> None:
    """Raise PermissionError if somebody else owns or can write an open file or folder."""
    about = os.fstat(file)
    if about.st_uid != os.geteuid() or about.st_mode & _OTHERS_MAY_WRITE:
        raise PermissionError


def _name(bucket: Bucket) -> str:
    """The name of a template's file; the options of its environment are a part of it."""
    of = bucket.environment
    options = of.trim_blocks, of.lstrip_blocks, bool(of.autoescape)
    return f"{bucket.key}-{''.join(str(int(each)) for each in options)}"
