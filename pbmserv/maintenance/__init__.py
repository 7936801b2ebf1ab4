"""What the operator's commands do: audit, backup, message traces, mail queues, traffic, `doctor`.

The running server does not need it; the commands' texts are in `cli/operator`.
"""
