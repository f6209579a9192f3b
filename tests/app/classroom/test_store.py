"""A file of rooms: its codes, owners and limits, and processes that change it at once."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.app.classroom.test_room import ASKED, KEY
from tests.processes import ROOT, printed
from ucbpe_app.classroom.room import Room, RoomError
from ucbpe_app.classroom.store import LETTERS, MOMENTS, MOST_ROOMS, UNUSED, Rooms

# Every phone of a process answers in turn, each time another value; the last one is the same.
ANSWERING = """
import sys
from pathlib import Path
from ucbpe_app.classroom.store import Rooms

file, code, first = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
rooms = Rooms(file)
for number in range(first, first + 20):
    key = f"the key of phone {number}"
    rooms.change(code, lambda room: room.join(key, 1.0))
    for value in (1, 2, number % 5):
        rooms.change(code, lambda room: room.answer(key, 1, 1, value, 1.0))
"""
STUCK = """
import sys, time
from pathlib import Path
from ucbpe_app.classroom.store import Rooms

def verb(room):
    print("inside", flush=True)
    time.sleep(600)

Rooms(Path(sys.argv[1])).change(sys.argv[2], verb)
"""

FORKED = """
import os, sys
from pathlib import Path
from ucbpe_app.classroom.store import Rooms

file = Path(sys.argv[1])
rooms = Rooms(file)
child = os.fork()
if not child:
    rooms.open(1.0)
    rooms.delete()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
