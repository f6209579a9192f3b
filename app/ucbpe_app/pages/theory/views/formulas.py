"""The formulas on the Theory page, in MathML.

Each one is evaluated by a test, as it stands here, against what the library computes. Where the
paper writes sigma for the standard deviation and for the noise, std is the former, sigma^2 the
noise variance, and s_t^k the std at x_t^k given all before it.
"""

from __future__ import annotations

from typing import NamedTuple

from ucbpe_app.pages.theory.views.mathml import (
    both,
    group,
    i,
    log,
    n,
    o,
    of,
    over,
    root,
    row,
    sub,
    sup,
    total,
)

T, K, X, t, u, k = (i(name) for name in "TKXtuk")
PLUS, MINUS, LEQ, EQUAL = (o(sign) for sign in "+−≤=")
ONE, TWO = n("1"), n("2")
NEXT = row(t, PLUS, ONE)
NOISE = sup(i("σ"), TWO)
STAR = sup(i("x"), i("*"))


def beta(index: str) -> str:
    """beta with an index."""
    return sub(i("β"), index)


def gamma(index: str) -> str:
    """gamma with an index."""
    return sub(i("γ"), index)


def pick(index: str, number: str) -> str:
    """x_t^k."""
    return both(i("x"), index, number)


def s(index: str, number: str) -> str:
    """s_t^k."""
    return both(i("s"), index, number)


def f(argument: str) -> str:
    """f of a point."""
    return of(i("f"), argument)


def mean(argument: str) -> str:
    """mean_t of a point."""
    return of(sub(i("mean"), t), argument)


def std(argument: str) -> str:
    """std_t of a point."""
    return of(sub(i("std"), t), argument)


X0, XK, NEXT_X0, NEXT_XK = pick(t, n("0")), pick(t, k), pick(NEXT, n("0")), pick(NEXT, k)
Y_DOT = both(i("y"), t, i("•"))
LOG_NOISE = log(ONE, PLUS, sup(i("σ"), row(MINUS, TWO)))
TK = row(T, K)
LAST_K = row(K, MINUS, ONE)


def wide(argument: str) -> str:
    """The upper edge of R+: mean_t + 2 sqrt(beta_(t+1)) std_t."""
    return row(mean(argument), PLUS, TWO, root(beta(NEXT)), std(argument))


def every(number: str) -> str:
    """The sum of s_u^k over u = 1 .. t and k = 0 .. K-1."""
    return total("u", ONE, t, total("k", n("0"), LAST_K, number))


FIRSTS = row(K, total("u", ONE, t, s(u, n("0"))))

# Left and right side of every statement, as `theory.check_lemmas` names them.
STATEMENTS = {
    "band": (
        row(o("|"), row(f(i("x")), MINUS, mean(i("x"))), o("|")),
        row(root(beta(t)), std(i("x"))),
    ),
    "lemma1": (row(f(STAR), MINUS, f(X0)), row(TWO, root(beta(t)), s(t, n("0")))),
    "optimum_in_region": (Y_DOT, row(mean(STAR), PLUS, root(beta(t)), std(STAR))),
    "optimum_in_region_plus": (Y_DOT, wide(STAR)),
    "first_in_region_plus": (Y_DOT, wide(NEXT_X0)),
    "picks_in_region_plus": (Y_DOT, wide(NEXT_XK)),
    "lemma2": (s(NEXT, n("0")), s(t, k)),
    "lemma2_summed": (row(group(LAST_K), s(NEXT, n("0"))), total("k", ONE, LAST_K, s(t, k))),
    "lemma3_printed": (FIRSTS, every(s(u, k))),
    "lemma3": (
        FIRSTS,
        row(every(s(u, k)), PLUS, group(LAST_K), group(s(ONE, n("0")), MINUS, s(NEXT, n("0")))),
    ),
    "lemma4": (
        every(sup(s(u, k), TWO)),
        row(
            over(i("v"), log(ONE, PLUS, i("v"), sup(i("σ"), row(MINUS, TWO)))),
            every(log(ONE, PLUS, over(sup(s(u, k), TWO), NOISE))),
        ),
    ),
    "exploring_regret": (
        row(f(STAR), MINUS, f(XK)),
        row(
            TWO, root(beta(t)), s(t, n("0")), PLUS,
            group(TWO, root(beta(NEXT)), PLUS, root(beta(t))), std(XK),
        ),
    ),
}  # fmt: skip


