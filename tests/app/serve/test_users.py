"""Signing in with a file of passwords: only with what stands in it now."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.app.serve.serving import Lab, serving
from ucbpe_app.cli import main
from ucbpe_app.serve.lifecycle import Users
from ucbpe_core.errors import InputError

SPOILED = {
    "random bytes": bytes(range(256)),
    "a text": b'"x"',
    "a list": b'["ada"]',
    "a number for a password": b'{"ada": 1}',
    "no password": b'{"ada": ""}',
    "nobody": b"{}",
    "nothing": b"",
    "too deep": b"[" * 100_000,
}


def test_only_who_has_signed_in_is_let_in(tmp_path: Path) -> None:
    users = tmp_path / "users.json"
    users.write_text(json.dumps({"ada": "a pass phrase"}), encoding="utf-8")
    with serving("--basic-auth", str(users)) as lab:
        for _ in range(2):  # the second time there may be a page in memory
            status, headers, page = lab.ask("/")
            assert status == 302
            assert "login" in headers["Location"]
            assert "token" not in page
        assert lab.ask("/ws", Upgrade="websocket", Connection="Upgrade")[0] in (302, 403)
        assert lab.ask("/health")[0] == 200
        assert cookies(lab, "ada", "a guess") == ""
        cookie = cookies(lab, "ada", "a pass phrase")
        status, _, page = lab.ask("/", Cookie=cookie)
        assert status == 200
        assert "token" in page
        forged = re.sub(r'(?<=user=")[^"]{4}|(?<=user=)[^"]{4}', "abcd", cookie)
        assert forged != cookie
        assert lab.ask("/", Cookie=forged)[0] == 302


def cookies(lab: Lab, user: str, password: str) -> str:
    """What the server has a browser remember of who has signed in; "" where it lets nobody in."""
    _, before, page = lab.ask("/login")
    kept = [one.split(";")[0] for one in before.get_all("Set-Cookie") or ()]
    form = {"username": user, "password": password}
    form |= dict(re.findall(r'name="(_xsrf)" value="([^"]+)"', page))
    _, headers, _ = lab.ask(
        "/login",
        urlencode(form),
        "POST",
        Content_Type="application/x-www-form-urlencoded",
        Cookie="; ".join(kept),
    )
    given = [one.split(";")[0] for one in headers.get_all("Set-Cookie") or ()]
    return "; ".join([*kept, *given]) if any(one.startswith("user=") for one in given) else ""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Lab, Path]]:
    users = tmp_path_factory.mktemp("kept") / "users.json"
    users.write_text(json.dumps({"ada": "a pass phrase"}), encoding="utf-8")
    with serving("--basic-auth", str(users)) as lab:
        yield lab, users


def nobody_comes_in(lab: Lab, users: Path) -> None:
    for name in ("ada", "mallory", ""):
        for password in (str(users), str(users.resolve()), "x", '"x"', "a pass phrase", "1", ""):
            assert cookies(lab, name, password) == ""


def test_without_its_file_nobody_signs_in(kept: tuple[Lab, Path]) -> None:
    """Panel alone takes the path of the file for everybody's password then."""
    lab, users = kept
    away = users.rename(users.with_suffix(".away"))
    nobody_comes_in(lab, users)
    users.mkdir()
    nobody_comes_in(lab, users)
    users.rmdir()
    away.rename(users)
    assert cookies(lab, "ada", "a pass phrase")


@pytest.mark.parametrize("content", SPOILED.values(), ids=SPOILED)
def test_a_file_that_is_spoiled_lets_nobody_in(kept: tuple[Lab, Path], content: bytes) -> None:
    lab, users = kept
    before = users.read_bytes()
    users.write_bytes(content)
    nobody_comes_in(lab, users)
    assert lab.ask("/login")[0] == 200
    users.write_bytes(before)
    assert cookies(lab, "ada", "a pass phrase")


def test_another_file_in_its_place_holds_at_once(kept: tuple[Lab, Path]) -> None:
    lab, users = kept
    before = users.read_bytes()
    new = users.with_suffix(".new")
    new.write_text(json.dumps({"bob": "an öther"}), encoding="utf-8-sig")
    new.rename(users)
    assert cookies(lab, "bob", "an öther")
    assert cookies(lab, "ada", "a pass phrase") == ""
    assert cookies(lab, "bob", "a pass phrase") == ""
    users.write_bytes(before)


@pytest.mark.parametrize("content", SPOILED.values(), ids=SPOILED)
def test_a_spoiled_file_is_refused(content: bytes, tmp_path: Path) -> None:
    users = tmp_path / "users.json"
    users.write_bytes(content)
    with pytest.raises(InputError, match="JSON file"):
        Users(users)


@pytest.mark.parametrize("where", [".", "nowhere.json", "/dev/zero"])
def test_what_is_no_file_ends_the_command_in_one_line(
    where: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["app", "--basic-auth", str(tmp_path / where)]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert "expected a JSON file" in line
    assert "no file at" in line
