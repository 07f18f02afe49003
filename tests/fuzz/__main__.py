"""`python -m tests.fuzz --count 100000 --seed 1`: many random requests, each with an alarm; what broke is listed.

Every request is made from its own seed, so that `--seed N --count 1` asks a single one again. The requests run in
processes of their own, which may crash or hang without ending the run.
"""

from __future__ import annotations

import argparse
import collections
import multiprocessing
import sys
import time
from random import Random

from tests.fuzz.lines import lines
from tests.fuzz.requests import request
from tests.fuzz.worker import SECONDS, ask


def main() -> int:
    """Run the requests; 1 where a promise was broken."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=1000, help="how many requests")
    parser.add_argument("--seed", type=int, default=1, help="the first seed; each request has the next one")
    parser.add_argument("--show", action="store_true", help="print every request before it is asked")
    parser.add_argument("--doors", action="store_true", help="lines for batch and repl instead")
    asked = parser.parse_args()
    began = time.monotonic()
    answers: collections.Counter[str] = collections.Counter()
    findings: dict[str, int] = {}
    seed, end = asked.seed, asked.seed + asked.count
    while seed < end:
        seed = _some(seed, end, asked, answers, findings)
    print(f"{asked.count:,} requests from seed {asked.seed} in {time.monotonic() - began:.0f} s: "
          f"{', '.join(f'{count:,} {kind}' for kind, count in answers.most_common())}")  # fmt: skip
    print(f"{sum(findings.values()):,} broken promises of {len(findings):,} kinds")
    return 1 if findings else 0


def _some(
    seed: int, end: int, asked: argparse.Namespace, answers: collections.Counter[str], findings: dict[str, int]
) -> int:
    """Ask in a fresh process until it ends, and return the seed to go on from."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=ask, args=(theirs, seed, end, asked.show, asked.doors)
    )
    process.start()
    theirs.close()
    at, waiting = seed, 300.0
    try:
        while at < end:
            if not ours.poll(waiting):
                process.kill()
                _tell(at, f"no answer after {waiting:.0f} s", findings, asked.doors)
                return at + 1
            at, answer, broken = ours.recv()
            waiting = 3.0 * SECONDS
            answers[answer] += 1
            if broken:
                _tell(at, broken, findings, asked.doors)
            at += 1
    except EOFError:
        process.join()
        if process.exitcode == 0:
            return at
        _tell(at, f"the process ended with {process.exitcode}", findings, asked.doors)
        return at + 1
    finally:
        process.join(10)
    return at


def _tell(seed: int, broken: str, findings: dict[str, int], doors: bool) -> None:
    """Print a finding the first times that one of its kind is met."""
    kind = " ".join(broken.split("\n")[-2:])[:90]
    findings[kind] = findings.get(kind, 0) + 1
    if findings[kind] <= 3:
        print(f"seed {seed}: {(lines if doors else request)(Random(seed))}\n    {broken}\n", flush=True)


if __name__ == "__main__":
    sys.exit(main())
