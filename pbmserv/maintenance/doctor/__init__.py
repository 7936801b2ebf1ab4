"""The checks of `pbmserv doctor`: a file for each part of an installation.

The command that prints their findings is in `cli/operator/doctor`; no check changes anything but
`mailboxes`, which creates folders.
"""
