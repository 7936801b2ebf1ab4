"""`pbmserv completion`: print a shell's completion script.

click finds the words in the commands; this module adapts the way in which a shell splits them.
"""

from __future__ import annotations

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    ShellComplete,
    ZshComplete,
    add_completion_class,
    get_completion_class,
)

from pbmserv.errors import Misconfigured


class Quiet(ShellComplete):
    """A completion that returns nothing for an invalid line; running it reports the error."""

    def complete(self) -> str:
        """The output for the shell: empty for an invalid line, and never a traceback."""
        try:
            return super().complete()
        except Exception:
            return ""


@add_completion_class
class Bash(Quiet, BashComplete):
    """bash splits `-rules=b` into three words, and completes the last one."""

    def get_completion_args(self) -> tuple[list[str], str]:
        """The words before the one to complete, and that one, with parameters joined again."""
        given, begun = super().get_completion_args()
        words = [*given, begun]
        while "=" in words[1:]:
            place = words.index("=", 1)
            words[place - 1 : place + 2] = ["".join(words[place - 1 : place + 2])]
        return words[:-1], words[-1]


@add_completion_class
class Zsh(Quiet, ZshComplete):
    """zsh replaces the whole word `-rules=b` by a completion."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """The completions of a word, each with the parameter's name in front of its value."""
        found = super().get_completions(args, incomplete)
        name, equals, _ = incomplete.partition("=")
        if not equals:
            return found
        return [CompletionItem(f"{name}={each.value}", each.type, each.help) for each in found]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh"]))
@click.pass_context
def command(context: click.Context, shell: str) -> None:
    """Print the completion script of pbmserv and perudo for your shell.

    In bash: eval "$(pbmserv completion bash)".  In zsh: eval "$(pbmserv completion zsh)"; it starts
    zsh's own completion (compinit) if that is not running yet.
    """
    top = context.find_root().command
    assert isinstance(top, click.Group)  # `pbmserv`, which contains every game's own program
    programs = [top, *(each for each in top.commands.values() if isinstance(each, click.Group))]
    kind = get_completion_class(shell)
    if kind is None:
        raise Misconfigured(f"no completion for {shell}")
    if shell == "zsh":
        click.echo("(( $+functions[compdef] )) || { autoload -U compinit && compinit -i }")
    for group in programs:
        name = group.name or ""
        click.echo(kind(group, {}, name, f"_{name.upper()}_COMPLETE").source())
