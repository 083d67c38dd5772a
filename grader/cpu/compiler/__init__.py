"""CUDA to C++ for the CPU: rewrites what a C++ compiler cannot parse, and calls the compiler."""
