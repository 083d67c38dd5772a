// A region of lent memory: the images of several buffers, the request that lends them, and the
// judge's own copy of what became of them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "arguments.hpp"
#include "lent_memory.hpp"
#include "message.hpp"
#include "staging.hpp"

namespace warpwise {

/// A buffer of a loan. Argument and content must live as long as the loan uses them.
struct LoanPart {
  const Argument* argument = nullptr;
  std::uint64_t guard_seed = 0;
  std::uint64_t key = 0;     // not 0: the payload is sealed by it ...
  std::uint64_t number = 0;  // ... with the key stream of this number
};

class Loan {
 public:
  /// `place` is Place::device or Place::host.
  Loan(std::uint64_t region, Place place)
      : region_(region), place_(place), staging_(place == Place::device) {}

  bool empty() const { return parts_.empty(); }
  std::uint64_t region() const { return region_; }
  std::size_t used() const { return used_; }  // bytes, all images together
  int descriptor() const { return memory_->descriptor(); }

  /// Begins anew; the memory is kept, and used again where it is large enough.
  void clear();
  /// For another worker: it must not get memory that an earlier one may still write to.
  void forget_memory() { memory_.reset(); }
  /// Adds a buffer; what comes back is its index.
  std::uint32_t add(const LoanPart& part);
  /// Writes all images into lent memory.
  void write();
  /// The same from the last copy, which was found to be as it was written.
  void write_again();
  /// Operation::lend. The descriptor travels beside it.
  MessageWriter request() const;

  /// Reads the first bytes of the memory.
  void touch();
  /// Copies all images at once.
  void take_copy();
  /// An image as it was copied.
  std::span<const std::byte> image(std::uint32_t index) const;

 private:
  struct Placed {
    LoanPart part;
    std::size_t offset, bytes;
  };
  void make_room();
  std::span<std::byte> copy() { return staging_.first(used_); }
  void clear_after(const Placed& placed);

  std::uint64_t region_;
  Place place_;
  std::vector<Placed> parts_;
  std::size_t used_ = 0;
  Staging staging_;  // for what is written, then for what came back
  std::unique_ptr<LentMemory> memory_;
};

}  // namespace warpwise
