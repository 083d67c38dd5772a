// Arguments of a launch that are objects with a conversion: a class that owns a device pointer and
// turns into it, for example. A call would convert them on the host, before the kernel begins.
// Where the parameter's type is not known, because the kernel is a template or is overloaded, this
// finds out whether the kernel takes the object itself or what it turns into.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace cuda_on_cpu {

/// What the operator + makes of an object: what its one conversion to a pointer or to a number
/// gives.
template <class T>
using Converted = std::decay_t<decltype(+std::declval<T &>())>;

template <class T>
concept Converts =
    std::is_class_v<std::remove_cv_t<T>> && requires { typename Converted<T>; } &&
    (std::is_arithmetic_v<Converted<T>> ||
     (std::is_pointer_v<Converted<T>> && !std::is_function_v<std::remove_pointer_t<Converted<T>>>));

/// A kernel's parameter that is a reference gets the caller's own object, which may be in managed
/// memory.
template <class T>
struct Referred {
  T *object;
  operator T &() const { return *object; }
};
template <class Parameter, class T>
auto passed_as(T &argument) {
  if constexpr (std::is_lvalue_reference_v<Parameter>)
    return Referred<T>{&argument};
  else
    return std::remove_cv_t<T>(std::move(argument));
}

template <class T>
struct OnlyTo {
  operator T() const;
};

/// Stands for an argument while another one is asked about.
template <class T>
struct Either {
  operator Converted<T>() const;
  operator T &() const;
};
template <class T>
struct StandIn {
  using Type = std::decay_t<T>;
};
template <Converts T>
struct StandIn<T> {
  using Type = Either<T>;
};

/// Whether `Fits` can be called if argument number `Place` converts to `To` and to nothing else.
template <class Fits, std::size_t Place, class To, class... Argument, std::size_t... Index>
constexpr bool fits_as(std::index_sequence<Index...>) {
  return std::is_invocable_v<Fits, std::conditional_t<Index == Place, OnlyTo<To>,
                                                      typename StandIn<Argument>::Type>...>;
}

/// Argument number `Place`: the object, or what it turns into if the kernel takes only that.
template <class Fits, std::size_t Place, class... Argument, class T>
decltype(auto) passed(T &argument) {
  if constexpr (Converts<T>) {
    constexpr std::index_sequence_for<Argument...> places;
    if constexpr (!fits_as<Fits, Place, std::remove_cv_t<T>, Argument...>(places) &&
                  fits_as<Fits, Place, Converted<T>, Argument...>(places))
      return Converted<T>(+argument);
    else
      return (argument);
  } else {
    return (argument);
  }
}

/// Calls run(values...) with the arguments as the kernel takes them.
template <class Fits, class Run, class... Argument, std::size_t... Place>
auto with_passed(Run run, std::index_sequence<Place...>, Argument &...arguments) {
  return run(passed<Fits, Place, Argument...>(arguments)...);
}

}  // namespace cuda_on_cpu
