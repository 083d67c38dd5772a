// Who has seen what: a clock for each stream, each node of a graph, each event, and each thread of
// the host.
//
// The runtime does all work at once, in the order of the calls. A GPU does not: a stream knows what
// it did itself, what the host knew when it gave the work, and what came with the events that it
// waited for. So each piece of work has a moment, and a clock that says which moments are certainly
// over when it begins.
#pragma once

#include <map>
#include <vector>

#include "clock.hpp"
#include "host_threads.hpp"

namespace cuda_on_cpu::check {

// A stream as the clocks know it. `legacy` is the default stream of its device.
struct Lane {
  Party number, legacy;
  bool waits_for_legacy;
};

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
  void learn(const Moment &moment);  // the work that runs has seen another's flag
  void pass_flags();          // what it does from now on is not told by its own flags
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
