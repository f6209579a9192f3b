"""The parts of MathML that formulas are made of. Browsers draw it themselves, in any theme."""

from __future__ import annotations

# Fonts with the parts that roots and parentheses need to grow, by what systems have.
STYLE = """
math {
  font-family: "Cambria Math", "STIX Two Math", "Latin Modern Math", "DejaVu Math TeX Gyre", math;
}
"""


def i(name: str) -> str:
    """An identifier."""
    return f"<mi>{name}</mi>"


def n(value: str) -> str:
    """A number."""
    return f"<mn>{value}</mn>"


def o(sign: str) -> str:
    """An operator."""
    return f"<mo>{sign}</mo>"


def row(*parts: str) -> str:
    """Parts side by side."""
    return f"<mrow>{''.join(parts)}</mrow>"


def sub(base: str, index: str) -> str:
    """A base with a subscript."""
    return f"<msub>{base}{index}</msub>"


def sup(base: str, power: str) -> str:
    """A base with a superscript."""
    return f"<msup>{base}{power}</msup>"


def both(base: str, index: str, power: str) -> str:
    """A base with both."""
    return f"<msubsup>{base}{index}{power}</msubsup>"


def over(top: str, bottom: str) -> str:
    """A fraction."""
    return f"<mfrac>{top}{bottom}</mfrac>"


def root(*parts: str) -> str:
    """A square root."""
    return f"<msqrt>{row(*parts)}</msqrt>"


def of(head: str, *argument: str) -> str:
    """A function of an argument."""
    return f'<mrow class="of">{head}<mo>(</mo>{row(*argument)}<mo>)</mo></mrow>'


def log(*argument: str) -> str:
    """A natural logarithm, a little apart from what stands before it."""
    return row('<mspace width="0.17em"/>', of(i("log"), *argument))


def group(*parts: str) -> str:
    """Parts in parentheses."""
    return f'<mrow class="group"><mo>(</mo>{row(*parts)}<mo>)</mo></mrow>'


def total(index: str, first: str, last: str, *term: str) -> str:
    """A sum of a term over an index."""
    low = row(i(index), o("="), first)
    return f'<mrow class="sum"><munderover><mo>∑</mo>{low}{last}</munderover>{row(*term)}</mrow>'


def math(*parts: str) -> str:
    """A formula to show, as large as in a line of its own."""
    return f'<math displaystyle="true">{row(*parts)}</math>'


def small(*parts: str) -> str:
    """A formula to show in a line of text."""
    return f"<math>{row(*parts)}</math>"
