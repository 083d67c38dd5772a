// Turns what was found into sentences, each once per pair of source lines.
#pragma once

#include <cstdint>
#include <string>

#include "access.hpp"
#include "ledger.hpp"
#include "record.hpp"

namespace cuda_on_cpu::check {

enum class Verb : std::uint8_t { reads, writes, updates };  // updates: atomically

struct Race {
  const char *address;
  std::size_t bytes;
  Record earlier, now;
  Verb earlier_verb, verb;
  const char *missing = nullptr;  // what would have ordered them, where that is known
};

// Two pieces of work, or one and the host, use the same bytes, and nothing orders them.
struct Asynchrony {
  const Ledger::Line &earlier;
  const Task &task;
  const Range &now;
  std::string missing;  // what would have ordered them
};
void report_asynchrony(const Asynchrony &found);
// cudaEventElapsedTime() for an event that the host has not waited for; `record`: where it was
// recorded.
void report_early_question(std::uint32_t record, std::uint32_t site);

void begin_reports();  // of a launch
void report_race(const Race &race);
void report_equal_writes(const Race &race);  // both write the same value: only a warning
void report_outside(const Access &access, std::uint32_t site);
// To shared memory of a block of the cluster, which did not wait for it and has ended.
void report_use_of_left(const Race &race, unsigned rank);
// By an algorithm of a library, which the host runs here.
void report_past_vector(const Access &access, std::uint32_t site);
// `array` is its type; the compiler knew its size.
void report_outside_local_array(const Access &access, const char *array, std::uint32_t site);
void report_out_of_bounds(const char *array, long index, const char *file, unsigned line);
// Threads wait for locks that nobody gives back. Ends the launch.
void report_deadlock();
// To memory that is marked as constant, or to a __constant__ variable: by a kernel; by a copy or a
// fill.
void report_constant_written(const Access &access, std::uint32_t site);
void report_constant_filled(const char *address, std::size_t bytes, std::uint32_t site);
// cudaMemset with a value that is no byte.
void report_wide_fill(int value, std::uint32_t site);
// A shift by as many bits as the value has, or by more, or by a negative number.
void report_shift(const std::string &by, const char *type, const char *file, unsigned line);
// A GPU gives 0 there. Programs may want that, so it is no failure.
void report_texel_outside(long index, long elements, const void *return_address);
// An atomic on a local variable, which no other thread has.
void report_atomic_of_local(std::uint32_t site);
void report_misaligned(const Access &access, std::uint32_t site);
void report_local_of_another(const Access &access, std::uint32_t site);
void report_host_memory(const Access &access, std::uint32_t site);
// A pointer to shared memory that this block has not made, or that no block of this launch has.
void report_shared_of_another(const Access &access, std::uint32_t site);
void report_shared_of_earlier_launch(const Access &access, std::uint32_t site);
void report_wrong_free(const void *pointer, const char *call, std::uint32_t site);
// free() or delete of memory that CUDA has made.
void report_free_of_cuda(const char *pointer, std::uint32_t site);
// Of an object that cudaMemcpy() has brought from the host.
void report_virtual_call(const Access &access, std::uint32_t site);
// free() or delete of memory that is still registered.
void report_free_of_registered(const char *pointer, std::uint32_t site);
void report_leaks();
// A copy that leaves an array of the host, perhaps a block of its heap, which has `room` bytes.
void report_copy_outside(bool is_target, const char *array, std::size_t room, std::size_t bytes,
                         std::uint32_t site);
// A copy from or to a block of the host's heap that the program has freed.
void report_copy_of_freed(bool is_target, std::uint32_t freed, std::uint32_t site);
void report_copy_overlaps(std::size_t bytes, std::uint32_t site);
// The host cannot copy what kernels take from malloc and `new`.
void report_copy_of_heap(std::uint32_t site);
// The host reads what a copy at `copy` brought from `address`, where nobody had written.
void report_host_read(const char *address, std::size_t bytes, std::uint32_t copy,
                      std::uint32_t site);

// Kept until the kernel has ended, because the first effect of a missing barrier may also be a read
// before the write. Then the race is reported and this is not.
void note_uninitialised(const Access &access, std::uint32_t site);
bool has_uninitialised();
void report_uninitialised();

}  // namespace cuda_on_cpu::check
