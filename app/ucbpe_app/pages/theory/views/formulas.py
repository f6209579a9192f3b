r"""The formulas on the Theory page, in TeX, and as MathML, which browsers draw in any theme.

Each one is evaluated by a test, as it stands on the page, against what the library computes. Where
the paper writes sigma for the standard deviation and for the noise, std is the former, sigma^2 the
noise variance, and s_t^k the std at x_t^k given all before it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from latex2mathml.converter import convert

from ucbpe_app.html import Html
from ucbpe_core.policies.schedules import BetaSchedule, CompactBeta, ConstantBeta, FiniteBeta


@lru_cache(maxsize=256)
def small(tex: str) -> Html:
    """A formula of this module to show in a line of text."""
    return Html(convert(tex))


def math(tex: str) -> Html:
    """A formula to show, as large as in a line of its own."""
    return small(rf"\displaystyle {tex}")


class Formula(NamedTuple):
    """A left side, and what it is or is at most.

    `beyond` is the rest of the right side, where a line may end before it; `where` says what
    symbols stand for.
    """

    left: str
    right: str
    where: tuple[tuple[str, str], ...] = ()
    beyond: str = ""


def _wide(x: str) -> str:
    """The upper edge of R+: mean_t + 2 sqrt(beta_(t+1)) std_t."""
    return rf"\text{{mean}}_t({x}) + 2\sqrt{{\beta_{{t+1}}}}\,\text{{std}}_t({x})"


def _every(term: str) -> str:
    """The sum over u = 1 .. t and k = 0 .. K-1."""
    return rf"\sum\limits_{{u=1}}^{{t}} \sum\limits_{{k=0}}^{{K-1}} {term}"


_FIRSTS = r"K \sum\limits_{u=1}^{t} s_u^0"
_INFORMATION = r"\log\left(1 + \frac{{s_u^k}^2}{\sigma^2}\right)"

# Left and right side of every statement, as `theory.check_lemmas` names them.
STATEMENTS = {
    "band": (r"\left|f(x) - \text{mean}_t(x)\right|", r"\sqrt{\beta_t}\,\text{std}_t(x)"),
    "lemma1": (r"f(x^*) - f(x_t^0)", r"2\sqrt{\beta_t}\,s_t^0"),
    "optimum_in_region": (
        r"y_t^\bullet", r"\text{mean}_t(x^*) + \sqrt{\beta_t}\,\text{std}_t(x^*)"
    ),
    "optimum_in_region_plus": (r"y_t^\bullet", _wide("x^*")),
    "first_in_region_plus": (r"y_t^\bullet", _wide("x_{t+1}^0")),
    "picks_in_region_plus": (r"y_t^\bullet", _wide("x_{t+1}^k")),
    "lemma2": (r"s_{t+1}^0", r"s_t^k"),
    "lemma2_summed": (r"(K-1)\,s_{t+1}^0", r"\sum\limits_{k=1}^{K-1} s_t^k"),
    "lemma3_printed": (_FIRSTS, _every("s_u^k")),
    "lemma3": (_FIRSTS, _every("s_u^k") + r" + (K-1)(s_1^0 - s_{t+1}^0)"),
    "lemma4": (
        _every("{s_u^k}^2"), r"\frac{v}{\log(1 + v\,\sigma^{-2})} " + _every(_INFORMATION)
    ),
    "exploring_regret": (
        r"f(x^*) - f(x_t^k)",
        r"2\sqrt{\beta_t}\,s_t^0 + (2\sqrt{\beta_{t+1}} + \sqrt{\beta_t})\,\text{std}_t(x_t^k)",
    ),
}  # fmt: skip


def _printed(left: str, constant: int, factor: str) -> Formula:
    """sqrt(C1 factor beta_T gamma_TK + C2)."""
    right = rf"\sqrt{{C_1 {factor} \beta_T \gamma_{{TK}} + C_2}}"
    return Formula(left, right, (_first(constant), ("C_2", r"\frac{\pi}{\sqrt{6}}")))


def _proved(left: str, constant: int, factor: str, beyond: str, rest: str = "") -> Formula:
    """sqrt(C1 factor beta_T gamma_TK) and what stands outside; `rest` is C2, for a compact X."""
    right = rf"\sqrt{{C_1 {factor} \beta_T \gamma_{{TK}}}}"
    where = (_first(constant), ("C_2", rest)) if rest else (_first(constant),)
    return Formula(left, right, where, f"{{}} + {beyond}" + (" + C_2" if rest else ""))


def _first(constant: int) -> tuple[str, str]:
    return "C_1", rf"\frac{{{constant}}}{{\log(1 + \sigma^{{-2}})}}"


_R_BATCH, _R_FULL = "R_T^K", "R_{TK}"
_BATCH = (_R_BATCH, 8, r"\frac{T}{K}", r"2\sqrt{\beta_T}\,\frac{K-1}{K}")
_FULL = (_R_FULL, 72, r"T K", r"6\sqrt{\beta_T}\,(K-1)")
BOUNDS = {
    "theorem1_printed": _printed(_R_BATCH, 4, r"\frac{T}{K}"),
    "theorem1_proved": _proved(*_BATCH),
    "full_regret_printed": _printed(_R_FULL, 36, r"T K"),
    "full_regret_proved": _proved(*_FULL),
}
# What the proof leaves more where beta is that of a compact X.
COMPACT_BOUNDS = {
    **BOUNDS,
    "theorem1_proved": _proved(*_BATCH, rest=r"\frac{\pi^2}{6}"),
    "full_regret_proved": _proved(*_FULL, rest=r"\frac{K \pi^2}{6}"),
}

SCHEDULES: dict[type[BetaSchedule], Formula] = {
    FiniteBeta: Formula(
        r"\beta_t", r"2 c\,\log\left(\frac{\left|X\right| t^2 \pi^2}{6 \delta}\right)"
    ),
    CompactBeta: Formula(
        r"\beta_t",
        r"2 c\,(b_1 + d\,b_2)",
        (
            ("b_1", r"\log\left(\frac{2 t^2 \pi^2}{3 \delta}\right)"),
            ("b_2", r"\log\left(t^2 d\,b\,r \sqrt{\log\left(\frac{4 d\,a}{\delta}\right)}\right)"),
        ),
    ),
    ConstantBeta: Formula(r"\beta_t", r"c\,\beta"),
}  # fmt: skip

DROPPED = r"(K-1)(s_1^0 - s_{T+1}^0)"
