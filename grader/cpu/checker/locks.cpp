#include "locks.hpp"

#include <utility>

#include "messages/text.hpp"
#include "report_parts.hpp"
#include "source_line.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

// Every thread and every block has had many turns. And who counts his attempts, to do without the
// lock, gives up before that.
constexpr unsigned kLong = 200'000;
constexpr unsigned kOften = 1'000;  // whoever waits meanwhile has failed as often

}  // namespace

void Locks::begin_launch() {
  act_ = {};
  holders_.clear();
  waiters_.clear();
}

void Locks::acts(const char *address, std::size_t bytes, std::uint32_t site, bool swaps) {
  ++changes_;
  const Key block = blockIdx.x + gridDim.x * (blockIdx.y + Key{gridDim.y} * blockIdx.z);
  const Key key = block << 32 | current_thread();
  act_ = {key, address, bytes, site, swaps, blockIdx, threadIdx};
  if (!swaps) return;
  Act &holder = holders_[address];
  had_before_ = std::exchange(holder, act_);
}

bool Locks::has_failed_for_long(const char *address) {
  if (act_.address != address) return false;  // it has only loaded
  --changes_;
  if (act_.swaps) holders_[address] = had_before_;
  if (!holders_.contains(address)) return false;
  Waiter &own = waiters_[act_.key];
  const bool goes_on = own.attempt.address == address && own.changes == changes_;
  own = {act_, changes_, goes_on ? own.failures + 1 : 1};
  return own.failures % kLong == 0 && !state().host_shared.find(address);  // the host may act
}

const Locks::Waiter *Locks::waiter(Key key) const {
  const auto found = waiters_.find(key);
  const bool waits = found != waiters_.end() && found->second.changes == changes_ &&
                     found->second.failures >= kOften;
  return waits ? &found->second : nullptr;
}

std::string Locks::name(const Act &act) {
  return "thread " + text_of(act.thread) + " of block " + text_of(act.block);
}

std::string Locks::sentence() const {
  const Act *attempt = &act_;
  std::string text = name(act_) + " waits at ";
  for (unsigned steps = 0;; ++steps) {
    const auto holder = holders_.find(attempt->address);
    if (holder == holders_.end() || !holder->second.address) return "";
    const Act &taken = holder->second;
    const bool is_own = taken.key == attempt->key;
    text += line_in_kernel(attempt->site) + " for " +
            place_of(attempt->address, attempt->bytes).text + ", which " +
            (is_own ? "it took itself" : name(taken) + " took") + " at " +
            line_in_kernel(taken.site);
    if (is_own) return text + " and has not given back";
    if (taken.key == act_.key) return text + ": take locks in the same order everywhere";
    const Waiter *next = waiter(taken.key);
    if (!next || steps == 8) return text + " and has not given back";
    text += "; that one waits at ";
    attempt = &next->attempt;
  }
}

}  // namespace cuda_on_cpu::check
