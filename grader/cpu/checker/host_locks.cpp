// Locks of the host. A function that a stream calls may hand over its result under a lock: who takes the lock after
// it, knows what it has done, as with an atomic flag.
#include <dlfcn.h>
#include <pthread.h>

#include "access.hpp"
#include "asynchrony.hpp"
#include "overlap.hpp"
#include "refusals.hpp"
#include "state.hpp"

namespace cuda_on_cpu::check {
namespace {

using LockFunction = int (*)(pthread_mutex_t *);

bool is_in(const void *address, const void *object, std::size_t bytes) {
  return object && static_cast<std::size_t>(static_cast<const char *>(address) -
                                            static_cast<const char *>(object)) < bytes;
}

// What the runtime itself locks tells the program nothing.
bool is_of_program(const pthread_mutex_t *mutex) {
  return !is_in(mutex, the_state, sizeof(State)) && !is_in(mutex, &overlap(), sizeof(Overlap));
}

}  // namespace
}  // namespace cuda_on_cpu::check

extern "C" int pthread_mutex_lock(pthread_mutex_t *mutex) {
  using namespace cuda_on_cpu;
  using namespace cuda_on_cpu::check;
  static const auto lock = reinterpret_cast<LockFunction>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
  const int result = lock(mutex);
  if (watches_host && !inside && (in_host_function() || !Clocks::works()) && is_of_program(mutex))
    note_host_atomic(mutex, 1, __builtin_return_address(0));
  return result;
}
