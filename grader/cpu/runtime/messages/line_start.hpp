// How the runtime's own lines on stderr begin.
#pragma once

namespace cuda_on_cpu {

// "warpwise: ", and in a worker "warpwise MARK: ". The judge draws the mark for each worker. So a
// line that the program prints is not taken for one of these.
const char *line_start();

}  // namespace cuda_on_cpu
