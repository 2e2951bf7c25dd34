"""Excuses: findings that are not the translator's fault, or that are lowered."""
