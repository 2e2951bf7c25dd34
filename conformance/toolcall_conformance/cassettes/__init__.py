"""Recorded exchanges: cassettes of ours and of others, read, judged again, and written."""
