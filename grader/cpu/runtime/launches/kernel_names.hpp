// The name of a kernel that is launched by its address.
#pragma once

namespace cuda_on_cpu {

// From the program's own symbol table, without the parameters; `otherwise` if it is not there. The
// returned text stays valid.
const char *name_of_kernel(const void *kernel, const char *otherwise);

}  // namespace cuda_on_cpu
