"""Packages of npm that tests use: fetched once, checked, and unpacked in build/npm.

Only where npm is installed; nothing of the project needs them to run. Standard library only.
"""

from __future__ import annotations

import base64
import hashlib
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "build" / "npm"
SECONDS = 120  # for a package of some megabytes

# The versions that the tests pass with, and the SHA-512 of their archives as npm writes it.
PACKAGES = {
    "pyright": (
        "1.1.414",
        "FPZZb51jepDX4eP7TEYDeNFtmE3WgwkkEcJpvH3/QmUSsj0EAy3LXu+xB4T/FWDejtsXlCfFr/rbWFjwuwuXww==",
    ),
}


class NoPackageError(RuntimeError):
    """A package that cannot be had here; the message says why, and what to do."""


def package(name: str) -> Path:
    """The folder of a package of `PACKAGES`, which npm fetches unless it is there already.

    Raises
    ------
    NoPackageError
        Without npm, or a network.
    RuntimeError
        For another archive than the one that is known.
    """
    version, sha512 = PACKAGES[name]
    folder = FOLDER / f"{name}-{version}"
    if folder.is_dir():
        return folder
    npm = shutil.which("npm")
    if npm is None:
        raise NoPackageError(f"expected npm on the PATH for {name}, got none; install Node.js")
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Two workers may come here at once: each unpacks aside, and one of them names the result.
    with tempfile.TemporaryDirectory(dir=FOLDER) as aside:
        command = [npm, "pack", f"{name}@{version}", "--pack-destination", aside, "--silent"]
        try:
            done = subprocess.run(
                command, capture_output=True, text=True, timeout=SECONDS, check=False, cwd=aside
            )
        except subprocess.TimeoutExpired:
            raise NoPackageError(f"npm took longer than {SECONDS} s to fetch {name}") from None
        archives = list(Path(aside).glob("*.tgz"))
        if done.returncode or not archives:
            raise NoPackageError(f"npm could not fetch {name}@{version}: {done.stderr.strip()}")
        got = base64.b64encode(hashlib.sha512(archives[0].read_bytes()).digest()).decode()
        if got != sha512:
            raise RuntimeError(f"expected {name}@{version} with SHA-512 {sha512}, got {got}")
        _unpack(archives[0], Path(aside))
        try:
            (Path(aside) / "package").rename(folder)
        except OSError:
            if not folder.is_dir():
                raise
    return folder


def _unpack(archive: Path, folder: Path) -> None:
    """Write the files of an archive, all of which are in its folder `package`."""
    with tarfile.open(archive) as members:
        for member in members:
            stream = members.extractfile(member) if member.isfile() else None
            if stream is not None and member.name.startswith("package/"):
                target = folder / member.name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(stream.read())
