"""Faster methods for about 10^5 candidates and more, with the same results bit for bit.

Module `lazy` is pure exploration that updates only candidates that could be picked; `decide`
(module `screening`) keeps the posterior up to date only where a pick can still be made.
"""

from ucbpe_core.large.screening import Screened, decide, full, of_active

__all__ = ["Screened", "decide", "full", "of_active"]
