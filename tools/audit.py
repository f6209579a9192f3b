"""Known vulnerabilities of the packages that are pinned: ``python -m tools.audit``.

It fails where there is one, and not where the database cannot be asked: then it says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
_SECONDS = 120  # to ask about all packages
_COMMAND = (
    sys.executable, "-m", "pip_audit", "--requirement", str(ROOT / "constraints.txt"), "--no-deps",
    "--disable-pip", "--format", "json", "--progress-spinner", "off", "--timeout", "10",
)  # fmt: skip


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
        done = subprocess.run(
            _COMMAND, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
        known, asked, lines = found(done.stdout)
    except (subprocess.TimeoutExpired, ValueError, KeyError, TypeError) as error:
        print(f"Not audited: the database of vulnerabilities gave no answer ({error!r:.200})")
        return 0
    if not known:
        print("Not audited: the database of vulnerabilities was not reached, or knows no package")
        return 0
    print("\n".join([*lines, f"{len(lines)} known vulnerabilities in {known} of {asked} packages"]))
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
