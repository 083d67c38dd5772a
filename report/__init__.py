"""Figures and pages, made from measurements alone."""
