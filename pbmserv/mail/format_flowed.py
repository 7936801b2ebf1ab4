"""Join the lines of `format=flowed` text (RFC 3676) into paragraphs."""

from __future__ import annotations

from collections.abc import Iterable


def unflowed(lines: Iterable[str], deleting_space: bool) -> list[str]:
    """Join flowed lines of the same quote depth; `deleting_space` is the parameter DelSp=yes.

    Quoted lines are returned as `> …` again, one mark for each level.
    """
    out: list[str] = []
    paragraph: list[str] = []
    paragraph_depth = 0
    for line in lines:
        if not paragraph and not line.startswith((" ", ">")) and not line.endswith(" "):
            out.append(line)  # it is a paragraph, as most lines are
            continue
        text = line.lstrip(">")
        depth = len(line) - len(text)
        if text.startswith(" "):  # space-stuffed (4.4)
            text = text[1:]
        if paragraph and depth != paragraph_depth:
            out.append(_marked(paragraph, paragraph_depth))
            paragraph = []
        flows = text.endswith(" ") and text != "-- "  # the line of a signature never flows (4.3)
        if flows and deleting_space:
            text = text[:-1]
        if text == "-- " and paragraph:
            out.append(_marked(paragraph, paragraph_depth))
            paragraph = []
        paragraph.append(text)
        paragraph_depth = depth
        if not flows:
            out.append(_marked(paragraph, depth))
            paragraph = []
    if paragraph:
        out.append(_marked(paragraph, paragraph_depth))
    return out


def _marked(paragraph: list[str], depth: int) -> str:
    text = "".join(paragraph)
    return ">" * depth + " " + text if depth else text
