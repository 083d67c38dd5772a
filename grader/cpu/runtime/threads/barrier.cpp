// __syncthreads(): the barrier of a block, and the errors that can happen at it.
#include <cstring>
#include <string>

#include "base/hooks.hpp"
#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

// The same file name may be at two addresses when two object files contain it.
bool same_line(Site a, Site b) {
  return a.line == b.line && (a.file == b.file || std::strcmp(a.file, b.file) == 0);
}
bool same_site(Site a, Site b) { return a.path == b.path && same_line(a, b); }

// The call that led to `site` and not to `other`.
std::string line_between(Site site, Site other) {
  return hooks->line_of_path(site.path, other.path);
}

}  // namespace

Fiber &Block::arrive_slowly(Site site) {
  begin_wait();
  if (at_barrier_++ == 0)
    barrier_site_ = site;
  else if (!same_site(site, barrier_site_))
    fail_divergent_barrier(site);
  if (at_barrier_ == live_) release_barrier();
  return go_to_next();
}

Fiber &Block::arrive_and_count(bool predicate, Site site) {
  predicates_ += predicate;
  running_->result = &predicate_result_;
  return arrive_at_barrier(site);
}

// Called when all live threads wait here. Hardware counts only live threads, so threads that have
// left do not block it. The programming guide calls this undefined, so it is reported: as an error
// by a checker, otherwise as a warning.
void Block::release_barrier() {
  if (waits_for_grid_) return;  // until all blocks have arrived, see cooperative.cpp
  note_barrier_passed();
  at_barrier_ = group_ = 0;
  for (unsigned group = 0; group < warps_.size(); ++group) {
    ready_[group] = alive_[group];
    ready_groups_ |= static_cast<unsigned>(ready_[group] != 0) << group;
  }
}

void Block::note_barrier_passed() {
  if (live_ != count && !passes_cluster_ && !grid_->warned_exited.exchange(true))
    report("barrier",
           "%skernel %s, block %s: __syncthreads() at %s is reached by %u thread%s, %u of %u have "
           "left "
           "the kernel",
           hooks && hooks->judges_barriers ? "" : "warning: ", grid_->name,
           text_of(blockIdx).c_str(), text_of(barrier_site_).c_str(), live_, live_ == 1 ? "" : "s",
           count - live_, count);
  ++barriers_passed_;
  predicate_result_ = predicates_;
  predicates_ = 0;
  if (hooks) hooks->block_synchronised();
}

void Block::fail_divergent_barrier(Site site) {
  if (!first_failure()) fail(cudaErrorLaunchFailure);
  const std::string start = std::string("kernel ") + grid_->name + ", block " + text_of(blockIdx);
  const std::string other = "thread " + text_of(threadIdx);
  if (same_line(barrier_site_, site))
    report("barrier",
           "%s: threads of one block come to __syncthreads() at %s by different calls: %u by the "
           "call at %s and %s by the call at %s",
           start.c_str(), text_of(barrier_site_).c_str(), at_barrier_ - 1,
           line_between(barrier_site_, site).c_str(), other.c_str(),
           line_between(site, barrier_site_).c_str());
  else
    report("barrier",
           "%s: threads of one block wait at different __syncthreads(): %u thread%s at %s and %s "
           "at %s",
           start.c_str(), at_barrier_ - 1, at_barrier_ == 2 ? "" : "s",
           text_of(barrier_site_).c_str(), other.c_str(), text_of(site).c_str());
  fail(cudaErrorLaunchFailure);
}

void Block::fail_without_arrivals(Site site) {
  if (first_failure())
    report("barrier",
           "kernel %s, block %s: deadlock: thread %s waits at %s for more arrivals at a "
           "cuda::barrier, "
           "and no thread is left that could arrive: %u have not left the kernel",
           grid_->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
           text_of(site).c_str(), live_);
  fail(cudaErrorLaunchFailure);
}

// What a live thread waits for, and where.
const char *Block::awaited_by(unsigned thread) const {
  const WarpState &warp = warps_[thread / kWarpSize];
  const unsigned lane = thread % kWarpSize;
  if (warp.waiting >> lane & 1) return name_of(warp.request[lane].function);
  return warp.at_tile_barrier >> lane & 1 ? "the sync() of a tile" : "__syncthreads()";
}

Site Block::site_of(unsigned thread) const {
  const WarpState &warp = warps_[thread / kWarpSize];
  const unsigned lane = thread % kWarpSize;
  const bool is_at_barrier = !((warp.waiting | warp.at_tile_barrier) >> lane & 1);
  return is_at_barrier ? barrier_site_ : warp.site[lane];
}

// No thread can go on: report which threads wait where, one entry per place.
void Block::fail_deadlock() {
  std::string places;
  std::vector<bool> told(count);
  for (unsigned t = 0; t < count; ++t) {
    if (told[t] || !is_live(t)) continue;
    const Site site = site_of(t);
    const char *what = awaited_by(t);
    unsigned waiting = 0;
    for (unsigned other = t; other < count; ++other) {
      if (!is_live(other) || awaited_by(other) != what) continue;
      if (!same_site(site_of(other), site)) continue;
      told[other] = true;
      ++waiting;
    }
    places += (places.empty() ? "" : ", ") + std::to_string(waiting) + " at " + what + " at " +
              text_of(site);
  }
  if (first_failure())
    report("barrier", "kernel %s, block %s: deadlock, threads wait for each other: %s", grid_->name,
           text_of(blockIdx).c_str(), places.c_str());
  fail(cudaErrorLaunchFailure);
}

}  // namespace cuda_on_cpu
