"""The subcommands that list what the corpus holds, or write it into another project."""
