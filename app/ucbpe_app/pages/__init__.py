"""Pages: they lay out views and controls, and connect them to a session."""
