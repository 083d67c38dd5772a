#include "matching.hpp"

namespace cuda_on_cpu::count {

void Warp::add(unsigned lane, const LaneAccess &access, Kernel &kernel) {
  const Key key{access.instruction, access.bytes, access.piece, stretch_[lane]};
  Slot &slot = slots_[key];
  const std::uint32_t place = slot.times[lane]++ - slot.settled;
  if (place >= slot.open.size()) slot.open.resize(place + 1);
  Request &request = slot.open[place];
  request.address[lane] = access.address;
  request.lanes |= 1u << lane;
  // Nobody can join these any more. A long loop would fill the memory if they stayed.
  while (!slot.open.empty() && slot.open.front().lanes == existing_) {
    account(key, slot.open.front(), kernel);
    slot.open.pop_front();
    ++slot.settled;
  }
}

void Warp::synchronise_lanes(std::uint32_t lanes, Kernel &kernel) {
  if (lanes == existing_) return settle(kernel);
  for (unsigned lane = 0; lane < kLanes; ++lane) stretch_[lane] += lanes >> lane & 1;
}

void Warp::settle(Kernel &kernel) {
  for (const auto &[key, slot] : slots_)
    for (const Request &request : slot.open) account(key, request, kernel);
  slots_.clear();
  stretch_.fill(0);
}

void Warp::account(const Key &key, const Request &request, Kernel &kernel) {
  Sums &sums = kernel.rows[key.instruction];
  ++sums.requests;
  if (key.instruction.direction == Direction::atomic) return;
  const Cost cost = key.instruction.space == Space::global ? global_cost(request, key.bytes)
                                                           : shared_cost(request, key.bytes);
  sums.pieces += cost.pieces;
  sums.ideal += cost.ideal;
}

}  // namespace cuda_on_cpu::count
