"""Reactions: the picture alone is read, of emails that have the part for programs."""

from __future__ import annotations

import pytest

from pbmserv.mail.reading import Mail, read
from tests.rows import each_row

OWN = "perudo@perudo.example"
GMAIL = "Content-Type: text/vnd.google.email-reaction+json; charset=utf-8\n"
RFC_9078 = "Content-Type: text/plain; charset=utf-8\nContent-Disposition: reaction\n"
THUMB = '{"emoji": "👍", "version": 1}'


def alternative(part: str, content: str) -> Mail:
    """An email of a text, and of another part."""
    text = "Content-Type: text/plain; charset=utf-8\n\nAnn reacted via Gmail\n"
    head = "From: ann@example.org\nContent-Type: multipart/alternative; boundary=b\n\n"
    raw = f"{head}--b\n{text}\n--b\n{part}\n{content}\n--b--\n".encode()
    return read(raw, envelope_sender="ann@example.org", recipient=OWN, own=OWN)


@pytest.mark.parametrize(
    ("part", "content", "picture"),
    [
        (GMAIL, THUMB, "👍"),
        (GMAIL.replace("text/vnd", "TEXT/VND"), THUMB, "👍"),
        (GMAIL, '{"version": 1, "emoji": "❤️"}', "❤️"),
        (GMAIL, r'{"version": 1, "emoji": "👍🏽"}', "👍🏽"),
        (RFC_9078, "😂", "😂"),
        (RFC_9078.replace("reaction", "Reaction"), "👍 ❤️", "👍 ❤️"),
    ],
)
def test_the_picture_of_a_reaction_is_all_that_is_read(
    part: str, content: str, picture: str
) -> None:
    found = alternative(part, content)
    assert (found.typed, found.is_reaction, found.automatic) == ((picture,), True, "")


@each_row(
    ("part", "content"),
    [
        (GMAIL, '{"emoji": "👍", "version": 2}'),  # a later form may mean something else
        (GMAIL, '{"emoji": "dudo", "version": 1}'),
        (GMAIL, '{"emoji": "⚀⚀", "version": 1}'),
        (GMAIL, '{"emoji": "", "version": 1}'),
        (GMAIL, '{"emoji": ["👍"], "version": 1}'),
        (GMAIL, '["👍", 1]'),
        (GMAIL, "👍"),
        (GMAIL, "[" * 900),
        (GMAIL, '{"emoji": "' + "👍" * 21 + '", "version": 1}'),
        (GMAIL + "Content-Disposition: attachment\n", THUMB),
        (RFC_9078, "4-2s"),
        ("Content-Type: text/plain; charset=utf-8\n", "👍"),
        ("Content-Type: application/reaction+json\n", THUMB),
    ],
)
def test_an_email_without_a_true_part_for_programs_is_read_as_text(part: str, content: str) -> None:
    found = alternative(part, content)
    assert found.typed == ("Ann reacted via Gmail",)
    assert not found.is_reaction


def test_a_reaction_may_be_the_whole_email() -> None:
    raw = f"From: ann@example.org\n{GMAIL}\n{THUMB}\n".encode()
    found = read(raw, envelope_sender="ann@example.org", recipient=OWN, own=OWN)
    assert (found.typed, found.is_reaction) == (("👍",), True)


@pytest.mark.parametrize(
    ("line", "picture"),
    [
        ("[like]  Ann Example reacted to your message:", "👍"),
        ("[Heart] Ann Example hat auf Ihre Nachricht reagiert:", "❤️"),
        ("[laugh] Ann Example a réagi à votre message :", "😂"),
        ("[dudo] Ann Example reacted to your message:", ""),
        ("[like] 4-2s", ""),
        ("I [like] this:", ""),
    ],
)
def test_the_sentence_of_outlook_names_its_picture(line: str, picture: str) -> None:
    raw = f"From: ann@example.org\n\n{line}\n{'_' * 32}\nFrom: Perudo game server\n".encode()
    found = read(raw, envelope_sender="ann@example.org", recipient=OWN, own=OWN)
    assert found.is_reaction == bool(picture)
    assert found.typed == (picture or line,)
