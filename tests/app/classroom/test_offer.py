"""What a process offers, and where phones find it."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from ucbpe_app.classroom.offer import (
    addresses,
    offer_classes,
    rooms,
    sweep_classes,
    why_not,
    withdraw_classes,
)


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    yield
    withdraw_classes()


def test_nothing_is_offered_before_it_is_said_so() -> None:
    assert rooms() is None
    assert "ucbpe app --class" in why_not()
    assert addresses(5006) == []
    sweep_classes()


def test_what_is_offered_is_withdrawn_with_its_file(tmp_path: Path) -> None:
    offer_classes(tmp_path / "rooms.sqlite")
    offered = rooms()
    assert offered is not None
    room, _ = offered.open(0.0)
    sweep_classes()  # hours later, by the clock
    assert offered.find(room.code) is None
    withdraw_classes()
    assert rooms() is None
    assert list(tmp_path.iterdir()) == []


def test_a_server_says_why_it_has_none(tmp_path: Path) -> None:
    offer_classes(tmp_path / "rooms.sqlite")
    offer_classes(None, why_not="Not today.")
    assert (rooms(), why_not(), addresses(5006)) == (None, "Not today.", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost", "127.0.1.1"])
def test_phones_do_not_reach_what_listens_to_this_machine(tmp_path: Path, address: str) -> None:
    offer_classes(tmp_path / "rooms.sqlite", address=address)
    assert addresses(5006) == []


def test_addresses_are_of_this_machine(tmp_path: Path) -> None:
    """Each can be listened on, which only a machine's own can."""
    offer_classes(tmp_path / "rooms.sqlite")
    found = addresses(5006, "/lab")
    assert len(set(found)) == len(found)
    for one in found:
        address = re.fullmatch(r"http://([0-9.]+):5006/lab/class", one)
        assert address is not None
        assert not ipaddress.ip_address(address[1]).is_loopback
        with socket.socket() as listening:
            listening.bind((address[1], 0))
