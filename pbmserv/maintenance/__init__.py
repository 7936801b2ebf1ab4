"""What the operator's commands do: audit, backup, message traces, mail queues, traffic, `doctor`.

The running server needs none of it; the words of the commands are in `cli/operator`.
"""
