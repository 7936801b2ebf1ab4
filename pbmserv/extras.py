"""Extras of this package: optional dependencies, and how an operator installs them."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def how_to_add(extra: str) -> str:
    """How the operator installs one of our extras: with the pip beside the running Python, if any.

    authres has no pyproject.toml, so some versions of pip warn without --use-pep517.
    """
    beside = Path(sys.prefix, "bin", "pip")
    pip = shlex.quote(str(beside)) if beside.exists() else "pip"
    return (
        f"install the extra {extra} (in the source folder: {pip} install --use-pep517 '.[{extra}]')"
    )
