"""`./lab run`: compile, check and execute any CUDA program."""
