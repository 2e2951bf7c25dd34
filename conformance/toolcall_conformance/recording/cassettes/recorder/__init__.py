"""The recorder: it plays cases against a real API and writes what was exchanged as cassettes."""
