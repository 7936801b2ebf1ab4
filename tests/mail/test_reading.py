"""What emails say: every email in `data/` is read as the text file beside it tells.

An expectation holds the fields, an empty line, and the lines typed.  `sha256` as message-id
stands for a hash of what was written.  An email called `real-…` was made by the program of that
name, as a reply to a letter of ours.
"""

from __future__ import annotations

import re
from base64 import b64encode
from pathlib import Path

import pytest

from pbmserv.mail.reading import Mail, read
from tests.mail.simple_emails import OWN, simple
from tests.rows import each_row

DATA = Path(__file__).parent / "data"
TOKEN = "ABCDEFGHIJKLMNOPQRSTUVWX23"


def told(mail: Mail) -> str:
    """An email in the form of an expectation file."""
    hashed = re.fullmatch("(undated-)?sha256-[0-9a-f]{64}", mail.message_id)
    fields = (
        ("sender", mail.sender),
        ("subject", mail.subject),
        ("message-id", "sha256" if hashed else mail.message_id),
        ("tokens", " ".join(mail.tokens)),
        ("references", " ".join(mail.references)),
        ("automatic", mail.automatic),
    )
    head = "".join(f"{name}: {value}\n" for name, value in fields)
    return head + "\n" + "".join(line + "\n" for line in mail.typed)


@each_row("name", sorted(path.stem for path in DATA.glob("*.eml")))
def test_an_email_is_read_as_expected(name: str, rewrites: bool) -> None:
    raw = (DATA / f"{name}.eml").read_bytes()
    mail = read(raw, envelope_sender="ann@example.org", recipient=OWN, own=OWN)
    expected = DATA / f"{name}.txt"
    if rewrites:
        expected.write_text(told(mail), "utf-8")
    assert told(mail) == expected.read_text("utf-8")


def test_the_token_in_the_envelope_comes_first() -> None:
    other = "22222222222222222222222222"
    mail = simple(
        f"To: perudo+{other}@perudo.example\n", recipient=f"perudo+{TOKEN}@perudo.example"
    )
    assert mail.tokens == (TOKEN, other)


def test_tokens_have_26_or_32_letters_of_base32() -> None:
    for text, is_one in (("A" * 26, True), ("a" * 32, True), ("A" * 27, False), ("1" * 26, False)):
        assert bool(simple(recipient=f"perudo+{text}@perudo.example").tokens) is is_one


def test_an_overlong_message_id_is_replaced_by_a_hash() -> None:
    assert simple(f"Message-ID: <{'x' * 300}@y>\n").message_id.startswith("undated-sha256-")
    dated = simple(f"Message-ID: <{'x' * 300}@y>\nDate: Tue, 14 Nov 2023 22:13:20 +0000\n")
    assert dated.message_id.startswith("sha256-")


@pytest.mark.parametrize("empty", ["<>", "< >", "<<>>", '""'])
def test_emails_with_an_empty_message_id_stay_distinct(empty: str) -> None:
    one, two = (simple(f"Message-ID: {empty}\n", body) for body in ("5-5s\n", "dudo\n"))
    assert one.message_id != two.message_id


def test_copies_of_an_email_without_a_number_are_known_as_one() -> None:
    """To: named our address twice, and each copy tells of its own way here."""
    head = "To: a@b, c@d\nSubject: x\n"
    one, two = (simple(f"Delivered-To: {to}\nReceived: by {to}\n{head}") for to in ("a@b", "c@d"))
    assert one.message_id == two.message_id
    others = (simple(head, "dudo\n"), simple("To: e@f\n"), simple(f"In-Reply-To: <x@y>\n{head}"))
    assert len({one.message_id, *(each.message_id for each in others)}) == len((one, *others))


def test_a_message_id_without_brackets_is_kept() -> None:
    assert simple("Message-ID: odd@example\n").message_id == "odd@example"


@pytest.mark.parametrize(
    ("charset", "codec", "text"),
    [
        ("windows-874", "cp874", "สวัสดี"),
        ("koi8-u", "koi8_u", "Їжак і ґава"),
        ("x-mac-ce", "mac_latin2", "żółw"),
        ("ibm737", "cp737", "καλημέρα"),
    ],
)
def test_charsets_that_python_has_but_seldom_names_are_read(
    charset: str, codec: str, text: str
) -> None:
    raw = f"Content-Type: text/plain; charset={charset}\n\n".encode() + text.encode(codec)
    assert read(raw, envelope_sender=None, recipient="", own=OWN).typed == (text,)


def test_control_characters_never_reach_the_subject() -> None:
    assert simple("Subject: a\x0bb\x1b[31mc =?utf-8?q?d=0D=0AX:_e?=\n").subject == (
        "a b [31mc d  X: e"
    )


def test_an_empty_email_has_no_typed_text() -> None:
    assert simple(body="\n\n> quoted\n\n").typed == ()
    assert read(b"", envelope_sender=None, recipient="", own=OWN).typed == ()


def test_the_email_repeated_below_a_line_without_marks_is_cut() -> None:
    body = "On Fri, 20 Nov 2026 at 22:11, Perudo <a@b> wrote:\nBob raised.\n\nYour dice: 2\n"
    assert simple(body="5-5s\n\n" + body).typed == ("5-5s",)


