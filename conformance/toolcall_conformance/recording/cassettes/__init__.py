"""Recorded exchanges: read, judge and write cassettes, our own and those of other tools."""
