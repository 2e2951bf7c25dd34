"""The wire files of a scenario."""
