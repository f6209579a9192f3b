"""What the app uses of Panel, Bokeh and param that they do not document, and so may change.

A version in which one of these is gone, or takes other arguments, fails here by name, before a
page fails in some other way. Names that the app begins to use must be added, and each stays in the
module that `PLACES` gives it.
"""

from __future__ import annotations

import ast
import inspect
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import bokeh
import bokeh.core.property.bases
import bokeh.io.doc
import bokeh.server.contexts
import panel as pn
import panel.io.document
import panel_material_ui as pmui
import param
import pytest
from bokeh.application import Application
from bokeh.core.property.bases import Property
from bokeh.core.property.descriptors import PropertyDescriptor
from bokeh.core.property.validation import validate
from bokeh.core.property.wrappers import PropertyValueContainer, PropertyValueList
from bokeh.core.serialization import Deserializer, Serializer
from bokeh.document import Document
from bokeh.document.callbacks import DocumentCallbackManager
from bokeh.document.models import DocumentModelManager
from bokeh.model import Model
from bokeh.protocol.message import Message
from bokeh.server.connection import ServerConnection
from bokeh.server.contexts import ApplicationContext, BokehSessionContext
from bokeh.server.session import ServerSession
from bokeh.server.tornado import BokehTornado
from bokeh.server.views.ws import WSHandler
from panel.io.server import DocHandler, Server
from panel.pane.base import PaneBase
from tornado.ioloop import IOLoop
from tornado.websocket import WebSocketProtocol13, _WebSocketParams

import ucbpe_app
from tests.processes import printed

SOURCES = Path(ucbpe_app.__file__).parent
JSComponent = pn.custom.JSComponent

# Methods that are called, overridden or replaced, and the parameters that the app gives or takes.
METHODS = (
    (JSComponent, "_process_bokeh_event", "self doc event"),
    (JSComponent, "_process_event", "self event"),
    (JSComponent, "_update_properties", "self events doc"),
    (JSComponent, "_update_model", "self events msg root model doc comm"),
    (JSComponent, "_process_param_change", "self params"),
    (JSComponent, "_handle_msg", "self data"),
    (JSComponent, "_send_msg", "self data"),
    (JSComponent, "_link_props", "self model properties doc root comm"),
    (pmui.base.MaterialComponent, "_process_importmap", ""),
    (JSComponent, "_render_esm", "compiled server"),
    (pn.viewable.Viewable, "_update_design", "self _"),
    (pmui.base.MaterialComponent, "_update_loading", "self _"),
    (PaneBase, "_sync_layoutable", "self events"),
    (pn.viewable.Viewer, "_repr_mimebundle_", "self include exclude"),
    (param.Parameter, "_validate", "self val"),
    (param.Selector, "_validate_value", "self value allow_None"),
    (param.parameterized.Parameters, "_register_watcher", "self_ action watcher what"),
    (PropertyValueContainer, "_register_owner", "self owner descriptor"),
    (PropertyValueContainer, "_unregister_owner", "self owner descriptor"),
    (PropertyDescriptor, "_get_default", "self obj"),
    (DocumentModelManager, "recompute", "self"),
    (DocumentCallbackManager, "trigger_event", "self event"),
    (Model, "_trigger_event", "self event"),
    (validate, "__init__", "self value"),
    (validate, "__exit__", "self typ value traceback"),
    (ApplicationContext, "create_session_if_needed", "self session_id request token"),
    (BokehSessionContext, "__init__", "self session_id server_context document logout_url"),
    (BokehSessionContext, "_set_session", "self session"),
    (ServerSession, "__init__", "self session_id document io_loop token"),
    (WSHandler, "_handle", "self message"),
    (Serializer, "get_ref", "self obj"),
    (Serializer, "has_ref", "self obj"),
    (DocHandler, "_generate_token_payload", "self"),
    (panel.io.document, "_dispatch_msgs", "doc"),
    (panel.io.document, "dispatch_tornado", "conn events msg"),
    (WebSocketProtocol13, "_write_frame", "self fin opcode data flags"),
)

