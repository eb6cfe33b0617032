"""A campaign of faults: what is damaged, edited, cut off or wrong is said, or does no harm; it is
never used.

`python -m tests.faults.campaign` runs it at any size and prints its table; the default suite runs a
small form of it.
"""
