"""Compiled templates are kept for the next start, and only what we have written is loaded."""

from __future__ import annotations

import io
import marshal
import os
import pickle
from collections.abc import Callable
from errno import ENOSPC
from pathlib import Path
from unittest import mock

import pytest
from jinja2 import DictLoader, Environment, nodes
from jinja2.bccache import bc_magic
from jinja2.nodes import EvalContext, Impossible
from markupsafe import Markup

import pbmserv
from pbmserv.letters.compiled_templates import FOLDER, CompiledTemplates
from pbmserv.letters.templates import DirectEnvironment, environment
from tests.rows import each_row

PACKAGE = Path(pbmserv.__file__).parent
TRUE, FALSE = "{{ 'true' }}", "{{ 'false' }}"


def rendered(home: Path | None, text: str = TRUE) -> str:
    """The template in a process that has just started."""
    compiled = CompiledTemplates()
    compiled.home = home
    found = Environment(loader=DictLoader({"t": text}), bytecode_cache=compiled, autoescape=True)
    return found.get_template("t").render()


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with the code of another text in place of the template's own: so we see who loads."""
    compiled = CompiledTemplates()
    compiled.home = tmp_path
    found = Environment(bytecode_cache=compiled, autoescape=True)
    bucket = compiled.get_bucket(found, "t", None, TRUE)
    bucket.code = found.compile(FALSE, "t")
    compiled.dump_bytecode(bucket)
    return tmp_path


def test_kept_templates_are_loaded_at_the_next_start(home: Path) -> None:
    assert rendered(home) == "false"
    assert (home / FOLDER).stat().st_mode & 0o777 == 0o700


def test_a_template_that_has_changed_is_compiled_again(home: Path) -> None:
    assert rendered(home, "{{ 'new' }}") == "new"
    assert rendered(home) == "true", "each name has one file"


def make_writable(home: Path) -> None:
    (home / FOLDER).chmod(0o770)


def make_file_writable(home: Path) -> None:
    (file,) = (home / FOLDER).iterdir()
    file.chmod(0o606)


def link(home: Path) -> None:
    (home / FOLDER).rename(home / "elsewhere")
    (home / FOLDER).symlink_to(home / "elsewhere")


def link_file(home: Path) -> None:
    (file,) = (home / FOLDER).iterdir()
    file.rename(home / "elsewhere")
    file.symlink_to(home / "elsewhere")


def damage(home: Path) -> None:
    (file,) = (home / FOLDER).iterdir()
    file.write_bytes(file.read_bytes()[:-9])


def cut_to(length: int, more: bytes = b"") -> Callable[[Path], None]:
    def cut(home: Path) -> None:
        (file,) = (home / FOLDER).iterdir()
        file.write_bytes(file.read_bytes()[:length] + more)

    return cut


def other_code(home: Path) -> None:
    (file,) = (home / FOLDER).iterdir()
    checked = io.BytesIO(file.read_bytes())
    checked.read(len(bc_magic))
    pickle.load(checked)  # noqa: S301 - this test has written it
    file.write_bytes(checked.getvalue()[: checked.tell()] + marshal.dumps(17))


def make_pipe(home: Path) -> None:
    (file,) = (home / FOLDER).iterdir()
    file.unlink()
    os.mkfifo(file, 0o600)


@pytest.mark.parametrize(
    "spoil",
    [
        *(make_writable, make_file_writable, link, link_file, damage, other_code, make_pipe),
        *(cut_to(0), cut_to(30), cut_to(len(bc_magic)), cut_to(len(bc_magic), bytes(99))),
    ],
)
def test_a_file_that_others_may_have_written_is_not_loaded(
    home: Path, spoil: Callable[[Path], None]
) -> None:
    spoil(home)
    assert rendered(home) == "true"


def test_a_file_of_another_user_is_not_loaded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    assert rendered(home) == "true"


def test_files_of_other_versions_are_deleted(tmp_path: Path) -> None:
    (tmp_path / "templates-0.1-cpython-27").mkdir()
    assert rendered(tmp_path) == "true"
    assert [each.name for each in tmp_path.iterdir()] == [FOLDER]


def test_without_a_place_templates_are_only_remembered(tmp_path: Path) -> None:
    assert rendered(None) == rendered(tmp_path / "missing") == "true"


def test_a_full_disk_keeps_no_part_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.replace", mock.Mock(side_effect=OSError(ENOSPC, "full")))
    assert rendered(tmp_path) == "true"
    assert list((tmp_path / FOLDER).iterdir()) == []


def test_options_of_an_environment_are_a_part_of_the_name(home: Path) -> None:
    compiled = CompiledTemplates()
    compiled.home = home
    loader = DictLoader({"t": TRUE})
    trimming = Environment(
        loader=loader, bytecode_cache=compiled, autoescape=True, trim_blocks=True
    )
    assert trimming.get_template("t").render() == "true"


@each_row("file", sorted(PACKAGE.rglob("*.jinja")), ids=lambda file: str(file.relative_to(PACKAGE)))
def test_no_filter_says_anything_when_a_template_is_compiled(file: Path) -> None:
    """Languages share the code, and what a filter says may change between two starts."""
    found = environment("en")
    for each in found.parse(file.read_text("utf-8")).find_all(nodes.Filter):
        with pytest.raises(Impossible):
            each.as_const(EvalContext(found))


def test_only_folders_of_other_versions_are_deleted(tmp_path: Path) -> None:
    for name in ("templates-3.0.0-cpython-310", "templates-mine", "templates-2025", "templates"):
        (tmp_path / name).mkdir()
    rendered(tmp_path)
    kept = {each.name for each in tmp_path.iterdir()}
    assert kept == {FOLDER, "templates-mine", "templates-2025", "templates"}


def test_a_page_escapes_each_value_once() -> None:
    """Our compiler calls a faster function than jinja's; it must escape the same."""
    text = "{{ text }} {{ escaped }} {{ number }} {{ nothing }} {{ [text, escaped] | join }}"
    values = {"text": "<b>&\"'", "escaped": Markup("<i>&amp;"), "number": 5, "nothing": None}
    ours = DirectEnvironment(autoescape=True).from_string(text).render(values)
    assert ours == Environment(autoescape=True).from_string(text).render(values)
    assert ours.startswith("&lt;b&gt;&amp;&#34;&#39; <i>&amp; 5 None ")
