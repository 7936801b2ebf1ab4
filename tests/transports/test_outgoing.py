"""One table of outgoing transports serves the settings, the start and `pbmserv doctor`."""

from __future__ import annotations

from pathlib import Path

import pytest

from pbmserv import transports
from pbmserv.errors import Misconfigured
from pbmserv.mail.transport import Outgoing, Unfit
from pbmserv.maintenance.doctor.transports import outgoing
from pbmserv.server.chosen_transports import outgoing_for, transport_for
from pbmserv.setting_checks import DELIVERIES
from pbmserv.settings import Settings, read_settings
from pbmserv.transports import maildir_out, sendmail_out, smtp_out

MODULES: dict[str, Outgoing] = {  # mypy checks the functions of each
    "maildir": maildir_out,
    "smtp": smtp_out,
    "sendmail": sendmail_out,
}


def test_every_outgoing_transport_is_in_the_table() -> None:
    folder = Path(str(transports.__file__)).parent
    assert {each.name for each in folder.glob("*_out.py")} == {f"{each}_out.py" for each in MODULES}
    assert DELIVERIES.keys() == MODULES.keys()


@pytest.mark.parametrize("word", DELIVERIES)
def test_each_word_of_the_table_can_be_set_started_and_checked(word: str, tmp_path: Path) -> None:
    (tmp_path / "pbmserv.toml").write_text(f'delivery = "{word}"\nrelay = "127.0.0.1:9"\n')
    settings = read_settings(tmp_path)
    assert outgoing_for(settings) is MODULES[word]
    transport_for(settings).close()
    finding = outgoing(settings)
    assert finding.name == "letters"
    assert finding.is_well or finding.remedy


def test_a_word_outside_the_table_is_refused_with_the_table(tmp_path: Path) -> None:
    (tmp_path / "pbmserv.toml").write_text('delivery = "pigeon"\n')
    with pytest.raises(Misconfigured, match='must be one of "maildir", "smtp", "sendmail"'):
        read_settings(tmp_path)


def test_the_doctor_repeats_what_a_transport_finds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def checked(settings: Settings, patience: float) -> str:
        raise Unfit("the loft is empty", "Buy a pigeon.")

    monkeypatch.setattr(maildir_out, "checked", checked)
    finding = outgoing(Settings(home=tmp_path))
    assert (finding.is_well, finding.said) == (False, "the loft is empty")
    assert finding.remedy == "Buy a pigeon."