def test_a_line_ending_in_a_colon_is_not_an_attribution() -> None:
    body = "5-5s\nand here is why:\n> quoted\nbecause:\nI can.\n"
    assert simple(body=body).typed == ("5-5s", "and here is why:", "", "because:", "I can.")


def test_an_attribution_has_at_most_four_lines() -> None:
    lines = ["On Fri, 20 Nov 2026", "a", "b", "c", "d", "wrote:"]
    assert simple(body="\n".join(lines)).typed == tuple(lines)


def test_a_deep_nest_of_parts_is_given_up() -> None:
    def nested(depth: int) -> tuple[str, ...]:
        heads = [f"Content-Type: multipart/mixed; boundary=x{n}x\n" for n in range(depth)]
        inside = "".join(f"--x{n}x\n{heads[n + 1]}\n" for n in range(depth - 1))
        return simple(heads[0], f"{inside}--x{depth - 1}x\n\n5-5s\n").typed

    assert nested(10) == ("5-5s",)
    assert nested(11) == ()
    assert nested(1000) == ()


def test_parts_beyond_the_fiftieth_are_not_read() -> None:
    head = "Content-Type: multipart/mixed; boundary=x\n"
    typed = simple(head, "".join(f"--x\n\nline {n}\n" for n in range(200))).typed
    assert typed[0] == "line 0"
    assert len(typed) <= 51


def test_a_line_that_only_begins_like_the_boundary_parts_nothing() -> None:
    head = "Content-Type: multipart/mixed; boundary=x\n"
    assert simple(head, "--x\n\n5-5s\n--xyz\nmore\n--x--\n").typed == ("5-5s", "--xyz", "more")


@pytest.mark.parametrize(
    ("head", "charset"),
    [
        ("<meta charset=koi8-r>", "koi8-r"),
        ('<META content="text/html; charset=windows-1251" http-equiv="Content-Type">', "cp1251"),
        ('<meta charset="utf-16">', "utf-8"),
    ],
)
def test_a_page_may_say_its_charset_itself(head: str, charset: str) -> None:
    page = f"<html><head>{head}</head><body>привет</body></html>".encode(charset)
    raw = b"Content-Type: text/html\n\n" + page
    assert read(raw, envelope_sender=None, recipient="", own=OWN).typed == ("привет",)


def test_preformatted_html_keeps_its_lines() -> None:
    assert simple("Content-Type: text/html\n", "<pre>5-5s\n  two   blanks</pre>").typed == (
        "5-5s",
        "  two   blanks",
    )


@pytest.mark.parametrize(
    ("page", "typed"),
    [
        (
            '<div style="white-space: pre-wrap">5-5s\nHi\n\nBye</div>',
            ("5-5s", "Hi", "", "Bye"),
        ),
        ("<style>.m {white-space:pre-line}</style><p class=m>5-5s\nHello!</p>", ("5-5s", "Hello!")),
        (
            "<body style='white-space:break-spaces'>5-5s\n<b>Hello</b>\nyou",
            ("5-5s", "Hello", "you"),
        ),
        ('<p style="white-space:pre">5-5s\nHello</p>a\nb', ("5-5s", "Hello", "", "a b")),
        ('<p style="white-space: nowrap">5-5s\nHello</p>', ("5-5s Hello",)),
    ],
)
def test_the_lines_of_a_page_with_kept_white_space_stay_lines(
    page: str, typed: tuple[str, ...]
) -> None:
    """CSS's `white-space`: webmail programs send what was typed in such an element."""
    assert simple("Content-Type: text/html\n", page).typed == typed


def test_broken_html_is_read_as_far_as_it_makes_sense() -> None:
    cases = {
        "5-5s<!-- never closed": ("5-5s",),
        "<script>never closed 5-5s": ("never closed 5-5s",),
        "5-5s<a href='never closed": ("5-5s",),
        "4 < 5 &unknown; &#9999999; &#65;": ("4 < 5 &unknown; \ufffd A",),
        "</blockquote></pre>5-5s": ("5-5s",),
        "<table><tr><td>5-5s</td><td>ha</td></tr></table>": ("5-5s ha",),
    }
    for page, typed in cases.items():
        assert simple("Content-Type: text/html\n", page).typed == typed, page


@each_row(
    "footer",
    [
        "\n--\nThis email was scanned by Example Gateway.\n",
        "\n\n_______________________________________________\nLiars\nhttp://lists.example.org\n",
        "\n\nDisclaimer\nThis email is confidential.\n",
        "\n\n\nScanned by Example\n\nMore words\n",
        "\n\nScanned\n",
        "\n\nConfidential\n",
        "\n\nVirusfree\n\nhttps://gateway.example\n",
    ],
)
@each_row("padding", ["", "="])
@each_row("text", ["dudo", "5-5s\n", "4-2s, große Sache!", "5-5s\nTake that: ha\n"])
def test_a_footer_below_base64_is_not_decoded(text: str, padding: str, footer: str) -> None:
    encoded = b64encode(text.encode()).decode().replace("=", padding)
    encoded = "\n".join(encoded[place : place + 12] for place in range(0, len(encoded), 12))
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
    assert "\n".join(simple(head, encoded + footer).typed) == text.rstrip("\n")


