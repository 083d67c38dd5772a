"""CUDA to C++ for the CPU: rewriting what a C++ compiler cannot parse, and calling the compiler."""
