"""One link is one exact moment: `encode` writes it into an address, `decode` reads it."""

from app.link.codec import DIGEST_DIGITS, Moment, decode, encode, refusal, usual

__all__ = ["DIGEST_DIGITS", "Moment", "decode", "encode", "refusal", "usual"]
