"""pbmserv: a play-by-email server for Perudo."""
