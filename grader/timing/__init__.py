"""Time: who may measure when, what was measured, and how close that is to the ceilings."""
