"""One link is one exact moment: `encode` writes it into an address, `decode` reads it."""

from ucbpe_app.link.codec import DIGEST_DIGITS, Moment, decode, encode, refusal, usual
from ucbpe_app.link.lessons import query_of

__all__ = ["DIGEST_DIGITS", "Moment", "decode", "encode", "query_of", "refusal", "usual"]
