"""Pages: they lay views and controls out, and connect them to a session."""
