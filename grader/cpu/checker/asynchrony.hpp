// Is everything that streams, graphs and the host do with the same bytes ordered?
//
//   streams, events, graphs -> clocks    what is certainly over when a piece of work begins?
//   kernels, copies, host   -> ledger    which bytes did work use that may not be over?
#pragma once

#include <cstddef>
#include <cstdint>

#include "streams/stream_order.hpp"

namespace cuda_on_cpu::check {

extern const AsynchronyHooks asynchrony_hooks;

void begin_kernel(const char *name, Site site, std::uint32_t epoch);
void end_kernel();
void note_copied_ranges(char *to, const char *from, std::size_t bytes, std::uint32_t site);
void note_fill(const char *begin, std::size_t bytes, const void *caller);
void note_free(const char *begin, std::size_t bytes);
void note_host_atomic(const void *flag, std::size_t bytes, const void *caller);
void note_host_free(const void *block, std::size_t bytes, const void *caller);
void watch_unwritten(bool watch);

}  // namespace cuda_on_cpu::check
