r"""Maths of a caption, from TeX to MathML, which every browser sets without a script or a font."""

from __future__ import annotations

from xml.etree import ElementTree

from latex2mathml.converter import convert

from ucbpe_app.run.notation import short
from ucbpe_core.errors import InputError

_NAMESPACE = "http://www.w3.org/1998/Math/MathML"
_ELEMENTS = (
    "math mrow mi mn mo mtext mspace msup msub msubsup mover munder munderover mfrac msqrt "
    "mstyle mpadded mphantom mtable mtr mtd"
)
_ATTRIBUTES = (
    "width height depth stretchy fence separator movablelimits accent mathvariant displaystyle "
    "scriptlevel minsize maxsize linethickness columnalign lspace rspace"
)


def mathml(tex: str) -> str:
    r"""MathML of TeX, as of ``\sqrt{\beta_t}\,\sigma``: elements of maths alone, no addresses.

    Raises
    ------
    InputError
        For TeX that cannot be set, or that would be more than maths.
    """
    try:
        root = ElementTree.fromstring(convert(tex))
    except Exception as error:  # the converter has its own for each mistake, the parser another
        raise _unset(tex) from error
    for element in root.iter():
        namespace, _, name = element.tag.removeprefix("{").partition("}")
        unknown = (element.text or "").startswith("\\")
        if namespace != _NAMESPACE or name not in _ELEMENTS.split() or unknown:
            raise _unset(tex)
        element.tag = name
        kept = {key: value for key, value in element.items() if key in _ATTRIBUTES.split()}
        element.attrib.clear()
        element.attrib.update(kept)
    for radical in [*root.iter("msqrt")]:
        _draw_radical(radical)
    return ElementTree.tostring(root, encoding="unicode")


def _draw_radical(element: ElementTree.Element) -> None:
    """Make it a sign and what stands under its bar, the class "radicand".

    Without a font made for maths, browsers leave the radical out: the formula would be another.
    """
    under = ElementTree.Element("mrow", {"class": "radicand"})
    under.extend(list(element))
    sign = ElementTree.Element("mo", {"stretchy": "false"})
    sign.text = "√"
    element.tag = "mrow"
    element[:] = [sign, under]


def _unset(tex: str) -> InputError:
    expected = r"maths in caption to be as $\sqrt{\beta_t}\,\sigma(x)$"
    return InputError(expected, short(tex), "correct the TeX")
