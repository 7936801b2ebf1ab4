"""Text of an HTML page that its reader cannot see is not read."""

from __future__ import annotations

import pytest

from tests.mail.simple_emails import simple
from tests.rows import each_row


@each_row(
    "style",
    [
        "font-size:0",
        "FONT-SIZE: 0px",
        "color:#fff;font-size: 0.0em",
        "opacity:0",
        "max-height:0; overflow:hidden",
        "font-size:1px",
        "font-size:.01em",
        "display:/* it is */none",
        "display&#58;none",
        "d\\69splay:none",
        "visibility:collapse",
        "text-indent:-9999px",
        "text-indent: -99em",
        "position:absolute;left:-10000px",
        "margin-top:-5000px",
        "height:0;overflow:hidden",
        "width:1px; overflow-x: clip",
        "clip-path:inset(100%)",
        "clip: rect(0 0 0 0)",
        "transform:scale(0)",
        "color:white",
        "COLOR: #FFFFFF",
        "color:transparent",
        "color:rgba(255, 255, 255, 1)",
    ],
)
def test_invisible_text_of_a_page_is_not_read(style: str) -> None:
    """By a tag's own style, or by its class in a style sheet."""
    seen = "<p style='font-size:0.9em;opacity:0.8;line-height:0;text-indent:-18.0pt'>5-5s</p>"
    for page in (
        f"<p style='{style}'>dudo</p>{seen}",
        f"<style>p.x {{{style.replace('&#58;', ':')}}}</style><p class=x>dudo</p>{seen}",
    ):
        assert simple("Content-Type: text/html\n", page).typed == ("5-5s",), page


@each_row(
    ("rule", "tag"),
    [
        (".x{display:none}", "<p class='a x'>"),
        (".X{display:none}", "<p class=x>"),
        ("#x{display:none}", "<p id=x>"),
        ("div p.x.a, h1{display:none}", '<p class="a x">'),
        ("u{display:none}", "<u>"),
        ("*{display:none}", "<u>"),
        ("[title]{display:none}", "<p title='y'>"),
        ("p[title=y]{display:none}", "<p title=y>"),
        (".x:first-child{display:none}", "<p class=x>"),
        ("@media all {.y{color:red} .x{display:none}}", "<p class=x>"),
        ("/* .x{} */ .x{display:none", "<p class=x>"),
        (".y{color:red}</style><style type=a>.x{display:none}", "<p class=x>"),
        ("@media print{.y{top:0}} .x{display:none}", "<p class=x>"),
        ("}@media print{.y{}.z{top:0}} .x{display:none}", "<p class=x>"),
        ("@media print{.y{content:'{'}} .x{display:none}", "<p class=x>"),
        ("@media print</style><style>.x{display:none}", "<p class=x>"),
        ("@media print, screen{.x{display:none}}", "<p class=x>"),
        ("@media all and (prefers-color-scheme: dark) {.x{display:none}}", "<p class=x>"),
        ("@media not print{.x{display:none}}", "<p class=x>"),
        ("</style><style media='print, screen'>.x{display:none}", "<p class=x>"),
        ("@media print{p{background:#000}} .x{color:#fff}", "<p class=x>"),
        ("body{background:#fff} .x{color:transparent}", "<p class=x>"),
        ("body{background:#000} .x{color:#fff;text-indent:-999px}", "<p class=x>"),
    ],
)
def test_text_hidden_by_a_style_sheet_is_not_read(rule: str, tag: str) -> None:
    page = f"{tag}dudo{tag[:2].replace('<', '</')}><style>{rule}</style>"
    head = "" if rule.startswith("*") else "<b>5-5s</b>"
    typed = simple("Content-Type: text/html\n", f"{head}{page}").typed
    assert typed == (("5-5s",) if head else ())


