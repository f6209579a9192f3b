"""What takes more than two minutes: ``python -m tools.soak [NAME ..]``, each part after the other.

A part that fails does not keep the others from running. At the end is a line for each.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
_TEST = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "slow or not slow")
_EXAMPLES = "10000"  # of generated data
_FUZZING = "600"  # s a target

# Each is what the command of the same line in RELIABILITY.md runs.
PARTS: dict[str, tuple[str, ...]] = {
    "numerics": (*_TEST, "tests/core/test_hostile_data.py", "tests/core/test_conditioning.py"),
    "kills": (*_TEST, "tests/core/test_killed.py"),
    "engine": (*_TEST, "tests/core/study", "tests/app/pages/study/jobs"),
    "strangers": (*_TEST, "tests/app/server", "tests/browser/test_sessions.py"),
    "browser": (*_TEST, "tests/browser"),
    "fuzz": ("make", "-s", "fuzz", f"SECONDS={_FUZZING}"),
    "load": (sys.executable, "-m", "benchmarks.load"),
}


def main() -> int:
    """Run the parts that are named, or all; 1 if one failed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", metavar="NAME", help=f"of {', '.join(PARTS)}")
    named = parser.parse_args().parts or list(PARTS)
    if unknown := sorted(set(named) - set(PARTS)):
        parser.error(f"expected some of {', '.join(PARTS)}; got {', '.join(unknown)}")
    said, failed = [], False
    for name in named:
        print(f"== {name}: {' '.join(PARTS[name])}", flush=True)
        began = time.monotonic()
        code = subprocess.run(
            PARTS[name], cwd=ROOT, env={**os.environ, "UCBPE_EXAMPLES": _EXAMPLES}, check=False
        ).returncode
        minutes = (time.monotonic() - began) / 60
        failed = failed or code != 0
        said.append(f"{'failed' if code else 'passed':8} {name:10} {minutes:6.1f} min")
    print("\n".join(["==", *said]))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
