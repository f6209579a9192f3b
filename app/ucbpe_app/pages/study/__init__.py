"""Replicated studies on the page: what is asked, what runs, and what is drawn of it. No widgets."""
