"""The parts of a packed workbook, as streams of XML that are measured while they are read.

A workbook is a packed folder, which may unpack to far more than it is, and its XML may say that a
cell is far away, or declare entities. So no part is unpacked or parsed as a whole: the parser gets
a chunk at a time, counts what it finds, and is given up when that is too much or takes too long.
"""

from __future__ import annotations

import io
import zipfile
from time import thread_time
from typing import TYPE_CHECKING, TypeVar
from xml.sax.handler import ContentHandler, property_interning_dict

from ucbpe_core.errors import InputError, grouped
from ucbpe_core.support.limits import checkpoint
from ucbpe_core.support.optional import optional
from ucbpe_core.tables.limits import (
    MOST_DEPTH,
    MOST_ELEMENTS,
    MOST_IN_TEXT,
    MOST_NAMES,
    MOST_PARTS,
    MOST_SECONDS,
    MOST_UNPACKED,
    MOST_UNSEEN,
)

if TYPE_CHECKING:
    from xml.sax.xmlreader import AttributesImpl

WANTED = "an Excel workbook, .xlsx"
REMEDY = "save it as .xlsx without a password, or as CSV"
SMALLER = "copy the table to a workbook of its own"
_PARTS = frozenset({"[Content_Types].xml", "xl/workbook.xml"})
_FLAG_ENCRYPTED = 1
# What .xlsx may use. Of others, `zipfile` unpacks without limit: 4 kB of bzip2 can be gigabytes.
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_CHUNK = 2**16  # bytes; parsed in some 10 ms, after which other visitors have their turn


class Part(ContentHandler):
    """What is wanted of one part; a subclass takes it from `opened` and `closed`.

    Names are without the prefix of their namespace, which is a program's choice.
    """

    def __init__(self) -> None:
        super().__init__()
        self.quiet = True  # until something comes
        self._depth = self._elements = 0
        self._text = ""

    def opened(self, tag: str, attributes: AttributesImpl) -> None:
        """An element begins."""

    def closed(self, tag: str, text: str) -> None:
        """An element ends; `text` is what came since the last begin or end."""

    def startElement(self, name: str, attrs: AttributesImpl) -> None:  # noqa: N802 - SAX
        """Count, and hand on."""
        self.quiet = False
        self._depth += 1
        self._elements += 1
        if self._depth > MOST_DEPTH:
            raise InputError(f"elements in at most {MOST_DEPTH} others", "more", REMEDY)
        if self._elements > MOST_ELEMENTS:
            wanted = f"at most {grouped(MOST_ELEMENTS)} elements in a part of a workbook"
            raise InputError(wanted, "more", SMALLER)
        self._text = ""
        self.opened(name.rpartition(":")[2], attrs)

    def characters(self, content: str) -> None:
        """Keep a piece of text."""
        self.quiet = False
        self._text += content
        if len(self._text) > MOST_IN_TEXT:
            raise InputError(f"at most {grouped(MOST_IN_TEXT)} letters in a cell", "more", SMALLER)

    def endElement(self, name: str) -> None:  # noqa: N802 - SAX
        """Hand on."""
        self._depth -= 1
        self.closed(name.rpartition(":")[2], self._text)
        self._text = ""


PartT = TypeVar("PartT", bound=Part)


class Package:
    """The parts of a packed workbook.

    Raises
    ------
    InputError
        For a file that is no workbook, has a password, or says that it is too large.
    """

    def __init__(self, content: bytes) -> None:
        self._packed = zipfile.ZipFile(io.BytesIO(content))
        parts = self._packed.infolist()
        self.names = frozenset(part.filename for part in parts)
        if not self.names >= _PARTS:
            raise InputError(WANTED, "another packed file", REMEDY)
        if any(part.flag_bits & _FLAG_ENCRYPTED for part in parts):
            raise InputError(WANTED, "one with a password", REMEDY)
        if not {part.compress_type for part in parts} <= _METHODS:
            raise InputError(WANTED, "one that is packed in another way", REMEDY)
        size = sum(part.file_size for part in parts)
        if size > MOST_UNPACKED or len(parts) > MOST_PARTS:
            wanted = f"at most {MOST_UNPACKED // 1_000_000} MB unpacked, in {MOST_PARTS} parts"
            got = f"{size / 1e6:.0f} MB in {grouped(len(parts))}"
            raise InputError(wanted, got, SMALLER)
        self._until = thread_time() + MOST_SECONDS

    def read(self, name: str, part: PartT) -> PartT:
        """Give a part its elements. Other visitors have their turns meanwhile.

        Raises
        ------
        InputError
            For too much of anything, and for entities, which are not expanded.
        """
        sax, names = optional("defusedxml.sax", "excel"), dict[str, str]()
        parser = sax.make_parser()
        parser.forbid_dtd = True
        parser.setProperty(property_interning_dict, names)  # which keeps those of all elements
        parser.setContentHandler(part)
        with self._packed.open(name) as file:  # which gives no more than the directory says
            try:
                unseen = 0
                while chunk := file.read(_CHUNK):
                    checkpoint()
                    part.quiet = True
                    parser.feed(chunk)
                    unseen = unseen + len(chunk) if part.quiet else 0
                    self._check(unseen, len(names))
                parser.close()
            except optional("defusedxml", "excel").DefusedXmlException:
                raise InputError(WANTED, "one that declares entities", REMEDY) from None
        return part

    def _check(self, unseen: int, names: int) -> None:
        """Refuse a tag without an end, whose attributes would be kept, and names without end.

        The time is what this thread has computed, in which the turns of others do not count.
        """
        if unseen > MOST_UNSEEN:
            raise InputError(f"elements of at most {MOST_UNSEEN / 1e6:g} MB", "more", REMEDY)
        if names > MOST_NAMES:
            wanted = f"at most {grouped(MOST_NAMES)} names of elements and attributes"
            raise InputError(wanted, "more", REMEDY)
        if thread_time() > self._until:
            wanted = f"a workbook that is read in {MOST_SECONDS} s"
            raise InputError(wanted, "one that takes longer", SMALLER)
