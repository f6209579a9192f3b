"""Find a Chromium for the browser tests, and with ``--install`` get one if there is none.

``python tools/chromium.py --install`` prints the path of a Chromium that starts, with ``--whole``
of one with windows; what it does meanwhile goes to the standard error. The tests call :func:`find`,
which installs nothing unless it is asked to. Standard library only: it runs before anything else
is known to work.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

VARIABLE = "UCBPE_CHROMIUM"
# Debian's without windows comes first: it opens a page with half the work. It has no full screen
# and reads no preferences, which some of the slow tests need.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome")
APT_PACKAGES = ("chromium-headless-shell", "chromium")  # the first that there is
FONT = "fonts-dejavu-core"  # without one, Chromium draws no text
START_SECONDS = 60  # a first start from a cold disk takes a few seconds
INSTALL_SECONDS = 900
SHOWN_LINES = 12


class NoChromiumError(RuntimeError):
    """There is no Chromium that starts; the message says what was tried and what to do."""


def find(*, install: bool = False, whole: bool = False) -> Path:
    """Return the path of a Chromium that starts.

    Looks at the environment variable ``UCBPE_CHROMIUM``, then on the PATH, then at Playwright's
    own; with `whole`, at none without windows. With `install`, then installs one by apt-get (as
    root), else by Playwright.

    Raises
    ------
    NoChromiumError
        None was found that starts; or ``UCBPE_CHROMIUM`` names one that does not.
    """
    named = os.environ.get(VARIABLE)
    if named:
        # What the user names is used or refused: a silent substitute would hide a typing error.
        if starts(Path(named)):
            return Path(named)
        raise NoChromiumError(
            f"expected {VARIABLE} to name a Chromium that starts, got {named!r}; "
            f"correct it, or unset it to have one looked for"
        )
    for candidate in _candidates(install=install, whole=whole):
        if starts(candidate):
            return candidate
        _say(f"{candidate} is there but does not start")
    remedy = "" if install else "run `make test` or `python tools/chromium.py --install`, or "
    raise NoChromiumError(
        f"expected a Chromium that starts, got none ({', '.join(NAMES)} on the PATH, Playwright's"
        f"{', apt-get install, playwright install' if install else ''}); "
        f"{remedy}install Chromium by hand and set {VARIABLE} to its path"
    )


def starts(executable: Path) -> bool:
    """Whether `executable` runs: Ubuntu's ``chromium-browser``, say, can be a mere signpost."""
    try:
        return _run([str(executable), "--version"], START_SECONDS) == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _candidates(*, install: bool, whole: bool) -> Iterator[Path]:
    """Yield what may be a Chromium, the cheapest way first."""
    names, packages = NAMES[whole:], APT_PACKAGES[whole:]
    yield from _on_path(names)
    yield from _playwrights_own()
    if install:
        if _apt_get_install(packages):
            yield from _on_path(names)
        if _playwright_install():
            yield from _playwrights_own()


def _on_path(names: Iterable[str]) -> Iterator[Path]:
    for name in names:
        found = shutil.which(name)
        if found:
            yield Path(found)


def _playwrights_own() -> Iterator[Path]:
    """Ask in another process: Playwright refuses a second instance in one that has a loop."""
    code = (
        "from playwright.sync_api import sync_playwright\n"
        "with sync_playwright() as playwright: print(playwright.chromium.executable_path)"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=START_SECONDS,
        check=False,
    )
    path = Path(answer.stdout.strip())
    if answer.returncode == 0 and path.is_file():
        yield path


def _apt_get_install(packages: Iterable[str]) -> bool:
    if not shutil.which("apt-get") or os.geteuid() != 0:
        return False
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    if _run(["apt-get", "update", "-qq"], INSTALL_SECONDS, quiet) != 0:
        return False
    for package in packages:
        _say(f"installing {package} and {FONT} by apt-get")
        command = ["apt-get", "install", "-qq", "-y", "--no-install-recommends", package, FONT]
        if _run(command, INSTALL_SECONDS, quiet) == 0:
            return True
    return False


def _playwright_install() -> bool:
    _say("installing Playwright's own Chromium")
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    return _run(command, INSTALL_SECONDS) == 0


def _run(command: list[str], seconds: float, env: dict[str, str] | None = None) -> int:
    """Run `command` and return its exit code; show the end of what it said if it failed."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=seconds,
        env=env,
        check=False,
    )
    if done.returncode != 0:
        said = "\n".join(done.stdout.splitlines()[-SHOWN_LINES:])
        _say(f"`{' '.join(command)}` failed with exit code {done.returncode}:\n{said}")
    return done.returncode


def _say(text: str) -> None:
    print(f"chromium: {text}", file=sys.stderr)


def main() -> int:
    """Print the path of a Chromium; 1 if there is none."""
    parser = argparse.ArgumentParser(description="Find a Chromium that starts; print its path.")
    parser.add_argument("--install", action="store_true", help="get one if there is none")
    parser.add_argument("--whole", action="store_true", help="one with windows")
    given = parser.parse_args()
    try:
        print(find(install=given.install, whole=given.whole))
    except NoChromiumError as error:
        _say(str(error))
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
