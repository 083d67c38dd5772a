#include "threads/shared_arena.hpp"

#include <sys/mman.h>

#include <cstring>

#include "base/hooks.hpp"
#include "base/rounding.hpp"
#include "cuda_on_cpu/virtual_device.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"
#include "messages/diagnostics.hpp"
#include "messages/failures.hpp"
#include "messages/text.hpp"
#include "threads/block.hpp"

namespace cuda_on_cpu {
namespace {

// In check mode there is unused memory between the variables, so that an index beyond the end of
// one does not hit the next.
constexpr std::size_t kGapBytes = 1024;
constexpr std::size_t kAllGapsBytes = std::size_t{128} << 10;
constexpr std::size_t kArenaBytes =
    round_up(kSharedMargin + kSharedPerBlockOptin + kSharedPerBlock + kAllGapsBytes + kPage, kPage);
static_assert(kArenaBytes <= kSharedWindow);
constexpr int kGarbage = 0xff;  // a float NaN, the integer -1

// The static bytes are known only now; CUDA knows them in the call, and adds them to those asked
// for.
std::string said_when_asked(const SharedAsked &asked) {
  return "on a GPU cudaFuncSetAttribute at " + file_and_line(asked.site) + ", which asks for " +
         with_commas(asked.bytes) +
         " bytes beside the static ones, fails with cudaErrorInvalidValue";
}

}  // namespace

SharedArena::SharedArena() : windows_(hooks ? kSharedWindows : 1) {
  // The whole windows, so that no other memory lies in them.
  void *memory = mmap(nullptr, windows_ * kSharedWindow + kAllOfCluster, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    die("memory", "no memory for the shared memory of a block");
  pages_ = static_cast<char *>(memory);
  base_ = pages_ + kSharedMargin;
  DeviceMemory::instance().add_arena(
      pages_, windows_ * kSharedWindow + kAllOfCluster - kSharedWindow + kArenaBytes);
}

SharedArena::~SharedArena() {
  DeviceMemory::instance().remove_arena(pages_);
  munmap(pages_, windows_ * kSharedWindow + kAllOfCluster);
}

void SharedArena::begin_launch(std::size_t dynamic_bytes, bool in_clusters) {
  in_clusters_ = in_clusters;
  known_.clear();
  window_ = (window_ + 1) % windows_;
  base_ = pages_ + window_ * kSharedWindow + kSharedMargin;
  dynamic_bytes_ = used_ = dynamic_bytes;
  gaps_ = 0;
  is_open_ = false;
  if (dynamic_bytes) open();
}

void SharedArena::open() {
  DeviceMemory::instance().open_arena(pages_);
  is_open_ = true;
}

void SharedArena::begin_block() {
  if (used_) std::memset(base_, kGarbage, used_);
}

void SharedArena::enter(unsigned rank) { base_ = base_of(rank); }

char *SharedArena::known(const void *occurrence) const {
  const auto found = known_.find(occurrence);
  return found == known_.end() ? nullptr : base_ + found->second;
}

void SharedArena::restore(const std::vector<char> &saved) {
  if (in_clusters_) return;
  std::memcpy(base_, saved.data(), saved.size());
  std::memset(base_ + saved.size(), kGarbage, used_ - saved.size());
}

char *SharedArena::reserve(std::size_t bytes, std::size_t alignment) {
  const std::size_t gap = hooks && gaps_ + kGapBytes < kAllGapsBytes ? kGapBytes : 0;
  const std::size_t start = round_up(used_ + gap, alignment);
  if (start + bytes - gap - gaps_ - dynamic_bytes_ > kSharedPerBlock + alignment) return nullptr;
  if (!is_open_) open();
  gaps_ += gap;
  used_ = start + bytes;
  std::memset(base_ + start, kGarbage, bytes);
  // Another block may write there before its own comes to the declaration.
  for (unsigned rank = 0; in_clusters_ && rank < kLargestCluster; ++rank)
    std::memset(base_of(rank) + start, kGarbage, bytes);
  return base_ + start;
}

char *Block::reserve_shared(SharedVariable variable, std::size_t alignment,
                            const void *occurrence, Site declaration) {
  if (char *address = is_in_cluster() ? shared_.known(occurrence) : nullptr) return address;
  const std::size_t bytes = variable.bytes;
  const std::size_t before = shared_.static_bytes();
  char *address = before + bytes <= kSharedPerBlock ? shared_.reserve(bytes, alignment) : nullptr;
  if (!address) {
    if (first_failure())
      report("shared",
             "kernel %s: %s:%d: a __shared__ variable of %zu bytes, after %zu bytes of others, "
             "exceeds the limit of %zu bytes of static shared memory",
             grid_->name, declaration.file, declaration.line, bytes, before, kSharedPerBlock);
    explain(with_commas(before + bytes) + " bytes of static shared memory; at most " +
            with_commas(kSharedPerBlock));
    fail(cudaErrorInvalidValue);
  }
  // Without the gaps that a checker leaves between variables: a GPU has none. Whoever has asked for
  // the dynamic bytes may have the others beside them, as far as the device has so many.
  const std::size_t dynamic = grid_->configuration.shared_bytes,
                    all = dynamic + shared_.static_bytes();
  const SharedAsked &asked = grid_->shared_asked;
  const std::size_t limit =
      dynamic <= asked.bytes ? this_device().shared_per_block : kSharedPerBlock;
  const bool is_refused_on_a_gpu =
      asked.bytes + shared_.static_bytes() > this_device().shared_per_block;
  if (all > limit) {
    if (first_failure())
      report("shared",
             "kernel %s: %zu bytes of dynamic and %zu bytes of static shared memory exceed the "
             "limit of %zu bytes%s",
             grid_->name, dynamic, shared_.static_bytes(), limit,
             is_refused_on_a_gpu ? "" : "; cudaFuncSetAttribute raises it");
    explain(with_commas(dynamic) + " bytes of dynamic and " + with_commas(shared_.static_bytes()) +
            " bytes of static shared memory; at most " + with_commas(limit) +
            (is_refused_on_a_gpu ? ": " + said_when_asked(asked) : ""));
    fail(cudaErrorInvalidValue);
  }
  // Blocks of one kernel have the same variables, so it does not matter whose number stays.
  grid_->static_shared = shared_.static_bytes();
  if (is_in_cluster()) shared_.know(occurrence, address);
  variable.address = address;
  if (hooks) hooks->shared_reserved(variable);
  return address;
}

}  // namespace cuda_on_cpu
