"""Recorded exchanges: recording, scrubbing, reading, replay."""
