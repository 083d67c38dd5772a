#include "device/order.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <random>

#include "base/counts.hpp"
#include "base/own_mutex.hpp"
#include "messages/diagnostics.hpp"

namespace cuda_on_cpu {
namespace {

constexpr std::uint64_t kFew = 3;  // the first block, one in the middle and the last

std::atomic<std::uint32_t> few_launches{0};  // 0: all run
// While few are to run.
std::atomic<std::uint32_t> launches_asked{0}, launches_again_from{0}, launches_skipped{0};

OwnMutex order_mutex;

OrderSettings order_from_environment() {
  OrderSettings settings;
  if (const char *seed = std::getenv("WARPWISE_SEED"))
    settings.seed = std::strtoull(seed, nullptr, 10);
  const char *name = std::getenv("WARPWISE_ORDER");
  if (!name || !*name || !std::strcmp(name, "forward")) return settings;
  if (!std::strcmp(name, "reverse"))
    settings.order = Order::reverse;
  else if (!std::strcmp(name, "random"))
    settings.order = Order::random;
  else
    die("usage", "WARPWISE_ORDER is '%s': set it to forward, reverse or random", name);
  return settings;
}

OrderSettings &settings_now() {
  static OrderSettings settings = order_from_environment();
  return settings;
}

}  // namespace

OrderSettings order_settings() {
  const std::lock_guard lock(order_mutex);
  return settings_now();
}

void set_order(Order order, std::uint64_t seed) {
  const std::lock_guard lock(order_mutex);
  settings_now().order = order;
  settings_now().seed = seed;
}

void run_few_blocks(bool few, std::uint32_t middle, bool together) {
  const std::lock_guard lock(order_mutex);
  settings_now().few = few;
  settings_now().together = together;
  settings_now().middle = middle;
}

void run_few_launches(std::uint32_t count, std::uint32_t again_from) {
  // They count as launches, because they were asked for. Counted one by one, they took longer than
  // those that run: the counts' page is opened and closed each time.
  if (const auto skipped = launches_skipped.exchange(0))
    ChangeCounts()->statistics.launches += skipped;
  few_launches = count;
  launches_asked = 0;
  launches_again_from = again_from ? again_from : UINT32_MAX;
}

bool leaves_out_blocks() { return order_settings().few; }

bool skips_launch() {
  const std::uint32_t few = few_launches;
  if (few == 0) return false;
  const std::uint32_t number = launches_asked++;
  const bool skips = number >= few && number < launches_again_from;
  if (skips) ++launches_skipped;
  return skips;
}

Order order() { return order_settings().order; }

void fill_thread_order(std::vector<std::uint16_t> &threads, const OrderSettings &settings,
                       std::uint64_t salt) {
  std::iota(threads.begin(), threads.end(), std::uint16_t{0});
  if (settings.order == Order::reverse) {
    for (std::size_t i = 0; i < threads.size(); ++i)
      threads[i] = static_cast<std::uint16_t>(threads.size() - 1 - i);
  } else if (settings.order == Order::random) {
    std::mt19937_64 random(settings.seed * 0x9e3779b97f4a7c15ull + salt);
    for (std::size_t i = threads.size(); i > 1; --i)
      std::swap(threads[i - 1], threads[random() % i]);
  }
}

namespace {

// Of blocks that may wait for each other most must be missing: what goes from one to the next ends
// there. Of few, that is one alone.
std::uint64_t few_of(const OrderSettings &settings, std::uint64_t blocks) {
  constexpr std::uint64_t kPart = 4;
  if (!settings.few) return blocks;
  return settings.together ? std::clamp<std::uint64_t>(blocks / kPart, 1, kFew)
                           : std::min(blocks, kFew);
}

}  // namespace

BlockOrder::BlockOrder(const OrderSettings &settings, std::uint64_t blocks)
    : blocks_(blocks), count_(few_of(settings, blocks)), first_(0), step_(1) {
  if (count_ < blocks && count_ == kFew) middle_ = 1 + settings.middle % (blocks - 2);
  // the first and the last are even: every second block may be wrong
  if (middle_ && blocks % 2) middle_ |= 1;
  if (settings.order == Order::reverse) {
    first_ = blocks - 1;
    step_ = blocks - 1;  // equals -1 modulo the number of blocks
  } else if (settings.order == Order::random) {
    std::mt19937_64 random(settings.seed);
    first_ = random() % blocks;
    do step_ = random() % blocks + 1;  // below 2^48 blocks the product below stays within 128 bits
    while (std::gcd(step_, blocks) != 1);
  }
}

std::uint64_t BlockOrder::operator()(std::uint64_t position) const {
  if (count_ < blocks_) return position == 0 ? 0 : position == 1 && middle_ ? middle_ : blocks_ - 1;
  if (step_ == 1 && first_ == 0) return position;
  return static_cast<std::uint64_t>((static_cast<unsigned __int128>(position) * step_ + first_) %
                                    blocks_);
}

}  // namespace cuda_on_cpu
