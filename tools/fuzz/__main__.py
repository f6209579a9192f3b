"""Fuzz the readers and the public functions, guided by coverage: needs `pip install '.[fuzz]'`.

    python -m tools.fuzz --seconds 600              # every target, one after the other
    python -m tools.fuzz lesson table_csv           # these

What is found is written to build/fuzz, each failure once and with its traceback; the run goes on,
and ends with status 1. `--keep` adds inputs that reached further lines to the corpus in
tests/data/fuzz, which the tests replay, as far as there is room: 4 kB a target.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from pathlib import Path

# Modules are instrumented as they are imported: nothing else may import them before.
from tools.fuzz.engine import CORPUS, TARGETS, chosen, corpus, fuzz, keep

BUILD = Path("build") / "fuzz"
_LONGEST, _SLOWEST, _MEMORY = 4096, 60, 3000  # bytes of an input, seconds for one, MB
_EXECUTED = re.compile(r"stat::number_of_executed_units:\s*(\d+)")


def main() -> int:
    """Read the command line and do what it says."""
    how = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("python -m tools.fuzz", None, __doc__, formatter_class=how)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(TARGETS))
    parser.add_argument("--seconds", type=int, default=120, metavar="S", help="for each target")
    parser.add_argument("--keep", action="store_true", help="add to the corpus")
    arguments = parser.parse_args()
    unknown = set(arguments.targets) - set(TARGETS)
    if unknown:
        parser.error(f"expected targets among {', '.join(TARGETS)}; got {', '.join(unknown)}")
    found = False
    for name in arguments.targets or TARGETS:
        found |= _one(name, arguments.seconds)
        if arguments.keep:
            inputs = [path.read_bytes() for path in sorted((BUILD / name / "inputs").iterdir())]
            keep(name, chosen(name, inputs))
    return int(found)


def _one(name: str, seconds: int) -> bool:
    """Fuzz one target in a process of its own; whether anything was found."""
    inputs, findings = BUILD / name / "inputs", BUILD / name / "findings"
    for folder in (inputs, findings):
        folder.mkdir(parents=True, exist_ok=True)
    before = set(findings.iterdir())
    for number, data in enumerate([*corpus(name), *_documents(name)]):
        (inputs / f"kept-{number}").write_bytes(data)
    log = BUILD / name / "log"
    child = os.fork()
    if child == 0:
        with log.open("wb") as file:
            os.dup2(file.fileno(), 1)
            os.dup2(file.fileno(), 2)
        options = [
            f"-max_total_time={seconds}", f"-max_len={_LONGEST}", f"-timeout={_SLOWEST}",
            f"-rss_limit_mb={_MEMORY}", f"-artifact_prefix={findings}/", "-print_final_stats=1",
            f"-report_slow_units={_SLOWEST}",
        ]  # fmt: skip
        fuzz(name, findings, [str(inputs), *options])
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    executed = _EXECUTED.search(log.read_text(errors="replace"))
    runs = executed[1] if executed else "an unknown number of"
    new = sorted(path.name for path in set(findings.iterdir()) - before)
    ended = f", ended with status {status}: see {log}" if status else ""
    told = ", ".join(new) or "nothing"
    print(f"{name}: {runs} executions in {seconds} s{ended}; found: {told}", flush=True)
    return bool(new or status)


def _documents(name: str) -> list[bytes]:
    """A whole document, to begin with beside the corpus."""
    path = CORPUS / "seeds" / f"{name.removesuffix('_json').removesuffix('_toml')}.json"
    return [path.read_bytes()] if path.exists() else []


if __name__ == "__main__":
    sys.exit(main())
