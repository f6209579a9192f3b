"""Undocumented features of Bokeh 3.9 that the app uses.

Defaults of properties are worked out once for each class of model. Bokeh copies, validates and
transforms a default each time that it is read, and a page reads some fifty thousand: that was two
fifths of the time that making one takes. A default that is a plain value, and comes neither from a
theme nor from a function, is the same each time.

A page is made in a thread (`ucbpe_app.server.arrivals`), for which Bokeh's sessions, validation and
list of documents are made fit here.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections.abc import Awaitable, Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import bokeh.core.property.bases
import bokeh.io.doc
import bokeh.server.contexts
from bokeh.core.has_props import HasProps
from bokeh.core.property.bases import Property
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.validation import validate
from bokeh.core.property.wrappers import PropertyValueContainer
from bokeh.document import Document
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.server.contexts import ApplicationContext, BokehSessionContext
from bokeh.server.session import ServerSession
from tornado.concurrent import Future

if TYPE_CHECKING:
    from bokeh.application import Application
    from bokeh.server.server import BaseServer
    from bokeh.server.tornado import BokehTornado
    from tornado.httputil import HTTPServerRequest

Initialize = Callable[["Application", Document], Awaitable[None]]

_PLAIN = (bool, int, float, str, type(None))
_UNKNOWN = object()
_work_out = PropertyDescriptor._get_default
_recompute = DocumentModelManager.recompute
_known: dict[tuple[type, str], Any] = {}


def remember_defaults() -> None:
    """Have all models of this process read plain defaults from memory."""
    PropertyDescriptor._get_default = _remembered
    PropertyValueContainer.__init__ = _without_owners
    PropertyValueContainer._register_owner = _register_owner
    PropertyValueContainer._unregister_owner = _unregister_owner
    HasProps.themed_values = _themed_values  # type: ignore[assignment]
    setattr(DocumentModelManager, _recompute.__name__, _recompute_and_forget)  # a method of theirs


# Nearly each of the 600 lists and dicts of a page belongs to one model: a tuple takes a fourth of a
# set. A dict of its own for that one attribute takes half of the dict that Python would make, which
# has room for thirty.
def _without_owners(container: PropertyValueContainer, *args: Any, **kwargs: Any) -> None:
    container.__dict__ = {"_owners": ()}
    super(PropertyValueContainer, container).__init__(*args, **kwargs)


def _register_owner(container: PropertyValueContainer, *owner: Any) -> None:
    if owner not in container._owners:
        container._owners += (owner,)


def _unregister_owner(container: PropertyValueContainer, *owner: Any) -> None:
    container._owners = tuple(one for one in container._owners if one != owner)


def _themed_values(model: HasProps) -> dict[str, Any] | None:
    """Without `getattr`, which asks the class for its properties before it finds nothing."""
    themed: dict[str, Any] | None = vars(model).get("__themed_values__")
    return themed


def _remembered(descriptor: PropertyDescriptor[Any], model: HasProps) -> Any:
    themed = _themed_values(model)
    if themed is not None and descriptor.name in themed:
        return _work_out(descriptor, model)
    key = type(model), descriptor.name
    value = _known.get(key, _UNKNOWN)
    if value is _UNKNOWN:
        value = _work_out(descriptor, model)
        if type(value) in _PLAIN and not descriptor.has_unstable_default(model):
            _known[key] = value
    return value


def forget_defaults(models: Iterable[Model]) -> None:
    """Release the empty lists and dicts that models keep for properties that were never set.

    Bokeh makes one whenever such a property is read, and it reads all of them to find the models of
    a page: some 3,500 for a page, which is 2 MB. The next to read one is given another.
    """
    for model in models:
        defaults = model._unstable_default_values
        for name in list(defaults):
            value = defaults[name]
            if not isinstance(value, PropertyValueContainer) or value:
                continue
            # Of whoever else refers to it, a change would be lost.
            if sys.getrefcount(value) <= _REFERENCES:
                del defaults[name]
        model._unstable_default_values = dict(defaults)  # a dict keeps the room that it had


def _recompute_and_forget(models: DocumentModelManager) -> None:
    """Find the models of a page, which reads all properties."""
    _recompute(models)
    forget_defaults(models)


_REFERENCES = 3  # of the model, of the loop above, and of the call that counts


def tornado_of(server: BaseServer) -> BokehTornado:
    """The Tornado application of a server."""
    return server._tornado


def sign_sessions(
    application: BokehTornado, secret: str, *, seconds: int, cookies: Sequence[str]
) -> None:
    """Have a server sign its sessions, with `secret` unless it has one of its own.

    Their tokens can be used for so many seconds. A token can be read by whoever sees the page or
    the headers of its websocket: of what the browser sent, it has these cookies and no headers.
    """
    application._secret_key = application.secret_key or secret.encode()
    application._sign_sessions = True
    application._session_token_expiration = seconds
    application._include_cookies, application._exclude_cookies = list(cookies), None
    application._include_headers, application._exclude_headers = [], None


def initialize_by(application: BokehTornado, initialize: Initialize) -> None:
    """Have a server, not yet started, await `initialize` where it would fill a document itself."""
    bokeh.io.doc._PATCHED_CURDOCS = _Stack()
    validate_by_thread()
    for context in application.applications.values():
        create = partial(_create_session_if_needed, initialize, context)
        context.create_session_if_needed = create


async def _create_session_if_needed(
    initialize: Initialize,
    context: ApplicationContext,
    session_id: Any,
    request: HTTPServerRequest | None = None,
    token: str | None = None,
) -> ServerSession:
    """As Bokeh's own, but that `initialize` fills the document, and an error reaches all."""
    if session_id in context._sessions:
        return context._sessions[session_id]
    if session_id in context._pending_sessions:
        return await context._pending_sessions[session_id]
    future: Future[ServerSession] = Future()
    context._pending_sessions[session_id] = future
    try:
        session = await _new_session(initialize, context, session_id, request, token)
    except BaseException as error:
        future.set_exception(error)
        future.exception()  # seen: there may be nobody else who waits
        raise
    finally:
        del context._pending_sessions[session_id]
    future.set_result(session)
    return session


