"""Known vulnerabilities of the packages that are pinned: ``python -m tools.audit``.

It fails where there is one, and not where the database cannot be asked: then it says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SECONDS = 120  # to ask about all packages
# Known to be vulnerable: where nothing is said of it, there is no database, and none is asked about
# the others.
_PROBE = "requests==2.19.0"


def ask(requirements: Path) -> str:
    """pip-audit's report about the versions pinned in a file."""
    command = [sys.executable, "-m", "pip_audit", "--requirement", str(requirements), "--no-deps"]
    options = ["--disable-pip", "--format", "json", "--progress-spinner", "off", "--timeout", "10"]
    done = subprocess.run(
        [*command, *options], capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    return done.stdout


def is_there() -> bool:
    """Whether a database answers that knows vulnerabilities."""
    with tempfile.TemporaryDirectory() as folder:
        probe = Path(folder) / "requirements.txt"
        probe.write_text(_PROBE + "\n", encoding="utf-8")
        return bool(found(ask(probe))[2])


def found(text: str) -> tuple[int, int, list[str]]:
    """How many packages the database knows, how many it was asked about, and a line for each flaw.

    Raises
    ------
    ValueError
        If it is no report of pip-audit.
    """
    asked = json.loads(text)["dependencies"]
    known = [one for one in asked if "vulns" in one]
    lines = [
        f"{one['name']} {one['version']}: {flaw['id']}, fixed in "
        f"{', '.join(flaw['fix_versions']) or 'no version yet'}"
        for one in known
        for flaw in one["vulns"]
    ]
    return len(known), len(asked), lines


def main() -> int:
    """Ask, and say what is known; 1 for a vulnerability."""
    try:
        if not is_there():
            print("Not audited: the database of vulnerabilities cannot be reached from here.")
            return 0
        known, asked, lines = found(ask(ROOT / "tools" / "packaging" / "constraints.txt"))
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        print(f"Not audited: the database of vulnerabilities gave no answer ({error!r:.200}).")
        return 0
    print("\n".join([*lines, f"{len(lines)} known vulnerabilities in {known} of {asked} packages"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