@each_row(
    ("encoded", "text"),
    [
        ("NC0ycw==Confidential", "4-2s"),
        ("NC0ycw=Confidential", "4-2s"),
        ("NC0y\ncw==\nMTIz", "4-2s"),
        ("N=C0ycw==", "4-2s"),
        ("====NC0ycyE=", "4-2s!"),
    ],
)
def test_base64_ends_with_its_padding(encoded: str, text: str) -> None:
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
    assert simple(head, encoded).typed == (text,)


def test_a_quotation_is_introduced_by_the_name_or_address_in_the_settings() -> None:
    """Without a mark, a date or an angle bracket; another name introduces only what is marked."""
    for intro, is_ours in (
        ("Liars of Leeds writes:", True),
        ('"Liars of Leeds" wrote:', True),
        ("LIARS OF LEEDS schrieb:", True),
        (f"{OWN} writes:", True),
        (f"<{OWN}> wrote:", True),
        (f"{OWN.replace('@', '+abcdefghijklmnopqrstuvwx@')} wrote:", True),
        ("Am 20.11.26 um 22:11 schrieb Liars of Leeds", True),
        ("Perudo game server writes:", False),
        ("Liars of Leeds writes a lot, and so:", False),
    ):
        text = f"5-5s\n\n{intro}\n\nBob raised.\n"
        raw = f"From: a@b.example\n\n{text}".encode()
        mail = read(raw, envelope_sender=None, recipient="", own=OWN, own_name="Liars of Leeds")
        assert mail.typed == (("5-5s",) if is_ours else ("5-5s", "", intro, "", "Bob raised."))


def test_a_word_right_below_unpadded_base64_is_not_decoded() -> None:
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
    for text in ("dudo!", "5-5s", "Take that: ha"):
        encoded = b64encode(text.encode()).decode().rstrip("=")
        assert simple(head, f"{encoded}\nScanned\n").typed == (text,)


def test_base64_with_empty_lines_between_is_read_whole() -> None:
    """Line ends of CR CR LF become two."""
    head = "Content-Type: text/plain; charset=utf-8\nContent-Transfer-Encoding: base64\n"
    text = "5-5s\n\n" + "Take that, my friend, and think of it! " * 6 + "The end."
    encoded = b64encode(text.encode()).decode()
    for width in (60, 64, 72, 76):
        lines = [encoded[place : place + width] for place in range(0, len(encoded), width)]
        for footer in ("", "\n\nScanned"):
            typed = simple(head, "\n\n".join(lines) + footer).typed
            assert "\n".join(typed) == text


def test_broken_base64_is_read_as_far_as_it_goes() -> None:
    head = "Content-Transfer-Encoding: BASE64\n"
    for body in ("NS01cw", "NS01cw=", "NS01\n!cw==\n", "NS01cwo=\n-- footer --\n", "NS01cw==A"):
        assert simple(head, body).typed[0] == "5-5s", body


def test_an_unknown_encoding_is_ignored() -> None:
    assert simple("Content-Transfer-Encoding: x-rot13\n").typed == ("5-5s",)


def test_a_signature_ends_a_flowing_paragraph() -> None:
    head = "Content-Type: text/plain; format=flowed\n"
    assert simple(head, "5-5s\nand so \n-- \nAnn\n").typed == ("5-5s", "and so")
    assert simple(head, "> a \n5-5s \n> b \n>> c \n").typed == ("5-5s",)


def test_the_better_part_of_an_alternative_may_be_empty() -> None:
    head = "Content-Type: multipart/alternative; boundary=x\n"
    parts = "--x\n\n \n--x\nContent-Type: text/html\n\n<p>5-5s</p>\n--x\n"
    parts += "Content-Type: text/calendar\n\n1-1s\n--x--\n"
    assert simple(head, parts).typed == ("5-5s",)


def test_the_root_of_related_parts_is_the_text() -> None:
    head = "Content-Type: multipart/related; boundary=x\n"
    assert simple(head, "--x\n\n5-5s\n--x\n\n1-1s\n--x--\n").typed == ("5-5s",)


def test_parts_without_a_boundary_have_no_text() -> None:
    assert simple("Content-Type: multipart/mixed\n", "5-5s\n").typed == ()


def test_a_parameter_may_hold_quotes() -> None:
    head = 'Content-Type: multipart/mixed; x="\\"; boundary=y"; boundary="x\\"y"\n'
    assert simple(head, '--x"y\n\n5-5s\n').typed == ("5-5s",)


def test_a_dividing_line_above_marked_lines_hides_only_those() -> None:
    body = "-------- Original Message --------\n\n> Bob raised.\n\n5-5s\n"
    assert simple(body=body).typed == ("5-5s",)


def test_a_password_with_an_asterisk_stays_as_it_is() -> None:
    line = "perudo move 12 ann se*ret 4-2s and bob's* is*"
    assert simple(body=line).typed == (line,)
