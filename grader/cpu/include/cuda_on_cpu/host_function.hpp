// In check mode: what host code gets as the address of a function of both sides
// (compiler/host_functions.py).
#pragma once

#pragma GCC visibility push(default)

namespace cuda_on_cpu {

// If a kernel has entered it, the launch ends with a report.
void enter_function_of_the_host(const void *return_address);

template <auto function>
struct OfTheHost;
template <class Result, class... Argument, Result (*function)(Argument...)>
struct OfTheHost<function> {
  [[gnu::noinline]] static Result call(Argument... argument) {
    enter_function_of_the_host(__builtin_return_address(0));
    return function(static_cast<Argument &&>(argument)...);
  }
};
template <class Result, class... Argument, Result (*function)(Argument...) noexcept>
struct OfTheHost<function> {
  [[gnu::noinline]] static Result call(Argument... argument) {
    enter_function_of_the_host(__builtin_return_address(0));
    return function(static_cast<Argument &&>(argument)...);
  }
};

}  // namespace cuda_on_cpu

#pragma GCC visibility pop
