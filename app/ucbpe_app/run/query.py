"""Reading and writing the links of every page: one field at a time, from a table of fields."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from operator import attrgetter
from types import MappingProxyType, SimpleNamespace
from typing import TYPE_CHECKING, Any, Generic, TypeVar
from urllib.parse import parse_qsl, urlencode

from ucbpe_app.run.notation import CODES, NAMES, is_unlisted, members_of, short, text_of, value_of
from ucbpe_app.run.settings import SETTINGS, Settings
from ucbpe_core.errors import InputError, UCBPEError

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterable, Mapping
    from enum import StrEnum

    import param

    from ucbpe_app.run.setting import SpecSettings

S = TypeVar("S")
T = TypeVar("T")

_OWN = "own-"  # how links named a table of the visitor's, which other pages once showed
DIGEST_DIGITS = 16  # of the 64, kept in a link: 64 bits leave no room for chance
# What the server, or the page as a whole, takes from an address for itself.
OF_THE_PAGE = re.compile(r"page|present|theme|bokeh-.*")
_MOST_FIELDS = 100


@dataclass(frozen=True)
class LinkField(Generic[T]):
    """A field of a link.

    Attributes
    ----------
    name : in the link
    attribute : of the moment on screen; dots lead to attributes of attributes
    read : text -> value; its `InputError` says what is used instead
    write : value -> text
    default : the value where the link does not have the field
    always : written even if the text is empty
    names : the names that a list can have; any other is an error
    """

    name: str
    attribute: str
    read: Callable[[str], T]
    write: Callable[[T], str]
    default: T
    always: bool = False
    names: tuple[str, ...] = ()

    def value(self, text: str, default: T, errors: list[InputError]) -> T:
        """The value of a text, or the default and one more error."""
        if self.names:
            text = ",".join(
                members_of(self.name, filter(None, text.split(",")), self.names, errors)
            )
        try:
            return self.read(text)
        except InputError as error:
            errors.append(error)
            return default


class Query:
    """The known fields of an address that occur once.

    Parameters
    ----------
    names, ignored : fields that are read, and fields of other pages
    whole : whether this is a whole address, which also has fields of the page

    Attributes
    ----------
    fields : name -> text
    errors : what could not be used so far, with what is used instead
    """

    def __init__(
        self,
        query: str,
        names: Collection[str],
        ignored: Container[str] = (),
        *,
        whole: bool = True,
    ) -> None:
        self.errors: list[InputError] = []
        expected = "a field that links have" if whole else f"some of {', '.join(names)}"
        try:
            pairs = parse_qsl(
                query.removeprefix("?"), keep_blank_values=True, max_num_fields=_MOST_FIELDS
            )
        except ValueError:
            pairs, most = [], f"at most {_MOST_FIELDS} fields"
            self.errors.append(InputError(most, "more", "the link is not opened"))
        times = Counter(name for name, _ in pairs)
        for name, count in times.items():
            if name not in names:
                if name not in ignored and not (whole and OF_THE_PAGE.fullmatch(name)):
                    remedy = "it is left out; see if it is misspelt, or the link of a later version"
                    self.errors.append(InputError(expected, short(name), remedy))
            elif count > 1:
                remedy = "the field is left out; keep one of them"
                self.errors.append(InputError(f"{name} once", f"{count} times", remedy))
        self.fields = {name: text for name, text in pairs if name in names and times[name] == 1}

    def read(self, field: LinkField[T], default: T | None = None) -> T:
        """The value of a field, else `default`, else the field's own default."""
        used = field.default if default is None else default
        text = self.fields.get(field.name)
        return used if text is None else field.value(text, used, self.errors)

    def values(
        self, table: Iterable[LinkField[Any]], defaults: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Any]:
        """The values of a table of fields by attribute; `defaults` as of `read`."""
        return {field.attribute: self.read(field, defaults.get(field.attribute)) for field in table}

    def settings(self, codes: Iterable[str], prefix: str = "") -> dict[str, str]:
        """The texts of settings by their own names; in the link they have this prefix."""
        return {
            NAMES.get(code, code): self.fields[prefix + code]
            for code in codes
            if prefix + code in self.fields
        }


def accept_texts(
    query: Query,
    settings: SpecSettings[S],
    texts: Mapping[str, str],
    prefix: str = "",
    refused: Mapping[str, UCBPEError] = MappingProxyType({}),
) -> S:
    """The settings with those of a link that can be used; the others are added to its errors.

    `texts` are by the settings' own names; `refused` are those known not to be had.
    """
    values = {
        name: value_of(settings.param[name], text)
        for name, text in texts.items()
        if name not in refused
    }
    errors = {**refused, **accept_each(settings, values)}
    spec = settings.spec()
    query.errors.extend(
        restored_as(name, texts[name], errors[name], spec, prefix, settings.param[name])
        for name in texts
        if name in errors
    )
    return spec


