"""Names of kernels, policies, beta schedules and problems: built in, installed, or from a plugin.

Four registries map names to classes, and for problems to factories: `kernels.KERNELS`,
`policies.POLICIES`, `schedules.SCHEDULES` and `problems.PROBLEMS`. Each built-in one is registered
by one line, and so are those in the file of a plugin::

    # mine.py, loaded by use_plugin("mine.py") or ``ucbpe study --plugin mine.py``
    register("Coin toss", CoinToss)

A plugin's classes are also found unregistered, as ``mine:CoinToss``. An installed distribution can
declare them as entry points, which are found without loading a plugin first::

    [project.entry-points."ucbpe.policies"]
    "Coin toss" = "mine:CoinToss"
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import lru_cache, partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from types import ModuleType

T = TypeVar("T")

_registries: list[Registry[Any]] = []
_sources: dict[str, str] = {}  # of this process: name of each plugin -> what it was loaded from
_modules: dict[str, ModuleType] = {}


class Registry(Mapping[str, T]):
    """A registry of names; iteration lists those available in any process.

    Parameters
    ----------
    what : the kind of item for messages, e.g. "kernel"
    group : of the entry points
    base : the base class of the items; without one they are functions
    """

    def __init__(self, what: str, group: str, base: type | None = None) -> None:
        self.base = base or object
        self._what, self._group = what, group
        self._items: dict[str, T] = {}
        _registries.append(self)

    def register(self, name: str, item: T) -> None:
        """Register a class or factory; `InputError` for a name that is taken, an item of another
        kind, or a class whose records could not be saved.
        """
        given: object = name
        if not isinstance(given, str) or not given:
            raise InputError(f"the name of a {self._what}", repr(given), "write it in quotes")
        if isinstance(item, type):
            _check_saved(name, item, self.base)
        if self._items.setdefault(name, self._checked(name, item)) is not item:
            raise InputError(f"a new name for a {self._what}", repr(name), "choose another")

    def find(self, name: str) -> T:
        """The item registered, declared as an entry point or, as ``plugin:attribute``, in a plugin.

        Raises
        ------
        InputError
            For an unknown name, or an item of another kind.
        """
        if not isinstance(name, str):
            raise InputError(f"the name of a {self._what}", repr(name), "write it in quotes")
        if name in self._items:
            return self._items[name]
        for entry in _entry_points(self._group, tuple(sys.path)):
            if entry.name == name:
                return self._checked(name, _loaded(entry))
        plugin, separator, attribute = name.partition(":")
        if not separator:
            known = ", ".join(self)
            remedy = "name one, or write plugin:name"
            raise InputError(f"a {self._what} among {known}", repr(name), remedy)
        return self._checked(name, _attribute(self._what, name, plugin, attribute))

    def name_of(self, item: T, where: str) -> str:
        """The name by which `find` finds the class or factory of `where`; `InputError` if none."""
        for name, known in self._items.items():
            if known is item:
                return name
        for entry in _entry_points(self._group, tuple(sys.path)):
            if _loaded(entry) is item:
                return entry.name
        plugin, attribute = getattr(item, "__module__", ""), getattr(item, "__qualname__", "")
        if getattr(_modules.get(plugin), attribute, None) is item:
            return f"{plugin}:{attribute}"
        wanted = f"{where} of kind {', '.join(self)}, or of a plugin"
        got = getattr(item, "__name__", repr(item))
        raise InputError(wanted, got, "register it, or load its module with use_plugin")

    def __getitem__(self, name: str) -> T:
        try:
            return self.find(name)
        except InputError as error:
            raise KeyError(name) from error

    def __iter__(self) -> Iterator[str]:
        entries = _entry_points(self._group, tuple(sys.path))
        return iter(dict.fromkeys([*self._items, *(entry.name for entry in entries)]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def _checked(self, name: str, item: Any) -> T:
        if self.base is object:
            if not callable(item):
                remedy = f"name a factory of a {self._what.capitalize()}"
                raise InputError(f"{name} to be a function", repr(item), remedy)
        elif not (isinstance(item, type) and issubclass(item, self.base)):
            base = self.base.__name__
            raise InputError(f"{name} to be a {base} class", repr(item), f"derive it from {base}")
        return item


@overload
def register(name: str, item: T) -> T: ...


@overload
def register(name: str) -> Callable[[T], T]: ...


def register(name: str, item: Any = None) -> Any:
    """Register a kernel, a policy, a beta schedule or a problem under a name.

    Pages, links, studies, saved runs and lessons use the name. A class belongs to the registry of
    its base, `Kernel`, `Policy` or `BetaSchedule`; a function is the factory of a `Problem`.

    Parameters
    ----------
    name : not yet taken; registering the same item again has no effect
    item : the class or function; without it, a decorator is returned

    Returns
    -------
    The item itself, so that `register` can be a decorator.

    Raises
    ------
    InputError
        For a name that is taken, an item of another kind than the four, or a class whose records
        could not be saved: one with a parameter that is not a field of its dataclass, or with a
        default that is no number, text, list, or kernel.

    Examples
    --------
    >>> from ucbpe_core import problems, register
    >>> @register("parabola")
    ... def parabola(seed: int = 0):
    ...     return problems.from_callable(lambda x: -((x[0] - 1) ** 2), [(-2, 2)], name="Parabola")
    >>> problems.PROBLEMS["parabola"]().name
    'Parabola'
    """
    if item is None:
        return partial(register, name)
    _registry_of(name, item).register(name, item)
    return item


def _registry_of(name: str, item: Any) -> Registry[Any]:
    if isinstance(item, type):
        for registry in _registries:
            if registry.base is not object and issubclass(item, registry.base):
                return registry
    elif callable(item):
        found: Registry[Any] = import_module("ucbpe_core.problems").PROBLEMS
        return found
    wanted = f"{name} to be a class derived from Kernel, Policy or BetaSchedule, or a function"
    raise InputError(wanted, repr(item), "derive it, or write a function that returns a Problem")


def _check_saved(name: str, item: type, base: type) -> None:
    """Refuse a class whose records no file could hold: a file has the fields of a dataclass."""
    own = {entry.name: entry for entry in fields(item) if entry.init} if is_dataclass(item) else {}
    for parameter in inspect.signature(item).parameters.values():
        field = own.get(parameter.name)
        if field is None:
            wanted = f"{name} to be a dataclass, so that its parameters are fields that are saved"
            got = f"{item.__name__} with a parameter {parameter.name} that is none"
            raise InputError(wanted, got, "declare it with @dataclass(frozen=True)")
        default = field.default
        if field.default_factory is not MISSING:
            default = field.default_factory()
        if default is not MISSING and not _is_plain(default, base):
            wanted = f"a default of {item.__name__}.{parameter.name} that a file can hold"
            remedy = "use numbers, text, True, None, or tuples of these"
            raise InputError(wanted, type(default).__name__, remedy)


def _is_plain(value: object, base: type) -> bool:
    """Whether a file can hold a value: `files.tables` writes records of the same base too."""
    if isinstance(value, tuple | list):
        return all(_is_plain(part, base) for part in value)
    plain = value is None or isinstance(value, bool | int | str | base)
    return plain or (isinstance(value, float) and isfinite(value))


def use_plugin(source: str) -> None:
    """Load a module: what it registers is found by name, the rest as ``name:attribute``.

    It is imported now in this process, and in every worker of a study that is run from it; a second
    call has no effect. The code of a plugin is trusted; a study or file that names it is not.

    Parameters
    ----------
    source : a module that can be imported, or a file that ends in ``.py``
        A file's name, without the ending, is the plugin's name. Workers on other machines need the
        module, or the file at the same path.

    Raises
    ------
    InputError
        For a module that cannot be imported, or a file with the name of another module.

    Examples
    --------
    >>> from pathlib import Path
    >>> from ucbpe_core import problems, use_plugin
    >>> code = "from ucbpe_core import problems, register; register('my peak', problems.thin_peak)"
    >>> characters = Path("my_problems.py").write_text(code)
    >>> use_plugin("my_problems.py")
    >>> problems.PROBLEMS["my peak"]().name
    'Thin peak'
    """
    is_file = source.endswith(".py")
    source = str(Path(source).absolute()) if is_file else source
    name = Path(source).stem if is_file else source
    if _sources.get(name) == source:
        return
    before = [dict(registry._items) for registry in _registries]
    try:
        module = _load(name, source) if is_file else import_module(name)
    except Exception as error:
        for registry, items in zip(_registries, before, strict=False):
            registry._items = items
        if isinstance(error, InputError):
            raise
        got = _reason(error)
        remedy = "check its name and the search path, or correct it"
        raise InputError(f"plugin {source!r} to be importable", got, remedy) from error
    _sources[name], _modules[name] = source, module


def plugins() -> tuple[str, ...]:
    """What `use_plugin` was called with, files by their absolute path."""
    return tuple(_sources.values())


def _load(name: str, path: str) -> ModuleType:
    """Import a file under its own name, so that what it defines can be sent to workers."""
    if not name.isidentifier() or not _is_free(name, path):
        got = f"{name}, not an identifier" if not name.isidentifier() else f"that of module {name}"
        raise InputError(f"an unused module name for plugin {path!r}", got, "rename the file")
    if name in sys.modules:
        return sys.modules[name]
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


def _is_free(name: str, path: str) -> bool:
    """Whether no module has the name, except the file itself, as in the folder of a script."""
    if name in sys.modules:
        place = getattr(sys.modules[name], "__file__", None)
    else:
        found = find_spec(name)
        if found is None:
            return True
        place = found.origin
    return place is not None and Path(place).resolve() == Path(path).resolve()


def _attribute(what: str, name: str, plugin: str, attribute: str) -> Any:
    if plugin not in _modules:
        remedy = "name that module or file with --plugin, or use_plugin in Python, if you trust it"
        raise InputError(f"{what} {name!r} to be of a plugin", f"none named {plugin}", remedy)
    try:
        return getattr(_modules[plugin], attribute)
    except AttributeError as error:
        remedy = f"check what {_sources[plugin]} defines"
        raise InputError(f"{what} {name!r} to be in its plugin", str(error), remedy) from None


@lru_cache(maxsize=16)  # the search path is read at every look-up of a name that is not built in
def _entry_points(group: str, path: tuple[str, ...]) -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=group))


def _loaded(entry: EntryPoint) -> Any:
    try:
        return entry.load()
    except Exception as error:
        wanted = f"entry point {entry.name!r} of {entry.group} to be importable"
        got = _reason(error)
        raise InputError(wanted, got, "correct or uninstall that distribution") from error


def _reason(error: Exception) -> str:
    """Why something cannot be imported: of the system's own errors, without their numbers."""
    return getattr(error, "strerror", None) or f"{type(error).__name__}: {error}"
