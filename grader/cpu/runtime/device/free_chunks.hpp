// The freed parts of the device's address range, joined with their neighbours.
#pragma once

#include <cstddef>
#include <map>

namespace cuda_on_cpu {

class FreeChunks {
 public:
  char *take(std::size_t bytes);  // first fit; null when nothing fits
  void give_back(char *chunk, std::size_t bytes);

 private:
  std::map<char *, std::size_t> chunks_;  // start -> bytes
};

}  // namespace cuda_on_cpu
