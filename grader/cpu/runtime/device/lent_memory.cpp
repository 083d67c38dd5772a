// Buffers whose pages belong to a file: another process sees what kernels write there.
#include <sys/mman.h>

#include <utility>

#include "base/hooks.hpp"
#include "base/rounding.hpp"
#include "device/device_memory.hpp"

namespace cuda_on_cpu {

std::vector<void *> DeviceMemory::adopt(int file, const std::vector<LentSpan> &spans) {
  const Access access(*this, buffers);
  std::vector<void *> buffers;
  bool adopted = true;
  {
    const std::lock_guard lock(mutex_);
    // With a checker each span is a piece of its own, with room between it and the next.
    const std::size_t at_once = hooks ? 1 : spans.size();
    for (std::size_t i = 0; i < spans.size() && adopted; i += at_once)
      adopted = adopt_piece(file, std::span(spans).subspan(i, at_once), buffers);
  }
  if (adopted) return buffers;
  for (void *buffer : buffers) abandon(buffer);
  return {};
}

bool DeviceMemory::adopt_piece(int file, std::span<const LentSpan> spans,
                               std::vector<void *> &buffers) {
  const std::size_t offset = spans.front().offset;
  const std::size_t bytes = round_up(spans.back().offset + spans.back().bytes - offset, kPage);
  const std::size_t chunk_bytes = chunk_bytes_for(bytes) + kPage;  // the pages begin at one
  char *chunk = take_chunk(chunk_bytes);
  if (!chunk) return false;
  char *pages = base_ + round_up(chunk - base_, kPage);
  if (mmap(pages, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    free_chunks_.give_back(chunk, chunk_bytes);
    return false;
  }
  Piece piece{chunk, pages, chunk_bytes, bytes, {}};
  for (const LentSpan &span : spans) {
    char *buffer = pages + (span.offset - offset);
    live_[buffer] = span.bytes;
    adopted_.insert(buffer);
    piece.buffers.push_back(buffer);
    buffers.push_back(buffer);
  }
  live_bytes_ += chunk_bytes;
  pieces_[piece.buffers.front()] = std::move(piece);
  return true;
}

void DeviceMemory::abandon(void *first) {
  const Access access(*this, buffers);
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find(static_cast<char *>(first));
  if (found == pieces_.end()) return;
  const auto &[chunk, pages, chunk_bytes, page_bytes, buffers] = found->second;
  for (char *buffer : buffers) {
    live_.erase(buffer);
    adopted_.erase(buffer);
  }
  mmap(pages, page_bytes, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
  live_bytes_ -= chunk_bytes;
  free_chunks_.give_back(chunk, chunk_bytes);
  pieces_.erase(found);
}

std::vector<void *> adopt_device_memory(int file, const std::vector<LentSpan> &spans) {
  std::vector<void *> buffers = DeviceMemory::instance().adopt(file, spans);
  if (hooks)
    for (std::size_t i = 0; i < buffers.size(); ++i)
      hooks->memory(buffers[i], spans[i].bytes, MemoryEvent::allocated, nullptr);
  return buffers;
}
void abandon_device_memory(const std::vector<void *> &buffers) {
  const auto once_for_all = DeviceMemory::instance().open_for_copy();
  for (void *buffer : buffers) {
    if (hooks) hooks->memory(buffer, 0, MemoryEvent::freed, nullptr);
    DeviceMemory::instance().abandon(buffer);
  }
}

}  // namespace cuda_on_cpu