@pytest.mark.parametrize(
    "page",
    [
        "<td bgcolor=black>5-5s</td><p style='color:#fff'>dudo</p>",
        "<td bgcolor=black><td>5-5s</td></td><p style='color:#fff'>dudo</p>",
        "<td bgcolor=black>5-5s<i style='display:none'>dudo</i><i hidden>dudo</i></td>",
        "<td bgcolor=black>5-5s<i style='color:transparent'>dudo</i></td>",
        "<style>.x{display:none}</style><td bgcolor=black>5-5s<i class=x>dudo</i></td>",
        "<i style='display:none;background:#000'>dudo</i>5-5s<p style='color:#fff'>dudo</p>",
        "<img background=a>5-5s<p style='color:#fff'>dudo</p>",
    ],
)
def test_a_background_shows_only_the_white_text_on_it(page: str) -> None:
    assert simple("Content-Type: text/html\n", page).typed == ("5-5s",)


def test_each_of_a_thousand_tags_is_read_by_its_own_class() -> None:
    tags = "".join(f"<i class='a{n}'>dudo</i><i class='b{n}'></i>" for n in range(600))
    rule = ",".join(f"i[class].a{n}" for n in range(100))
    page = f"<style>{rule},i[class]{{display:none}}</style>{tags}<b>5-5s</b>"
    assert simple("Content-Type: text/html\n", page).typed == ("5-5s",)


@pytest.mark.parametrize(("selectors", "typed"), [(1000, ("5-5s",)), (1001, ())])
def test_a_page_that_hides_more_than_a_thousand_selectors_is_not_read(
    selectors: int, typed: tuple[str, ...]
) -> None:
    """No mail program writes so many selectors, and checking each would take too long."""
    rule = ",".join(["a"] * selectors)
    page = f"<style>{rule}{{display:none}}</style><b>5-5s</b>"
    assert simple("Content-Type: text/html\n", page).typed == typed


@each_row(
    "page",
    [
        "<style>.x{display:none}</style><p class=y>5-5s</p>",
        "<style>.x.y{display:none}</style><p class=y>5-5s</p>",
        "<style>p:empty,p:hover{display:none} .y{display:block}</style><p class=y>5-5s</p>",
        "<style>.MsoNormal{margin:0cm;font-size:11.0pt}</style><p class=MsoNormal>5-5s</p>",
        "<p style='color:#fff;background:#000'>5-5s</p>",
        "<p style='color:#ffff00'>5-5s</p>",
        "<p style='width:0;height:10px'>5-5s</p>",
        "<p class='hidden' title='hidden'>5-5s</p>",
        "<body style='background:#000'><p style='color:#fff'>5-5s</p>",
        "<body bgcolor=black><p><font color=white>5-5s</font></p>",
        "<table background=dark.png><tr><td style='color:white'>5-5s</table>",
        "<td bgcolor=navy><table><td></td></table><b style='color:#fff'>5-5s</b></td>",
        "<style>.x{color:#fff}</style><td bgcolor=#333333><p class=x>5-5s</p></td>",
        "<style>body{background:#000} .x{color:#fff}</style><p class=x>5-5s</p>",
        "<style>.x{color:#fff}</style><style>p{background:#000}</style><p class=x>5-5s</p>",
        "<style>td{background-color:#222}</style><p style='color:#fff'>5-5s</p>",
        "<style>@media print{.x{display:none} .y{top:0}}</style><p class=x>5-5s</p>",
        "<style>@media print{.y{top:0} .x{display:none}}</style><p class=x>5-5s</p>",
        "<style>@import 'a'; @MEDIA print{@media all{.x{display:none}}}</style><p class=x>5-5s</p>",
        "<style>@media (prefers-color-scheme: dark) {p{color:#fff}}</style><p>5-5s</p>",
        "<style media=print>p{display:none}</style><p>5-5s</p>",
        "<style>,:root,p >{display:none}</style><p>5-5s</p>",
    ],
)
def test_visible_text_of_a_page_is_read(page: str) -> None:
    assert simple("Content-Type: text/html\n", page).typed == ("5-5s",)
