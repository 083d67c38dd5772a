// Copies to shared memory that a thread has begun and not yet waited for. They are made at once,
// but on a GPU their bytes may still be on their way: until the thread waits, they count as
// unwritten.
#pragma once

#include <cstddef>

#include "cuda_on_cpu/copy_step.hpp"

namespace cuda_on_cpu::check {

void note_copy_step(CopyStep step, void *to, std::size_t number);  // by the running thread
bool is_on_its_way(const char *address);
void forget_copy_steps();  // a block begins
void park_copy_steps(unsigned long long block);  // it waits for others, which run in between
void unpark_copy_steps(unsigned long long block);

}  // namespace cuda_on_cpu::check
