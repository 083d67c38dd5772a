"""The proof that a lab is sound, and the template of a new one."""
