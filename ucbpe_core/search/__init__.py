"""Ask for the next points and tell what was measured: on a list, over a box, or in one call.

search        `Search`: ask, tell, withdraw, undo, fit and save, for every kind of place
place         a list of candidates as what is searched; the posterior that follows a history
bandit        `Bandit`: a list of candidates
box           `BoxBandit`: any setting of some inputs
experiment    `Experiment`: named settings, units and a file
worth         what the next batch is worth: when to stop
minimization  `minimize`: a function searched in one call
minimizer     its values and its search, whose values are warped
evaluation    its calls, one by one or on an executor
simulation    `simulate`: a policy on a problem whose values are known
"""
