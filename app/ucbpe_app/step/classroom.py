"""A class that plays along with a presented page: its room, what is asked, and what came out."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import panel as pn
import param
import segno

from ucbpe_app.classroom import offer, taps
from ucbpe_app.classroom.moments import ask_moment, reveal_moment
from ucbpe_app.classroom.room import RoomError, Round
from ucbpe_app.classroom.taps import Told
from ucbpe_app.pictures.asked import Taps
from ucbpe_app.private.panel import Component
from ucbpe_app.run.cache import load
from ucbpe_app.run.events import Event, Kind, closest
from ucbpe_app.run.facts import FACTS
from ucbpe_app.run.replay import Replay
from ucbpe_app.run.sentences.texts import number
from ucbpe_app.run.settings import SETTINGS
from ucbpe_app.widgets.parts import script

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ucbpe_app.classroom.room import Room
    from ucbpe_app.lessons import Lesson
    from ucbpe_app.lessons.questions import Task
    from ucbpe_app.pictures.asked import Asking
    from ucbpe_app.run.screen import Layers
    from ucbpe_app.run.settings import RunSpec
    from ucbpe_app.widgets.run_view import RunView
    from ucbpe_app.widgets.session import Session
