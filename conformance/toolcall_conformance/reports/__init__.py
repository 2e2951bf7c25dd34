"""Reports: records of what items did, and their renderings. They know findings, and no format."""
