// The worker's table of entry points: a name, and how to call it with arguments that arrived as
// bytes. The types come from the contract's declaration, so nobody writes them a second time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpwise {

/// One argument as the worker has it: a pointer into device or host memory, or a plain value.
struct StagedArgument {
  bool is_pointer = false;
  void* pointer = nullptr;
  std::span<const std::byte> value;
};

class ArgumentMismatch : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Entry {
  std::string name;
  bool defined = false;  // false: the submission leaves this entry point out
  std::function<std::uint64_t(std::span<const StagedArgument>)> call;
};

/// The lab's table; entries.cpp defines it.
std::vector<Entry>& entry_table();

template <typename Parameter>
Parameter unpack(const StagedArgument& argument) {
  if constexpr (std::is_pointer_v<Parameter>) {
    if (!argument.is_pointer) throw ArgumentMismatch("a value was given for a pointer");
    return static_cast<Parameter>(argument.pointer);
  } else {
    static_assert(std::is_trivially_copyable_v<Parameter>);
    if (argument.is_pointer || argument.value.size() != sizeof(Parameter))
      throw ArgumentMismatch("a value of another size was given for a scalar");
    Parameter value;
    std::memcpy(&value, argument.value.data(), sizeof value);
    return value;
  }
}

struct EntryRegistration {
  template <typename Result, typename... Parameters>
  EntryRegistration(const char* name, Result (*function)(Parameters...)) {
    entry_table().push_back({name, function != nullptr, [function](auto arguments) {
                               return call(function, arguments,
                                           std::index_sequence_for<Parameters...>{});
                             }});
  }

 private:
  template <typename Result, typename... Parameters, std::size_t... I>
  static std::uint64_t call(Result (*function)(Parameters...),
                            std::span<const StagedArgument> arguments, std::index_sequence<I...>) {
    if (arguments.size() != sizeof...(Parameters)) throw ArgumentMismatch("wrong number");
    if constexpr (std::is_void_v<Result>) {
      function(unpack<Parameters>(arguments[I])...);
      return 0;
    } else {
      static_assert(std::is_trivially_copyable_v<Result> && sizeof(Result) <= 8);
      const Result result = function(unpack<Parameters>(arguments[I])...);
      std::uint64_t bits = 0;
      std::memcpy(&bits, &result, sizeof result);
      return bits;
    }
  }
};

}  // namespace warpwise
