"""What pays from about 10^5 candidates on, with the answers of the plain path bit for bit.

`explore` (module `lazy`) is pure exploration that computes only what could win; `decide` (module
`screening`) keeps the posterior up to date only where a pick can still be made.
"""

from ucbpe_core.large.lazy import explore
from ucbpe_core.large.screening import Screened, decide, full

__all__ = ["Screened", "decide", "explore", "full"]
