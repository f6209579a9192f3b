"""What a workbook has beside its cells: names and parts of worksheets, texts, and formats."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ucbpe_app.pages.problem.sheets.formats import BUILTIN, Format, format_of
from ucbpe_app.pages.problem.sheets.limits import MOST_PARTS
from ucbpe_app.pages.problem.sheets.package import SMALLER, Part
from ucbpe_core.errors import InputError

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl

_LONGEST = 100  # letters of a name: three times as many as Excel takes


class Found(NamedTuple):
    """A sheet of a workbook: its name, the relation to its part, and whether it is in sight."""

    name: str
    relation: str
    visible: bool


class Sheets(Part):
    """Of the workbook: its sheets in their order, and the day that it counts from."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[Found] = []
        self.from_1904 = False

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "sheet":
            # The prefix of ``r:id`` is a program's choice.
            relation = next((x for key, x in attributes.items() if key.endswith(":id")), "")
            visible = attributes.get("state", "visible") == "visible"
            self.found.append(Found(attributes["name"][:_LONGEST], relation, visible))
            _check_parts(len(self.found))
        elif tag == "workbookPr":
            self.from_1904 = attributes.get("date1904") in ("1", "true")


class Relation(NamedTuple):
    """Another part: its kind and its address."""

    kind: str
    target: str


class Relations(Part):
    """The parts that a workbook is related to, by their identifiers."""

    def __init__(self) -> None:
        super().__init__()
        self.found: dict[str, Relation] = {}

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "Relationship":
            kind = attributes["Type"].rpartition("/")[2]
            self.found[attributes["Id"]] = Relation(kind, attributes["Target"])
            _check_parts(len(self.found))


def _check_parts(count: int) -> None:
    if count > MOST_PARTS:
        raise InputError(f"a workbook of at most {MOST_PARTS} parts", "more", SMALLER)


class Strings(Part):
    """The texts that cells share."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._pieces: list[str] = []
        self._spoken = False

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "rPh":
            self._spoken = True

    def closed(self, tag: str, text: str) -> None:
        if tag == "t" and not self._spoken:
            self._pieces.append(text)
        elif tag == "rPh":  # how a text is spoken
            self._spoken = False
        elif tag == "si":
            self.texts.append(plain("".join(self._pieces)))
            self._pieces.clear()


class Styles(Part):
    """The format of each style of cells."""

    def __init__(self) -> None:
        super().__init__()
        self.formats: list[Format] = []
        self._known: dict[int, Format] = dict(BUILTIN)
        self._of_cells = False

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        if tag == "numFmt":
            self._known[int(attributes["numFmtId"])] = format_of(attributes["formatCode"])
        elif tag == "cellXfs":
            self._of_cells = True
        elif tag == "xf" and self._of_cells:
            number = int(attributes.get("numFmtId", "0"))
            self.formats.append(self._known.get(number, Format.NUMBER))

    def closed(self, tag: str, text: str) -> None:
        if tag == "cellXfs":
            self._of_cells = False


def plain(text: str) -> str:
    """A text in one line."""
    return " ".join(text.split())
