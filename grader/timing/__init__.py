"""Time: who may measure when, what was measured, and how close it is to the ceiling."""
