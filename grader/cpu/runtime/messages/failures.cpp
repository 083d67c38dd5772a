#include "messages/failures.hpp"

#include <vector>

#include "base/own_mutex.hpp"
#include "cuda_on_cpu/control.hpp"
#include "messages/diagnostics.hpp"
#include "messages/errors.hpp"
#include "messages/text.hpp"

namespace cuda_on_cpu {
namespace {

struct Failures {
  OwnMutex mutex;
  std::string reason;  // of the call that fails now
  std::string last;    // the last failure, as last_failure() says it
  std::vector<std::string> unchecked;
};
Failures &failures() {
  static auto *all = new Failures;  // read after the program's own destructors
  return *all;
}

}  // namespace

void explain(const std::string &reason) {
  const std::lock_guard lock(failures().mutex);
  failures().reason = reason;
}

void remember_failure(cudaError_t error) {
  const std::lock_guard lock(failures().mutex);
  Failures &all = failures();
  all.last = all.reason.empty() ? cudaGetErrorString(error) : all.reason;
  all.reason.clear();
}

void add_place(const std::string &call, Site site) {
  constexpr std::size_t kMost = 20;
  const std::lock_guard lock(failures().mutex);
  Failures &all = failures();
  if (all.unchecked.size() < kMost)
    all.unchecked.push_back(call + " at " + file_and_line(site) + ": " + all.last +
                            "; the program does not check for errors");
  all.last = call + ": " + all.last + " (" + file_and_line(site) + ")";
}

void failures_are_known() {
  const std::lock_guard lock(failures().mutex);
  failures().unchecked.clear();
}

void report_unchecked_calls() {
  std::vector<std::string> unchecked;
  {
    const std::lock_guard lock(failures().mutex);
    unchecked.swap(failures().unchecked);
  }
  for (const std::string &text : unchecked) report("error", "%s", text.c_str());
}

std::string last_failure() {
  const std::lock_guard lock(failures().mutex);
  return failures().last;
}

void note_discarded(cudaError_t error, const char *call, Site site) {
  if (error != cudaSuccess && error != cudaErrorNotReady && sticky_error() == cudaSuccess)
    add_place(call, site);
}

void note_discarded(const char *reason, const char *call, Site site) {
  {
    const std::lock_guard lock(failures().mutex);
    failures().last = reason;
  }
  add_place(call, site);
}

std::string with_commas(unsigned long long number) {
  std::string digits = std::to_string(number);
  for (int i = static_cast<int>(digits.size()) - 3; i > 0; i -= 3) digits.insert(i, ",");
  return digits;
}

}  // namespace cuda_on_cpu
