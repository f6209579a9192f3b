"""A package of lessons for a course system, by SCORM 1.2.

Of the versions of SCORM it is the most widely supported. Moodle, for example, passes the
conformance tests of 1.2 and does not support 2004 (its documentation, "SCORM FAQ", "Supported
versions").

The rules of the manifest are those of ADL, "The SCORM Content Aggregation Model, Version 1.2",
2001, section 2.3, and of "IMS Content Packaging Specification 1.1.2".
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from xml.etree import ElementTree

if TYPE_CHECKING:
    from collections.abc import Sequence

MANIFEST = "imsmanifest.xml"
_CP, _ADL = (
    "http://www.imsproject.org/xsd/imscp_rootv1p1p2",
    "http://www.adlnet.org/xsd/adlcp_rootv1p2",
)
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # of a ZIP; equal contents make equal packages
_LONGEST = 200  # letters of a title


@dataclass(frozen=True)
class Activity:
    """A page: its slug, its title, the files that it needs, itself first, and whether it reports a
    grade, and so talks to the course system.
    """

    slug: str
    title: str
    files: dict[str, bytes] = field(repr=False)
    graded: bool


def package(activities: Sequence[Activity], title: str) -> bytes:
    """The ZIP with the manifest in its root; each activity is an item of the course."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        _add(archive, MANIFEST, manifest(activities, title))
        for activity in activities:
            for name, data in activity.files.items():
                _add(archive, name, data)
    return file.getvalue()


def manifest(activities: Sequence[Activity], title: str) -> bytes:
    """``imsmanifest.xml``: the items, their order, and the page of each."""
    root = ElementTree.Element(f"{{{_CP}}}manifest", identifier="ucbpe-lessons", version="1.1")
    about = _below(root, "metadata")
    _below(about, "schema").text = "ADL SCORM"
    _below(about, "schemaversion").text = "1.2"
    organizations = _below(root, "organizations", default="lessons")
    organization = _below(organizations, "organization", identifier="lessons")
    _below(organization, "title").text = title[:_LONGEST]
    resources = _below(root, "resources")
    for activity in activities:
        # An identifier of XML may not begin with a digit.
        name, page = f"lesson-{activity.slug}", next(iter(activity.files))
        item = _below(organization, "item", identifier=name, identifierref=f"{name}-page")
        _below(item, "title").text = activity.title[:_LONGEST]
        kind = {f"{{{_ADL}}}scormtype": "sco" if activity.graded else "asset"}
        resource = _below(
            resources, "resource", identifier=f"{name}-page", type="webcontent", href=page, **kind
        )
        for path in activity.files:
            _below(resource, "file", href=path)
    ElementTree.indent(root)
    ElementTree.register_namespace("", _CP)
    ElementTree.register_namespace("adlcp", _ADL)
    return ElementTree.tostring(root, "utf-8", xml_declaration=True) + b"\n"


def _below(parent: ElementTree.Element, name: str, **attributes: str) -> ElementTree.Element:
    return ElementTree.SubElement(parent, f"{{{_CP}}}{name}", attributes)


def _add(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    about = zipfile.ZipInfo(name, _EARLIEST)
    about.compress_type, about.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
    archive.writestr(about, data)
