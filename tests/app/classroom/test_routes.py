"""What phones, and strangers, can ask of a server that has classes; and one that has none."""

from __future__ import annotations

import gzip
import http.client
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app.classroom.test_room import ASKED, KEY
from tests.app.serve.serving import SECONDS, Lab, free_port, serving
from ucbpe_app.classroom.store import UNUSED, Rooms
from ucbpe_app.cli import main

JSON = {"Content_Type": "application/json"}
NAMED = "lab.example.org"
JOIN = json.dumps({"key": KEY})


class School(Lab):
    """A server with its rooms, which the test changes as another process of it would."""

    def __init__(self, lab: Lab, folder: Path, prefix: str = "") -> None:
        super().__init__(lab.port, lab.process)
        (self.file,) = folder.glob("ucbpe-class-*.sqlite")
        self.rooms, self.prefix = Rooms(self.file), prefix

    def open(self) -> str:
        return self.rooms.open(time.time())[0].code

    def get(self, path: str, **headers: str) -> tuple[int, Any]:
        status, _, text = self.ask(f"{self.prefix}/class{path}", **headers)
        return status, json.loads(text) if text else None

    def post(self, path: str, body: object, **headers: str) -> tuple[int, Any]:
        text = body if isinstance(body, str) else json.dumps(body)
        status, _, said = self.ask(f"{self.prefix}/class{path}", text, "POST", **(JSON | headers))
        return status, json.loads(said)

    def answer(self, code: str, value: object, number: object = 1, vote: object = 1) -> Any:
        sent = {"key": KEY, "round": number, "vote": vote, "value": value}
        return self.post(f"/{code}/answer", sent)


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[School]:
    folder = tmp_path_factory.mktemp("school")
    options = ("--class", "--allow-websocket-origin", NAMED)
    with serving(*options, TMPDIR=str(folder)) as lab:
        made = School(lab, folder)
        yield made
        made.rooms.close()


@pytest.fixture
def code(school: School) -> Iterator[str]:
    made = school.open()
    yield made
    school.rooms.sweep(time.time() + 2 * UNUSED)


def test_a_round_of_one_phone(school: School, code: str) -> None:
    rooms = school.rooms
    status, joined = school.post(f"/{code.lower()}/join", {"key": KEY})
    assert (status, joined["stage"], joined["phone"]["number"]) == (200, "waiting", 1)
    where = f"/{code}/state?key={quote(KEY)}"
    assert school.get(f"{where}&seen={joined['version']}") == (304, None)
    name = rooms.put(code, {"x": [1.5, 2.5]})
    rooms.change(code, lambda room: room.ask(ASKED, time.time()))
    status, view = school.get(f"{where}&seen={joined['version']}")
    assert (status, view["stage"], view["round"], view["yours"]) == (200, "open", 1, None)
    status, view = school.answer(code, 3)
    assert (status, view["yours"], view["answered"]) == (200, 3, 1)
    assert school.answer(code, 3) == (status, view)  # again: nothing has changed
    rooms.change(code, lambda room: room.close(time.time()))
    status, refused = school.answer(code, 4)
    assert (status, "expected a round that is open" in refused["error"]) == (409, True)
    rooms.change(code, lambda room: room.reveal(name, (0, 10, 20, 30, 40), "Half.", time.time()))
    status, view = school.get(where)
    assert (view["stage"], view["moment"], view["won"]) == ("revealed", name, 30)
    assert (view["yours"], view["points"], view["sentence"]) == (3, 30, "Half.")


def test_a_moment_is_sent_compressed_and_kept_by_the_browser(school: School, code: str) -> None:
    name = school.rooms.put(code, {"x": [1.5, 2.5]})
    connection = http.client.HTTPConnection("127.0.0.1", school.port, timeout=SECONDS)
    connection.request("GET", f"/class/{code}/moment/{name}")
    answer = connection.getresponse()
    data = answer.read()
    connection.close()
    assert json.loads(gzip.decompress(data)) == {"x": [1.5, 2.5]}
    assert answer.headers["Content-Encoding"] == "gzip"
    assert answer.headers["Content-Type"] == "application/json"
    assert "immutable" in answer.headers["Cache-Control"]
    other = school.open()
    for path in (f"/{other}/moment/{name}", f"/{code}/moment/{name[:-1]}", f"/{code}/moment/x"):
        assert school.get(path)[0] == 404


