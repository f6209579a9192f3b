"""The process of a server: who may sign in, what it reports, and how it ends."""

from __future__ import annotations

import gc
import json
import logging
import os
import signal
import sys
import tempfile
from functools import partial
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING

from bokeh.document.events import MessageSentEvent
from bokeh.settings import settings
from panel.auth import BasicLoginHandler
from tornado.web import RequestHandler

from ucbpe_core.errors import InputError
from ucbpe_core.problems.abalone import DOWNLOADS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bokeh.document import Document
    from bokeh.server.tornado import BokehTornado
    from tornado.ioloop import IOLoop


_LOG = logging.getLogger(__name__)


class Users:
    """Those who may sign in.

    Parameters
    ----------
    path
        Of a JSON file ``{"name": "password"}``. It is read anew at each sign-in.

    Raises
    ------
    InputError
        For any other file.
    """

    def __init__(self, path: Path) -> None:
        self._path = path.absolute()
        self.passwords = _passwords(self._path)

    def let_in(self, name: str, password: str) -> bool:
        """Whether the file has them now; nobody is let in while it cannot be read."""
        try:
            now = _passwords(self._path)
        except InputError as error:
            _LOG.error("nobody can sign in: %s", " ".join(str(error).split()))
            now = {}
        self.passwords.clear()  # not replaced: Panel has this dict
        self.passwords.update(now)
        return compare_digest(_digest(password), _digest(now.get(name, ""))) and name in now


class SignIn(BasicLoginHandler):
    """Panel's page to sign in, behind `Users`."""

    def initialize(self, users: Users) -> None:
        self._users = users

    def post(self) -> None:
        if self._users.let_in(self.get_argument("username", ""), self.get_argument("password", "")):
            super().post()  # asks Panel's dict once more, and says where to go
        else:
            self.redirect(f"{self.request.path}?error=unknown")


def _passwords(path: Path) -> dict[str, str]:
    """The content of the file."""
    wanted = 'a JSON file {"name": "password"} of those who may sign in'
    remedy = "write one that this user can read"
    try:
        if not path.is_file():  # a folder, or one that never ends
            raise InputError(wanted, f"no file at {path}", remedy)
        users = json.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError(wanted, f"{path} ({error.strerror})", remedy) from error
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise InputError(wanted, f"{path}, which is no JSON", remedy) from error
    texts = isinstance(users, dict) and all(isinstance(one, str) and one for one in users.values())
    if not texts or not users:
        raise InputError(wanted, f"{path} with something else", remedy)
    return users


def _digest(text: str) -> bytes:
    """As long for every text: the time to compare two of them says nothing."""
    return sha256(text.encode("utf-8", "surrogatepass")).digest()


_IN_MEMORY = "/dev/shm"  # where Linux keeps files in memory, in read-only containers too
STOPPING = "ucbpe-stopping"  # the message that connection.js expects
_NOTICE = 0.3  # s between the message and the end


def decide_on_downloads(*, allowed: bool = False) -> None:
    """Allow downloads, or forbid them unless the environment of the operator says otherwise.

    A link names a problem, and whoever opens it, or an image on any web page, has the server look
    for it. In the environment, so that the processes of studies, which this one starts, obey too.
    """
    if allowed:
        os.environ[DOWNLOADS] = "yes"
    else:
        os.environ.setdefault(DOWNLOADS, "no")


def provide_temporary_folder() -> None:
    """Have this process, and the processes that it starts, find a folder for temporary files.

    The library of the pictures does not load without one, and the workers of a study do not start.

    Raises
    ------
    InputError
        If there is none.
    """
    try:
        tempfile.gettempdir()
    except FileNotFoundError as error:
        os.environ["TMPDIR"] = _IN_MEMORY  # what Python looks for first
        try:
            tempfile.gettempdir()
        except FileNotFoundError:
            remedy = "set TMPDIR to one that can be written, such as a tmpfs of 100 MB"
            raise InputError("a folder for temporary files", str(error), remedy) from None


def share_the_interpreter() -> None:
    """Set Python up for a process in which many wait for short answers.

    It looks for garbage never among what is imported. A thread that computes, as for somebody's
    charts, gives way after half a millisecond: a step waits for its turn a dozen times, each of
    which would be 5 ms.
    """
    gc.collect()
    gc.freeze()
    sys.setswitchinterval(0.0005)  # s


def leave_out_diagnostics() -> None:
    """Have Bokeh validate no document, and suggest no name like that of a missing attribute.

    Panel asks for a missing attribute with each change of a component, seven times in a step over
    two inputs. To find the most similar of all names took a tenth of the step's time.
    """
    settings.perform_document_validation = False
    settings.perform_error_diagnostics = False


class Lifecycle:
    """Whether new visitors may be sent to a server."""

    def __init__(self) -> None:
        self.ready = True

    def stop(self, application: BokehTornado, loop: IOLoop) -> None:
        """Report not ready, notify the visitors who are there, and stop `loop`."""
        if not self.ready:
            return
        self.ready = False
        loop.call_later(_NOTICE, loop.stop)
        for path in application.app_paths:
            for session in application.get_sessions(path):
                loop.add_callback(session.with_document_locked, partial(_tell, session.document))


def _tell(document: Document) -> None:
    document.callbacks.trigger_on_change(MessageSentEvent(document, STOPPING, ""))


class ParentWatchdog:
    """A pipe that ties the workers to their parent.

    Only the parent keeps the writing end. When it closes it (on a signal to end), or dies in
    any way, SIGKILL included, every worker reads the end of the file and stops. Signalling the
    parent alone would otherwise orphan the workers, which would keep the port.
    """

    def __init__(self) -> None:
        self._read, write = os.pipe()
        self._write: int | None = write
        for number in _signals():
            signal.signal(number, self._let_go)

    def _let_go(self, *_: object) -> None:
        # The parent itself ends when its workers have. A second signal finds nothing to close.
        write, self._write = self._write, None
        if write is not None:
            os.close(write)

    def hold(self, loop: IOLoop, stop: Callable[[], None]) -> None:
        """In a worker: `stop` when the parent lets go."""
        self._let_go()
        loop.add_handler(self._read, lambda *_: stop(), loop.READ)


def stop_on_signal(loop: IOLoop, stop: Callable[[], None]) -> None:
    """Have a first signal to end call `stop` on the loop, and a second end the process."""

    def on_signal(number: int, _: object) -> None:
        signal.signal(number, signal.SIG_DFL)  # the second Ctrl-C need not wait for a computation
        loop.add_callback_from_signal(stop)

    for number in _signals():
        signal.signal(number, on_signal)


def _signals() -> list[signal.Signals]:
    """SIGINT, SIGTERM, and SIGHUP of a terminal that closes, unless `nohup` has it ignored."""
    found = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) != signal.SIG_IGN:
        found.append(signal.SIGHUP)
    return found


class Health(RequestHandler):
    """``/health``: 200 as long as the server answers at all."""

    def get(self) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.set_header("Cache-Control", "no-store")
        self.write("ok\n")

    def head(self) -> None:
        self.get()


class Ready(Health):
    """``/ready``: 200 while visitors may be sent here, 503 once the server is being stopped."""

    def initialize(self, lifecycle: Lifecycle) -> None:
        self._lifecycle = lifecycle

    def get(self) -> None:
        super().get()
        if not self._lifecycle.ready:
            self.clear()
            self.set_status(503)
            self.finish("stopping\n")
