"""Frame -> fixed Bokeh figures: the posterior as a curve or field, the decision plane, regret."""
