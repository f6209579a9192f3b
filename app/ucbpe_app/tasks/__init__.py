"""Work off the event loop: turns for visitors, progress, and jobs that can be stopped."""
