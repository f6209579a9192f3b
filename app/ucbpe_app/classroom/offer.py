"""Whether this server has classes, where they are kept, and by which addresses phones come."""

from __future__ import annotations

import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.classroom.store import Rooms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOT_HERE = "Classes need a server of their own: start one with “ucbpe app --class”."
EVERYWHERE = "0.0.0.0"  # every interface of this machine
_UNREACHED = ("127.", "169.254.", "0.")  # of others
# Nothing is sent there. One is on every hot spot that a phone or a laptop opens, or with a router.
_PROBES = (
    "192.0.2.1", "192.168.43.1", "172.20.10.1", "192.168.137.1", "10.42.0.1", "192.168.0.1",
    "192.168.1.1", "10.0.0.1",
)  # fmt: skip


@dataclass
class _Offer:
    """What a process offers; set before there are workers, which then offer it too."""

    rooms: Rooms | None = None
    why_not: str = NOT_HERE
    is_local: bool = False  # no phone can reach it


_OFFER = _Offer()


def offer_classes(path: Path | None, *, why_not: str = NOT_HERE, address: str = EVERYWHERE) -> None:
    """Offer classes, kept in a file at `path`; or none, for this reason.

    Parameters
    ----------
    path
        Of a file, which `withdraw_classes` deletes.
    why_not
        What is said where there are none.
    address
        Where the server listens.
    """
    withdraw_classes()
    _OFFER.rooms, _OFFER.why_not = Rooms(path) if path else None, why_not
    _OFFER.is_local = address == "localhost" or address.startswith("127.")


def withdraw_classes() -> None:
    """Offer classes no longer; the process that offered them first deletes the file."""
    if _OFFER.rooms is not None:
        _OFFER.rooms.delete()
    _OFFER.rooms, _OFFER.why_not = None, NOT_HERE


def sweep_classes() -> None:
    """Delete the rooms that nobody uses any more."""
    if _OFFER.rooms is not None:
        _OFFER.rooms.sweep(time.time())


def rooms() -> Rooms | None:
    """The rooms of this server; None where it has no classes."""
    return _OFFER.rooms


def why_not() -> str:
    """Why this server has no classes, where it has none."""
    return _OFFER.why_not


def addresses(port: int, prefix: str = "") -> list[str]:
    """Where phones find their page on this machine, the likeliest address first.

    Parameters
    ----------
    port, prefix
        By which this server is reached, such as 5006 and "/lab".

    Returns
    -------
    list of str
        Empty where there are no classes, or the server listens to this machine alone.
    """
    if _OFFER.rooms is None or _OFFER.is_local:
        return []
    found = dict.fromkeys(one for one in _own() if not one.startswith(_UNREACHED))
    return [f"http://{one}:{port}{prefix}/class" for one in found]


def _own() -> Iterator[str]:
    """From which of its addresses this machine would send."""
    for probe in _PROBES:
        with socket.socket(type=socket.SOCK_DGRAM) as asking, suppress(OSError):  # no such route
            asking.connect((probe, 9))
            yield asking.getsockname()[0]
