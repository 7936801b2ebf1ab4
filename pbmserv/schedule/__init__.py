"""What falls due with time: one tick runs the jobs, board deadlines and outages.

When a deadline falls due is computed in `boards/deadlines`.
"""
