#include "device/free_chunks.hpp"

#include <iterator>

namespace cuda_on_cpu {

char *FreeChunks::take(std::size_t bytes) {
  for (auto i = chunks_.begin(); i != chunks_.end(); ++i) {
    const auto [chunk, free_bytes] = *i;
    if (free_bytes < bytes) continue;
    chunks_.erase(i);
    if (free_bytes > bytes) chunks_[chunk + bytes] = free_bytes - bytes;
    return chunk;
  }
  return nullptr;
}

void FreeChunks::give_back(char *chunk, std::size_t bytes) {
  auto next = chunks_.lower_bound(chunk);
  if (next != chunks_.end() && chunk + bytes == next->first) {
    bytes += next->second;
    next = chunks_.erase(next);
  }
  if (next != chunks_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == chunk) {
      before->second += bytes;
      return;
    }
  }
  chunks_[chunk] = bytes;
}

}  // namespace cuda_on_cpu
