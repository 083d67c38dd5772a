// What may run at the same time: the clocks, the ledger, and the question that is asked of both
// before bytes are used.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/own_mutex.hpp"
#include "clocks.hpp"
#include "ledger.hpp"
#include "streams/stream_order.hpp"

namespace cuda_on_cpu::check {

// What a stream's work is called, and where the program gave it.
struct Given {
  std::string where;  // " in stream 1, copies"
  bool is_node;
  std::uint32_t site;  // 0: a launch, which says its line itself
  int device = 0;
  // Of the call: what a host function keeps on the stack is below.
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
};

struct Overlap {
  OwnMutex mutex;
  Clocks clocks;
  Ledger ledger;
  std::map<Party, std::string> streams;        // their titles
  std::map<Party, std::uint32_t> recorded_at;  // of events
  unsigned created = 0;
  bool concurrent = false;  // anything but the default stream and the device's own memory is used
  bool unwritten_on_host = false;
  bool library_waits = false;  // thrust copies and waits for the device, and nobody sees when
  std::shared_ptr<Task> kernel;
  std::uint32_t kernel_epoch = 0, kernel_site = 0;
};
Overlap &overlap();
extern thread_local std::vector<Given> given;

// One thread at a time, and no second time by itself. A program that uses std::string has its own
// instrumented copy of that code, and the linker gives it to the checker as well.
extern thread_local constinit bool inside;
struct Entry {
  std::lock_guard<OwnMutex> lock{overlap().mutex};
  Entry() { inside = true; }
  ~Entry() { inside = false; }
};

void watch();  // the host's accesses, or no longer
Lane lane_of(const CUstream_st &stream);
void begin_work_in(const CUstream_st &stream, std::uint32_t site);

std::shared_ptr<Task> task_of(const std::string &what);  // the work that runs
void use(const Range &range, const std::shared_ptr<const Task> &task);  // by that work
void use_by_host(const Range &range, const char *verb = "");

}  // namespace cuda_on_cpu::check
