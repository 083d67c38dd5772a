// Who has seen what: a clock for each stream, each node of a graph, each event, and each thread of
// the host.
//
// The runtime does all work at once, in the order of the calls. A GPU does not: a stream knows what
// it did itself, what the host knew when it gave the work, and what came with the events that it
// waited for. So each piece of work has a moment, and a clock that says which moments are certainly
// over when it begins.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace cuda_on_cpu::check {

using Party = std::uint64_t;  // the number of a stream or a node: see runtime/stream_order.hpp

// A stream as the clocks know it. `legacy` is the default stream of its device.
struct Lane {
  Party number, legacy;
  bool waits_for_legacy;
};

struct Moment {
  Party party;
  std::uint64_t tick;
};

class Clock {
 public:
  bool has_seen(const Moment &moment) const;
  void join(const Clock &other);
  void join(const Moment &moment);
  Moment advance(Party party);
  template <class Known>
  void forget(const Known &known) {  // what `known` has seen
    std::erase_if(ticks_,
                  [&](const auto &entry) { return known.has_seen({entry.first, entry.second}); });
  }
  void see_all();                   // that there was until now
  bool is_empty() const { return ticks_.empty(); }

 private:
  std::uint64_t all_until_ = 0;  // each moment until this tick is seen, whoever's it is
  std::map<Party, std::uint64_t> ticks_;
};

}  // namespace cuda_on_cpu::check

#include "host_threads.hpp"

namespace cuda_on_cpu::check {

class Clocks {
 public:
  // The work that begins is the stream's until it ends. Work of the calling thread may nest: a
  // graph has nodes.
  void begin_work(const Lane &stream);
  void begin_node(Party node, const std::vector<Party> &after);
  void begin_graph(Party executable);  // within the work of a stream: after its launch before
  void end_graph(Party executable);
  void end_work();
  static bool works();        // does a piece of work run now, in this thread?
  static Moment now();        // of that work
  static Party stream();      // that the work was given to
  const Clock &seen() const;  // what was over when the work began, or by the thread if none runs

  void record(Party event, const Lane &stream);
  void wait(Party stream, Party event);
  bool has_happened(Party event) const;  // does the host know it?
  bool is_over(Party stream) const;
  void host_waits_for(const Lane &stream);
  void host_waits_for_event(Party event);
  void host_waits_for_device(Party legacy);
  void host_waits_for_all();
  void host_waits_for_moment(const Moment &moment);
  const Clock &host() const { return threads.own(); }  // the calling thread of it
  HostThreads threads;

 private:
  struct Stream {
    Clock clock;
    Party legacy = 0;
    bool waits_for_legacy = false;
  };
  Moment advance(const Lane &stream);
  bool host_has_seen(Clock clock) const;
  void forget_past();

  std::map<Party, Stream> streams_;
  Party executable_ = 0;  // whose nodes run
  std::map<Party, Clock> events_;
};

}  // namespace cuda_on_cpu::check
