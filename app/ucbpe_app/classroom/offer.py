"""Whether this server has classes, where they are kept, and by which addresses phones come."""

from __future__ import annotations

import socket
import struct
import sys
import time
from contextlib import closing, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ucbpe_app.classroom.store import Rooms

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NOT_HERE = "Classes need a server of their own: start one with “ucbpe app --class”."
EVERYWHERE = "0.0.0.0"  # every interface of this machine
_ADDRESS_OF = 0x8915  # SIOCGIFADDR, of Linux
_OWN = ("127.", "169.254.", "0.")  # what others cannot reach
_INSIDE = ("docker", "br-", "veth", "virbr")  # networks inside this machine
# Nothing is sent there. One is on every hot spot that a phone or a laptop opens.
_PROBES = ("192.0.2.1", "192.168.43.1", "172.20.10.1", "192.168.137.1", "10.42.0.1")


@dataclass
class _Offer:
    """What a process offers; set before there are workers, which then offer it too."""

    rooms: Rooms | None = None
    why_not: str = NOT_HERE
    is_local: bool = True  # no phone can reach it


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
    if path is not None:
        _OFFER.rooms = Rooms(path)
    _OFFER.why_not = "" if path else why_not
    _OFFER.is_local = path is None or address == "localhost" or address.startswith("127.")


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
    """Why this server has no classes, for who would open one; "" where it has."""
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
    if _OFFER.is_local:
        return []
    found = dict.fromkeys([*_by_routes(), *_by_interfaces()])
    return [f"http://{one}:{port}{prefix}/class" for one in found if not one.startswith(_OWN)]


def _by_routes() -> Iterator[str]:
    """From which of its addresses this machine would send."""
    for probe in _PROBES:
        with closing(_socket()) as asking, suppress(OSError):  # no such route
            asking.connect((probe, 9))
            yield asking.getsockname()[0]


def _by_interfaces() -> Iterator[str]:
    """All of its addresses, also in networks that lead nowhere; on Linux."""
    if sys.platform != "linux":
        return
    from fcntl import ioctl

    for _, name in socket.if_nameindex():
        if name.startswith(_INSIDE):
            continue
        with closing(_socket()) as asking, suppress(OSError):  # it has none
            asked = struct.pack("256s", name.encode()[:15])
            yield socket.inet_ntoa(ioctl(asking.fileno(), _ADDRESS_OF, asked)[20:24])


def _socket() -> socket.socket:
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