class Formula(NamedTuple):
    """A left side, and what it is or is at most.

    `beyond` is the rest of the right side, where a line may end before it; `where` says what
    symbols stand for.
    """

    left: str
    right: str
    where: tuple[tuple[str, str], ...] = ()
    beyond: str = ""


C1, C2 = sub(i("C"), ONE), sub(i("C"), TWO)


def _printed(left: str, constant: str, share: str) -> Formula:
    """sqrt(C1 share beta_T gamma_TK + C2)."""
    right = root(C1, share, beta(T), gamma(TK), PLUS, C2)
    return Formula(left, right, ((C1, _first(constant)), (C2, over(i("π"), root(n("6"))))))


def _proved(left: str, constant: str, share: str, *beyond: str, rest: str = "") -> Formula:
    """sqrt(C1 share beta_T gamma_TK) and what stands outside; `rest` is C2, for a compact X."""
    where = [(C1, _first(constant)), *([(C2, rest)] if rest else [])]
    outside = row('<mo form="infix">+</mo>', *beyond, *([PLUS, C2] if rest else []))
    return Formula(left, root(C1, share, beta(T), gamma(TK)), tuple(where), outside)


def _first(constant: str) -> str:
    return over(n(constant), LOG_NOISE)


_R_BATCH, _R_FULL = both(i("R"), T, K), sub(i("R"), TK)
_BATCH = (_R_BATCH, "8", over(T, K), TWO, root(beta(T)), over(LAST_K, K))
_FULL = (_R_FULL, "72", TK, n("6"), root(beta(T)), group(LAST_K))
_PI2 = sup(i("π"), TWO)
BOUNDS = {
    "theorem1_printed": _printed(_R_BATCH, "4", over(T, K)),
    "theorem1_proved": _proved(*_BATCH),
    "full_regret_printed": _printed(_R_FULL, "36", TK),
    "full_regret_proved": _proved(*_FULL),
}
# What the proof leaves more where beta is that of a compact X.
COMPACT_BOUNDS = {
    **BOUNDS,
    "theorem1_proved": _proved(*_BATCH, rest=over(_PI2, n("6"))),
    "full_regret_proved": _proved(*_FULL, rest=over(row(K, _PI2), n("6"))),
}

_SIZE = row(o("|"), X, o("|"))
_T2 = sup(t, TWO)
_FIRST, _SECOND = sub(i("b"), ONE), sub(i("b"), TWO)
SCHEDULES = {
    "beta_finite": Formula(
        beta(t), row(TWO, i("c"), log(over(row(_SIZE, _T2, _PI2), row(n("6"), i("δ"))))),
    ),
    "beta_compact": Formula(
        beta(t),
        row(TWO, i("c"), group(_FIRST, PLUS, i("d"), _SECOND)),
        (
            (_FIRST, log(over(row(TWO, _T2, _PI2), row(n("3"), i("δ"))))),
            (
                _SECOND,
                log(
                    _T2, i("d"), i("b"), i("r"),
                    root(log(over(row(n("4"), i("d"), i("a")), i("δ")))),
                ),
            ),
        ),
    ),
    "beta_constant": Formula(beta(t), row(i("c"), i("β"))),
}  # fmt: skip

GAIN = row(
    over(ONE, TWO), total("u", ONE, t, total("k", n("0"), LAST_K,
        log(ONE, PLUS, over(sup(s(u, k), TWO), NOISE)))),
)  # fmt: skip
GAMMA = over(i("greedy"), row(ONE, MINUS, over(ONE, i("e"))))
UNION = total("u", ONE, t, _SIZE, sup(i("e"), row(MINUS, beta(u), o("/"), TWO)))
