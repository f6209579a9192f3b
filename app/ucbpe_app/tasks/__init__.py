"""Work off the event loop: a slot for each visitor, progress, and jobs that can be stopped."""
