// How threads of the host start, end and wait for each other: the checker's functions are called
// instead of the library's, and call those. A function that a stream calls on the host may hand
// over its result under a lock: who takes the lock after it, knows what it has done.
#include <cxxabi.h>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <cstring>
#include <memory>
#include <utility>

#include "access.hpp"
#include "asynchrony.hpp"
#include "base/hooks.hpp"
#include "overlap.hpp"
#include "streams/refusals.hpp"

namespace cuda_on_cpu::check {
namespace {

std::map<pthread_t, unsigned> numbers;  // of the threads that are not joined

void meet(const void *object, const void *caller) {
  if (in_own_mutex || inside || allocates_on_host || (Clocks::works() && !in_host_function()))
    return;
  if (watches_host || HostThreads::are_several()) note_host_atomic(object, 1, caller);
}

// Started by the program itself, perhaps by means of std::thread.
bool is_of_program(const void *caller) {
  Dl_info by, own;
  if (!dladdr(caller, &by) || !dladdr(reinterpret_cast<const void *>(is_of_program), &own))
    return false;
  return by.dli_fbase == own.dli_fbase || std::strstr(by.dli_fname, "libstdc++") ||
         std::strstr(by.dli_fname, "libc++");
}

struct Start {
  void *(*run)(void *);
  void *argument;
  unsigned number;
};

struct End {
  ~End() {
    const Entry entry;
    overlap().clocks.threads.end();
  }
};

void *run_thread(void *start) {
  const std::unique_ptr<const Start> own(static_cast<const Start *>(start));
  HostThreads::begin(own->number);
  const End end;
  return own->run(own->argument);
}

using Create = int(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int create(Create *real, pthread_t *thread, const pthread_attr_t *attributes,
           void *(*run)(void *), void *argument) {
  auto start = std::make_unique<Start>(run, argument, 0u);
  {
    const Entry entry;
    start->number = overlap().clocks.threads.start();
  }
  const unsigned number = start->number;
  const int error = real(thread, attributes, run_thread, start.get());
  if (error) return error;
  static_cast<void>(start.release());  // the thread's
  const Entry entry;
  numbers[*thread] = number;
  return 0;
}

void join(pthread_t thread) {
  const Entry entry;
  if (const auto number = numbers.extract(thread)) overlap().clocks.threads.join(number.mapped());
  watch();
}

// A call of pthread_once by this thread. Who runs the function tells what it has done before the
// others wake: after the call would be too late.
class Once {
 public:
  Once(void (*run)(), const void *object, const void *caller)
      : run_(run), object_(object), caller_(caller), outer_(std::exchange(current_, this)) {}
  Once(const Once &) = delete;
  Once &operator=(const Once &) = delete;
  ~Once() { current_ = outer_; }

  static void run_current() {
    const Once &own = *current_;
    own.run_();
    meet(own.object_, own.caller_);
  }

 private:
  static thread_local Once *current_;

  void (*run_)();
  const void *object_, *caller_;
  Once *outer_;
};
thread_local Once *Once::current_ = nullptr;

// Of a static variable in a function, as the C++ ABI has it: the first byte says that it is there.
class Guard {
 public:
  explicit Guard(__cxxabiv1::__guard *guard)
      : done_(reinterpret_cast<unsigned char *>(guard)[0]),
        busy_(reinterpret_cast<unsigned char *>(guard)[1]) {}

  bool acquire() {
    while (busy_.exchange(1)) busy_.wait(1);
    if (!done_.load()) return true;
    release(true);
    return false;
  }
  void release(bool done) {
    if (done) done_.store(1);
    busy_.store(0);
    busy_.notify_all();
  }

 private:
  std::atomic_ref<unsigned char> done_, busy_;
};

}  // namespace
}  // namespace cuda_on_cpu::check

#define CALLER __builtin_return_address(0)
#define LIBRARY(name, Type)                                        \
  static constinit std::add_pointer_t<Type> real = nullptr;        \
  if (!real) real = reinterpret_cast<decltype(real)>(dlsym(RTLD_NEXT, #name))

// Before a call others may learn from this thread; after it, this one has learnt from them.
#define CALLED(name, parameters, arguments, before, after) \
  int name parameters {                                    \
    LIBRARY(name, int parameters);                         \
    before;                                                \
    const int result = real arguments;                     \
    after;                                                 \
    return result;                                         \
  }
#define MEET(object) cuda_on_cpu::check::meet(object, CALLER)
#define LOCKS(name, Lock) CALLED(name, (Lock * lock), (lock), , MEET(lock))
#define UNLOCKS(name, Lock) CALLED(name, (Lock * lock), (lock), MEET(lock), )
#define WAITS(name, parameters, arguments, object) \
  CALLED(name, parameters, arguments, MEET(object), MEET(object))

extern "C" {
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *argument) {
  LIBRARY(pthread_create, cuda_on_cpu::check::Create);
  using namespace cuda_on_cpu::check;
  if (is_of_program(CALLER)) return create(real, thread, attributes, run, argument);
  {
    const Entry entry;
    overlap().clocks.threads.add_unknown();
  }
  return real(thread, attributes, run, argument);
}
int pthread_join(pthread_t thread, void **result) {
  LIBRARY(pthread_join, int(pthread_t, void **));
  const int error = real(thread, result);
  if (!error) cuda_on_cpu::check::join(thread);
  return error;
}

LOCKS(pthread_mutex_lock, pthread_mutex_t)
LOCKS(pthread_mutex_trylock, pthread_mutex_t)
UNLOCKS(pthread_mutex_unlock, pthread_mutex_t)
LOCKS(pthread_rwlock_rdlock, pthread_rwlock_t)
LOCKS(pthread_rwlock_wrlock, pthread_rwlock_t)
UNLOCKS(pthread_rwlock_unlock, pthread_rwlock_t)
LOCKS(sem_wait, sem_t)
UNLOCKS(sem_post, sem_t)

// The three that guard a static variable of a function are here as a whole. A static libstdc++ has
// them in one file, which the linker takes as soon as one is missing.
int __cxa_guard_acquire(__cxxabiv1::__guard *guard) {
  const bool is_first = cuda_on_cpu::check::Guard(guard).acquire();
  MEET(guard);
  return is_first;
}
void __cxa_guard_release(__cxxabiv1::__guard *guard) noexcept {
  MEET(guard);
  cuda_on_cpu::check::Guard(guard).release(true);
}
void __cxa_guard_abort(__cxxabiv1::__guard *guard) noexcept {
  cuda_on_cpu::check::Guard(guard).release(false);
}

WAITS(pthread_barrier_wait, (pthread_barrier_t * all), (all), all)
int pthread_once(pthread_once_t *once, void (*run)()) {
  LIBRARY(pthread_once, int(pthread_once_t *, void (*)()));
  using cuda_on_cpu::check::Once;
  MEET(once);
  const Once own(run, once, CALLER);
  const int result = real(once, Once::run_current);
  MEET(once);
  return result;
}
WAITS(pthread_cond_wait, (pthread_cond_t * told, pthread_mutex_t *lock), (told, lock), lock)
WAITS(pthread_cond_timedwait,
      (pthread_cond_t * told, pthread_mutex_t *lock, const timespec *until), (told, lock, until),
      lock)
WAITS(pthread_cond_clockwait,
      (pthread_cond_t * told, pthread_mutex_t *lock, clockid_t clock, const timespec *until),
      (told, lock, clock, until), lock)
}
