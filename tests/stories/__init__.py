"""Stories: mails that go in at a real door, letters that come out, as text to be read."""
