"""Who calls the server's process for shells, and which commands it carries out for that user."""

from __future__ import annotations

import os
import socket
import struct

import click

from pbmserv.cli import client, main
from pbmserv.cli.shell_request import Asked
from pbmserv.commands.framework import PlayerCommand
from pbmserv.fast_dataclasses import dataclass

_PEER = struct.Struct("3i")  # of SO_PEERCRED: process, user, group


@dataclass(frozen=True, slots=True)
class Caller:
    """The process that called, as the system says."""

    process: int
    user: int

    @property
    def is_operator(self) -> bool:
        """Whether this user may work in the home without the server, too."""
        return self.user in {0, os.geteuid()}


def caller_of(call: socket.socket) -> Caller:
    """The process at the other end of a connection to a unix socket."""
    process, user, _ = _PEER.unpack(
        call.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size)
    )
    return Caller(process, user)


def may(caller: Caller, asked: Asked, *, has_group: bool) -> bool:
    """Whether the server carries out a command for this caller; else the caller's process does.

    That process has its own rights alone.  No word may choose another home.  Without a group, no
    other user of this machine is served, also if the socket's mode lets them call.
    """
    if not (caller.is_operator or has_group):
        return False
    if asked.words[0].startswith("-") or any(word.startswith("--h") for word in asked.words):
        return False
    if asked.program == "perudo":
        return True
    group = main.pbmserv
    command = group.get_command(click.Context(group), asked.words[0])
    if command is None or isinstance(command, PlayerCommand | main.CommandGroup):
        return True
    return caller.is_operator and command.name in client.HANDED
