"""Attacks that stop the server, or make it slow for honest players."""

from __future__ import annotations

import base64
import os
import smtplib
import socket
import threading
from contextlib import ExitStack, suppress

from scripts.attacks.target import OTHER_HOST, PASSWORD, Fell, Target, text_of

FLOOD = 20  # connections that send wrong passwords
IDLE = 300  # silent connections
MOST_ECHOES = 60  # letters that one loop may cause


def the_yes_that_never_ends(target: Target) -> str:
    """A Chinese "yes" of 351 bytes once cost exponential time."""
    target.send("eve@example.net", "signup eve " + PASSWORD)
    letter = target.letter("eve@example.net")
    target.send("eve@example.net", "", "是" + "的是" * 55 + "x\n", answers=letter)
    target.send("zoe@example.net", "Hi", "是" + "的是" * 55 + "x\n")
    return target.answered()


def combining_marks(target: Target) -> str:
    """120 KB of combining marks once cost 56 s of processor time."""
    # Above and below alternate: sorting them takes the time.
    target.send("eve@example.net", "Hi", "a" + "\u0301\u0323" * 25_000)
    marks = base64.b64encode(b"a" + b"\xec\xf2" * 60_000)  # one byte a mark in windows-1258
    head = b"From: eve@example.net\r\nTo: perudo@localhost\r\nSubject: Hi\r\n"
    head += b"Message-ID: <marks@client.example>\r\n"
    head += b"Content-Type: text/plain; charset=windows-1258\r\n"
    head += b"Content-Transfer-Encoding: base64\r\n\r\n"
    target.hand_over(head + marks, "eve@example.net")
    return target.answered()


def blanks_behind_re(target: Target) -> str:
    """`Re` and 8,000 blanks in the Subject once cost half a second; in every line, 4 s."""
    blanks = b"Re" + b" " * 8_000
    head = b"From: eve@example.net\r\nTo: perudo@localhost\r\nSubject: " + blanks + b"x\r\n"
    head += b"Message-ID: <re@client.example>\r\n\r\n"
    target.hand_over(head + (blanks + b"x\n") * 20, "eve@example.net")
    return target.answered()


def statistics_by_the_dozen(target: Target) -> str:
    """Twenty requests for statistics in one email."""
    target.send("eve@example.net", "multiple", "perudo stats\n" * 20)
    return target.answered()


def wrong_passwords(target: Target) -> str:
    """Twenty connections send wrong passwords as fast as they can; ann's email does not wait."""
    stop = threading.Event()

    def flood(number: int) -> None:
        while not stop.is_set():
            line = f"perudo showas user{number} wrong-{os.urandom(4).hex()} all"
            with suppress(OSError, smtplib.SMTPException):
                target.hand_over(
                    target.mail(f"flood{number}@example.net", line), f"flood{number}@example.net"
                )

    threads = [threading.Thread(target=flood, args=(number,)) for number in range(FLOOD)]
    for thread in threads:
        thread.start()
    try:
        return target.answered(is_tried_again=True)
    finally:
        stop.set()
        for thread in threads:
            thread.join()


def idle_connections(target: Target) -> str:
    """One host opens 300 silent connections; others can still connect."""
    with target.connection(OTHER_HOST) as smtp:
        assert smtp.sock is not None  # it is connected
        host, port = smtp.sock.getpeername()
    with ExitStack() as stack:
        turned_away = 0
        for _ in range(IDLE):
            client = stack.enter_context(socket.create_connection((host, port), timeout=5))
            turned_away += client.recv(3) == b"421"
        said = target.answered()
    if not turned_away:
        raise Fell(f"{IDLE} connections of one host were let in")
    return f"{turned_away} of {IDLE} were turned away; {said}"


def an_echo(target: Target) -> str:
    """A machine returns every letter, Subject and text: the loop ends."""
    target.send("mallory@example.org", "perudo standings")
    echoes = 0
    letter = target.letter("mallory")
    with suppress(Fell):
        while echoes <= MOST_ECHOES:
            echoes += 1
            target.send("mallory@example.org", str(letter["Subject"]), text_of(letter))
            letter = target.letter("mallory", 3.0)
    if echoes > MOST_ECHOES:
        raise Fell(f"after {echoes} echoes the server still answers")
    return f"silent after {echoes} echoes"


ATTACKS = (
    the_yes_that_never_ends,
    combining_marks,
    blanks_behind_re,
    statistics_by_the_dozen,
    wrong_passwords,
    idle_connections,
    an_echo,
)
