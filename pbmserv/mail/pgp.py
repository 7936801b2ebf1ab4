"""Unpack clear-signed text (OpenPGP, RFC 9580, 7): the text without its frame and signature.

The signature is not verified: the mail server, a password or a token proves the sender.
"""

from __future__ import annotations

from collections.abc import Sequence

_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
_ARMOR = "-----BEGIN PGP "
_END = "-----END PGP "
_ESCAPED = "- "


def unarmored(lines: Sequence[str]) -> Sequence[str]:
    """The lines without armor; encrypted text and keys are removed."""
    if _ARMOR not in "\n".join(lines):  # most emails end here
        return lines
    out: list[str] = []
    hidden = heading = signed = False
    for line in lines:
        if line.startswith(_SIGNED):
            heading = signed = True
        elif line.startswith(_ARMOR):
            hidden = True
            signed = signed and not line.startswith(_SIGNATURE)
        elif line.startswith(_END):
            hidden = False
        elif heading:
            heading = bool(line.strip())  # "Hash: SHA512", until an empty line
        elif not hidden:
            out.append(line[len(_ESCAPED) :] if signed and line.startswith(_ESCAPED) else line)
    return out
