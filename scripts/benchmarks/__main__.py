"""`scripts/bench`: measure, print a table, and write the figures to a file."""

from __future__ import annotations

import argparse
import json
import os
import platform
import tempfile
from functools import partial
from pathlib import Path
from time import perf_counter

from scripts.benchmarks import (
    command_start,
    hostile,
    latency,
    mail,
    rules,
    scaling,
    storage,
    throughput,
    training,
)
from scripts.benchmarks.figures import Figure, Measure, progress

MEASURES: dict[int | str, Measure] = {
    1: throughput.fsyncs_a_command,
    2: storage.transaction,
    3: throughput.moves_a_second,
    4: throughput.processor_a_move,
    5: scaling.many_boards,
    6: scaling.long_boards,
    7: lambda folder, quick: mail.figures(quick),
    8: command_start.shell_commands,
    9: lambda folder, quick: rules.figures(quick),
    10: storage.bytes_a_move,
    11: throughput.memory,
    12: latency.mail_to_letter,
    14: command_start.received,
    15: throughput.processor_an_answer,
    "read": hostile.figures,
    "training": training.figures,
}
FULL: dict[int | str, Measure] = {
    5: partial(scaling.many_boards, most=scaling.MILLION),
}
"""What measures more with --full."""
NUMBERED = [number for number in MEASURES if isinstance(number, int)]


def main() -> None:
    """Measure the requested figures."""
    asked = _arguments()
    found: list[Figure] = []
    print(f"{platform.python_version()} on {platform.machine()}, {os.cpu_count()} processors")
    print(f"{'':7}{'figure':>10}  {'goal':<9}{'':8}what")
    for number in asked.figures or NUMBERED:
        begun = perf_counter()
        with tempfile.TemporaryDirectory(prefix="pbmserv-bench-", dir=asked.folder) as folder:
            progress(f"figure {number}")
            measure = FULL.get(number, MEASURES[number]) if asked.full else MEASURES[number]
            figures = measure(Path(folder), asked.quick)
        progress("")
        for each in figures:
            print(_line(each))
        print(f"{'':32}({perf_counter() - begun:.0f} s)", flush=True)
        found += figures
    if asked.json:
        figures = [each for each in found if each["goal"]]  # without the additional information
        asked.json.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")


def _line(figure: Figure) -> str:
    value = figure["figure"]
    met = {True: "met", False: "MISSED", None: ""}[figure["met"]]
    if isinstance(value, str):
        return f"{figure['target']:<9}{'':29}{figure['what']}: {value}"
    return f"{figure['target']:<9}{value:>8.3f}  {figure['goal']:<9}{met:8}{figure['what']}"


def _number_or_name(text: str) -> int | str:
    return int(text) if text.isdigit() else text


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="scripts/bench",
        description="How fast the server is, beside yardsticks measured in the same run."
        " Everything takes about ten minutes, and more on a busy machine.",
    )
    parser.add_argument(
        "figures",
        metavar="FIGURE",
        nargs="*",
        type=_number_or_name,
        help=f"one of {', '.join(map(str, MEASURES))}; else all that are numbered",
    )
    parser.add_argument("--json", metavar="FILE", type=Path, help="write the figures there, too")
    parser.add_argument(
        "--quick", action="store_true", help="try everything once at a tiny size; proves no speed"
    )
    parser.add_argument("--full", action="store_true", help="figure 5 with a million boards")
    parser.add_argument(
        "--folder", metavar="DIR", type=Path, help="where to measure: on the disk that matters"
    )
    asked = parser.parse_args()
    unknown = [str(number) for number in asked.figures if number not in MEASURES]
    if unknown:
        parser.error(f"there is no figure {', '.join(unknown)}")
    return asked


if __name__ == "__main__":
    main()
