// -fsanitize=thread turns std::atomic and the __atomic functions into these calls. They do the
// operation, and here they also tell the checker.
#include <cstddef>

#include "access.hpp"
#include "base/hooks.hpp"
#include "base/kernel_runs.hpp"
#include "cuda_on_cpu/atomics.hpp"
#include "cuda_on_cpu/sync.hpp"

namespace {

// A compare-and-swap that fails stores what it has found to where its caller wants it.
template <class T>
void note_found(const volatile void *seen, T *expected, const void *return_address) {
  using namespace cuda_on_cpu::check;
  cuda_on_cpu::note_look(const_cast<const void *>(seen));
  if (is_of_interest(expected))
    check_access({reinterpret_cast<const char *>(expected), sizeof(T), false, true},
                 return_address);
}

// cuda::atomic says in what order. A release is a fence before the operation.
constexpr int kOrders = 7;
void publish(int order) {
  if ((order & kOrders) >= __ATOMIC_RELEASE) cuda_on_cpu::fence(cuda_on_cpu::atomics_are_narrow);
}
bool acquires(int order) {
  return (order & kOrders) != __ATOMIC_RELAXED && (order & kOrders) != __ATOMIC_RELEASE;
}

// An atomic, from before the operation to after it. On the host another thread may come between
// the note and the operation: what that thread told is learned after the operation.
template <class T>
class Noted {
 public:
  Noted(const volatile T *address, cuda_on_cpu::AtomicStep step, const void *caller)
      : address_(const_cast<const T *>(address)), step_(step), caller_(caller) {
    note();
  }
  ~Noted() {
    if (!cuda_on_cpu::inside_kernel()) note();
  }
  Noted(const Noted &) = delete;
  Noted &operator=(const Noted &) = delete;

 private:
  void note() const { cuda_on_cpu::note_atomic(address_, sizeof(T), step_, caller_); }

  const T *address_;
  cuda_on_cpu::AtomicStep step_;
  const void *caller_;
};

}  // namespace

#define CALLER __builtin_return_address(0)
#define CUDA_ON_CPU_FETCH(bits, T, name, builtin)                           \
  T __tsan_atomic##bits##_##name(volatile T *address, T value, int order) { \
    publish(order);                                                         \
    const Noted<T> noted(address, {.acquires = acquires(order)}, CALLER);   \
    const T before = builtin(address, value, __ATOMIC_SEQ_CST);             \
    if (value == 0) cuda_on_cpu::note_look(const_cast<const T *>(address)); \
    return before;                                                          \
  }
#define CUDA_ON_CPU_COMPARE(bits, T, strength)                                                     \
  int __tsan_atomic##bits##_compare_exchange_##strength(volatile T *address, T *expected, T value, \
                                                        int order, int) {                          \
    publish(order);                                                                                \
    const Noted<T> noted(address, {.acquires = acquires(order), .swaps = true}, CALLER);           \
    T found = *expected;                                                                           \
    if (__atomic_compare_exchange_n(address, &found, value, false, __ATOMIC_SEQ_CST,               \
                                    __ATOMIC_SEQ_CST))                                             \
      return true;                                                                                 \
    note_found(address, expected, CALLER);                                                         \
    *expected = found;                                                                             \
    return false;                                                                                  \
  }
#define CUDA_ON_CPU_TSAN_ATOMICS(bits, T)                                                       \
  T __tsan_atomic##bits##_load(const volatile T *address, int order) {                          \
    const Noted<T> noted(address, {.loads = true, .acquires = acquires(order)}, CALLER);        \
    const T value = __atomic_load_n(address, __ATOMIC_SEQ_CST);                                 \
    cuda_on_cpu::note_look(const_cast<const T *>(address));                                     \
    return value;                                                                               \
  }                                                                                             \
  void __tsan_atomic##bits##_store(volatile T *address, T value, int order) {                   \
    publish(order);                                                                             \
    const Noted<T> noted(address, {.reads = false, .acquires = false}, CALLER);                 \
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);                                         \
  }                                                                                             \
  T __tsan_atomic##bits##_exchange(volatile T *address, T value, int order) {                   \
    publish(order);                                                                             \
    const Noted<T> noted(address, {.reads = false, .acquires = acquires(order), .swaps = true}, \
                         CALLER);                                                               \
    return __atomic_exchange_n(address, value, __ATOMIC_SEQ_CST);                               \
  }                                                                                             \
  T __tsan_atomic##bits##_compare_exchange_val(volatile T *address, T expected, T value,        \
                                               int order, int) {                                \
    publish(order);                                                                             \
    const Noted<T> noted(address, {.acquires = acquires(order), .swaps = true}, CALLER);        \
    __atomic_compare_exchange_n(address, &expected, value, false, __ATOMIC_SEQ_CST,             \
                                __ATOMIC_SEQ_CST);                                              \
    return expected;                                                                            \
  }                                                                                             \
  CUDA_ON_CPU_COMPARE(bits, T, strong)                                                          \
  CUDA_ON_CPU_COMPARE(bits, T, weak)                                                            \
  CUDA_ON_CPU_FETCH(bits, T, fetch_add, __atomic_fetch_add)                                     \
  CUDA_ON_CPU_FETCH(bits, T, fetch_sub, __atomic_fetch_sub)                                     \
  CUDA_ON_CPU_FETCH(bits, T, fetch_and, __atomic_fetch_and)                                     \
  CUDA_ON_CPU_FETCH(bits, T, fetch_or, __atomic_fetch_or)                                       \
  CUDA_ON_CPU_FETCH(bits, T, fetch_xor, __atomic_fetch_xor)                                     \
  CUDA_ON_CPU_FETCH(bits, T, fetch_nand, __atomic_fetch_nand)

extern "C" {
CUDA_ON_CPU_TSAN_ATOMICS(8, unsigned char)
CUDA_ON_CPU_TSAN_ATOMICS(16, unsigned short)
CUDA_ON_CPU_TSAN_ATOMICS(32, unsigned)
CUDA_ON_CPU_TSAN_ATOMICS(64, unsigned long)
void __tsan_atomic_thread_fence(int order) {
  publish(order);
  __atomic_thread_fence(order);
}
void __tsan_atomic_signal_fence(int order) { __atomic_signal_fence(order); }
}
