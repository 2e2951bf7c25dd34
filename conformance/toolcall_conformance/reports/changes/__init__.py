"""What changed from one report to another: causes that are new, changed or mended, and why."""
