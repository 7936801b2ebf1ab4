"""What falls due with time: one tick runs the jobs, board deadlines and outages.

`boards/deadlines` computes when a deadline falls due.
"""
