"""Run players' commands at a shell of the server's own host.

They are the same commands as by email, in the same transaction.  The answer goes to standard
output, and letters to others leave at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from secrets import token_hex
from typing import TYPE_CHECKING, cast

import click

from pbmserv.cli.password_prompt import ask_for_secrets, shell_prompts
from pbmserv.cli.shell_language import shell_language
from pbmserv.commands.framework import AS_JSON, ASKED, MESSAGE
from pbmserv.errors import Refused
from pbmserv.security.credentials import Credentials

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.context import Outcome
    from pbmserv.letters.payloads.letter import Letter
    from pbmserv.server.app import App

RANDOM = "PBMSERV_RANDOM"
READS_INPUT = {"chat", "message", "broadcast", "multiple"}  # commands that need a text
_RANDOM = 16  # bytes that a shell adds to the dice
_INTERRUPTED = 130  # exit code, as shells have it
# What Ctrl-C has interrupted, once a line that writes has begun.
_UNSURE = "interrupted: the command may be done or not; check that before you type it again"
_DONE = "interrupted, but the command was carried out"
_LINES_DONE = "interrupted, but lines were carried out; check which before you type them again"
NEEDS_NO_HOME = {"help"}  # commands that neither read nor write there
_MAKES_HOME = {"signup", "multiple"}  # commands that may be the first ones in a new home


class PlayerShell:
    """The options of the command line, and the execution of a player's command.

    `user` is the number of the system's user who typed it, or None for that of this process.
    """

    def __init__(self, home: str | None, user: int | None = None) -> None:
        self._home = home
        self._user = os.getuid() if user is None else user
        self.is_callers = user is not None
        self._unwritten: OSError | None = None
        self._is_missing = False  # a proof that was asked about
        self._became = ""  # what Ctrl-C would interrupt now, in words; "" for nothing that matters
        self._language = shell_language()

    @property
    def home(self) -> Path:
        """The chosen home."""
        from pbmserv.home import find_home

        return find_home(self._home, os.environ)

    def attend(self, context: click.Context) -> None:
        """Run one parsed command and print the answer; the exit code is 1 for a refusal.

        Both are in the player's language.  Raises Refused where no player is known.  An answer that
        cannot be written (`| head -1`, a full disk) delays no letter and no other line.  Its
        OSError is raised at the end.  The exit code is also 1 if the answer says that a digest or a
        salt is not of the game.
        """
        if context.command.name in NEEDS_NO_HOME:
            self._explain(context)
            return
        from pbmserv.home import check_home, words_about_new
        from pbmserv.server.app import opened

        is_there = _needs_its_home(context)
        if is_there:
            check_home(self.home)
        ask_for_secrets(context)
        text = _text(context)
        if said := words_about_new(self.home):
            click.echo(f"pbmserv: {said}", err=True)
        try:
            with opened(self.home, is_there=is_there) as app:
                credentials = Credentials()
                try:
                    if context.command.name == "multiple":
                        outcome = self._carry_out_all(app, text, credentials)
                    else:
                        outcome = self._carry_out(app, context, text, credentials)
                finally:
                    app.deliver()
        except KeyboardInterrupt:
            if not self._became:
                raise
            click.echo(f"\npbmserv: {self._became}", err=True)
            context.exit(_INTERRUPTED)
        self._end(context, outcome)

    def _end(self, context: click.Context, outcome: Outcome) -> None:
        """Report what went wrong: an answer that was not written, or a refusal."""
        if self._unwritten:
            raise self._unwritten
        if outcome.refusal:
            from pbmserv.cli import shell_form

            said = shell_form.refused_of(outcome, _account(context), self._language)
            click.echo(said, err=True)
        if outcome.refusal or self._is_missing:
            context.exit(1)

    def _explain(self, context: click.Context) -> None:
        """Print the answer of a command without a home: none is opened, made or upgraded."""
        from pbmserv.cli import shell_form
        from pbmserv.letters import render

        assert context.command.callback is not None  # `player_command` makes none without a body
        (letter,) = context.invoke(context.command.callback, **context.params)
        words = render.word(letter.kind, letter.payload, shell_language())
        click.echo(shell_form.printed(words).rstrip("\n"))

    def _carry_out(
        self, app: App, context: click.Context, text: str, credentials: Credentials
    ) -> Outcome:
        from pbmserv.intake.command_lines import Line
        from pbmserv.intake.execution import reads_only

        processor = app.processor
        processor.request_reader.try_password(
            context, credentials, f"shell {self._user}", processor.clock()
        )
        line = Line("", context)
        self._became = "" if reads_only(line) else _UNSURE
        outcome, mine, self._language = processor.carry_out(
            line, credentials, text, shell_language(), _random_text()
        )
        self._became = _DONE if self._became and outcome.refusal is None else ""
        if outcome.refusal is None:
            is_document = bool(context.meta.get(AS_JSON))
            self._print(_document(mine) if is_document else _worded(mine, self._language))
            self._is_missing = any(map(_is_missing, mine))
        return outcome

    def _carry_out_all(self, app: App, text: str, credentials: Credentials) -> Outcome:
        """Run each line separately; the outcome is a refusal if one was refused."""
        from pbmserv.cli import shell_form
        from pbmserv.commands.perudo.verify import NotHere
        from pbmserv.context import Outcome
        from pbmserv.intake.execution import reads_only

        processor = app.processor
        is_refused = False
        for line in processor.request_reader.open_text(text, processor.clock(), credentials):
            self._print(f"> {line.shown}")
            self._became = self._became if reads_only(line) else self._became or _UNSURE
            try:
                outcome, mine, language = processor.carry_out(
                    line, credentials, "", shell_language(), _random_text()
                )
            except NotHere as problem:  # the caller's process cannot begin the text again
                (name,), mine, language = problem.args, (), shell_language()
                outcome = Outcome("", (), Refused("no_such_file", name=name, why="NotHere"))
            if self._became:
                self._became = _LINES_DONE
            if outcome.refusal is None:
                self._print(_worded(mine, language))
                self._is_missing |= any(map(_is_missing, mine))
            else:
                is_refused = True
                click.echo(shell_form.refused_line_of(outcome, language), err=True)
        return Outcome("", refusal=Refused("lines_refused") if is_refused else None)

    def _print(self, text: str | bytes) -> None:
        if self._unwritten is None:
            try:
                click.echo(text)
            except OSError as problem:
                self._unwritten = problem


def _needs_its_home(context: click.Context) -> bool:
    """Whether a command has no use in a home that is new; a file of the caller needs none."""
    reads_file = context.command.name == "referee" or (
        context.command.name == "verify" and not context.params["board"].isdigit()
    )
    return not reads_file and context.command.name not in _MAKES_HOME


def _is_missing(letter: Letter) -> bool:
    """Whether the answer says that a digest or a salt is not of the game."""
    from pbmserv.letters.payloads.listings import VERIFIED, Verified, is_not_found

    return letter.kind == VERIFIED.name and is_not_found(cast(Verified, letter.payload))


def _random_text() -> str:
    """What the caller adds to the coming dice: drawn by the client of a running server, or here."""
    return os.environ.get(RANDOM) or token_hex(_RANDOM)


def _account(context: click.Context) -> dict[str, str]:
    """The typed userid, for the commands in a refusal; empty if it is invalid."""
    from pbmserv.players.userids import check_userid

    userid = context.params.get("userid")
    if not isinstance(userid, str):  # commands that name several players have a list of them
        return {}
    try:
        check_userid(userid)
    except Refused:
        return {}
    return {"account": userid}


def _document(mine: Sequence[Letter]) -> bytes:
    """The asker's letters as JSON."""
    from pbmserv.cli import json_output, letters_as_json

    return json_output.encoded(letters_as_json.document(mine))


def _worded(mine: Sequence[Letter], language: str) -> str:
    """The asker's letters in printed form."""
    from pbmserv.cli import shell_form
    from pbmserv.intake.answering.answers import unanswerable
    from pbmserv.letters import render

    texts = []
    for letter in mine:
        # `perudo verify` and `perudo record` are for those who want the digests at a shell.
        payload = {**unanswerable(letter), "seal": ""}
        texts.append(shell_form.printed(render.word(letter.kind, payload, language)))
    return "\n\n".join(text.rstrip("\n") for text in texts)


def _text(context: click.Context) -> str:
    """The message to other players: --message, or standard input for `-`."""
    given: str | None = context.meta.get(MESSAGE)
    if given not in {None, ASKED}:
        return str(given)
    if given == ASKED or context.command.name in READS_INPUT:
        if sys.stdin.isatty():
            click.echo(shell_prompts().text, err=True)
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        return text.replace("\r\n", "\n").strip()
    return ""
