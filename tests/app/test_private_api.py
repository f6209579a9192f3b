"""What the app uses of Panel, Bokeh and param that they do not document, and so may change.

A version in which one of these is gone, or takes other arguments, fails here by name, before a
page fails in some other way. Two are replaced, `REPLACED`; the others are read or called.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable
from pathlib import Path

import panel as pn
import panel.io.document
import param
import pytest
from bokeh.server.tornado import BokehTornado
from panel.io.server import Server
from tornado.ioloop import IOLoop

import ucbpe_app

SOURCES = Path(ucbpe_app.__file__).parent

# What is called, overridden or replaced, and the parameters that the app gives or takes.
METHODS = (
    (pn.custom.JSComponent, "_handle_msg", "self data"),
    (pn.custom.JSComponent, "_send_msg", "self data"),
    (pn.Column, "_get_properties", "self doc"),
    (param.Parameter, "_validate", "self val"),
    (panel.io.document, "_dispatch_msgs", "doc"),
)
# Assigned, or overridden without being documented for it: docs/developers.md lists the same.
REPLACED = {
    "private/panel": {"_dispatch_msgs", "_get_properties"},
}
DOCUMENTED = {"_esm", "_stylesheets", "_rename", "_handle_msg", "_send_msg"}
# Methods that IPython documents for classes that extend theirs.
EXTENDED = {"_repr_mimebundle_"}
OF_PYTHON = {"_asdict", "_exit", "_SubParsersAction"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@pytest.mark.parametrize(("owner", "name", "parameters"), METHODS)
def test_methods_take_what_they_took(owner: object, name: str, parameters: str) -> None:
    assert list(inspect.signature(getattr(owner, name)).parameters) == parameters.split()


def holders() -> tuple[tuple[object, str], ...]:
    """Objects, and the names of the attributes that the app reads or sets of them."""
    return (
        (pn.custom.JSComponent, "_esm _stylesheets _rename"),
        (pn.custom.JSComponent(), "_models"),
        (pn.state, "_views"),
        (panel.io.document, "_WRITE_MSGS _WRITE_BLOCK"),
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
    names = {name for _, name, _ in METHODS} | {"_tornado"}
    return set(filter(private, names | {name for _, all_ in holders() for name in all_.split()}))


def overridden(node: ast.ClassDef) -> set[str]:
    """The methods of others that a class with a base defines anew."""
    if not node.bases:
        return set()
    methods = {one.name for one in node.body if isinstance(one, FUNCTIONS)}
    return methods & {name for _, name, _ in METHODS}


def by_module(names_in: Callable[[str], set[str]]) -> dict[str, set[str]]:
    """The names that a function finds in the source of each module, where there are any."""
    return {
        path.relative_to(SOURCES).with_suffix("").as_posix(): names
        for path in SOURCES.rglob("*.py")
        if (names := names_in(path.read_text(encoding="utf-8")))
    }


def replaced_names(source: str) -> set[str]:
    """Private names of others that a module assigns, or methods of theirs that it overrides."""
    _, defined = names_of(source)
    found = set[str]()
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Attribute(attr=name, value=ast.Name(id="self" | "cls")):
                continue
            case ast.Attribute(attr=name, ctx=ast.Store() | ast.Del()):
                found |= {name} - defined
            case ast.ClassDef():
                found |= overridden(node)
    return set(filter(private, found)) - DOCUMENTED - EXTENDED


def test_two_are_replaced() -> None:
    assert by_module(replaced_names) == REPLACED
