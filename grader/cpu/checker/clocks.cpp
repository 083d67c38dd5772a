#include "clocks.hpp"

#include <algorithm>

#include "streams/stream_order.hpp"

namespace cuda_on_cpu::check {
namespace {

// A piece of work that has begun and not ended, of this thread.
struct Piece {
  Moment moment;
  Party stream;
  Clock seen;                    // when it began
  Clock afterwards;              // when all of it is over
  std::map<Party, Clock> nodes;  // of a graph: what has happened when each is over
};
thread_local std::vector<Piece> pieces;

// Ticks of a party never repeat, even when its clock has forgotten them.
std::uint64_t last_tick = 0;

}  // namespace

bool Clock::has_seen(const Moment &moment) const {
  if (moment.tick <= all_until_) return true;
  const auto found = ticks_.find(moment.party);
  return found != ticks_.end() && found->second >= moment.tick;
}

void Clock::join(const Moment &moment) {
  std::uint64_t &tick = ticks_[moment.party];
  tick = std::max(tick, moment.tick);
}

void Clock::join(const Clock &other) {
  all_until_ = std::max(all_until_, other.all_until_);
  for (const auto &[party, tick] : other.ticks_) join(Moment{party, tick});
}

Moment Clock::advance(Party party) { return {party, ticks_[party] = ++last_tick}; }

// So a clock does not grow with each node of a graph that ever ran.
void Clock::see_all() {
  all_until_ = last_tick;
  ticks_.clear();
}

// The legacy default stream and those that were not made with cudaStreamNonBlocking wait for each
// other.
Moment Clocks::advance(const Lane &lane) {
  Stream &stream = streams_[lane.number];
  stream.legacy = lane.legacy;
  stream.waits_for_legacy = lane.waits_for_legacy;
  stream.clock.join(host());
  if (lane.number == lane.legacy)
    for (const auto &[other, blocking] : streams_)
      if (other != lane.number && blocking.waits_for_legacy && blocking.legacy == lane.legacy)
        stream.clock.join(blocking.clock);
  if (lane.number != lane.legacy && lane.waits_for_legacy)
    stream.clock.join(streams_[lane.legacy].clock);
  return stream.clock.advance(lane.number);
}

void Clocks::begin_work(const Lane &stream) {
  const Moment moment = advance(stream);
  const Clock &clock = streams_[stream.number].clock;
  pieces.push_back({moment, stream.number, clock, clock, {}});
}

void Clocks::begin_node(Party node, const std::vector<Party> &after) {
  Piece &graph = pieces.back();
  Clock clock = graph.seen;
  // Executables of one graph share its nodes, and are not ordered.
  const auto own = [&](Party one) { return executable_ << 32 | one; };
  for (const Party one : after) clock.join(graph.nodes[own(one)]);
  const Moment moment = clock.advance(own(node));
  pieces.push_back({moment, graph.stream, clock, clock, {}});
}

void Clocks::begin_graph(Party executable) {
  executable_ = executable;
  pieces.back().seen.join(events_[executable]);
  pieces.back().afterwards.join(events_[executable]);
}
void Clocks::end_graph(Party executable) { events_[executable] = pieces.back().afterwards; }

void Clocks::end_work() {
  const Piece piece = std::move(pieces.back());
  pieces.pop_back();
  if (pieces.empty()) return streams_[piece.stream].clock.join(piece.afterwards);
  pieces.back().nodes[piece.moment.party] = piece.afterwards;
  pieces.back().afterwards.join(piece.afterwards);
}

bool Clocks::works() { return !pieces.empty(); }
Moment Clocks::now() { return pieces.back().moment; }
void Clocks::learn(const Moment &moment) {
  pieces.back().seen.join(moment);
  pieces.back().afterwards.join(moment);
}
void Clocks::pass_flags() {
  pieces.back().moment.tick = ++last_tick;
  learn(pieces.back().moment);
}
Party Clocks::stream() { return pieces.back().stream; }
const Clock &Clocks::seen() const { return pieces.empty() ? host() : pieces.back().seen; }

void Clocks::record(Party event, const Lane &stream) {
  advance(stream);
  events_[event] = streams_[stream.number].clock;
}
void Clocks::wait(Party stream, Party event) { streams_[stream].clock.join(events_[event]); }

bool Clocks::has_happened(Party event) const {
  const auto found = events_.find(event);
  return found == events_.end() || host_has_seen(found->second);
}
bool Clocks::is_over(Party stream) const {
  const auto found = streams_.find(stream);
  return found == streams_.end() || host_has_seen(found->second.clock);
}
bool Clocks::host_has_seen(Clock clock) const {
  clock.forget(host());
  return clock.is_empty();
}

void Clocks::host_waits_for(const Lane &stream) {
  advance(stream);
  threads.own().join(streams_[stream.number].clock);
  forget_past();
}
void Clocks::host_waits_for_event(Party event) {
  threads.own().join(events_[event]);
  forget_past();
}
void Clocks::host_waits_for_device(Party legacy) {
  for (const auto &[number, stream] : streams_)
    // or not used yet
    if (stream.legacy == legacy || !stream.legacy) threads.own().join(stream.clock);
  forget_past();
}
void Clocks::host_waits_for_all() {
  for (const auto &[number, stream] : streams_) threads.own().join(stream.clock);
  forget_past();
}
void Clocks::host_waits_for_moment(const Moment &moment) { threads.own().join(moment); }

// All work that is given from now on has seen what all threads of the host have seen.
void Clocks::forget_past() {
  for (auto &[number, stream] : streams_) stream.clock.forget(threads);
  for (auto &[number, clock] : events_) clock.forget(threads);
  threads.forget_past();
  const auto is_over = [](const auto &entry) { return entry.second.clock.is_empty(); };
  if (pieces.empty() && std::all_of(streams_.begin(), streams_.end(), is_over)) threads.see_all();
}

}  // namespace cuda_on_cpu::check
