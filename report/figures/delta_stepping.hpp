// Delta-stepping on all cores of the CPU: what a GPU has to beat in a fair comparison. Dijkstra's
// algorithm on one core would lose to anything.
//
// Meyer and Sanders (2003) settle vertices bin by bin; a bin is delta wide. Beamer, Asanovic and
// Patterson (GAP Benchmark Suite, 2015) give every thread its own bins and share only the bin that
// is being relaxed. Zhang et al. (2020) let a thread continue with its own part of a bin while that
// part is small. This code was written from those descriptions.
#pragma once

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cmath>
#include <cstddef>
#include <limits>
#include <thread>
#include <vector>

#include "csr_graph.hpp"
#include "usable_processors.hpp"

namespace figures {

/// A team of threads that searches one graph from many sources.
template <typename Weight>
class DeltaStepping {
 public:
  /// threads = 0: one per processor. The graph must outlive the team.
  explicit DeltaStepping(const datasets::CsrGraph<Weight>& graph, int threads = 0)
      : graph_(graph),
        team_(threads > 0 ? threads : datasets::usable_processors()),
        bins_(team_),
        first_(team_),
        dist_(graph.vertices()),
        gate_(team_),
        turn_(team_, Turn{this}) {
    for (int t = 1; t < team_; ++t)
      others_.emplace_back([this, t] {
        for (;;) {
          gate_.arrive_and_wait();  // waits for the next search, or the end
          if (ended_) return;
          search(t);
        }
      });
  }
  ~DeltaStepping() {
    ended_ = true;
    gate_.arrive_and_wait();
  }
  DeltaStepping(const DeltaStepping&) = delete;
  DeltaStepping& operator=(const DeltaStepping&) = delete;

  int threads() const { return team_; }

  /// The distances from `source`; delta > 0 is the width of a bin.
  const std::vector<Weight>& distances(int source, Weight delta) {
    source_ = source;
    delta_ = delta;
    bin_ = 0;
    gate_.arrive_and_wait();  // the others begin
    search(0);
    return dist_;
  }

 private:
  static constexpr std::size_t kNoBin = std::numeric_limits<std::size_t>::max();
  static constexpr std::size_t kLastBin = 1 << 16;  // farther vertices share it; it is relaxed
                                                    // until it no longer changes
  static constexpr std::size_t kPart = 64;          // vertices that a thread takes at a time
  static constexpr std::size_t kSmall = 1000;       // a smaller bin is not worth a barrier

  using Bins = std::vector<std::vector<int>>;

  /// One thread does this while all others wait: chooses the next bin and places each thread in it.
  struct Turn {
    DeltaStepping* team;
    void operator()() noexcept { team->choose_bin(); }
  };

  std::size_t bin_of(Weight distance) const {
    const Weight bin = distance / delta_;
    return bin < static_cast<Weight>(kLastBin) ? static_cast<std::size_t>(bin) : kLastBin;
  }

  void search(int me) {
    const std::size_t n = dist_.size(), begin = n * me / team_, end = n * (me + 1) / team_;
    std::fill(dist_.begin() + begin, dist_.begin() + end, std::numeric_limits<Weight>::infinity());
    gate_.arrive_and_wait();  // no distance is reset after this
    if (me == 0) {
      dist_[source_] = 0;
      frontier_ = {source_};
      next_ = 0;
    }
    gate_.arrive_and_wait();
    while (bin_ != kNoBin) {
      for (std::size_t at; (at = next_.fetch_add(kPart)) < frontier_.size();)
        for (std::size_t i = at; i < std::min(at + kPart, frontier_.size()); ++i)
          relax(frontier_[i], bins_[me]);
      go_on_alone(bins_[me]);
      turn_.arrive_and_wait();  // the bin is relaxed, the next one chosen
      if (bin_ == kNoBin) break;
      if (bin_ < bins_[me].size()) {
        std::copy(bins_[me][bin_].begin(), bins_[me][bin_].end(), frontier_.begin() + first_[me]);
        bins_[me][bin_].clear();
      }
      gate_.arrive_and_wait();  // the frontier is complete
    }
    gate_.arrive_and_wait();  // all have seen the end before the next search resets it
  }

  void go_on_alone(Bins& mine) {
    std::vector<int> taken;
    while (bin_ < mine.size() && !mine[bin_].empty() && mine[bin_].size() < kSmall) {
      taken.clear();
      taken.swap(mine[bin_]);
      for (const int u : taken) relax(u, mine);
    }
  }

  void relax(int u, Bins& mine) {
    const Weight to_u = std::atomic_ref(dist_[u]).load(std::memory_order_relaxed);
    if (bin_of(to_u) < bin_) return;  // it has come closer and was relaxed in that bin
    for (int i = graph_.offsets[u]; i < graph_.offsets[u + 1]; ++i) {
      const std::atomic_ref to_v(dist_[graph_.targets[i]]);
      const Weight over_u = to_u + graph_.weights[i];
      Weight known = to_v.load(std::memory_order_relaxed);
      while (over_u < known) {
        if (!to_v.compare_exchange_weak(known, over_u, std::memory_order_relaxed)) continue;
        const std::size_t bin = bin_of(over_u);
        if (bin >= mine.size()) mine.resize(bin + 1);
        mine[bin].push_back(graph_.targets[i]);
        break;
      }
    }
  }

  void choose_bin() {
    std::size_t least = kNoBin;
    for (const Bins& bins : bins_)
      for (std::size_t b = bin_; b < std::min(bins.size(), least); ++b)
        if (!bins[b].empty()) least = b;
    bin_ = least;
    next_ = 0;
    std::size_t total = 0;
    for (int t = 0; t < team_; ++t) {
      first_[t] = total;
      if (least < bins_[t].size()) total += bins_[t][least].size();
    }
    frontier_.resize(total);
  }

  const datasets::CsrGraph<Weight>& graph_;
  const int team_;
  std::vector<Bins> bins_;           // each thread's own
  std::vector<std::size_t> first_;   // where each thread's part of the frontier begins
  std::vector<int> frontier_;        // the vertices of the bin that is being relaxed
  std::vector<Weight> dist_;
  std::atomic<std::size_t> next_ = 0;  // the frontier is taken up to here
  std::size_t bin_ = 0;
  int source_ = 0;
  Weight delta_ = 1;
  bool ended_ = false;
  std::barrier<> gate_;
  std::barrier<Turn> turn_;
  std::vector<std::jthread> others_;  // declared last: they end before what they use is destroyed
};

}  // namespace figures
