"""What every room uses and none is about: checked arguments, frozen records, streams, plugins.

validation   arguments checked once, where they come in
frozen       records that cannot be changed after they are made
limits       what fits in memory
streams      the only place that makes random generators
plugins      what is registered by name, and what other packages add
optional     packages that are imported where they are needed
"""