rooms.open(1.0)
there = len(list(file.parent.iterdir()))
rooms.delete()
print(there, len(list(file.parent.iterdir())))
"""


@pytest.fixture
def rooms(tmp_path: Path) -> Iterator[Rooms]:
    made = Rooms(tmp_path / "rooms.sqlite")
    yield made
    made.close()


def test_a_code_is_found_in_small_letters_too_and_has_no_vowel(rooms: Rooms) -> None:
    room, _ = rooms.open(1.0)
    assert len(room.code) == 4
    assert set(room.code) <= set(LETTERS)
    assert not set(LETTERS) & set("AEIOU01BGSZ")  # vowels, and letters that look like others
    assert rooms.find(room.code.lower()) == rooms.find(room.code) == room
    for other in ("", "A", "AEIO", "ÆØÅ", "'; DROP TABLE rooms; --"):
        assert rooms.find(other) is None
        with pytest.raises(RoomError, match="expected the code of a class"):
            rooms.change(other, lambda room: room)
        with pytest.raises(RoomError, match="expected the code of a class"):
            rooms.put(other, {})


def test_a_room_has_one_owner(rooms: Rooms, tmp_path: Path) -> None:
    room, owner = rooms.open(1.0)
    other, another = rooms.open(1.0)
    assert owner != another
    assert rooms.own(room.code.lower(), owner) == room
    assert rooms.own(room.code, another) is rooms.own("AAAA", owner) is None
    assert rooms.own(room.code, room.owner) is None  # what the file has is no key
    assert owner.encode() not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert other.code != room.code


def test_what_a_verb_refuses_or_leaves_is_not_written(rooms: Rooms) -> None:
    room, _ = rooms.open(1.0)
    joined = rooms.change(room.code, lambda room: room.join(KEY, 2.0))
    assert rooms.change(room.code, lambda room: room.join(KEY, 3.0)) == joined
    with pytest.raises(RoomError, match="expected a round that is open"):
        rooms.change(room.code, lambda room: room.close(4.0))
    assert rooms.find(room.code) == joined


def test_fifty_rooms_and_two_hours(rooms: Rooms) -> None:
    first, _ = rooms.open(0.0)
    name = rooms.put(first.code, {})
    for _ in range(MOST_ROOMS - 1):
        rooms.open(10.0)
    with pytest.raises(RoomError, match="at most 50 classes at once"):
        rooms.open(UNUSED)
    assert rooms.find(first.code) is not None
    rooms.open(UNUSED + 5.0)  # in the place of the first, which ends with its moments
    assert rooms.find(first.code) is None
    assert rooms.moment(first.code, name) is None
    rooms.sweep(UNUSED + 20.0)
    assert len({rooms.open(UNUSED + 20.0)[0].code for _ in range(MOST_ROOMS - 1)}) == MOST_ROOMS - 1


def test_a_room_that_has_ended_is_gone_for_all(rooms: Rooms, tmp_path: Path) -> None:
    room, _ = rooms.open(0.0)
    other, _ = rooms.open(0.0)
    name, elsewhere = rooms.put(room.code, {}), Rooms(tmp_path / "rooms.sqlite")
    assert elsewhere.find(room.code) == room
    rooms.sweep(1.0, room.code)
    assert elsewhere.find(room.code) is elsewhere.moment(room.code, name) is None
    assert elsewhere.find(other.code) == other
    elsewhere.close()


def test_a_room_in_use_is_not_swept(rooms: Rooms) -> None:
    room, _ = rooms.open(0.0)
    rooms.change(room.code, lambda room: room.join(KEY, 100.0))
    rooms.sweep(UNUSED + 50.0)
    assert rooms.find(room.code) is not None


def test_moments_are_of_one_room_compressed_and_the_last_ones(rooms: Rooms) -> None:
    room, _ = rooms.open(1.0)
    other, _ = rooms.open(1.0)
    first = rooms.put(other.code, {"number": -1})
    names = [rooms.put(room.code, {"number": number}) for number in range(MOMENTS + 1)]
    assert len(set(names)) == len(names)
    found = [rooms.moment(room.code.lower(), name) for name in names]
    assert found[0] is None
    for number, data in enumerate(found[1:], 1):
        assert data is not None
        assert json.loads(gzip.decompress(data)) == {"number": number}
    assert rooms.moment(other.code, names[-1]) is rooms.moment(room.code, first) is None
    assert rooms.moment(other.code, first) is not None


def test_what_is_no_json_is_not_kept(rooms: Rooms) -> None:
    room, _ = rooms.open(1.0)
    with pytest.raises(ValueError, match="not JSON compliant"):
        rooms.put(room.code, {"value": float("nan")})


def test_answers_of_two_processes_are_all_counted_once(rooms: Rooms, tmp_path: Path) -> None:
    room, _ = rooms.open(1.0)
    rooms.change(room.code, lambda room: room.ask(ASKED, 1.0))
    where = [str(tmp_path / "rooms.sqlite"), room.code]
    started = [
        subprocess.Popen([sys.executable, "-c", ANSWERING, *where, first], cwd=ROOT)
        for first in ("0", "20")
    ]
    assert [process.wait(120) for process in started] == [0, 0]
    after = rooms.find(room.code)
    assert after is not None
    assert after.round is not None
    keys = {number: f"the key of phone {number}" for number in range(40)}
    assert {number: after.view(key)["yours"] for number, key in keys.items()} == {
        number: number % 5 for number in range(40)
    }
    assert (after.joined, after.answered) == (40, 40)
    # A change for each that came, and for each answer that was another than the one before.
    changed = sum(1 + len([1, 2, number % 5]) - (number % 5 == 2) for number in range(40))
    assert after.version == 2 + changed


def test_a_process_killed_in_the_middle_of_a_change_leaves_the_room_as_it_was(
    rooms: Rooms, tmp_path: Path
) -> None:
    room, _ = rooms.open(1.0)
    command = [sys.executable, "-c", STUCK, str(tmp_path / "rooms.sqlite"), room.code]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "inside\n"
        assert rooms.find(room.code) == room  # who reads does not wait
        os.kill(process.pid, signal.SIGKILL)
        process.wait(60)
    joined = rooms.change(room.code, lambda room: room.join(KEY, 2.0))
    assert joined == replace(room, phones=joined.phones, version=2, used=2.0)
    assert joined.joined == 1


def test_a_room_whose_code_is_given_again_is_another(rooms: Rooms, tmp_path: Path) -> None:
    """A process that has read the first one does not take it for the second."""
    first, _ = rooms.open(1.0)
    rooms.change(first.code, lambda room: room.join(KEY, 1.0))
    second = Room(first.code, owner="another", version=2, used=1.0)
    beside = Rooms(tmp_path / "rooms.sqlite")
    beside.change(first.code, lambda _: second)
    beside.close()
    assert rooms.find(first.code) == second


@pytest.mark.skipif(not hasattr(os, "fork"), reason="several processes need fork")
def test_only_the_process_that_made_the_file_deletes_it(tmp_path: Path) -> None:
    assert printed(FORKED, str(tmp_path / "rooms.sqlite")) == "3 0"
    assert list(tmp_path.iterdir()) == []
