"""The unit in a name, and which texts are units: of the SI, and others that laboratories use."""

from __future__ import annotations

import re

_PREFIXES = "da|[YZEPTGMkhdcmunpfa\u00b5\u03bc]"  # of which the last two are mu, as it is typed
_PREFIXED = (
    "m|g|s|A|K|mol|cd|rad|Hz|N|Pa|J|W|C|V|F|Ω|Ohm|ohm|S|Wb|T|H|lm|lx|Bq|Gy|Sv|kat|l|L|t|M|bar|eV|"
    "cal|Wh|Da|U|Torr|torr|P|St"
)
_ALONE = (
    "°|°C|°F|℃|deg|degC|degF|min|mins|h|hr|hrs|sec|secs|d|a|yr|yrs|%|‰|ppm|ppb|ppt|rpm|psi|atm|"
    "mmHg|in|ft|lb|lbs|oz|gal|mi|mph|knots|dB|Å|px|OD|pH|cfu|CFU|IU|cP|cSt|eq|equiv|AU|au|a[.]u[.]|"
    "arb[.]|wt|vol|v|w|€|[$]|£|USD|EUR|degrees?|[Cc]elsius|[Ff]ahrenheit|[Kk]elvin|percent|"
    "seconds?|minutes?|hours?|days?|weeks?|months?|years?|(?:milli|centi|kilo)?(?:met(?:er|re)s?|"
    "grams?)|lit(?:er|re)s?|volts?|watts?|molar|[mk]?Ah|(?:wt|vol|mol|at|w|v)[ .-]?%"
)
_ONE = rf"(?:(?:{_PREFIXES})?(?:{_PREFIXED})|{_ALONE})(?:\^?[-−]?\d|[⁻⁺]?[¹²³⁴⁵⁶])?"
_JOINED = r"(?: ?(?:[/·⋅*.]|per) ?| )"
_UNIT = re.compile(rf"(?:1 ?/ ?)?{_ONE}(?:{_JOINED}\(?{_ONE}\)?)*\)?")
_BRACKETS = re.compile(r"\(.+\)|\[.+\]")


def is_unit(text: str) -> bool:
    """Whether a text is a unit, or powers and quotients of some, or stands in brackets as one."""
    text = text.strip()
    return len(text) <= 40 and bool(_BRACKETS.fullmatch(text) or _UNIT.fullmatch(text))


_NAMED = re.compile(r"(?P<name>.*\S)\s+[(\[](?P<unit>[^()\[\]]+)[)\]]")


def named(axis: str) -> dict[str, str]:
    """`long_name` and, if it ends in some, ``units`` of an axis as in "temperature (K)"."""
    found = _NAMED.fullmatch(axis)
    if found is None:
        return {"long_name": axis}
    return {"long_name": found["name"], "units": found["unit"]}