def test_answers_that_do_not_count(school: School, code: str) -> None:
    """Out of range, of another round or vote, of another room, of no phone, or of another kind."""
    other = school.open()
    school.post(f"/{code}/join", {"key": KEY})
    for room in (code, other):
        school.rooms.change(room, lambda room: room.ask(ASKED, time.time()))
    for sent, status in [
        ((code, 5), 409),
        ((code, -1), 409),
        ((code, 10**400), 409),
        ((code, 3, 2), 409),
        ((code, 3, 0), 409),
        ((code, 3, 1, 2), 409),
        ((other, 3), 409),
        (("CCCC", 3), 404),
        ((code, "3"), 400),
        ((code, 3.0), 400),
        ((code, None), 400),
        ((code, True), 400),
        ((code, 3, [1]), 400),
    ]:
        answered, said = school.answer(*sent)
        assert (answered, list(said)) == (status, ["error"]), sent
    for room in (code, other):
        found = school.rooms.find(room)
        assert found is not None
        assert found.answered == 0


def test_a_phone_that_floods_is_held_back(school: School, code: str) -> None:
    school.post(f"/{code}/join", {"key": KEY})
    before = school.rooms.change(code, lambda room: room.ask(ASKED, time.time()))
    began = time.monotonic()
    said = [school.answer(code, number % 2) for number in range(60)]
    seconds = time.monotonic() - began
    after = school.rooms.find(code)
    assert after is not None
    # Ten in every second that it took; what is the same as before is no change.
    assert after.version - before.version <= 10 * (seconds + 1)
    refused = [body["error"] for status, body in said if status == 409]
    assert all("at most 10 answers a second" in error for error in refused)


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        ("{}", {}, 400),
        ("[]", {}, 400),
        ('"key"', {}, 400),
        ("{", {}, 400),
        ("[" * 900, {}, 400),
        ('{"key": 3}', {}, 400),
        ('{"key": "short"}', {}, 409),
        (json.dumps({"key": "x" * 65}), {}, 409),
        ("\ud800".encode("utf-8", "surrogatepass"), {}, 400),
        ('{"key": "\\ud800 is half a letter"}', {}, 200),
        (json.dumps({"key": KEY, "more": "x" * 1000}), {}, 413),
        (JOIN, {"Content_Type": "text/plain"}, 415),
        (JOIN, {"Content_Type": ""}, 415),
        (JOIN, {"Content_Type": "Application/JSON; charset=utf-8"}, 200),
    ],
)
def test_what_a_phone_may_send(
    school: School, code: str, body: str | bytes, headers: dict[str, str], status: int
) -> None:
    named = {name.replace("_", "-"): value for name, value in (JSON | headers).items()}
    connection = http.client.HTTPConnection("127.0.0.1", school.port, timeout=SECONDS)
    connection.request("POST", f"/class/{code}/join", body, named)
    answer = connection.getresponse()
    said = json.loads(answer.read())
    connection.close()
    assert (answer.status, "error" in said) == (status, status != 200)
    assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize(
    ("host", "origin", "status"),
    [
        ("127.0.0.1", "http://127.0.0.1", 200),
        ("192.168.1.7:5006", "http://192.168.1.7:5006", 200),
        (NAMED, f"https://{NAMED}", 200),  # behind a proxy
        ("127.0.0.1", "http://evil.example", 403),
        ("127.0.0.1", f"http://{NAMED}", 403),
        ("127.0.0.1", "null", 403),
        ("127.0.0.1", "http://[", 403),
        ("127.0.0.1", "", 403),
        ("evil.example", "http://evil.example", 403),
    ],
)
def test_pages_elsewhere_do_not_answer(
    school: School, code: str, host: str, origin: str, status: int
) -> None:
    asked = school.ask(f"/class/{code}/join", JOIN, "POST", host=host, Origin=origin, **JSON)
    assert asked[0] == status
    assert "Access-Control-Allow-Origin" not in asked[1]
    found = school.rooms.find(code)
    assert found is not None
    assert found.joined == (status == 200)


def test_other_methods_and_paths_are_not_there(school: School, code: str) -> None:
    for method in ("GET", "HEAD", "PUT", "DELETE", "OPTIONS", "PATCH"):
        assert school.ask(f"/class/{code}/join", method=method)[0] == 405
    assert school.ask(f"/class/{code}/state", "{}", "POST", **JSON)[0] == 405
    for path in ("/class/AB1D", "/class/AB/CD", f"/class/{code}/reveal", "/classes"):
        assert school.ask(path)[0] == 404
    assert school.ask(f"/class/{code}/state", host="evil.example")[0] == 403
    assert school.ask(f"/class/{code}/state?bokeh-session-id=x")[0] == 403


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/?#"), max_size=30)


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(["join", "answer", "state", "moment/x", ""]) | texts,
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys(("key", "round", "vote", "value"), anything | st.just(KEY))
    )
    | anything,
    st.sampled_from(["POST", "GET"]),
    st.none() | texts,
)
def test_nothing_that_is_sent_is_an_error_of_the_server(
    school: School, path: str, body: object, method: str, code: str | None
) -> None:
    room = school.open() if code is None else code
    where = quote(f"/class/{room}/{path}?key={KEY}", safe="/?=")
    status, headers, text = school.ask(where, json.dumps(body), method, **JSON)
    assert status in (200, 304, 400, 404, 405, 409, 413), (status, text)
    if status >= 400 and headers["Content-Type"].startswith("application/json"):
        assert list(json.loads(text)) == ["error"]
    school.rooms.sweep(time.time() + 2 * UNUSED)


