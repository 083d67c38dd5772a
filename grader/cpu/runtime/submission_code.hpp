// In a worker the code of a submission is in a place of its own, so it is known which calls of the
// library come from it.
#pragma once

// Of a worker's linker script; addresses alone count. Without it they are null.
extern "C" {
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_first_code;
[[gnu::weak, gnu::visibility("hidden")]] extern char warpwise_last_code;
}

namespace cuda_on_cpu {

inline bool is_of_submission(const void *return_address) {
  const char *code = static_cast<const char *>(return_address);
  return code >= &warpwise_first_code && code < &warpwise_last_code;
}

}  // namespace cuda_on_cpu
