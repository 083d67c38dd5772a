// Warp functions: the lanes of the mask meet, and the last lane to arrive computes all results.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/hooks.hpp"
#include "messages/diagnostics.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

// Field by field: the caller has just written the fields, and a load that spans several stores has
// to wait until they have left the processor's store buffer.
void keep(WarpRequest &kept, const volatile WarpRequest &request) {
  kept.function = request.function;
  kept.mask = request.mask;
  kept.value = request.value;
  kept.argument = request.argument;
  kept.width = request.width;
}

// A lane that has left the kernel: has it been at this call, where it did not name the lane that
// now names it?
bool came_with_another_mask(const WarpState &warp, unsigned gone, unsigned lane) {
  const WarpRequest &past = warp.request[gone], &now = warp.request[lane];
  const Site &there = warp.site[gone], &here = warp.site[lane];
  return there.file && !std::strcmp(there.file, here.file) && there.line == here.line &&
         past.function == now.function && !(past.mask >> lane & 1);
}

unsigned at_place_of_first(const WarpState &warp, unsigned lanes) {
  if (!lanes) return 0;
  const Site &first = warp.site[__builtin_ctz(lanes)];
  unsigned together = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    together |= static_cast<unsigned>(is_same(warp.site[lane], first)) << lane;
  });
  return together;
}

bool is_width(int width) {
  return width <= static_cast<int>(kWarpSize) && std::has_single_bit(static_cast<unsigned>(width));
}

}  // namespace

// Most lanes only leave their request and wait. What is rare is in functions of its own.
Fiber &Block::arrive_in_warp(const WarpRequest &request, Site site) {
  Fiber &self = *running_;
  if (self.position == kNoThread) return begin_in_warp(request, site);
  const unsigned number = self.number, lane = number % kWarpSize;
  if (!(request.mask >> lane & 1)) fail_outside_mask(request, site);
  WarpState &warp = warps_[number / kWarpSize];
  keep(warp.request[lane], request);
  warp.waiting |= 1u << lane;
  warp.site[lane] = site;
  self.result = &warp.result[lane];  // take_up() does not move it
  if ((request.mask & warp.live & ~warp.waiting) == 0)
    return complete_and_go_to_next(number / kWarpSize, request.mask);
  return go_to_next();
}

Fiber &Block::begin_in_warp(const WarpRequest &request, Site site) {
  begin_wait();
  return arrive_in_warp(request, site);
}

Fiber &Block::complete_and_go_to_next(unsigned warp, unsigned mask) {
  complete_warp(warp, mask);
  return go_to_next();
}

void Block::fail_outside_mask(const WarpRequest &request, Site site) {
  if (first_failure())
    report("warp",
           "kernel %s, block %s, thread %s: %s at %s: the mask %08x leaves out the calling lane %u",
           grid_->name, text_of(blockIdx).c_str(), text_of(threadIdx).c_str(),
           name_of(request.function), text_of(site).c_str(), request.mask,
           current_thread() % kWarpSize);
  fail(cudaErrorLaunchFailure);
}

// Does nothing until all live lanes of the mask wait.
bool Block::complete_warp(unsigned number, unsigned mask) {
  WarpState &warp = warps_[number];
  const unsigned lanes = mask & warp.live;
  if (lanes == 0 || (warp.waiting & lanes) != lanes) return false;
  unsigned asking = 0;
  if (ask_for_the_same(warp, lanes)) {
    if (warp.request[__builtin_ctz(lanes)].function == WarpFunction::active_mask) asking = lanes;
    if (asking && at_place_of_first(warp, asking) != asking) return false;
  } else {
    if (lanes_asking_who_is_here(warp, lanes))
      return false;  // these wait for no other lane: resolve_active_masks() answers them
    fail_different_functions(number, lanes);
  }
  if (hooks && hooks->judges_barriers && !asking) judge_lanes(number, mask, lanes);
  compute_warp_results(number, lanes);
  warp.waiting &= ~lanes;
  if (hooks) hooks->warp_synchronised(number, lanes);
  make_lanes_ready(number, lanes);
  return true;
}

void Block::fail_different_functions(unsigned number, unsigned lanes) {
  const WarpState &warp = warps_[number];
  const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes)), base = number * kWarpSize;
  const WarpRequest &expected = warp.request[first];
  unsigned other = first;
  while (!(lanes >> other & 1) || asks_for_the_same(warp.request[other], expected)) ++other;
  const WarpRequest &request = warp.request[other];
  if (first_failure())
    report("warp",
           "kernel %s, block %s: lanes %u and %u of warp %u use different functions or "
           "masks: %s with mask %08x at %s, %s with mask %08x at %s",
           grid_->name, text_of(blockIdx).c_str(), first, other, number,
           name_of(expected.function), expected.mask,
           text_of(site_of(base + first)).c_str(),
           name_of(request.function), request.mask,
           text_of(site_of(base + other)).c_str());
  fail(cudaErrorLaunchFailure);
}

