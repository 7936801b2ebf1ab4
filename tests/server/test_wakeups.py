"""A role of the server is told of new work by a named pipe in the home."""

from __future__ import annotations

import os
import select
import stat
from pathlib import Path

import pytest

from pbmserv.server.roles import INTAKE, SENDING
from pbmserv.server.wakeups import heard, waiting, wake


def is_told(pipe: int | None) -> bool:
    assert pipe is not None
    return bool(select.select([pipe], [], [], 0)[0])


def test_a_role_that_waits_is_woken_once_by_any_number_of_processes(tmp_path: Path) -> None:
    with waiting(tmp_path, SENDING) as pipe:
        assert not is_told(pipe)
        assert all(wake(tmp_path, SENDING) for _ in range(3))
        assert is_told(pipe)
        assert pipe is not None
        heard(pipe)
        assert not is_told(pipe)


def test_each_role_has_its_own(tmp_path: Path) -> None:
    with waiting(tmp_path, SENDING) as sending, waiting(tmp_path, INTAKE) as intake:
        assert wake(tmp_path, INTAKE)
        assert (is_told(sending), is_told(intake)) == (False, True)


def test_a_full_pipe_blocks_nobody(tmp_path: Path) -> None:
    with waiting(tmp_path, SENDING) as pipe:
        assert pipe is not None
        with pytest.raises(BlockingIOError):
            while True:
                os.write(pipe, bytes(4096))
        assert wake(tmp_path, SENDING)
        heard(pipe)
        assert not is_told(pipe)


def test_nobody_is_woken_if_nobody_waits(tmp_path: Path) -> None:
    """Also if a killed process has left its pipe, or another file has the name."""
    assert not wake(tmp_path, SENDING)
    with waiting(tmp_path, SENDING):
        (pipe,) = tmp_path.iterdir()
        assert stat.S_IMODE(pipe.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == []
    os.mkfifo(pipe)
    assert not wake(tmp_path, SENDING)
    pipe.unlink()
    pipe.write_bytes(b"")
    assert not wake(tmp_path, SENDING)
    assert pipe.read_bytes() == b""


@pytest.mark.parametrize("left", ["a pipe", "a file"])
def test_a_file_that_another_process_left_does_not_stop_the_start(
    tmp_path: Path, left: str
) -> None:
    with waiting(tmp_path, SENDING):
        (file,) = tmp_path.iterdir()
    os.mkfifo(file) if left == "a pipe" else file.touch()
    with waiting(tmp_path, SENDING) as pipe:
        assert wake(tmp_path, SENDING)
        assert is_told(pipe)


def test_a_home_without_named_pipes_is_served_nevertheless(tmp_path: Path) -> None:
    """The role then only looks by itself."""
    with waiting(tmp_path / "missing", SENDING) as pipe:
        assert pipe is None
