"""The words that bash and zsh complete."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.cli.processes import environment, invoked, typed
from tests.forkstubs import stubs
from tests.stories.town import town_at


@pytest.fixture(scope="module")
def two_boards(played: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same home with board 2 of cleo and eve."""
    home = shutil.copytree(played, tmp_path_factory.mktemp("two") / "home")
    with town_at(home) as town:
        town.sign_up("cleo", "eve")
        town.challenge("cleo", "eve")
    return home


def completed(home: Path, words: str, account: str = "root") -> list[str]:
    """What bash offers for these words, with the functions that we print for it."""
    script = f"""
        eval "$(pbmserv completion bash)"
        COMP_WORDS=({words}) COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
        function_name=$(complete -p ${{COMP_WORDS[0]}} | sed 's/.*-F \\([^ ]*\\).*/\\1/')
        $function_name ${{COMP_WORDS[0]}} "${{COMP_WORDS[COMP_CWORD]}}"
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environ = environment(home) | {"PATH": f"{stubs()}:/usr/bin:/bin", "LOGNAME": account}
    done = subprocess.run(
        ["bash", "-c", script], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout.split()


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("perudo ch", ["challenge", "chat"]),
        ("pbmserv signu", ["signup"]),
        ("pbmserv queue re", ["retry"]),
        ("pbmserv perudo ver", ["verify"]),
        ("perudo challenge -ru", ["-rules"]),
        ("perudo challenge -rules = p", ["pbmserv", "pyrudo", "pacao"]),
        ("perudo challenge -rules =", ["pbmserv", "classic", "bga", "pyrudo", "pacao"]),
        ("perudo challenge -inorder -rules = bga ann house-", ["house-honest", "house-threshold"]),
        ("perudo seek ann - -raise = s", ["strict", "single"]),
        ("pbmserv help tu", ["tutorial"]),
        ("perudo help rules p", ["pacao", "pbmserv", "pyrudo"]),
        ("perudo help rules bga ''", []),
        ("perudo challenge -nonsense ann hou", ["house", "house-honest", "house-threshold"]),
        ("perudo move ''", []),
    ],
)
def test_bash_completes_our_words(home: Path, words: str, offered: list[str]) -> None:
    assert completed(home, words) == offered


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("perudo move ''", ["2", "1"]),  # this account is not a player
        ("perudo chat 1", ["1"]),
        ("perudo showas eve secret ''", ["2"]),
        ("perudo showas nobody secret ''", ["2", "1"]),
        ("perudo rematch ''", []),
        ("perudo record ''", ["2", "1"]),
        ("pbmserv set ann secret dig", ["digest=off", "digest=daily"]),
        ("pbmserv set ann secret digest = d", ["daily"]),
        ("pbmserv set ann secret timezone =", ["Europe/Zurich"]),
        ("pbmserv set ann secret nothing = d", []),
    ],
)
def test_bash_completes_boards_and_preferences(
    two_boards: Path, words: str, offered: list[str]
) -> None:
    assert completed(two_boards, words) == offered


def test_the_boards_of_the_account_at_the_shell_are_completed(two_boards: Path) -> None:
    """Where its name is the userid of a player, in any spelling."""
    assert completed(two_boards, "perudo move ''", "Bob") == ["1"]
    assert completed(two_boards, "perudo move ''", "cleo") == ["2"]


def test_to_complete_makes_no_home(home: Path) -> None:
    assert completed(home, "perudo move ''") == []
    assert not home.exists()


@pytest.mark.skipif(shutil.which("zsh") is None, reason="zsh is not installed here")
@pytest.mark.parametrize("begun", ["", "autoload -U compinit && compinit -u;"])
def test_zsh_completes_our_words(home: Path, begun: str) -> None:
    """zsh takes our functions, whether its completion runs already or not."""
    environ = environment(home) | {"PATH": f"{stubs()}:/usr/bin:/bin"}
    script = (
        f'{begun} eval "$(pbmserv completion zsh)";print ${{_comps[perudo]}} ${{_comps[pbmserv]}}'
    )
    done = subprocess.run(
        ["zsh", "-f", "-c", script], env=environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["_perudo_completion", "_pbmserv_completion"]


def test_help_and_completion_touch_no_home(home: Path) -> None:
    """An old database is not upgraded by who only asks what a command does."""
    for program, words in (
        ("pbmserv", ("help", "block")),
        ("perudo", ("help", "rules", "bga")),
        ("pbmserv", ("help", "nonsense")),
        ("pbmserv", ("block", "--help")),
    ):
        invoked(home, program, *words)
    assert completed(home, "pbmserv help tu") == ["tutorial"]
    assert not home.exists()
    home.mkdir(mode=0o700)
    (home / "pbmserv.sqlite").write_text("no database")
    shown = invoked(home, "pbmserv", "help", "block")
    assert shown.returncode == 0, shown.stderr
    assert "At a shell:\n  pbmserv block ann - bob\n" in shown.stdout
    asked = invoked(home, "pbmserv", "help", "reset").stdout
    assert "  pbmserv reset ann\n" in asked


def test_zsh_gets_the_words_to_complete(home: Path) -> None:
    """This is the program's answer to zsh's question. The test needs no zsh."""
    asked = {"_PERUDO_COMPLETE": "zsh_complete", "COMP_WORDS": "perudo pre", "COMP_CWORD": "1"}
    done = typed(home, "perudo", environ=asked)
    assert done.stdout.split("\n")[:2] == ["plain", "preview"]
    asked |= {"COMP_WORDS": "perudo challenge -rules=bg", "COMP_CWORD": "2"}
    done = typed(home, "perudo", environ=asked)
    assert done.stdout.split("\n")[:2] == ["plain", "-rules=bga"]


@pytest.mark.parametrize("shell", ["bash", "zsh"])
@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("pbmserv perudo mve 1", "3"),
        ("pbmserv perudo mve ", "3"),
        ("pbmserv mve ", "2"),
        ("pbmserv 'perudo mo", "1"),
        ("pbmserv #1 x", "2"),
        ("pbmserv --nothing perudo mo", "3"),
        ("pbmserv perudo move", "9"),
        ("pbmserv perudo", ""),
        ("", "1"),
    ],
)
def test_completing_a_mistyped_word_prints_no_traceback(
    home: Path, shell: str, words: str, place: str
) -> None:
    asked = {"_PBMSERV_COMPLETE": f"{shell}_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    done = typed(home, "pbmserv", environ=asked)
    assert done.stderr == ""
