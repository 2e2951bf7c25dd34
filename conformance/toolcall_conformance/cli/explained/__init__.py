"""What ``toolcall-conformance explain`` says of each kind of word."""
