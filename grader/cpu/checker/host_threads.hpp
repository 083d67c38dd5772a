// What each thread of the host knows, and how it comes to know what another one does.
//
// A thread knows what it has waited for, what its parent knew when it started it, what a thread
// knew that it has joined, and what others knew when they used a lock or an atomic that it uses
// later.
#pragma once

#include <map>
#include <thread>

#include "clock.hpp"

namespace cuda_on_cpu::check {

class HostThreads {
 public:
  Clock &own() { return known_[number_]; }
  const Clock &own() const { return known_.at(number_); }
  bool has_seen(const Moment &moment) const;  // do all threads that run know it?
  bool is_known_to_one(const Moment &moment) const;
  static bool are_several() { return started_ > 0; }

  // A library's own threads, as those of OpenMP, tell each other what is not seen here. They count
  // as one thread with that of main().
  void add_unknown() { has_unknown_ = true; }
  std::thread::id only_giver() const;  // whose work this thread is asked about; none: everybody's

  unsigned start();                     // the number of a thread that this one starts
  static void begin(unsigned number) { number_ = number; }  // in that thread
  void end();
  void join(unsigned number);
  void meet(const void *object);  // all that have met there know what each knew then
  void see_all();
  void forget_past();

 private:
  static thread_local constinit unsigned number_;
  std::map<unsigned, Clock> known_{{0, {}}}, ended_;
  std::map<const void *, Clock> objects_;
  static constinit unsigned started_;  // not by main()
  bool has_unknown_ = false;
};

}  // namespace cuda_on_cpu::check
