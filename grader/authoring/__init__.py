"""The checks that prove a lab sound, and the template of a new lab."""
