// A plain read before an atomicCAS of the same thread on the same word does no harm: the CUDA guide
// writes every new atomic like this. If the word has changed since, the CAS says so.
//
//   old = *address;
//   do { assumed = old; old = atomicCAS(address, assumed, f(assumed)); } while (assumed != old);
//
// A thread may also find that it has nothing to change, and leave the loop before the CAS: a
// maximum of floats does so. So a race between a plain read and an atomic waits for the end of the
// launch: by then it is known whether the reading line is such a loop's, which some thread has gone
// on from to atomicCAS.
#pragma once

#include "report.hpp"

namespace cuda_on_cpu::check {

void decide_when_compared(const Race &race, const Record &reader);
void note_compared(const char *address, std::size_t bytes);  // by the running thread
void settle_plain_reads();  // at the end of a block
void report_plain_reads();  // at the end of a launch: those of lines that no CAS followed

}  // namespace cuda_on_cpu::check
