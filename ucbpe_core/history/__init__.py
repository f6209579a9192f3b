"""What was decided and what was measured, step by step; nothing in it changes after it is made.

plan     what a run is made with: prior, policy, schedule, direction
steps    what can happen: an ask, results, withdrawn and failed picks, a fit; what it decided
history  `History`: all steps, and the trials and batches that they add up to; edits of a table
trace    `Trace`: a simulated run on a known problem, batch by batch
regret   simple and cumulative regret of batches
workers  runs in which K workers measure at once
"""
