"""Stories: emails sent to a real listener and the letters sent back, as text to read."""
