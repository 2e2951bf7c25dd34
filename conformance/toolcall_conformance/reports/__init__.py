"""Reports: the records of items and runs, and how they are rendered. They know findings, not formats."""
