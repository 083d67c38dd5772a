// The buffers that the program got from cudaMalloc and its kind: cudaDeviceReset frees them.
#pragma once

namespace cuda_on_cpu {

void note_given(void *buffer);
void forget_given(void *buffer);  // the program has freed it
void free_given();
void at_reset(void (*free)());  // frees more then: of a part of the runtime that few programs have

}  // namespace cuda_on_cpu