def test_the_page_of_a_phone_runs_its_own_scripts_alone(school: School) -> None:
    for path in ("/class", "/class/", "/class/KRTM", "/class/krtm"):
        connection = http.client.HTTPConnection("127.0.0.1", school.port, timeout=SECONDS)
        connection.request("GET", path)
        answer = connection.getresponse()
        data = answer.read()
        connection.close()
        policy = answer.headers["Content-Security-Policy"]
        assert (answer.status, answer.headers["Content-Encoding"]) == (200, "gzip")
        assert "'sha256-" in policy
        assert "nonce" not in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
        assert "Script-Hashes" not in answer.headers
        assert len(data) < 1_500_000
        assert b"<html" in gzip.decompress(data)


def test_a_server_without_classes_has_none_of_it(tmp_path: Path) -> None:
    with serving("--no-class", TMPDIR=str(tmp_path)) as lab:
        assert list(tmp_path.glob("ucbpe-class-*")) == []
        for path in ("/class", "/class/KRTM", "/class/KRTM/state"):
            assert lab.ask(path)[0] == 404
        assert lab.ask("/class/KRTM/join", JOIN, "POST", **JSON)[0] == 404


@pytest.mark.slow
def test_a_server_with_a_prefix_has_its_classes_there(tmp_path: Path) -> None:
    with serving("--prefix", "/lab", TMPDIR=str(tmp_path)) as lab:
        school = School(lab, tmp_path, "/lab")
        code = school.open()
        assert school.post(f"/{code}/join", {"key": KEY})[0] == 200
        assert lab.ask(f"/class/{code}/state")[0] == 404
        school.rooms.close()


def test_classes_and_signing_in_do_not_go_together(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    users = tmp_path / "users.json"
    users.write_text('{"ada": "a password"}')
    options = ["app", "--port", str(free_port()), "--class", "--basic-auth", str(users)]
    assert main(options) == 2
    assert "expected --class where nobody signs in" in capsys.readouterr().err


@pytest.mark.parametrize("processes", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_file_ends_with_the_server(processes: int, tmp_path: Path) -> None:
    with serving("--class", "--num-procs", str(processes), TMPDIR=str(tmp_path)) as lab:
        assert len(list(tmp_path.glob("ucbpe-class-*.sqlite"))) == 1
        lab.ask("/class/KRTM/state")
        lab.process.send_signal(signal.SIGTERM)
        assert lab.process.wait(SECONDS) == 0
        assert lab.process.stdout is not None
        said = lab.process.stdout.read().splitlines()
    assert list(tmp_path.glob("ucbpe-class-*")) == []
    assert said[0] == f"GP-UCB-PE laboratory: http://0.0.0.0:{lab.port}"
    joined = [line.removeprefix("A class joins at: http://") for line in said[1:]]
    assert all(line.endswith(f":{lab.port}/class") for line in joined)
    assert not any(line.startswith("127.") for line in joined)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="finds workers as Linux does")
def test_a_process_that_is_killed_in_a_round_loses_no_answer(tmp_path: Path) -> None:
    keys = [f"the key of phone {number}" for number in range(20)]
    with serving("--num-procs", "2", TMPDIR=str(tmp_path)) as lab:
        school = School(lab, tmp_path)
        code = school.open()
        school.rooms.change(code, lambda room: room.ask(ASKED, time.time()))
        parent = lab.process.pid
        workers = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
        assert len(workers) == 2
        for number, key in enumerate(keys):
            if number == 10:
                os.kill(int(workers[0]), signal.SIGKILL)
            _insisting(school, f"/{code}/join", {"key": key})
            sent = {"key": key, "round": 1, "vote": 1, "value": number % 5}
            view = _insisting(school, f"/{code}/answer", sent)
            assert (view["yours"], view["answered"]) == (number % 5, number + 1)
        room = school.rooms.find(code)
        assert room is not None
        assert [room.view(key)["yours"] for key in keys] == [n % 5 for n in range(20)]
        school.rooms.close()


def _insisting(school: School, path: str, sent: dict[str, Any]) -> Any:
    """As a phone does: again, if the connection breaks."""
    deadline = time.monotonic() + SECONDS
    while True:
        try:
            status, said = school.post(path, sent)
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < deadline
            time.sleep(0.1)
        else:
            assert status == 200, said
            return said