async def _new_session(
    initialize: Initialize,
    context: ApplicationContext,
    session_id: Any,
    request: HTTPServerRequest | None,
    token: str | None,
) -> ServerSession:
    document = Document()
    # Its checks only log what nobody here reads, and go through all models.
    document.validate = lambda: None
    session_context = BokehSessionContext(
        session_id, context.server_context, document, logout_url=context._logout_url
    )
    session_context._token = token
    if request is not None:
        payload = session_context.token_payload if token else {}
        # Panel's own class by now, which knows more of a request.
        session_context._request = bokeh.server.contexts._RequestProxy(
            request,
            arguments=payload.get("arguments"),
            cookies=payload.get("cookies"),
            headers=payload.get("headers"),
        )
    document._session_context = weakref.ref(session_context)
    application = context.application
    await application.on_session_created(session_context)
    await initialize(application, document)
    session = ServerSession(session_id, document, io_loop=context._loop, token=token)
    context._sessions[session_id] = session
    session_context._set_session(session)
    context._session_contexts[session_id] = session_context
    return session


def validate_by_thread() -> None:
    """Have Bokeh's `validate(False)` hold for the thread that it is called in.

    Bokeh sets it for all: a title set on the loop while the page thread has switched validation
    off, as it does for each class of model that it imports, would stay a str.
    """
    own = _Validation()

    def begin(block: validate, value: bool) -> None:
        block.old, own.on = own.on, value

    def end(block: validate, *error: object) -> None:
        own.on = block.old

    validate.__init__, validate.__exit__ = begin, end
    # Panel's option to validate nothing sets it for all, and may.
    bokeh.core.property.bases.validation_on = lambda: own.on and Property._should_validate


class _Validation(threading.local):
    """Whether this thread validates; asked for each value that is set."""

    on = True


class _Stack(threading.local):
    """The documents that Bokeh's callbacks are about, for each thread its own.

    Bokeh keeps one list of them, which a page in its thread and a step on the loop would share.
    """

    def __init__(self) -> None:
        self._documents: list[Any] = []
        # Called for each change of a model: the list's own, without a function around them.
        self.append, self.pop = self._documents.append, self._documents.pop

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, i: int) -> Any:
        return self._documents[i]
