"""Abalone: the table, the three ways to it, and what is said when none works.

The table itself is UCI's, found by `runs.abalone_file` in `../shared/data` beside the checkout
or in the folder that UCBPE_DATA_DIR names; tests that need it are skipped without it. Downloads
come from a server on this machine; nothing here asks the network.
"""

from __future__ import annotations

import csv
import logging
import shutil
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import numpy as np
import pooch
import pytest

from ucbpe_core import InputError, problems
from ucbpe_core.problems.abalone import (
    DATA_DIR,
    DOWNLOADS,
    FILE_NAME,
    SHA256,
    URL,
    abalone,
    download,
)

from .runs import abalone_file

WAYS = ("path=", "UCBPE_DATA_DIR", "network", URL)


@pytest.fixture(autouse=True)
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy between a test and its own server; no report of each download, which is allowed."""
    monkeypatch.delenv(DOWNLOADS, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    monkeypatch.setattr(pooch.get_logger(), "level", logging.ERROR)


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, counts what it was asked for and stays silent."""

    asked: ClassVar[Counter[str]] = Counter()

    def log_message(self, *_: object) -> None:
        self.asked[self.path] += 1


@pytest.fixture
def server(tmp_path: Path) -> Iterator[tuple[Path, str]]:
    """A folder, and the address at which it is served."""
    folder = tmp_path / "served"
    folder.mkdir()
    Handler.asked.clear()
    web = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    thread = threading.Thread(target=web.serve_forever, args=(0.01,))
    thread.start()
    yield folder, f"http://127.0.0.1:{web.server_port}/{FILE_NAME}"
    web.shutdown()
    thread.join()
    web.server_close()


def test_the_table() -> None:
    """4177 rows of eight inputs, M, F, I = -1, 0, 1, whole rings, and one oldest specimen."""
    path = abalone_file()
    problem = abalone(path)
    assert path.stat().st_size == 191_873
    assert problem.candidates.shape == (4177, 8)
    with path.open() as lines:
        rows = list(csv.reader(lines))
    sexes = {"M": -1, "F": 0, "I": 1}
    expected = [[sexes[row[0]], *map(float, row[1:])] for row in rows]
    np.testing.assert_array_equal(problem.candidates, [row[:-1] for row in expected])
    np.testing.assert_array_equal(problem.values, [row[-1] for row in expected])
    assert (problem.values == np.round(problem.values)).all()
    assert problem.unique
    assert problem.optimum == 29
    assert problem.noise_variance == 0
    assert problem.axes[1] == "length (200 mm)"
    # The largest specimens measure about 16 cm: the unit of the lengths is 200 mm.
    assert 150 < 200 * problem.candidates[:, 1].max() < 170


def test_an_argument_goes_before_the_environment(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By str or Path; the environment's folder counts when there is no argument."""
    path = abalone_file()
    monkeypatch.setenv(DATA_DIR, str(tmp_path))
    assert abalone(str(path)).optimum == abalone(path).optimum == 29
    with pytest.raises(InputError, match=str(tmp_path)):
        abalone()
    shutil.copy(path, tmp_path / FILE_NAME)
    assert len(problems.PROBLEMS["abalone"]().values) == 4177


@pytest.mark.parametrize("place", ["argument", "environment", "folder"])
def test_a_missing_file(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Named, with every way out; a folder is not a file."""
    monkeypatch.setenv(DATA_DIR, str(tmp_path / "nowhere"))
    paths = {"argument": tmp_path / "none.csv", "environment": None, "folder": tmp_path}
    with pytest.raises(InputError) as refusal:
        abalone(paths[place])
    assert str(paths[place] or tmp_path / "nowhere" / FILE_NAME) in str(refusal.value)
    assert all(way in refusal.value.remedy for way in WAYS)


def test_a_wrong_file(tmp_path: Path) -> None:
    """One byte is enough; the error says the hash expected, the hash got and what to do."""
    wrong = tmp_path / FILE_NAME
    wrong.write_bytes(abalone_file().read_bytes()[:-1])
    with pytest.raises(InputError) as refusal:
        abalone(wrong)
    assert SHA256 in refusal.value.expected
    assert "191872 bytes" in refusal.value.got
    assert len(refusal.value.got.split()[-1]) == 64
    assert "unchanged file" in refusal.value.remedy
    assert all(way in refusal.value.remedy for way in WAYS)


def test_without_argument_or_environment_the_cache_is_asked(
    server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The whole third way, with the archive replaced by a server here; "" is no folder.

    A download happens once, and again where the file was spoilt.
    """
    (served, url), content = server, abalone_file().read_bytes()
    (served / FILE_NAME).write_bytes(content)
    monkeypatch.setenv(DATA_DIR, "")
    monkeypatch.setattr(pooch, "os_cache", lambda project: tmp_path / project)
    monkeypatch.setattr(download, "__defaults__", (url, None))
    cached = tmp_path / "ucbpe" / FILE_NAME
    for asked in (1, 1, 2):
        if asked == 2:
            cached.write_text("spoilt")
        assert abalone().optimum == 29
        assert cached.read_bytes() == content
        assert Handler.asked[f"/{FILE_NAME}"] == asked


def test_a_wrong_download_is_not_kept(server: tuple[Path, str], tmp_path: Path) -> None:
    """Both hashes in the error, nothing in the cache."""
    (served, url), cache = server, tmp_path / "cache"
    (served / FILE_NAME).write_text("<html>please log in</html>")
    with pytest.raises(InputError, match=f"SHA-256 {SHA256}; got .*got [0-9a-f]{{64}}") as refusal:
        download(url, cache)
    assert all(way in refusal.value.remedy for way in WAYS)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("setting", ["no", ""])
def test_where_downloads_are_not_allowed_nobody_is_asked(
    setting: str, server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says what can be done, and what was fetched before is used."""
    (served, url), cache = server, tmp_path / "cache"
    (served / FILE_NAME).write_text("never read")
    monkeypatch.setenv(DOWNLOADS, setting)
    with pytest.raises(InputError, match=r"abalone\.data on this machine") as refusal:
        download(url, cache)
    assert not Handler.asked
    assert not cache.exists()
    for way in (DATA_DIR, "problems.abalone()", "--allow-downloads"):
        assert way in refusal.value.remedy
    cache.mkdir()
    (cache / FILE_NAME).write_text("fetched before")
    assert download(url, cache) == cache / FILE_NAME
    assert not Handler.asked


@pytest.mark.parametrize("fault", ["no network", "no file", "no folder"])
def test_a_download_that_fails(
    fault: str, server: tuple[Path, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The error says why, and every way out; "yes" allows what is tried."""
    monkeypatch.setenv(DOWNLOADS, "yes")
    cache, url = tmp_path / "cache", server[1]
    if fault == "no network":  # nobody listens there
        url = f"http://127.0.0.1:1/{FILE_NAME}"
    if fault == "no folder":
        (server[0] / FILE_NAME).write_text("never read")
        cache.write_text("a file, not a folder")
    why = {"no network": "ConnectionError", "no file": "404", "no folder": "cache"}[fault]
    wanted = rf"a local abalone\.data or a network; .*a download that failed .*{why}.*; pass path="
    with pytest.raises(InputError, match=wanted):
        download(url, cache)
