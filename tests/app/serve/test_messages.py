"""What a browser's message may hold: refused before it is decoded, whatever it would become."""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from tornado.httpclient import AsyncHTTPClient
from tornado.websocket import WebSocketClosedError

from benchmarks._visitors import Stepper, as_map
from tests.app.serve.serving import SECONDS, serving, shut
from tests.app.waiting import run
from ucbpe_app.serve.content import MOST_BYTES, by_reference, foreign_in, is_value
from ucbpe_app.serve.logs import MOST_LETTERS, TRACEBACK_LETTERS
from ucbpe_app.widgets.parts import Parts

UNPACKED = 400_000_000  # bytes, each time
SPARE = 200_000_000  # bytes that a server may take meanwhile for anything else
TIMES = 10


def bytes_of(data: str) -> dict[str, Any]:
    return {"type": "bytes", "data": data}


def array_of(inner: Any) -> dict[str, Any]:
    return {"type": "ndarray", "array": inner, "dtype": "S999999999", "shape": [1], "order": "big"}


BOMB = bytes_of(base64.b64encode(gzip.compress(bytes(UNPACKED))).decode())
ARRAY = array_of(["a"])
TYPED = {"type": "typed_array", "array": BOMB, "dtype": "uint8", "order": "little"}


@pytest.mark.parametrize("inner", [bytes_of("x"), bytes_of({"id": "0"}), ARRAY, TYPED])
@pytest.mark.parametrize(
    "around",
    [
        lambda inner: inner,
        lambda inner: [1, [inner]],
        lambda inner: {"a": inner},
        lambda inner: {"type": "map", "entries": [["a", inner]]},
        lambda inner: {"type": "map", "entries": [[inner, 1]]},
        lambda inner: {"type": "set", "entries": [inner]},
        lambda inner: {"type": "event", "name": "x", "values": as_map({"data": inner})},
        array_of,
        lambda inner: {"type": "slice", "start": inner, "stop": 1, "step": 1},
        lambda inner: {"type": "array", "entries": [inner]},
    ],
)
def test_bytes_and_arrays_are_found_wherever_they_are(inner: Any, around: Any) -> None:
    value = json.loads(json.dumps(around(inner)))
    assert foreign_in(value)
    for event in (
        {"kind": "ModelChanged", "model": {"id": "1"}, "attr": "value", "new": value},
        {"kind": "ModelChanged", "model": value, "attr": "value", "new": 1},
        {"kind": "ModelChanged", "model": {"id": "1"}, "attr": "value", "new": 1, "more": value},
        {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": value},
    ):
        assert not is_value(event)


def test_a_model_that_is_sent_whole_is_referred_to() -> None:
    """As Bokeh sends one that came since the browser's last message, with all that it draws."""
    whole = {"type": "object", "name": "Figure", "id": "p7", "attributes": {"source": BOMB}}
    changed = {"kind": "ModelChanged", "model": whole, "attr": "inner_width", "new": 640}
    data = {"type": "map", "entries": [["part", 0]]}
    values = as_map({"model": whole, "data": data})
    event = {"type": "event", "name": "data_event", "values": values}
    sent = {"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event}
    assert is_value(by_reference(changed))
    assert by_reference(changed) == {**changed, "model": {"id": "p7"}}
    assert is_value(by_reference(sent))
    known = as_map({"model": {"id": "p7"}, "data": data})
    assert json.dumps(by_reference(sent)["msg_data"]) == json.dumps({**event, "values": known})
    assert not is_value(by_reference({**changed, "new": [whole]}))
    hidden = {**event, "values": as_map({"model": {"id": "p7"}, "data": {"model": whole}})}
    assert not is_value(by_reference({**sent, "msg_data": hidden}))


def test_values_are_not_too_many_and_not_too_deep() -> None:
    assert not foreign_in([[x, float(x)] for x in range(10_201)])
    assert foreign_in([0] * 100_000) == "too many values"
    deep: Any = 0
    for _ in range(60):
        deep = {"a": [deep]}
    assert foreign_in(deep) == "too many levels"


def test_a_part_of_a_file_fits_into_a_message() -> None:
    script = Path(str(Parts.__module__).replace(".", "/")).with_suffix(".js")
    (line,) = [
        line
        for line in (Path(__file__).parents[3] / "app" / script).read_text().splitlines()
        if line.startswith("const PART")
    ]
    first, second = line.split("//")[0].split("=")[1].split("*")
    assert 4 / 3 * int(first) * int(second) < 0.8 * MOST_BYTES


def peak(process: int) -> int:
    """The most memory that a process has had, in bytes."""
    status = Path(f"/proc/{process}/status")
    if not status.exists():
        pytest.skip("this system does not say how much memory a process had")
    (line,) = [line for line in status.read_text().splitlines() if line.startswith("VmHWM")]
    return 1024 * int(line.split()[1])


async def bombed(url: str, process: int) -> None:
    """A visitor's own page answers before and after, the server answers others, and nothing grows.

    What a message became would take seconds, and hundreds of megabytes.
    """
    visitor = await Stepper.arrive(f"{url}/")
    await visitor.step()
    before = peak(process)
    change = {"kind": "ModelChanged", "model": {"id": visitor.models[0]["id"]}, "attr": "tags"}
    event = {"type": "event", "name": "document_ready", "values": as_map({"x": BOMB})}
    for _ in range(TIMES // 2):
        await visitor.send({**change, "new": [BOMB]})
        await visitor.send({"kind": "MessageSent", "msg_type": "bokeh_event", "msg_data": event})
    answer = await AsyncHTTPClient().fetch(f"{url}/health", request_timeout=SECONDS)
    assert answer.code == 200
    await visitor.write("PATCH-DOC", {"events": [], "more": BOMB})
    await visitor.step()  # answered after all of these
    assert peak(process) - before < SPARE
    shut(visitor.socket)


async def closed(url: str, *fragments: str | bytes) -> None:
    """That what only a hostile program sends closes its own connection, and no other."""
    visitor, other = await Stepper.arrive(f"{url}/"), await Stepper.arrive(f"{url}/")
    # The server may close before it has read all.
    with suppress(WebSocketClosedError):
        for fragment in fragments:
            await visitor.socket.write_message(fragment, binary=isinstance(fragment, bytes))
    async with asyncio.timeout(SECONDS):
        while await visitor.socket.read_message() is not None:
            pass
    await other.step()
    shut(visitor.socket)
    shut(other.socket)


def test_a_bomb_is_refused_before_it_is_unpacked(tmp_path: Path) -> None:
    assert len(BOMB["data"]) < MOST_BYTES
    header = json.dumps({"msgid": "1", "msgtype": "PATCH-DOC", "num_buffers": 1000})
    with (tmp_path / "log").open("w+", encoding="utf-8") as log:
        with serving(errors=log) as lab:
            url = f"http://127.0.0.1:{lab.port}"
            run(bombed(url, lab.process.pid))
            run(closed(url, header, "{}", '{"events": []}', '{"id": "0"}', bytes(1000)))
            run(closed(url, header, "{}", json.dumps(["x" * MOST_BYTES])))
            run(closed(url, header, "{}", "[" * 100_000))
        log.seek(0)
        lines = log.read().splitlines()
    assert max(map(len, lines)) < MOST_LETTERS + sum(TRACEBACK_LETTERS)
    assert all(line.startswith(("  ", "20")) for line in lines)  # a record, or its traceback
    refused = [line for line in lines if "expected plain values, got bytes" in line]
    assert len(refused) == TIMES
