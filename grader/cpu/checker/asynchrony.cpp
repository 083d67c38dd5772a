#include "asynchrony.hpp"

#include <map>
#include <mutex>

#include "copies.hpp"
#include "diagnostics.hpp"
#include "footprint.hpp"
#include "host_memory.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"
#include "text.hpp"

namespace cuda_on_cpu::check {

bool watches_host = false;

namespace {

// What a stream's work is called, and where the program gave it.
struct Given {
  std::string where;  // " in stream 1, copies"
  bool is_node;
  std::uint32_t site;  // 0: a launch, which says its line itself
};

struct Overlap {
  std::mutex mutex;
  Clocks clocks;
  Ledger ledger;
  std::map<Party, std::string> streams;        // their titles
  std::map<Party, std::uint32_t> recorded_at;  // of events
  unsigned created = 0;
  bool concurrent =
      false;  // anything but the default stream and memory of the device alone is used
  bool unwritten_on_host = false;
  std::shared_ptr<Task> kernel;
  std::uint32_t kernel_epoch = 0, kernel_site = 0;
};
Overlap &overlap() {
  static auto *all = new Overlap;  // used until the end of the program
  return *all;
}
thread_local std::vector<Given> given;

// One thread at a time, and no second time by itself. A program that uses std::string has its own
// instrumented copy of that code, and the linker gives it to the checker as well.
thread_local constinit bool inside = false;
struct Entry {
  std::lock_guard<std::mutex> lock{overlap().mutex};
  Entry() { inside = true; }
  ~Entry() { inside = false; }
};

bool is_blocking(const CUstream_st &stream) { return !(stream.flags & cudaStreamNonBlocking); }

// The host's accesses cost time, so they are looked at only while one of them may be wrong.
void watch() {
  Overlap &all = overlap();
  const char *base = DeviceMemory::instance().base();
  const char *end = base + DeviceMemory::instance().total_bytes();
  const char *const top = reinterpret_cast<const char *>(~std::uintptr_t{0});
  watches_host = all.unwritten_on_host || Clocks::works() ||
                 all.ledger.has_between(nullptr, base) || all.ledger.has_between(end, top);
}

std::string missing_between(const Task &earlier, const Task *now) {
  if (!now)
    return earlier.is_staged ? "it works only as long as the array is not pinned: "
                               "cudaStreamSynchronize() is missing"
                             : "the host does not wait: cudaStreamSynchronize() or "
                               "cudaDeviceSynchronize() is missing";
  if (earlier.is_node && now->is_node && earlier.stream == now->stream)
    return "no edge of the graph orders the two nodes";
  if (earlier.stream == kLegacyStream || now->stream == kLegacyStream)
    return "a stream made with cudaStreamNonBlocking and the default stream do not wait for each "
           "other";
  return "nothing orders the two streams: an event or a synchronisation is missing";
}

// The work that runs uses the bytes.
void use(const Range &range, const std::shared_ptr<const Task> &task) {
  Overlap &all = overlap();
  if (const Ledger::Line *earlier = all.ledger.find_disturbing(range, all.clocks.seen()))
    report_asynchrony({*earlier, *task, range, missing_between(*earlier->task, task.get())});
  all.ledger.add({range, Clocks::now(), task});
}

// The host uses them. Threads of the host may tell each other what they have waited for, by means
// that are not seen here, so each is asked about its own work alone.
void use_by_host(const Range &range, const char *verb = "") {
  Overlap &all = overlap();
  static const Task host{"the host", "", 0};
  const Ledger::Line *earlier =
      all.ledger.find_disturbing(range, all.clocks.host(), std::this_thread::get_id());
  if (!earlier) return;
  Task task = host;
  task.verb = verb;
  report_asynchrony({*earlier, task, range, missing_between(*earlier->task, nullptr)});
}

std::shared_ptr<Task> task_of(const std::string &what) {
  return std::make_shared<Task>(
      Task{what + given.back().where, "", Clocks::stream(), given.back().is_node});
}
std::uint32_t site_or(std::uint32_t site) { return given.back().site ? given.back().site : site; }

// ---- streams, events, graphs
// ----------------------------------------------------------------------

const std::string &title_of(const CUstream_st &stream) {
  std::string &title = overlap().streams[stream.number];
  if (!title.empty()) return title;
  if (stream.number == kLegacyStream) return title = "the default stream";
  overlap().concurrent = true;
  if (stream.number == kStreamPerThread) return title = "the thread's default stream";
  title = "stream " + std::to_string(++overlap().created);
  if (!stream.name.empty()) title += " (" + stream.name + ")";
  return title;
}

void begin_work_in(const CUstream_st &stream, std::uint32_t site) {
  overlap().clocks.begin_work(stream.number, is_blocking(stream));
  given.push_back({" in " + title_of(stream), false, site});
  watch();
}

void made_stream() {
  const Entry entry;
  overlap().concurrent = true;
}

void begin_work(const CUstream_st &stream, const void *caller) {
  const Entry entry;
  begin_work_in(stream, caller ? site_of(caller) : 0);
}

void begin_node(std::uint64_t node, const std::vector<std::uint64_t> &after, const void *caller) {
  const Entry entry;
  overlap().concurrent = true;
  overlap().clocks.begin_node(node, after);
  given.push_back(
      {" as a node of a graph" + given.front().where, true, caller ? site_of(caller) : 0});
}

void end_work() {
  const Entry entry;
  overlap().clocks.end_work();
  given.pop_back();
  watch();
}

// Work that the host waits for: what it did is no longer in the ledger.
template <class Wait>
void host_waits(Wait wait) {
  const Entry entry;
  wait(overlap().clocks);
  overlap().ledger.forget(overlap().clocks.host());
  watch();
}

void elapsed_asked(std::uint64_t event, const void *caller) {
  const Entry entry;
  if (!overlap().clocks.has_happened(event))
    report_early_question(overlap().recorded_at[event], site_of(caller));
}

void changes_hands(const void *pointer, std::size_t bytes, const char *verb, const void *caller) {
  const char *begin = static_cast<const char *>(pointer);
  const Entry entry;
  if (const Buffer *buffer = state().buffers.find(begin); buffer && !bytes)
    bytes = buffer->allocation_bytes;
  if (Clocks::works()) {
    const auto task = task_of("a pool");
    task->verb = verb;
    use({begin, begin + bytes, Use::writes, site_of(caller)}, task);
  } else if (const HostSpan span = nearest_host_buffer(begin); span.begin == begin) {
    use_by_host({begin, begin + span.bytes, Use::writes, site_of(caller)}, verb);
  }
}

}  // namespace

const AsynchronyHooks asynchrony_hooks{
    .made_stream = made_stream,
    .begin_work = begin_work,
    .begin_node = begin_node,
    .begin_graph =
        [](std::uint64_t executable) {
          const Entry entry;
          overlap().clocks.begin_graph(executable);
        },
    .end_graph =
        [](std::uint64_t executable) {
          const Entry entry;
          overlap().clocks.end_graph(executable);
        },
    .end_work = end_work,
    .record =
        [](std::uint64_t event, const CUstream_st &stream, const void *caller) {
          const Entry entry;
          overlap().clocks.record(event, stream.number, is_blocking(stream));
          overlap().recorded_at[event] = site_of(caller);
        },
    .wait =
        [](const CUstream_st &stream, std::uint64_t event) {
          const Entry entry;
          overlap().clocks.wait(stream.number, event);
        },
    .host_waits_for_stream =
        [](const CUstream_st &stream) {
          host_waits(
              [&](Clocks &clocks) { clocks.host_waits_for(stream.number, is_blocking(stream)); });
        },
    .host_waits_for_event =
        [](std::uint64_t event) {
          host_waits([&](Clocks &clocks) { clocks.host_waits_for_event(event); });
        },
    .host_waits_for_all = [] { host_waits([](Clocks &clocks) { clocks.host_waits_for_all(); }); },
    .elapsed_asked = elapsed_asked,
    .changes_hands = changes_hands};

// ---- kernels
// --------------------------------------------------------------------------------------

void begin_kernel(const char *name, Site site, std::uint32_t epoch) {
  const Entry entry;
  const bool in_graph = given.back().is_node && given.back().site;
  const std::string place = in_graph ? source_line(given.back().site) : text_of(site);
  overlap().kernel =
      task_of(std::string("kernel ") + name + " launched at " + place.substr(place.rfind('/') + 1));
  overlap().kernel_epoch = epoch;
}

// Without streams and without memory of both sides nothing can overlap, and nothing is remembered.
void end_kernel() {
  Overlap &all = overlap();
  const Entry entry;
  if (!all.concurrent && state().host_shared.empty()) return;
  std::vector<Range> ranges;
  add_footprint(state().global, all.kernel_epoch, ranges);
  add_footprint(state().variables, all.kernel_epoch, ranges);
  state().host_shared.for_each(
      [&](Shadow &shadow) { add_footprint(shadow, all.kernel_epoch, ranges); });
  for (const Range &range : ranges) use(range, all.kernel);
}

// ---- copies and fills
// -------------------------------------------------------------------------------

namespace {

// Outside of a stream's work the runtime copies for a call without a stream: for the default
// stream.
template <class Visit>
void in_some_work(std::uint32_t site, bool host_waits, Visit visit) {
  Overlap &all = overlap();
  const Entry entry;
  if (Clocks::works()) return visit(site_or(site));
  const CUstream_st &legacy = stream_of(nullptr);
  begin_work_in(legacy, site);
  visit(site);
  all.clocks.end_work();
  given.pop_back();
  if (host_waits) {
    all.clocks.host_waits_for(kLegacyStream, true);
    all.ledger.forget(all.clocks.host());
  }
  watch();
}

bool is_pageable(const char *address) {
  State &known = state();
  return !known.global.contains(address) && !known.variables.contains(address) &&
         !known.host_shared.find(address);
}

}  // namespace

// A copy from memory that is not pinned goes through a buffer of the driver, so the source is free
// again at once. A copy to such memory may be over when the call returns, but no one promises it.
void note_copied_ranges(char *to, const char *from, std::size_t bytes, std::uint32_t call) {
  const bool between = state().global.contains(to) && state().global.contains(from);
  in_some_work(call, !between, [&](std::uint32_t site) {
    const auto task = task_of("a copy");
    if (!is_pageable(from)) use({from, from + bytes, Use::reads, site}, task);
    if (is_pageable(to) && is_pageable(from)) return;
    task->is_staged = is_pageable(to);
    use({to, to + bytes, Use::writes, site}, task);
  });
}

void note_fill(const char *begin, std::size_t bytes, const void *caller) {
  in_some_work(caller ? site_of(caller) : 0, false, [&](std::uint32_t site) {
    use({begin, begin + bytes, Use::writes, site}, task_of("a fill"));
  });
}

void note_free(const char *begin, std::size_t bytes) {
  const Entry entry;
  overlap().ledger.forget(begin, begin + bytes);
}

// ---- the host
// ---------------------------------------------------------------------------------------

void watch_unwritten(bool unwritten) {
  overlap().unwritten_on_host = unwritten;
  watch();
}

namespace {

// Of a function that has returned. Whoever uses its bytes now is somebody else.
bool is_on_old_stack(const char *address) {
  const char *frame = static_cast<const char *>(__builtin_frame_address(0));
  return address < frame && frame - address < (1 << 20);
}

// A flag that a kernel or a host function sets for the host: who sees it, has waited.
void learn_from_flag(const char *address, std::size_t bytes) {
  Overlap &all = overlap();
  const Range range{address, address + bytes, Use::reads, 0};
  while (const Ledger::Line *line = all.ledger.find_disturbing(range, all.clocks.host())) {
    all.clocks.host_waits_for_moment(line->moment);
    all.ledger.forget(all.clocks.host());
  }
  watch();
}

}  // namespace

void note_host_atomic(const void *address, std::size_t bytes) {
  const Entry entry;
  if (!Clocks::works()) learn_from_flag(static_cast<const char *>(address), bytes);
}

// Host functions are work of a stream. What they use beyond memory of both sides is their own.
void check_host_access(const Access &access, const void *return_address) {
  if (inside) return;
  Overlap &all = overlap();
  const Entry entry;
  if (all.unwritten_on_host) check_unwritten(access, return_address);
  const char *address = access.address;
  const Range range{address, address + access.bytes, access.writes ? Use::writes : Use::reads,
                    site_of(return_address)};
  if (Clocks::works()) {
    if (state().host_shared.find(address)) use(range, task_of("a host function"));
  } else if (access.strength == Strength::is_volatile) {
    if (access.reads) learn_from_flag(address, access.bytes);
  } else if (!is_on_old_stack(address)) {
    use_by_host(range);
  }
}

}  // namespace cuda_on_cpu::check
