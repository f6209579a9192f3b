"""Names in a study -> problems and policies.

A problem or policy is a name that this package registers, or ``plugin:attribute``: a factory of
`Problem`, or a `Policy` class, of a plugin. A plugin is a module that whoever runs the study has
named to `use_plugin`. A study itself, which may come from somebody else, imports nothing.
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ucbpe_core.errors import InputError
from ucbpe_core.policies import POLICIES, Policy
from ucbpe_core.problems import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import ModuleType

    from ucbpe_core.problems import Problem

_sources: dict[str, str] = {}  # of this process: name of each plugin -> what it was loaded from
_modules: dict[str, ModuleType] = {}


def use_plugin(source: str) -> None:
    """Let studies name the factories and classes of a module, as ``name:attribute``.

    It is imported here, now, and in every worker of a study that is run from here; again is
    without effect. The code of the plugin is trusted, a study that names it is not.

    Parameters
    ----------
    source : a module that can be imported, or a file that ends in ``.py``
        A file's name, without the ending, is that of the plugin. Workers on other machines need
        the module, or the file at the same path.

    Raises
    ------
    InputError
        For a module that cannot be imported, or a file whose name another module has.
    """
    is_file = source.endswith(".py")
    source = str(Path(source).absolute()) if is_file else source
    name = Path(source).stem if is_file else source
    if _sources.get(name) == source:
        return
    try:
        module = _load(name, source) if is_file else import_module(name)
    except InputError:
        raise
    except Exception as error:
        got = f"{type(error).__name__}: {error}"
        remedy = "check its name and the search path, or mend it"
        raise InputError(f"plugin {source!r} to be importable", got, remedy) from error
    _sources[name], _modules[name] = source, module


def plugins() -> tuple[str, ...]:
    """What `use_plugin` was called with, files with their whole path."""
    return tuple(_sources.values())


def _load(name: str, path: str) -> ModuleType:
    """Import a file under its own name, so that what it defines can be sent to workers."""
    if not name.isidentifier() or name in sys.modules or find_spec(name) is not None:
        got = f"{name}, which is none" if not name.isidentifier() else f"that of module {name}"
        raise InputError(f"a name of its own for plugin {path!r}", got, "rename the file")
    spec = spec_from_file_location(name, path)
    assert spec is not None  # for a name that ends in .py
    assert spec.loader is not None
    module = sys.modules[name] = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def problem_factory(name: str) -> Callable[..., Problem]:
    """The factory registered as `name`, or that a plugin has.

    Raises
    ------
    InputError
        For a name that is neither.
    """
    factory = _look_up(name, PROBLEMS, "problem")
    if not callable(factory):
        raise InputError(f"{name} to be a function", repr(factory), "name a factory of a Problem")
    return factory


def policy_class(name: str) -> type[Policy]:
    """The policy registered as `name`, or that a plugin has.

    Raises
    ------
    InputError
        For a name that is neither, or something that is no policy.
    """
    found = _look_up(name, POLICIES, "policy")
    if not (isinstance(found, type) and issubclass(found, Policy)):
        raise InputError(f"{name} to be a Policy class", repr(found), "derive it from Policy")
    return found


def takes(factory: Callable[..., Any], option: str) -> bool:
    """Whether `factory` has a parameter of that name."""
    return option in inspect.signature(factory).parameters


def _look_up(name: str, registered: Mapping[str, Any], what: str) -> Any:
    if not isinstance(name, str):
        raise InputError(f"the name of a {what}", repr(name), "write it in quotes")
    if name in registered:
        return registered[name]
    plugin, separator, attribute = name.partition(":")
    if not separator:
        known = ", ".join(registered)
        raise InputError(f"a {what} among {known}", repr(name), "name one, or write plugin:name")
    if plugin not in _modules:
        remedy = "name that module or file with --plugin, or use_plugin in Python, if you trust it"
        raise InputError(f"{what} {name!r} to be of a plugin", f"none named {plugin}", remedy)
    try:
        return getattr(_modules[plugin], attribute)
    except AttributeError as error:
        remedy = f"check what {_sources[plugin]} defines"
        raise InputError(f"{what} {name!r} to be in its plugin", str(error), remedy) from None
