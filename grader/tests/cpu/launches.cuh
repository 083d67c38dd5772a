// A kernel and a launch in a header.
#pragma once

__global__ void from_header(int *out,
                            int value);  // declared here, defined below with other parameter names

__global__ void from_header(int *target, int number) { target[threadIdx.x] = number; }

inline void launch_from_header(int *out, int value) { from_header<<<1, 4>>>(out, value); }
