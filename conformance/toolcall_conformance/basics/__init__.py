"""The basics that every room uses: JSON values, readings of bodies, streams of events, files, secrets, visible text."""
