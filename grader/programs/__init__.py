"""`./lab run`: any CUDA program is compiled, checked and executed."""
