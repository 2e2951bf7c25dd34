"""Rules: which there are is data in the corpus; here is how a body is checked against them."""
