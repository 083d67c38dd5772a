// Atomics, fences, and the rounds of loops that wait: what the runtime tells the checker of them.
#pragma once

#include <cstddef>

#include "base/hooks.hpp"

namespace cuda_on_cpu::check {

void note_waiting();
void note_fence(bool block_only);
void note_fruitless(const void *address);
void note_comparison(const void *address, std::size_t bytes);
void note_step(const void *address, std::size_t bytes, AtomicStep step,
               const void *return_address);

}  // namespace cuda_on_cpu::check
