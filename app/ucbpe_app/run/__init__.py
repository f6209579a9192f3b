"""A run and what is shown of it: settings, cache, replay, frames, sentences. No Panel, no URLs."""