def accept_each(settings: SpecSettings[Any], values: Mapping[str, Any]) -> dict[str, UCBPEError]:
    """Set all values that can be had; return why the others cannot, by name.

    Each is checked by itself. Where valid values cannot be had together, the first of them are set.
    """
    refused: dict[str, UCBPEError] = {}
    for name, value in values.items():
        _try(settings.check, name, value, refused)
    good = {name: value for name, value in values.items() if name not in refused}
    try:
        settings.accept(**good)
    except UCBPEError:
        for name, value in good.items():
            _try(lambda name, value: settings.accept(**{name: value}), name, value, refused)
    return refused


def _try(
    act: Callable[[str, Any], None], name: str, value: Any, refused: dict[str, UCBPEError]
) -> None:
    try:
        act(name, value)
    except UCBPEError as error:
        refused[name] = error


def restored_as(
    name: str,
    text: object,
    error: UCBPEError,
    spec: object,
    prefix: str = "",
    parameter: param.Parameter | None = None,
) -> InputError:
    """The error of a setting in a link, which says what `spec` has instead.

    `parameter` is that of the setting, if it is not one of a run.
    """
    unlisted = is_unlisted(parameter or Settings.param[name], str(text))
    plugin = "; one of a plugin needs a server that was started with --plugin" if unlisted else ""
    code, used = prefix + CODES.get(name, name), text_of(getattr(spec, name))
    remedy, expected = f"the link opens with {code}={used}", error.expected
    if name == "problem" and str(text).startswith(_OWN):
        expected = "a problem of the laboratory: a table of yours is simulated on Your problem"
        return InputError(expected, f"{code}={short(text)}", remedy)
    return InputError(expected, f"{code}={short(text)}", f"{remedy}{plugin}")


def setting_texts(
    values: Mapping[str, Any], start: Mapping[str, Any] = MappingProxyType({})
) -> dict[str, str]:
    """Settings as texts, by their names in links.

    Optional ones that are not used are left out where they are as in `start`, which the link is
    read over; fields that it lacks have their defaults.
    """
    choices = SimpleNamespace(**values)
    return {
        CODES.get(name, name): text_of(value)
        for name, value in values.items()
        if not (name in SETTINGS and SETTINGS[name].optional and not SETTINGS[name].used(choices))
        or value != start.get(name, SETTINGS[name].parameter.default)
    }


def texts_of(moment: object, fields: Iterable[LinkField[Any]]) -> dict[str, str]:
    """The fields of a moment as texts, by their names, without fields that are None."""
    values = {field: attrgetter(field.attribute)(moment) for field in fields}
    texts = {field: field.write(value) for field, value in values.items() if value is not None}
    return {field.name: text for field, text in texts.items() if text or field.always}


def query_of_texts(texts: Mapping[str, str]) -> str:
    """The query of a link, without the question mark."""
    return urlencode(texts, safe=",")


def names_field(
    name: str,
    attribute: str,
    names: tuple[str, ...],
    default: frozenset[str] | None = frozenset(),
) -> LinkField[Any]:
    """The field of some of `names`, with commas between; without any, it is empty."""
    return LinkField(name, attribute, _names, _listed, default, always=True, names=names)


def _names(text: str) -> frozenset[str]:
    return frozenset(filter(None, text.split(",")))


def _listed(names: Iterable[str]) -> str:
    return ",".join(sorted(CODES.get(name, name) for name in names))


def choice(name: str, kind: type[StrEnum]) -> Callable[[str], Any]:
    """A reader of one of the values of `kind`."""

    def read(text: str) -> StrEnum:
        if text not in list(kind):
            expected = f"{name} to be one of {', '.join(kind)}"
            raise InputError(expected, short(text), "it is left out")
        return kind(text)

    return read


def digest_of(text: str) -> str:
    """The digest of a run, or its beginning.

    Raises
    ------
    InputError
        For anything else.
    """
    if not re.fullmatch(r"[0-9a-f]{8,64}", text):
        remedy = "whether this is the same run is not checked"
        raise InputError("run to be 8 to 64 hexadecimal digits", short(text), remedy)
    return text


def other_digest(what: str, digest: str, wanted: str) -> list[InputError]:
    """The error of a link whose digest is not that of what its settings give here, if it is not."""
    if digest.startswith(wanted):
        return []
    expected, got = (f"{what} {text[:DIGEST_DIGITS]}" for text in (wanted, digest))
    remedy = (
        "the link was edited, or made with another version or on another kind of machine; "
        "what is shown is what its settings give here"
    )
    return [InputError(expected, got, remedy)]


def digest_field(name: str) -> LinkField[str]:
    """The field of a digest, which keeps as many digits as rule out chance."""
    return LinkField(name, "digest", digest_of, lambda digest: digest[:DIGEST_DIGITS], "")
