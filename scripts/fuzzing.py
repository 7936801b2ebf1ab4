"""`scripts/fuzz`: atheris tries to break the laws of `tests/mail/laws.py`, each for a while.

It begins with the emails of the tests and stores inputs with new coverage in `.fuzz/`.  An input
that breaks a law is kept in `tests/mail/crashers`, where a test replays it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from hashlib import sha256
from pathlib import Path

TOP = Path(__file__).parents[1]
TESTS = TOP / "tests" / "mail"
SEEDS = (TESTS / "data", TESTS / "senders", TOP / "tests" / "corpora", TOP / "tests" / "games")
FOUND = TOP / ".fuzz"
CRASHERS = TESTS / "crashers"
LONGEST = 16 * 1024  # bytes of an input; `scripts/bench read` covers slow inputs
SECONDS_FOR_ONE = 10  # then an input counts as one that hangs


def main() -> None:
    """Fuzz the requested law, or all of them in succession."""
    asked = _arguments()
    broken = False
    for name in asked.laws:
        # atheris never returns: each law gets its own process.
        process = multiprocessing.get_context("spawn").Process(
            target=_fuzz, args=(name, asked.seconds)
        )
        process.start()
        process.join()
        broken = _kept(name) or broken
        print(f"fuzz: {name}: {'broken' if process.exitcode else 'holds'}", flush=True)
    sys.exit(1 if broken else 0)


def _arguments() -> argparse.Namespace:
    from tests.mail.laws import LAWS  # noqa: PLC0415 - atheris must come first; an extra

    parser = argparse.ArgumentParser(prog="scripts/fuzz", description=__doc__)
    parser.add_argument("laws", metavar="LAW", nargs="*", help=f"of {', '.join(LAWS)}; else all")
    parser.add_argument("--seconds", type=int, default=60, help="for each law (60)")
    asked = parser.parse_args()
    if unknown := set(asked.laws) - set(LAWS):
        parser.error(f"there is no law {', '.join(sorted(unknown))}")
    asked.laws = asked.laws or list(LAWS)
    return asked


def _fuzz(name: str, seconds: int) -> None:
    import atheris  # noqa: PLC0415 - atheris must come first; an extra

    with atheris.instrument_imports(include=["pbmserv"]):
        from tests.mail.hostile import HOSTILE, HOSTILE_BOUNCES, filled  # noqa: PLC0415 - atheris must come first; an extra
        from tests.mail.laws import LAWS  # noqa: PLC0415 - atheris must come first; an extra

    corpus = FOUND / name
    corpus.mkdir(parents=True, exist_ok=True)
    for head, filling in (HOSTILE | HOSTILE_BOUNCES).values():
        raw = filled(head, filling, LONGEST // 8)
        (corpus / sha256(raw).hexdigest()).write_bytes(raw[:LONGEST])
    for folder in SEEDS:
        for file in folder.rglob("*"):
            if file.suffix in {".eml", ".txt"} and file.stat().st_size <= LONGEST:
                raw = file.read_bytes()
                (corpus / sha256(raw).hexdigest()).write_bytes(raw)
    options = (
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST}",
        f"-timeout={SECONDS_FOR_ONE}",
        f"-artifact_prefix={_prefix(name)}",
        "-verbosity=0",
        "-print_final_stats=1",
    )
    atheris.Setup([sys.argv[0], *options, str(corpus)], LAWS[name])
    atheris.Fuzz()


def _prefix(name: str) -> str:
    return f"{FOUND}/{name}-"


def _kept(name: str) -> bool:
    """Whether inputs that broke the law were found; they are kept for the tests."""
    found = [file for file in FOUND.glob(f"{name}-*") if file.is_file()]
    CRASHERS.mkdir(exist_ok=True)
    for file in found:
        file.rename(CRASHERS / file.name)
    return bool(found)


if __name__ == "__main__":
    main()
