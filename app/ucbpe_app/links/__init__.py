"""One link is one exact moment: `encode` writes it into an address, `decode` reads it."""

from ucbpe_app.links.lessons import query_of
from ucbpe_app.links.restore import restore
from ucbpe_app.links.schema import DIGEST_DIGITS
from ucbpe_app.links.step import Moment, decode, encode, refusal, usual

__all__ = ["DIGEST_DIGITS", "Moment", "decode", "encode", "query_of", "refusal", "restore", "usual"]
