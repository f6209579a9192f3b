"""One link is one exact moment: `encode` writes it into an address, `decode` reads it."""

from ucbpe_app.links.restore import query_of, restore
from ucbpe_app.links.step import Moment, decode, encode, usual
from ucbpe_app.query import DIGEST_DIGITS

__all__ = ["DIGEST_DIGITS", "Moment", "decode", "encode", "query_of", "restore", "usual"]
