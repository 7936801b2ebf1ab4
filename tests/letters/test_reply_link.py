"""A link in a letter opens an answer that is complete, in every mail program."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, unquote, unquote_plus, urlsplit

from pbmserv.letters.reply_link import LetterLinks, ReplyLink, command_link, reply_link
from pbmserv.mail.subject_tokens import parted
from tests.rows import each_row

TOKEN = "AAAAADAAAABQAAARSPVRGAIFKE25RC54"
CONFIRMATION = "7XQ2M4KDPLR5NVTA3SWZ6YBHCE"
TURN = "Your turn: Perudo board 12"
OWN, PLUS = "perudo@perudo.example", f"perudo+{TOKEN.lower()}@perudo.example"
END = "\n\n-- \n"


def link(
    word: str, replies: str, subject: str = TURN, token: str = TOKEN, move: int | None = 42
) -> ReplyLink:
    return reply_link(word, address=OWN, token=token, replies=replies, subject=subject, move=move)


@each_row(
    ("word", "body"),
    [
        ("4-2s", f"4-2s #42{END}"),
        ("dudo", f"dudo #42{END}"),
        ("calza", f"calza #42{END}"),
        ("resign", f"resign{END}"),
        ("accept", f"accept{END}"),
        ("reject", f"reject{END}"),
        ("decline", f"decline{END}"),
        ("rematch", f"rematch{END}"),
        ("chat", f"chat\n{END}"),  # with a line to write on
        ("", END),
    ],
)
def test_a_link_has_a_word_its_move_and_the_mark_of_a_signature(word: str, body: str) -> None:
    assert link(word, "plus") == ReplyLink(PLUS, f"Re: {TURN}", body)
    assert link(word, "plain") == ReplyLink(OWN, f"Re: {TURN} {TOKEN}", body)


@each_row(
    ("word", "command"),
    [
        ("confirm", f"confirm {CONFIRMATION}"),
        ("yes", f"perudo rsvp {CONFIRMATION} yes"),
        ("yes mia", f"perudo rsvp {CONFIRMATION} yes mia"),
        ("no", f"perudo rsvp {CONFIRMATION} no"),
        ("never", f"perudo rsvp {CONFIRMATION} never"),
    ],
)
def test_without_plus_addresses_what_is_about_no_board_is_a_command(
    word: str, command: str
) -> None:
    subject = "Please confirm your address, ann"
    plain = link(word, "plain", subject, CONFIRMATION, None)
    assert plain == command_link(command, address=OWN) == ReplyLink(OWN, command, END)
    plus = link(word, "plus", subject, CONFIRMATION, None)
    assert (plus.subject, plus.body) == (f"Re: {subject}", f"{word}{END}")


@each_row("replies", ["plus", "plain"])
def test_every_program_reads_the_same_in_a_link(replies: str) -> None:
    """Some take a plus for a blank; there is none, nor a line break that is not CRLF."""
    made = link("4-2s", replies)
    assert re.fullmatch(r"mailto:[\w.%@-]+\?subject=[\w.%-]+&body=[\w.%-]+", made.href)
    for read in (unquote, unquote_plus):
        parts = urlsplit(made.href)
        fields = dict(each.split("=") for each in parts.query.split("&"))
        found = ReplyLink(read(parts.path), *(read(fields[name]) for name in ("subject", "body")))
        assert found == ReplyLink(made.address, made.subject, made.body.replace("\n", "\r\n"))
    assert parse_qs(parts.query)["subject"] == [made.subject]


@each_row(
    ("subject", "expected"),
    [
        (f"Re: {TURN} {TOKEN}", (f"Re: {TURN}", TOKEN)),
        (f"Re: {TURN} {TOKEN.lower()}", (f"Re: {TURN}", TOKEN)),
        (f"{TURN} {TOKEN}", (TURN, TOKEN)),
        (f"AW: [games] Perudo board 12  {TOKEN}", ("AW: [games] Perudo board 12", TOKEN)),
        (f"Re: {TURN} {TOKEN} [EXTERNAL]", (f"Re: {TURN} [EXTERNAL]", TOKEN)),
        (
            f"Re: Perudo board 12: not played {TOKEN}",
            ("Re: Perudo board 12: not played", TOKEN),
        ),
        # A command with a token instead of a password, and what is not a token.
        (f"perudo rematch 12 ann {TOKEN}", None),
        (f"Re: Perudo board 12 ann {TOKEN}", None),
        (f"Re: {TURN} {TOKEN} 4-2s", None),
        (f"Re: {TURN} {CONFIRMATION}", None),
        (f"Re: {TURN}", None),
        (f"confirm {TOKEN}", None),
        (TOKEN, None),
        ("", None),
    ],
)
def test_a_token_is_found_only_behind_a_subject_of_ours(
    subject: str, expected: tuple[str, str] | None
) -> None:
    assert parted(subject) == (expected or (subject, ""))


@each_row("replies", ["plus", "plain"])
@each_row("word", ["4-2s", "chat", "resign", "confirm", "yes", "never", ""])
def test_the_links_of_a_letter_open_the_same_replies(word: str, replies: str) -> None:
    links = LetterLinks(OWN, TOKEN, replies, TURN, 42)
    assert links.reply is not None
    assert "".join(links.reply(word)) == link(word, replies).href


@each_row(
    ("command", "is_reply"),
    [
        ("help set", True),
        ("perudo verify 12", True),
        ("perudo record 12", True),
        ("perudo show 12", True),
        ("perudo", False),
        ("perudo resign 12 ann", False),
        ("signup ", False),
    ],
)
def test_a_question_is_a_line_of_a_reply_if_the_letter_has_a_token(
    command: str, is_reply: bool
) -> None:
    """So it is answered, even if nothing else proves who asks."""
    links = LetterLinks(OWN, TOKEN, "plus", TURN)
    reply = link(command, "plus", move=None).href
    assert "".join(links.command(command)) == (
        reply if is_reply else command_link(command, address=OWN).href
    )
    without = LetterLinks(OWN, "", "plus", TURN)
    assert "".join(without.command(command)) == command_link(command, address=OWN).href
    several = LetterLinks(OWN, TOKEN, "plus", TURN, has_many=True)
    assert ("Re%3A" in "".join(several.command(command))) == (command == "help set")
