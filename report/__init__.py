"""Figures and pages: what is drawn, from measurements alone."""
