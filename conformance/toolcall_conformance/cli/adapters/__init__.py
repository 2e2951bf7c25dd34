"""The subcommands for adapters: published ones, a starter for a new one, the messages between judge and adapter."""
