#include "loan.hpp"

#include <algorithm>
#include <bit>

#include "image.hpp"
#include "parallel.hpp"
#include "seal.hpp"

namespace warpwise {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

LentAs lent_as(Argument::Access access) {
  if (access == Argument::Access::out) return LentAs::unwritten;
  return access == Argument::Access::in ? LentAs::constant : LentAs::written;
}

}  // namespace

void Loan::clear() {
  parts_.clear();
  used_ = 0;
}

std::uint32_t Loan::add(const LoanPart& part) {
  const std::size_t bytes = part.argument->content().size() + 2 * kGuardBytes;
  parts_.push_back({part, used_, bytes});
  used_ += round_up(bytes, kImageAlignment);
  return static_cast<std::uint32_t>(parts_.size() - 1);
}

void Loan::make_room() {
  staging_.make_room(used_);
  if (memory_ && memory_->bytes() >= used_) return;
  memory_.reset();  // first, so that the two are not there at once
  const std::size_t bytes = std::bit_ceil(used_);  // the next call may be somewhat larger
  memory_ = place_ == Place::device ? lend_device_memory(bytes) : lend_host_memory(bytes);
}

void Loan::write() {
  make_room();
  in_parallel_if_large(used_, parts_.size(), [this](std::size_t i) {
    const auto& [part, offset, bytes] = parts_[i];
    const std::span<std::byte> image(staging_.data() + offset, bytes);
    write_image(image, part.argument->content(), Guards(part.guard_seed));
    if (part.key)
      seal(image.subspan(kGuardBytes, bytes - 2 * kGuardBytes), part.key, part.number);
    clear_after(parts_[i]);
  });
  memory_->write(copy());
}

void Loan::write_again() {
  make_room();
  for (const Placed& placed : parts_) clear_after(placed);  // an earlier worker could write there
  memory_->write(copy());
}

void Loan::clear_after(const Placed& placed) {
  const std::size_t end = placed.offset + placed.bytes;
  std::fill_n(staging_.data() + end, round_up(end, kImageAlignment) - end, std::byte{0});
}

MessageWriter Loan::request() const {
  MessageWriter request;
  request.put(Operation::lend).put(region_).put(place_);
  request.put<std::uint64_t>(memory_->bytes()).put<std::uint32_t>(parts_.size());
  for (const auto& [part, offset, bytes] : parts_) {
    request.put<std::uint64_t>(offset).put<std::uint64_t>(bytes);
    request.put(lent_as(part.argument->access));
    request.put_text(part.argument->name);
  }
  return request;
}

void Loan::touch() { memory_->read(copy().first(std::min(used_, kGuardBytes))); }

void Loan::take_copy() { memory_->read(copy()); }

std::span<const std::byte> Loan::image(std::uint32_t index) const {
  const Placed& placed = parts_.at(index);
  return staging_.part(placed.offset, placed.bytes);
}

}  // namespace warpwise
