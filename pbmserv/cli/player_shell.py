"""Run players' commands at a shell of the server's own host.

They are the same commands as by email, in the same transaction.  The answer goes to standard
output, and letters to others leave at once.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from getpass import GetPassWarning
from pathlib import Path
from typing import TYPE_CHECKING
from warnings import catch_warnings, simplefilter

import click

from pbmserv.cli import json_answers, json_output
from pbmserv.cli.terminal import with_turns_marked
from pbmserv.commands.framework import AS_JSON, ASKED, MESSAGE, Secret
from pbmserv.errors import Refused

if TYPE_CHECKING:  # importing SQLAlchemy costs 0.3 s: `--help` must not pay for it
    from pbmserv.letters.payloads.letter import Letter
    from pbmserv.security.credentials import Credentials
    from pbmserv.server.app import App

PASSWORD = "PBMSERV_PASSWORD"  # noqa: S105 - the name of a variable
NEW = "PBMSERV_NEW_PASSWORD"
READS_INPUT = {
    "chat",
    "message",
    "broadcast",
    "multiple",
}  # commands that need a text
NEEDS_NO_HOME = {"help"}  # commands that neither read nor write there


class PlayerShell:
    """The options of the command line, and the execution of a player's command."""

    def __init__(self, home: str | None) -> None:
        self._home = home
        self._unwritten: OSError | None = None

    @property
    def home(self) -> Path:
        """The chosen home."""
        from pbmserv.home import find_home

        return find_home(self._home, os.environ)

    def attend(self, context: click.Context) -> None:
        """Run one parsed command and print the answer; raises Refused.

        An answer that cannot be written (`| head -1`, a full disk) delays no letter and no other
        line.  Its OSError is raised at the end.
        """
        from pbmserv.security.credentials import Credentials
        from pbmserv.server.app import opened

        if context.command.name in NEEDS_NO_HOME:
            self._explain(context)
            return
        _ask_for_secrets(context)
        text = _text(context)
        with opened(self.home) as app:
            credentials = Credentials()
            try:
                if context.command.name == "multiple":
                    refused = self._carry_out_all(app, text, credentials)
                else:
                    refused = self._carry_out(app, context, text, credentials)
            finally:
                app.deliver()
        if self._unwritten:
            raise self._unwritten
        if refused:
            raise Refused(refused.code, **_account(context), **refused.facts)

    def _explain(self, context: click.Context) -> None:
        """Print the answer of a command without a home: none is opened, made or upgraded."""
        from pbmserv.letters.render import DEFAULT_LANGUAGE

        assert context.command.callback is not None  # `player_command` makes none without a body
        letters = context.invoke(context.command.callback, **context.params)
        click.echo(_worded(letters, DEFAULT_LANGUAGE))

    def _carry_out(
        self, app: App, context: click.Context, text: str, credentials: Credentials
    ) -> Refused | None:
        from pbmserv.intake.request import Line

        processor = app.processor
        processor.request_reader.try_password(
            context, credentials, f"shell {os.getuid()}", processor.clock()
        )
        outcome, mine, language = processor.carry_out(Line("", context), credentials, text)
        if outcome.refusal is None:
            is_document = bool(context.meta.get(AS_JSON))
            self._print(
                json_output.encoded(json_answers.document(mine))
                if is_document
                else with_turns_marked(_worded(mine, language))
            )
        return outcome.refusal

    def _carry_out_all(self, app: App, text: str, credentials: Credentials) -> Refused | None:
        """Run each line separately; returns a refusal if one was refused."""
        from pbmserv.letters import render

        processor = app.processor
        last = None
        for line in processor.request_reader.open_text(text, processor.clock(), credentials):
            self._print(f"> {line.shown}")
            outcome, mine, language = processor.carry_out(line, credentials, "")
            if outcome.refusal is None:
                self._print(with_turns_marked(_worded(mine, language)))
            else:
                last = outcome.refusal
                click.echo(render.refusal(last.code, last.facts, language), err=True)
        return Refused("lines_refused") if last else None

    def _print(self, text: str | bytes) -> None:
        if self._unwritten is None:
            try:
                click.echo(text)
            except OSError as problem:
                self._unwritten = problem


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


def _worded(mine: Sequence[Letter], language: str) -> str:
    """The asker's letters in printed form; a text that emails attach is printed in full."""
    from pbmserv.intake.responses import unanswerable
    from pbmserv.letters import render

    texts = []
    for letter in mine:
        # `perudo verify` and `perudo record` are for those who want the digests at a shell.
        payload = {**unanswerable(letter), "seal": ""}
        words = render.word(letter.kind, payload, language)
        texts.append(words.attachment[1] if words.attachment else words.text)
    return "\n\n".join(text.rstrip("\n") for text in texts)


def _ask_for_secrets(context: click.Context) -> None:
    """Replace each `-` for a secret by the environment's value, or ask for it.

    The variables are PBMSERV_PASSWORD, and PBMSERV_NEW_PASSWORD for a new password.
    """
    for parameter in context.command.params:
        name = parameter.name or ""
        given = context.params.get(name)
        if not isinstance(parameter, Secret):
            continue
        if isinstance(given, tuple):
            found = [_secret(context, NEW) if each == ASKED else each for each in given]
            context.params[name] = tuple(found)
        elif given == ASKED:
            context.params[name] = _secret(context, PASSWORD)


def _secret(context: click.Context, variable: str) -> str:
    found = os.environ.get(variable)
    return _typed_unseen(context, variable) if found is None else found


def _typed_unseen(context: click.Context, variable: str) -> str:
    """A password typed at a terminal; raises a usage error without one, as in cron."""
    with catch_warnings():
        simplefilter("error", GetPassWarning)
        try:
            prompt = "New password" if variable == NEW else "Password"
            return str(click.prompt(prompt, hide_input=True, err=True))
        except GetPassWarning:
            what = f"There is no terminal to prompt for the password. Set {variable} instead."
            raise click.UsageError(what, context) from None


def _text(context: click.Context) -> str:
    """The text for other people: --message, or standard input for `-`."""
    given: str | None = context.meta.get(MESSAGE)
    if given not in {None, ASKED}:
        return str(given)
    if given == ASKED or context.command.name in READS_INPUT:
        if sys.stdin.isatty():
            click.echo("Write the text, and end it with Ctrl-D on a new line:", err=True)
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
        return text.replace("\r\n", "\n").strip()
    return ""
