// The name of a kernel that is launched by its address.
#pragma once

namespace cuda_on_cpu {

// From the program's own table of symbols, without its parameters; `otherwise` where it has none.
// The text stays.
const char *name_of_kernel(const void *kernel, const char *otherwise);

}  // namespace cuda_on_cpu
