"""Reports: the records of items and how they are printed. They know findings, not formats."""
