#include "matching.hpp"

#include <cstring>
#include <utility>

namespace cuda_on_cpu::count {

void Warp::begin_launch(std::uint32_t lanes, Kernel &kernel) {
  existing_ = lanes;
  last_.fill(nullptr);
  waiting_.fill(false);
  if (kernel_ != &kernel) slots_.clear();
  kernel_ = &kernel;
}

void Warp::end_block() {
  settle();
  if (kernel_) paths_.end();
}

Warp::Slot &Warp::look_up(const Key &key) {
  const auto [place, is_new] = slots_.try_emplace(key);
  Slot &slot = place->second;
  if (is_new) {
    slot.key = key;
    slot.sums = &kernel_->rows[key.instruction];
  }
  return slot;
}

// A lane usually goes where the lane before it went.
Warp::Slot &Warp::slot_for(unsigned lane, const Key &key) {
  Slot *last = last_[lane];
  Slot *slot = last ? last->follower : nullptr;
  if (!slot || slot->key != key) {
    slot = &look_up(key);
    if (last) last->follower = slot;
  }
  last_[lane] = slot;
  if (!slot->in_use) in_use_.push_back(slot);
  slot->in_use = true;
  return *slot;
}

// What waits in one word for one value after another learns something each time: these count.
bool Warp::is_polled_again(unsigned lane, const Key &key, std::uint64_t address) {
  Look look{address, {}};
  std::memcpy(look.bytes.data(), reinterpret_cast<const void *>(address), key.bytes);
  const bool same = last_[lane] && last_[lane]->key == key && last_look_[lane] == look;
  last_look_[lane] = look;
  return std::exchange(waiting_[lane], false) && same;
}

void Warp::add(unsigned lane, const LaneAccess &access) {
  const Key key{access.instruction, access.bytes, access.piece, stretch_[lane]};
  if (is_polled_again(lane, key, access.address)) return;
  Slot &slot = slot_for(lane, key);
  const std::size_t place = slot.times[lane]++ - slot.settled + slot.head;
  while (place >= slot.open.size()) {
    Open &fresh = slot.open.emplace_back();
    if (access.piece == 0) fresh.junction = paths_.open(&slot.sums->branch);
  }
  Open &open = slot.open[place];
  open.request.address[lane] = access.address;
  open.request.lanes |= 1u << lane;
  if (open.junction) paths_.go(lane, open.junction, access.instruction.site);
  // No lane can join these any more. A long loop would fill the memory if they stayed.
  while (slot.head < slot.open.size() && slot.open[slot.head].request.lanes == existing_) {
    account(slot, slot.open[slot.head++]);
    ++slot.settled;
  }
  if (slot.head == slot.open.size()) {
    slot.open.clear();
    slot.head = 0;
  }
}

void Warp::synchronise_lanes(std::uint32_t lanes) {
  if (lanes == existing_) return settle();
  for (unsigned lane = 0; lane < kLanes; ++lane) stretch_[lane] += lanes >> lane & 1;
}

void Warp::settle() {
  for (Slot *slot : in_use_) {
    for (; slot->head < slot->open.size(); ++slot->head) account(*slot, slot->open[slot->head]);
    slot->open.clear();
    slot->head = 0;
    slot->settled = 0;
    slot->times.fill(0);
    slot->in_use = false;
  }
  in_use_.clear();
  stretch_.fill(0);
}

void Warp::account(Slot &slot, const Open &open) {
  if (open.junction) paths_.close(open.junction);
  Sums &sums = *slot.sums;
  ++sums.requests;
  const auto &[instruction, bytes, piece, stretch] = slot.key;
  const Cost cost = instruction.direction == Direction::atomic ? atomic_cost(open.request)
                    : instruction.space == Space::shared       ? shared_cost(open.request, bytes)
                                                               : global_cost(open.request, bytes);
  sums.pieces += cost.pieces;
  sums.ideal += cost.ideal;
}

}  // namespace cuda_on_cpu::count
