#include "overlap.hpp"

#include <thread>

#include "access.hpp"
#include "device/device_memory.hpp"
#include "report.hpp"

namespace cuda_on_cpu::check {

bool watches_host = false, work_tells = false;
thread_local std::vector<Given> given;
thread_local constinit bool inside = false;

Overlap &overlap() {
  static auto *all = new Overlap;  // used until the end of the program
  return *all;
}

namespace {

std::string missing_between(const Ledger::Line &line, const Task *now) {
  const Task &earlier = *line.task;
  if (earlier.told.tick && line.moment.tick != earlier.told.tick &&
      overlap().clocks.seen().has_seen(earlier.told))
    return "the kernel has set its flag before that, or without a fence between";
  if (!now)
    return earlier.is_staged ? "it works only as long as the array is not pinned: "
                               "cudaStreamSynchronize() is missing"
                             : "the host does not wait: cudaStreamSynchronize() or "
                               "cudaDeviceSynchronize() is missing";
  if (earlier.is_node && now->is_node && earlier.stream == now->stream)
    return "no edge of the graph orders the two nodes";
  if (earlier.device != now->device)
    return "the streams of two devices do not wait for each other: an event or a synchronisation "
           "is missing";
  if (is_legacy(earlier.stream) || is_legacy(now->stream))
    return "a stream made with cudaStreamNonBlocking and the default stream do not wait for each "
           "other";
  return "nothing orders the two streams: an event or a synchronisation is missing";
}

const std::string &title_of(const CUstream_st &stream) {
  std::string &title = overlap().streams[stream.number];
  if (!title.empty()) return title;
  const std::string on = stream.device ? " of device " + std::to_string(stream.device) : "";
  if (stream.device) overlap().concurrent = true;
  if (is_legacy(stream.number)) return title = "the default stream" + on;
  overlap().concurrent = true;
  if (stream.number <= kLastDefaultStream) return title = "the thread's default stream" + on;
  title = "stream " + std::to_string(++overlap().created);
  if (!stream.name.empty()) title += " (" + stream.name + ")";
  return title;
}

}  // namespace

Lane lane_of(const CUstream_st &stream) {
  return {stream.number, legacy_stream(stream.device).number,
          !(stream.flags & cudaStreamNonBlocking)};
}

void begin_work_in(const CUstream_st &stream, std::uint32_t site) {
  overlap().clocks.begin_work(lane_of(stream));
  given.push_back({" in " + title_of(stream), false, site, stream.device});
  watch();
}

std::shared_ptr<Task> task_of(const std::string &what) {
  return std::make_shared<Task>(
      Task{what + given.back().where, "", Clocks::stream(), given.back().is_node, false,
           given.back().device});
}

// The host's accesses cost time, so they are looked at only while one of them may be wrong.
void watch() {
  Overlap &all = overlap();
  const char *base = DeviceMemory::instance().base();
  const char *end = base + DeviceMemory::instance().total_bytes();
  const char *const top = reinterpret_cast<const char *>(~std::uintptr_t{0});
  work_tells &= all.ledger.has_between(nullptr, top);
  watches_host = all.unwritten_on_host || all.library_waits || Clocks::works() ||
                 all.ledger.has_between(nullptr, base) || all.ledger.has_between(end, top);
}

// The work that runs uses the bytes.
void use(const Range &range, const std::shared_ptr<const Task> &task) {
  Overlap &all = overlap();
  if (const Ledger::Line *earlier = all.ledger.find_disturbing(range, all.clocks.seen()))
    report_asynchrony({*earlier, *task, range, missing_between(*earlier, task.get())});
  all.ledger.add({range, Clocks::now(), task});
}

// A thread of the host uses them.
void use_by_host(const Range &range, const char *verb) {
  Overlap &all = overlap();
  static const Task host{"the host", "", 0};
  const Ledger::Line *earlier =
      all.ledger.find_disturbing(range, all.clocks.host(), all.clocks.threads.only_giver());
  if (!earlier) return;
  const bool is_own = earlier->task->giver == std::this_thread::get_id();
  // Stacks of threads that have ended are used again.
  if (earlier->task->is_staged && (*verb || !is_own)) return;
  Task task = host;
  task.verb = verb;
  const bool waited = all.clocks.threads.is_known_to_one(earlier->moment);
  report_asynchrony({*earlier, task, range,
                     waited
                         ? "another thread of the host has waited, but does not tell this one: a "
                           "join, a lock or an atomic flag is missing"
                         : missing_between(*earlier, nullptr)});
}

}  // namespace cuda_on_cpu::check
