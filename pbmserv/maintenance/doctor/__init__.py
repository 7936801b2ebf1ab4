"""The checks of `pbmserv doctor`: a file for each part of an installation.

A check changes nothing (only `mailboxes` creates folders); it returns a `Finding`.
"""
