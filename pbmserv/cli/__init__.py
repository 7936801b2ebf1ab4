"""The two console commands, `pbmserv` and `perudo`: they parse words and print answers.

The players' commands are implemented in `commands`, the operator's in `maintenance`.
"""