# What each module uses of a library. Those of JSComponent that Panel documents, as
# `_esm`, are not here: they are how a component is written.
PLACES = {
    "private/bokeh": (
        "_PATCHED_CURDOCS _RequestProxy _exclude_cookies _exclude_headers _get_default "
        "_include_cookies _include_headers _logout_url _loop _owners _pending_sessions _request "
        "_secret_key _session_context _session_contexts _session_token_expiration _sessions "
        "_set_session _should_validate _sign_sessions _token _tornado _unstable_default_values"
    ),
    "private/panel": (
        "_changing _debounce _generate_token_payload _in_process__events _internal_callbacks "
        "_loaded _models _process_bokeh_event _process_event "
        "_process_importmap _process_param_change _render_esm _repr_mimebundle_ _thread_id_ "
        "_update_model _update_properties _views"
    ),
    "private/references": "_models _new_models",
    "private/writes": (
        "_WRITE_BLOCK _WRITE_MSGS _buffers _compressor _dispatch_msgs _handle _socket "
        "_trigger_event _write_frame"
    ),
    "private/param": "_all_slots_ _param__private _register_watcher _validate _validate_value",
}
DOCUMENTED = {"_esm", "_stylesheets", "_handle_msg", "_send_msg"}
OF_PYTHON = {"_asdict", "_exit", "_SubParsersAction"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
# What the scripts reach for, and where: a model's private property, or a patched prototype.
SCRIPT_PLACES = {
    "components/timeline.js": {"prototype", "_update"},
    "export/lesson/live/screen.js": {"prototype"},  # of Array
    "private/canvases.js": {"_get_css_value", "_index", "_mask_data", "prototype"},
}
SCRIPT_NAME = re.compile(r"\.(_\w+|prototype)\b")
# A parameter of our components, and a field of SCORM's data model.
OWN_OF_SCRIPTS = {"_answered", "_count"}


def parameters_found() -> list[list[str]]:
    """The parameters that each of `METHODS` has, in order."""
    return [list(inspect.signature(getattr(owner, name)).parameters) for owner, name, _ in METHODS]


def test_methods_take_what_they_took() -> None:
    """In a process of its own: other tests of this one have the app replace some of them."""
    code = (
        "import json; from tests.app.test_private_api import parameters_found; "
        "print(json.dumps(parameters_found()))"
    )
    found = zip(METHODS, json.loads(printed(code)), strict=True)
    changed = [
        f"{owner.__name__}.{name} takes {takes}, and not {parameters.split()}"
        for (owner, name, parameters), takes in found
        if takes != parameters.split()
    ]
    assert not changed


def holders() -> tuple[tuple[object, str], ...]:
    """Objects, and the names of the attributes that the app reads or sets of them."""
    application = Application()
    document = Document()
    context = BokehSessionContext("one", None, document)
    return (
        (JSComponent(), "_changing _in_process__events _models _internal_callbacks"),
        (pn.pane.HTML(), "layout _internal_callbacks"),
        (JSComponent, "_esm _stylesheets"),
        (pn.state, "_thread_id_ _views"),
        (param.Parameterized(), "_param__private"),
        (param.Parameterized()._param__private, "params watchers initialized"),
        (param.Parameter, "_all_slots_"),
        (JSComponent, "_debounce"),
        (panel.io.document, "_WRITE_MSGS _WRITE_BLOCK"),
        (pn.extension, "_loaded"),
        (bokeh.io.doc, "_PATCHED_CURDOCS"),
        (bokeh.core.property.bases, "validation_on"),
        (bokeh.server.contexts, "_RequestProxy"),
        (Property, "_should_validate"),
        (
            ApplicationContext(application),
            "_sessions _pending_sessions _session_contexts _logout_url _loop",
        ),
        (context, "_token _request"),
        (document, "_session_context"),
        (document.models, "_models _new_models synced_references"),
        (Model(), "_unstable_default_values"),
        (Deserializer(), "_references"),
        (WebSocketProtocol13(None, False, _WebSocketParams()), "_compressor"),
        (Message({}, {}, {}), "_buffers"),
        (ServerConnection(None, None, None, SimpleNamespace(subscribe=repr)), "_socket"),
        (PropertyValueList([]), "_owners"),
        (
            BokehTornado({"/": application}),
            "_secret_key _sign_sessions _session_token_expiration _include_cookies "
            "_exclude_cookies _include_headers _exclude_headers",
        ),
    )


def test_attributes_are_where_they_were() -> None:
    gone = [
        (type(holder).__name__, name)
        for holder, names in holders()
        for name in names.split()
        if not hasattr(holder, name)
    ]
    assert gone == []


def test_a_server_has_its_application() -> None:
    server = Server({}, io_loop=IOLoop(make_current=False), port=0, address="127.0.0.1")
    try:
        assert isinstance(server._tornado, BokehTornado)
    finally:
        server.stop()
        server.io_loop.close()


def test_the_browser_has_the_style_sheet_that_the_timeline_changes() -> None:
    used = (SOURCES / "components" / "timeline.js").read_text(encoding="utf-8")
    assert 'require?.("core/dom")?.InlineStyleSheet?.prototype' in used
    bundle = Path(bokeh.__file__).parent / "server" / "static" / "js" / "bokeh.js"
    text = bundle.read_text(encoding="utf-8")
    start = text.index("class InlineStyleSheet extends StyleSheet {\n        constructor(css, id")
    assert "\n        _update(css) {" in text[start : start + 2000]


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def names_of(source: str) -> tuple[set[str], set[str]]:
    """Private attributes that a module uses, and private names that it defines."""
    used, defined = set[str](), set[str]()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls"), ctx=ast.Store()):
                defined.add(name)
            case ast.Attribute(attr=name):
                used.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                defined.add(name)
            case ast.ClassDef(name=name) | ast.Name(id=name, ctx=ast.Store()):
                defined.add(name)
    return set(filter(private, used)), set(filter(private, defined))


def test_no_other_private_name_is_used() -> None:
    used, defined = set[str](), set[str]()
    for path in SOURCES.rglob("*.py"):
        here = names_of(path.read_text(encoding="utf-8"))
        used |= here[0]
        defined |= here[1]
    assert used - defined - known() <= OF_PYTHON


def known() -> set[str]:
    """The private names that the tests above ask the libraries for."""
    names: set[Any] = {name for _, name, _ in METHODS} | {"_tornado"}
    return set(filter(private, names | {name for _, all_ in holders() for name in all_.split()}))


def foreign_names(source: str) -> set[str]:
    """Private names that a module uses of another's objects, overrides or imports."""
    _, defined = names_of(source)
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls")):
                found |= {name} & (known() - defined)
            case ast.Attribute(attr=name):
                found |= {name} - defined
            case ast.ClassDef(bases=[_, *_], body=body):
                methods = {one.name for one in body if isinstance(one, FUNCTIONS)}
                found |= methods & {name for _, name, _ in METHODS}
            case ast.ImportFrom(module=module, names=names):
                parts = [*(module or "").split("."), *(one.name for one in names)]
                found |= {*parts} - {"__future__"}
            case ast.Import(names=names):
                found |= {part for one in names for part in one.name.split(".")}
    return set(filter(private, found)) - DOCUMENTED - OF_PYTHON


def test_each_private_name_is_used_in_its_module_alone() -> None:
    found = {
        path.relative_to(SOURCES).with_suffix("").as_posix(): names
        for path in SOURCES.rglob("*.py")
        if (names := foreign_names(path.read_text(encoding="utf-8")))
    }
    assert found == {module: set(names.split()) for module, names in PLACES.items()}


@pytest.mark.parametrize(
    "source",
    [
        "import panel as pn\npn.state._curdoc",
        "from bokeh.core._templates import get_env",
        "from panel.io.state import _state",
        "class Own(Socket):\n    async def _handle(self, message): ...",
        "class Own(Component):\n    def spoil(self): self._changing.clear()",
    ],
)
def test_another_use_of_a_private_name_is_found(source: str) -> None:
    assert foreign_names(source)


def test_each_private_name_of_the_scripts_is_used_in_its_script_alone() -> None:
    found = {
        path.relative_to(SOURCES).as_posix(): names
        for path in SOURCES.rglob("*.js")
        if (names := set(SCRIPT_NAME.findall(path.read_text(encoding="utf-8"))) - OWN_OF_SCRIPTS)
    }
    assert found == SCRIPT_PLACES
