"""CUDA on the CPU: a compiler driver in Python, headers, and a runtime with its checkers in C++."""
