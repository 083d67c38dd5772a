// The operators of cub, those of cuda::std and cuda:: that cub 3 has in their place, and folds of a
// thread's own items.
#pragma once

#include <limits>

#include "../../cuda_on_cpu/cub.hpp"
#ifdef CCCL_DISABLE_CTK_COMPATIBILITY_CHECK  // CCCL's headers are in use
#include <cuda/__functional/maximum.h>       // <cuda/functional> itself wants the driver API
#include <cuda/__functional/minimum.h>

#include <cuda/std/functional>
#endif

#pragma GCC visibility push(default)

#define CUDA_ON_CPU_OPERATOR(name, expression)                                    \
  struct name {                                                                   \
    template <class A, class B>                                                   \
    CUDA_ON_CPU_LIBRARY constexpr auto operator()(const A &a, const B &b) const { \
      return expression;                                                          \
    }                                                                             \
  };
// Those of C++ can be told the type of both.
#define CUDA_ON_CPU_TYPED_OPERATOR(name, expression)                              \
  template <class T = void>                                                       \
  struct name {                                                                   \
    CUDA_ON_CPU_LIBRARY constexpr auto operator()(const T &a, const T &b) const { \
      return expression;                                                          \
    }                                                                             \
  };                                                                              \
  template <>                                                                     \
  struct name<void> {                                                             \
    template <class A, class B>                                                   \
    CUDA_ON_CPU_LIBRARY constexpr auto operator()(const A &a, const B &b) const { \
      return expression;                                                          \
    }                                                                             \
  };

#ifndef CCCL_DISABLE_CTK_COMPATIBILITY_CHECK
namespace cuda {
template <class T = void>
struct maximum {
  CUDA_ON_CPU_LIBRARY constexpr T operator()(const T &a, const T &b) const { return a < b ? b : a; }
};
template <class T = void>
struct minimum {
  CUDA_ON_CPU_LIBRARY constexpr T operator()(const T &a, const T &b) const { return b < a ? b : a; }
};
template <>
struct maximum<void> {
  template <class A, class B>
  CUDA_ON_CPU_LIBRARY constexpr std::common_type_t<A, B> operator()(const A &a, const B &b) const {
    return a < b ? b : a;
  }
};
template <>
struct minimum<void> {
  template <class A, class B>
  CUDA_ON_CPU_LIBRARY constexpr std::common_type_t<A, B> operator()(const A &a, const B &b) const {
    return b < a ? b : a;
  }
};
namespace std {
CUDA_ON_CPU_TYPED_OPERATOR(plus, a + b)
CUDA_ON_CPU_TYPED_OPERATOR(minus, a - b)
CUDA_ON_CPU_TYPED_OPERATOR(multiplies, a *b)
CUDA_ON_CPU_TYPED_OPERATOR(divides, a / b)
CUDA_ON_CPU_TYPED_OPERATOR(bit_and, a &b)
CUDA_ON_CPU_TYPED_OPERATOR(bit_or, a | b)
CUDA_ON_CPU_TYPED_OPERATOR(bit_xor, a ^ b)
CUDA_ON_CPU_TYPED_OPERATOR(logical_and, a &&b)
CUDA_ON_CPU_TYPED_OPERATOR(logical_or, a || b)
CUDA_ON_CPU_TYPED_OPERATOR(equal_to, a == b)
CUDA_ON_CPU_TYPED_OPERATOR(not_equal_to, a != b)
CUDA_ON_CPU_TYPED_OPERATOR(less, a < b)
CUDA_ON_CPU_TYPED_OPERATOR(greater, b < a)
CUDA_ON_CPU_TYPED_OPERATOR(less_equal, !(b < a))
CUDA_ON_CPU_TYPED_OPERATOR(greater_equal, !(a < b))
}  // namespace std
}  // namespace cuda
#endif

namespace cub {

template <class Key_, class Value_>
struct KeyValuePair {
  using Key = Key_;
  using Value = Value_;
  Key key;
  Value value;
  bool operator!=(const KeyValuePair &other) const {
    return value != other.value || key != other.key;
  }
};

CUDA_ON_CPU_OPERATOR(Sum, a + b)
CUDA_ON_CPU_OPERATOR(Difference, a - b)
CUDA_ON_CPU_OPERATOR(Division, a / b)
CUDA_ON_CPU_OPERATOR(Max, a < b ? b : a)
CUDA_ON_CPU_OPERATOR(Min, b < a ? b : a)
CUDA_ON_CPU_OPERATOR(Equality, a == b)
CUDA_ON_CPU_OPERATOR(Inequality, a != b)
// Of equal values the first.
CUDA_ON_CPU_OPERATOR(ArgMax, b.value > a.value || (a.value == b.value && b.key < a.key) ? b : a)
CUDA_ON_CPU_OPERATOR(ArgMin, b.value < a.value || (a.value == b.value && b.key < a.key) ? b : a)
#undef CUDA_ON_CPU_OPERATOR
#undef CUDA_ON_CPU_TYPED_OPERATOR

template <class Operator>
struct InequalityWrapper {
  Operator op;
  explicit InequalityWrapper(Operator given) : op(given) {}
  template <class T>
  CUDA_ON_CPU_LIBRARY bool operator()(const T &a, const T &b) {
    return !op(a, b);
  }
};

template <class Conversion>
struct CastOp {
  template <class T>
  CUDA_ON_CPU_LIBRARY Conversion operator()(T &&a) const {
    return static_cast<Conversion>(std::forward<T>(a));
  }
};

namespace detail {

using Plus = Sum;

template <class T, int items, class Operator>
CUDA_ON_CPU_LIBRARY std::remove_cv_t<T> fold(T (&all)[items], Operator op) {
  std::remove_cv_t<T> result = all[0];
  for (int i = 1; i < items; ++i) result = op(result, all[i]);
  return result;
}

}  // namespace detail

template <int length, class T, class Operator>
CUDA_ON_CPU_LIBRARY T ThreadReduce(T *input, Operator op) {
  T result = input[0];
  for (int i = 1; i < length; ++i) result = op(result, input[i]);
  return result;
}
template <int length, class T, class Operator>
CUDA_ON_CPU_LIBRARY T ThreadReduce(T (&input)[length], Operator op) {
  return detail::fold(input, op);
}
template <int length, class T, class Operator>
CUDA_ON_CPU_LIBRARY T ThreadReduce(T (&input)[length], Operator op, T before) {
  return op(before, detail::fold(input, op));
}

}  // namespace cub

#pragma GCC visibility pop
