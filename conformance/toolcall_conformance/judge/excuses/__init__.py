"""What is not the translator's fault, or weighs less."""
