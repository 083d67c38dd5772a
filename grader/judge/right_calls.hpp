// Which calls were right before one failed. The largest one that is smaller tells at which size a
// program goes wrong: at that of a warp, of a block, of a tile.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace warpwise {

class RightCalls {
 public:
  /// A call begins: the one before it was right.
  void begin(const PreparedCall& call) {
    if (is_whole(call_)) right_.push_back(std::move(call_));
    call_ = {call.entry, call.description, numbers_of(call), call.how};
  }

  /// The call with the largest number that is less than the last one's, all others being equal; ""
  /// if there is none. What is wrong while blocks are left out is so at any size.
  std::string closest() const {
    if (call_.how & kFewBlocks && call_.how & kTogether) return "";
    const Made* found = nullptr;
    std::uint64_t largest = 0;
    for (const Made& one : right_)
      if (const auto* number = smaller(one); number && (!found || *number > largest)) {
        found = &one;
        largest = *number;
      }
    return found ? found->description : "";
  }

  /// The last call has failed: what follows proves nothing about sizes.
  void forget() {
    right_.clear();
    call_ = {};
  }

 private:
  struct Made {
    std::string entry, description;
    std::vector<std::uint64_t> numbers;  // none of a call that must be refused
    std::uint32_t how = kWarm;
  };

  static bool is_whole(const Made& call) { return !call.numbers.empty() && call.how == kWarm; }

  static std::vector<std::uint64_t> numbers_of(const PreparedCall& call) {
    std::vector<std::uint64_t> numbers;
    for (const Argument& argument : call.arguments) {
      if (argument.access == Argument::Access::host || argument.access == Argument::Access::null)
        return {};
      std::uint64_t number = 0;
      const char* const end = argument.name.data() + argument.name.size();
      if (argument.access == Argument::Access::value &&
          std::from_chars(argument.name.data(), end, number).ptr == end)
        numbers.push_back(number);
    }
    return numbers;
  }

  /// The number of `one` that is less than the last call's, if it is the only one that differs.
  const std::uint64_t* smaller(const Made& one) const {
    if (one.entry != call_.entry || one.numbers.size() != call_.numbers.size()) return nullptr;
    const std::uint64_t* found = nullptr;
    for (std::size_t i = 0; i < one.numbers.size(); ++i) {
      if (one.numbers[i] == call_.numbers[i]) continue;
      if (found || one.numbers[i] > call_.numbers[i]) return nullptr;
      found = &one.numbers[i];
    }
    return found;
  }

  std::vector<Made> right_;
  Made call_;
};

}  // namespace warpwise
