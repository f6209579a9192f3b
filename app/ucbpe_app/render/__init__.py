"""`Picture` -> what is seen: one renderer for the browser, by Bokeh, and one for print."""
