"""What phones of a class ask of the server: their page, where their class is, and answers.

A phone has no session. It asks once a second with the number of the last change that it has seen.
"""

from __future__ import annotations

import asyncio
import base64
import gzip
import json
import re
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from tornado.web import HTTPError, RequestHandler

from ucbpe_app.classroom.phone import phone_page
from ucbpe_app.classroom.room import RoomError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ucbpe_app.classroom.room import Room
    from ucbpe_app.classroom.store import Rooms

MOST_BYTES = 1_000  # that a phone sends at once
SCRIPTS = "Script-Hashes"  # a header for `serve.content`, which puts it into the page's policy
_COMPRESSING = ThreadPoolExecutor(1)  # which takes a quarter of a second, once
_SCRIPT = re.compile(r"<script\b[^>]*>(.*?)</script>", re.DOTALL)
_FIELDS: dict[str, dict[str, type]] = {
    "join": {"key": str},
    "answer": {"key": str, "round": int, "vote": int, "value": int},
}


def class_routes(rooms: Rooms | None) -> list[tuple[Any, ...]]:
    """Routes of the phones of these rooms; none where there are no classes."""
    if rooms is None:
        return []
    room, given = "/class/([A-Za-z]{1,20})", {"rooms": rooms}
    return [
        ("/class(?:/[A-Za-z]{1,20})?/?", PhonePage, given),
        (f"{room}/state", State, given),
        (f"{room}/moment/([A-Za-z0-9_-]+)", Moment, given),
        (f"{room}/(join|answer)", Change, given),
    ]


class ClassHandler(RequestHandler):
    """One of these routes."""

    def initialize(self, rooms: Rooms) -> None:
        self._rooms = rooms

    def compute_etag(self) -> None:
        """None: an answer that has not changed would lose the policy that belongs to it."""

    def write_error(self, status_code: int, **_: Any) -> None:
        self.finish({"error": HTTPStatus(status_code).phrase})

    def refuse(self, status: int, why: str) -> None:
        """Answer that this is not done."""
        self.set_status(status)
        self.finish({"error": why})

    def tell(self, key: str, find: Callable[[], Room | None]) -> None:
        """Answer with what the phone of this key is shown of a room."""
        self.set_header("Cache-Control", "no-store")
        try:
            room = find()
            if room is None:
                self.refuse(404, "There is no such class. Look at the code on the screen.")
            elif self.get_query_argument("seen", "") == str(room.version):
                self.set_status(304)
            else:
                self.write(room.view(key))
        except RoomError as error:
            self.refuse(409, str(error))


class PhonePage(ClassHandler):
    """``/class`` and ``/class/CODE``: the page of a phone, the same for all."""

    async def get(self) -> None:
        page, scripts = await asyncio.get_running_loop().run_in_executor(_COMPRESSING, _page)
        self.set_header("Content-Type", "text/html; charset=utf-8")
        self.set_header("Content-Encoding", "gzip")
        self.set_header("Cache-Control", "max-age=600")
        self.set_header(SCRIPTS, scripts)
        self.write(page)


@cache
def _page() -> tuple[bytes, str]:
    """The page, compressed, and the hashes of its scripts: a nonce would have to be written in."""
    html = str(phone_page())
    hashes = [sha256(text.encode()).digest() for text in _SCRIPT.findall(html)]
    scripts = " ".join(f"'sha256-{base64.b64encode(one).decode()}'" for one in hashes)
    return gzip.compress(html.encode(), mtime=0), scripts


class State(ClassHandler):
    """``/class/CODE/state?key=KEY&seen=VERSION``: what the phone is shown, or 304."""

    def get(self, code: str) -> None:
        self.tell(self.get_query_argument("key", ""), lambda: self._rooms.find(code))


class Moment(ClassHandler):
    """``/class/CODE/moment/ID``: what phones draw."""

    def get(self, code: str, name: str) -> None:
        data = self._rooms.moment(code, name)
        if data is None:
            self.refuse(404, "There is no such moment, or no longer.")
            return
        self.set_header("Content-Type", "application/json")
        self.set_header("Content-Encoding", "gzip")
        self.set_header("Cache-Control", "private, max-age=7200, immutable")
        self.write(data)


class Change(ClassHandler):
    """``/class/CODE/join`` and ``/class/CODE/answer``: a phone comes, or answers."""

    def prepare(self) -> None:
        request, origin = self.request, self.request.headers.get("Origin")
        kind = request.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        if request.method != "POST":
            raise HTTPError(405)
        if origin is not None and _host(origin) != _host(f"//{request.host}"):
            self.refuse(403, "Expected a phone that has opened its page here.")
        elif kind != "application/json":
            self.refuse(415, "Expected application/json.")
        elif len(request.body) > MOST_BYTES:
            self.refuse(413, f"Expected at most {MOST_BYTES} bytes.")

    def post(self, code: str, verb: str) -> None:
        fields, now = _FIELDS[verb], time.time()
        try:
            sent = json.loads(self.request.body)
            given = [sent[name] for name in fields]
        except (ValueError, TypeError, KeyError, RecursionError):
            given = []
        if [type(one) for one in given] != list(fields.values()):  # True is no number
            self.refuse(400, f"Expected a JSON object with {', '.join(fields)}.")
            return

        def change(room: Room) -> Room:
            return getattr(room, verb)(*given, now)

        self.tell(given[0], lambda: self._rooms.find(code) and self._rooms.change(code, change))


def _host(address: str) -> str | None:
    try:
        return urlsplit(address).hostname
    except ValueError:  # as of http://[
        return None
