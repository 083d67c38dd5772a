// What streams, events and graphs tell the clocks.
#include "asynchrony.hpp"

#include "device/host_memory.hpp"
#include "overlap.hpp"
#include "report.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {

namespace {

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
      {" as a node of a graph" + given.front().where, true, caller ? site_of(caller) : 0,
       given.front().device});
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
  overlap().ledger.forget(overlap().clocks.threads);
  watch();
}

void elapsed_asked(std::uint64_t event, const void *caller) {
  const Entry entry;
  if (!overlap().library_waits && !overlap().clocks.has_happened(event))
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
          overlap().clocks.record(event, lane_of(stream));
          overlap().recorded_at[event] = site_of(caller);
        },
    .wait =
        [](const CUstream_st &stream, std::uint64_t event) {
          const Entry entry;
          overlap().clocks.wait(stream.number, event);
        },
    .host_waits_for_stream =
        [](const CUstream_st &stream) {
          host_waits([&](Clocks &clocks) { clocks.host_waits_for(lane_of(stream)); });
        },
    .host_waits_for_event =
        [](std::uint64_t event) {
          host_waits([&](Clocks &clocks) { clocks.host_waits_for_event(event); });
        },
    .host_waits_for_device =
        [](int device) {
          host_waits([&](Clocks &clocks) {
            clocks.host_waits_for_device(legacy_stream(device).number);
          });
        },
    .host_waits_for_all = [] { host_waits([](Clocks &clocks) { clocks.host_waits_for_all(); }); },
    .stream_is_over =
        [](const CUstream_st &stream) {
          const Entry entry;
          return overlap().clocks.is_over(stream.number);
        },
    .event_is_over =
        [](std::uint64_t event) {
          const Entry entry;
          return overlap().clocks.has_happened(event);
        },
    .elapsed_asked = elapsed_asked,
    .changes_hands = changes_hands};

}  // namespace cuda_on_cpu::check
