"""A class that plays: rooms, the phones in them, and what they are asked and shown."""
