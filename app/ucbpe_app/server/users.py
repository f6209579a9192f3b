"""Who may sign in: the names and passwords of a file, as it is at each sign-in.

Panel takes the path of a file for everybody's password as soon as there is no file, and a text in
the file likewise. So the file is read here, and Panel is given only what was found to be right.
"""

from __future__ import annotations

import json
import logging
from hashlib import sha256
from hmac import compare_digest
from typing import TYPE_CHECKING

from panel.auth import BasicLoginHandler

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

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
