// In a worker the code of a submission is in a place of its own, so it is known which calls of the
// library come from it.
#pragma once

// Of a worker's linker script; addresses alone count. Without it they are null.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_code;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_code;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_body;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_body;
}

namespace cuda_on_cpu {

inline bool is_in_worker() { return &warpwise_last_code; }

inline bool is_of_submission(const void *return_address) {
  const char *code = static_cast<const char *>(return_address);
  return code >= &warpwise_first_code && code < &warpwise_last_code;
}

// Whether `function` is an instance of the template that runs a kernel's threads. A program could
// hand over another one, which nobody has looked at. Without the linker script all are.
template <class Function>
inline bool is_of_body(Function *function) {
  const char *code = reinterpret_cast<const char *>(function);
  return !&warpwise_last_body || (code >= &warpwise_first_body && code < &warpwise_last_body);
}

}  // namespace cuda_on_cpu
