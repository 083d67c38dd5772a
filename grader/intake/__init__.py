"""Hostile input: what was handed in, and what it may name."""
