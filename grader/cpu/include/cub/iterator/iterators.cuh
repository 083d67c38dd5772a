// The iterators of cub: numbers that are counted, constant or computed, also those that cub 3 no
// longer has.
#pragma once

#include "../util_type.cuh"

#pragma GCC visibility push(default)

// What an iterator of random access has, if it knows its place and what is there.
#define CUDA_ON_CPU_ITERATOR(Self, Value, Offset)                                              \
  using self_type = Self;                                                                      \
  using value_type = Value;                                                                    \
  using difference_type = Offset;                                                              \
  using pointer = Value *;                                                                     \
  using reference = Value;                                                                     \
  using iterator_category = std::random_access_iterator_tag;                                   \
  CUDA_ON_CPU_LIBRARY Value operator*() const { return get(0); }                               \
  template <class Distance>                                                                    \
  CUDA_ON_CPU_LIBRARY Value operator[](Distance n) const {                                     \
    return get(static_cast<Offset>(n));                                                        \
  }                                                                                            \
  template <class Distance>                                                                    \
  CUDA_ON_CPU_LIBRARY Self &operator+=(Distance n) {                                           \
    move(static_cast<Offset>(n));                                                              \
    return *this;                                                                              \
  }                                                                                            \
  template <class Distance>                                                                    \
  CUDA_ON_CPU_LIBRARY Self operator+(Distance n) const {                                       \
    Self moved = *this;                                                                        \
    moved.move(static_cast<Offset>(n));                                                        \
    return moved;                                                                              \
  }                                                                                            \
  template <class Distance>                                                                    \
  requires std::is_integral_v<Distance> CUDA_ON_CPU_LIBRARY Self operator-(Distance n) const { \
    return *this + -static_cast<Offset>(n);                                                    \
  }                                                                                            \
  CUDA_ON_CPU_LIBRARY Self &operator++() { return *this += 1; }                                \
  CUDA_ON_CPU_LIBRARY Self operator++(int) {                                                   \
    const Self kept = *this;                                                                   \
    move(1);                                                                                   \
    return kept;                                                                               \
  }

namespace cub {

template <class Value, class Offset = std::ptrdiff_t>
class CountingInputIterator {
  Value at_;
  CUDA_ON_CPU_LIBRARY Value get(Offset n) const { return at_ + static_cast<Value>(n); }
  CUDA_ON_CPU_LIBRARY void move(Offset n) { at_ += static_cast<Value>(n); }

 public:
  CUDA_ON_CPU_LIBRARY CountingInputIterator(const Value &first) : at_(first) {}
  CUDA_ON_CPU_ITERATOR(CountingInputIterator, Value, Offset)
  CUDA_ON_CPU_LIBRARY Offset operator-(const CountingInputIterator &other) const {
    return static_cast<Offset>(at_ - other.at_);
  }
  bool operator==(const CountingInputIterator &) const = default;
};

template <class Value, class Offset = std::ptrdiff_t>
class ConstantInputIterator {
  Value value_;
  Offset at_;
  CUDA_ON_CPU_LIBRARY Value get(Offset) const { return value_; }
  CUDA_ON_CPU_LIBRARY void move(Offset n) { at_ += n; }

 public:
  CUDA_ON_CPU_LIBRARY ConstantInputIterator(Value value, Offset at = 0) : value_(value), at_(at) {}
  CUDA_ON_CPU_ITERATOR(ConstantInputIterator, Value, Offset)
  CUDA_ON_CPU_LIBRARY Offset operator-(const ConstantInputIterator &other) const {
    return at_ - other.at_;
  }
  bool operator==(const ConstantInputIterator &) const = default;
};

template <class Value, class Conversion, class Input, class Offset = std::ptrdiff_t>
class TransformInputIterator {
  Input input_;
  Conversion op_;
  CUDA_ON_CPU_LIBRARY Value get(Offset n) const {
    return const_cast<Conversion &>(op_)(input_[n]);  // its operator may not be const
  }
  CUDA_ON_CPU_LIBRARY void move(Offset n) { input_ = input_ + n; }

 public:
  CUDA_ON_CPU_LIBRARY TransformInputIterator(Input input, Conversion op) : input_(input), op_(op) {}
  CUDA_ON_CPU_ITERATOR(TransformInputIterator, Value, Offset)
  CUDA_ON_CPU_LIBRARY Offset operator-(const TransformInputIterator &other) const {
    return static_cast<Offset>(input_ - other.input_);
  }
  CUDA_ON_CPU_LIBRARY bool operator==(const TransformInputIterator &other) const {
    return input_ == other.input_;
  }
};

// Each item with its index.
template <class Input, class Offset = std::ptrdiff_t,
          class Output = std::remove_cv_t<typename std::iterator_traits<Input>::value_type>>
class ArgIndexInputIterator {
  using Pair = KeyValuePair<Offset, Output>;
  Input input_;
  Offset at_;
  CUDA_ON_CPU_LIBRARY Pair get(Offset n) const { return {at_ + n, input_[at_ + n]}; }
  CUDA_ON_CPU_LIBRARY void move(Offset n) { at_ += n; }

 public:
  CUDA_ON_CPU_LIBRARY ArgIndexInputIterator(Input input, Offset at = 0) : input_(input), at_(at) {}
  CUDA_ON_CPU_ITERATOR(ArgIndexInputIterator, Pair, Offset)
  CUDA_ON_CPU_LIBRARY Offset operator-(const ArgIndexInputIterator &other) const {
    return at_ - other.at_;
  }
  CUDA_ON_CPU_LIBRARY bool operator==(const ArgIndexInputIterator &other) const {
    return input_ == other.input_ && at_ == other.at_;
  }
};

template <CacheLoadModifier modifier, class Value, class Offset = std::ptrdiff_t>
class CacheModifiedInputIterator {
  const Value *at_;
  CUDA_ON_CPU_LIBRARY Value get(Offset n) const { return at_[n]; }
  CUDA_ON_CPU_LIBRARY void move(Offset n) { at_ += n; }

 public:
  CUDA_ON_CPU_LIBRARY CacheModifiedInputIterator(const Value *at) : at_(at) {}
  CUDA_ON_CPU_ITERATOR(CacheModifiedInputIterator, Value, Offset)
  CUDA_ON_CPU_LIBRARY Offset operator-(const CacheModifiedInputIterator &other) const {
    return at_ - other.at_;
  }
  bool operator==(const CacheModifiedInputIterator &) const = default;
};

template <class Offset = std::ptrdiff_t>
class DiscardOutputIterator {
  Offset at_;
  struct Anything {
    template <class T>
    CUDA_ON_CPU_LIBRARY void operator=(const T &) {}
  };
  CUDA_ON_CPU_LIBRARY Anything get(Offset) const { return {}; }
  CUDA_ON_CPU_LIBRARY void move(Offset n) { at_ += n; }

 public:
  CUDA_ON_CPU_LIBRARY DiscardOutputIterator(Offset at = 0) : at_(at) {}
  CUDA_ON_CPU_ITERATOR(DiscardOutputIterator, Anything, Offset)
};

}  // namespace cub
#undef CUDA_ON_CPU_ITERATOR

#pragma GCC visibility pop
