"""What every room uses: JSON values, readings of bodies, streams of events, files, secrets, text made visible."""