void Block::compute_warp_results(unsigned number, unsigned lanes) {
  WarpState &warp = warps_[number];
  const WarpFunction function = warp.request[__builtin_ctz(lanes)].function;
  if (is_shuffle(function)) {
    if (shuffle(warp, function, lanes)) return;
    for_each_lane(lanes,
                  [&](unsigned lane) { warp.result[lane] = shuffled_value(number, lanes, lane); });
  } else if (function == WarpFunction::match_any) {
    for_each_lane(lanes, [&](unsigned lane) {
      warp.result[lane] = lanes_with_value(warp, lanes, warp.request[lane].value);
    });
  } else {
    const long long common = common_result(warp, function, lanes);
    for_each_lane(lanes, [&](unsigned lane) { warp.result[lane] = common; });
  }
}

long long Block::shuffled_value(unsigned number, unsigned lanes, unsigned lane) {
  const WarpState &warp = warps_[number];
  const WarpRequest &request = warp.request[lane];
  const unsigned source = source_lane(request, lane);
  if (lanes >> source & 1) return warp.request[source].value;
  // Programs exist that read lanes outside of their mask and throw the value away. A lane that has
  // left the kernel is more: its value is missing in the result.
  const bool has_left = request.mask >> source & 1 && number * kWarpSize + source < count;
  // Who asks for one lane by its number wants that lane's value.
  const bool is_chosen = request.function == WarpFunction::shuffle && !(request.mask >> source & 1);
  const bool is_judged = hooks && hooks->judges_barriers;
  const bool is_wrong = is_judged && (has_left || is_chosen);
  auto &is_told = is_wrong ? grid_->told_missing_lane : grid_->warned_absent_lane;
  if (!is_told.exchange(true))
    report("warp",
           "%skernel %s, block %s: %s at %s: lane %u of warp %u reads from lane %u, which %s",
           is_wrong ? "" : "warning: ", grid_->name, text_of(blockIdx).c_str(),
           name_of(request.function), text_of(site_of(number * kWarpSize + lane)).c_str(), lane,
           number, source,
           has_left    ? "has left the kernel"
           : is_chosen ? "its mask does not name"
                       : "does not take part");
  return is_judged ? kAbsentValue : 0;  // undefined in CUDA; existing programs rely on 0
}

// A lane that is ahead of the waiting ones passed the warp function without calling it. A lane that
// left the kernel before is ahead nowhere: nobody has to wait for it.
void Block::judge_lanes(unsigned number, unsigned mask, unsigned lanes) {
  WarpState &warp = warps_[number];
  const unsigned base = number * kWarpSize, first = static_cast<unsigned>(__builtin_ctz(lanes));
  const WarpRequest &request = warp.request[first];
  const auto place = [&] {
    return std::string(name_of(request.function)) + " at " + text_of(site_of(base + first));
  };
  for_each_lane(mask & ~lanes, [&](unsigned lane) {
    if (base + lane >= count) return;
    if (came_with_another_mask(warp, lane, first)) {
      if (!grid_->told_missing_lane.exchange(true))
        report("warp",
               "kernel %s, block %s: lanes %u and %u of warp %u give different masks: %08x and "
               "%08x to %s",
               grid_->name, text_of(blockIdx).c_str(), lane, first, number, warp.request[lane].mask,
               request.mask, place().c_str());
      return;
    }
    if (!is_ahead(base + lane, base + first)) return;
    if (!grid_->told_missing_lane.exchange(true))
      report(
          "warp",
          "kernel %s, block %s: lane %u of warp %u calls %s with the mask %08x, which names lane "
          "%u; that lane went past without calling it",
          grid_->name, text_of(blockIdx).c_str(), first, number, place().c_str(), request.mask,
          lane);
  });
  if (is_shuffle(request.function) && !is_width(request.width) &&
      !grid_->told_missing_lane.exchange(true))
    report("warp",
           "kernel %s, block %s: lane %u of warp %u calls %s with the width %d: it must be 1, 2, "
           "4, 8, 16 or 32",
           grid_->name, text_of(blockIdx).c_str(), first, number, place().c_str(), request.width);
  if (is_shuffle(request.function) && warp.spoiled.follow(warp.request, lanes) &&
      !grid_->told_missing_lane.exchange(true))
    report("warp",
           "kernel %s, block %s: %s: the value of lane %u of warp %u includes one of a lane that "
           "does not take part",
           grid_->name, text_of(blockIdx).c_str(), place().c_str(), first, number);
}

void Block::went_past(unsigned region) {
  if (passed_.empty()) passed_.resize(kMaxThreadsPerBlock * kRegions);
  ++passed_[current_thread() * kRegions + region % kRegions];
}

bool Block::is_ahead(unsigned thread, unsigned other) const {
  for (unsigned i = 0; i < kRegions && !passed_.empty(); ++i)
    if (passed_[thread * kRegions + i] > passed_[other * kRegions + i]) return true;
  return false;
}

void went_past(unsigned region) { current_block().went_past(region); }

// __activemask() asks which lanes are here, and does not wait for others. Here the lanes wait as
// long as other lanes of the warp may still come. When nothing else can run, the lanes that came to
// one place are the active ones.
bool Block::resolve_active_masks() {
  for (unsigned number = 0; number < warps_.size(); ++number) {
    WarpState &warp = warps_[number];
    const unsigned active = at_place_of_first(warp, lanes_asking_who_is_here(warp, warp.waiting));
    if (!active) continue;
    for_each_lane(active, [&](unsigned lane) { warp.request[lane].mask = active; });
    return complete_warp(number, active);
  }
  return false;
}

}  // namespace cuda_on_cpu
