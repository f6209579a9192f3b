"""The server under load: a class that arrives, steps, is idle and leaves; and greedy visitors."""
