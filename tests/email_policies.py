"""How tests and scripts read and write emails: as `policy.default`, with headers parsed once."""

from __future__ import annotations

from email import policy
from email.headerregistry import HeaderRegistry
from functools import lru_cache


class _Headers(HeaderRegistry):
    """Headers of the same words are parsed once, which is most of the work of an email."""

    __getitem__ = lru_cache(maxsize=4096)(HeaderRegistry.__getitem__)
    __call__ = lru_cache(maxsize=4096)(HeaderRegistry.__call__)


_HEADERS = _Headers()
READ = policy.default.clone(header_factory=_HEADERS)
WRITTEN = policy.SMTP.clone(header_factory=_HEADERS)
