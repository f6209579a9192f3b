"""The install line that a message names fits to where this project came from."""

import json
from importlib.metadata import PackageNotFoundError

import pytest

from ucbpe_core import extras

SOURCES = [
    (None, "pip install 'ucbpe[app]'"),
    (
        {"url": "file:///home/me/my%20lab", "dir_info": {"editable": True}},
        "pip install -e '/home/me/my lab[app]'",
    ),
    (
        {"url": "file:///home/me/lab", "dir_info": {}},
        "pip install 'ucbpe[app] @ file:///home/me/lab'",
    ),
    (
        {"url": "https://example.org/lab.git", "vcs_info": {"vcs": "git", "commit_id": "a1"}},
        "pip install 'ucbpe[app] @ git+https://example.org/lab.git'",
    ),
    (
        {"url": "https://example.org/ucbpe.whl", "archive_info": {}},
        "pip install 'ucbpe[app] @ https://example.org/ucbpe.whl'",
    ),
]


class Installed:
    def __init__(self, source):
        self.source = source

    def read_text(self, name):
        assert name == "direct_url.json"
        return None if self.source is None else json.dumps(self.source)


@pytest.mark.parametrize(("source", "command"), SOURCES)
def test_the_command_installs_from_where_the_project_came(source, command, monkeypatch):
    monkeypatch.setattr(extras, "distribution", lambda name: Installed(source))
    assert extras.install("app") == command


def test_what_is_not_installed_is_asked_of_an_index(monkeypatch):
    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(extras, "distribution", missing)
    assert extras.install("app") == "pip install 'ucbpe[app]'"
