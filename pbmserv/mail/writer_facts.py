"""The writer of an email, or the user of a shell: what tells the language and the clock.

Both are found only when they are asked for, because most emails come from players whose language
is known.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cached_property

from pbmserv.fast_dataclasses import dataclass


@dataclass(frozen=True)
class Writer:
    """What is known of a writer: the facts of an email or of a shell, "" for what is not there.

    `declared` is what Content-Language or the shell says, `lines` the Subject and what was typed.
    `date` is the header.  `offered` are the languages of letters.  `name` is the one beside the
    address, `shown` the lines that a reader of the email sees, `content_type` the header.
    """

    declared: str = ""
    lines: tuple[str, ...] = ()
    sender: str = ""
    date: str = ""
    offered: Collection[str] = ()
    name: str = ""
    shown: tuple[str, ...] = ()
    content_type: str = ""

    @cached_property
    def language(self) -> str:
        """The code of the writer's language, "" if nothing tells it."""
        from pbmserv.mail.writer_language import language_of  # noqa: PLC0415 - most ask for none

        return language_of(
            self.declared,
            self.lines,
            self.sender,
            self.offered,
            name=self.name,
            shown=self.shown,
            content_type=self.content_type,
        )

    @property
    def offset(self) -> int | None:
        """How many minutes the writer's clock is ahead of UTC, None if unknown."""
        from pbmserv.mail.writer_language import offset_of  # noqa: PLC0415 - as above

        return offset_of(self.date)
