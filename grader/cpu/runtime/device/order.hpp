// The order in which threads and blocks run.
#pragma once

#include <cstdint>
#include <vector>

#include "cuda_on_cpu/control.hpp"

namespace cuda_on_cpu {

struct OrderSettings {
  Order order = Order::forward;
  std::uint64_t seed = 1;
  bool few = false;          // see run_few_blocks()
  std::uint32_t middle = 0;  // the same
  bool together = false;     // the same
};
OrderSettings
order_settings();  // from WARPWISE_ORDER and WARPWISE_SEED until set_order() is called

bool leaves_out_blocks();  // see run_few_blocks()
bool skips_launch();       // see run_few_launches(): called once for each launch

// Which thread runs at each position; `salt` makes every block shuffle differently.
void fill_thread_order(std::vector<std::uint16_t> &threads, const OrderSettings &settings,
                       std::uint64_t salt);

// Which block runs at `position`: a permutation that needs no table, because grids may have 2^31
// blocks.
class BlockOrder {
 public:
  BlockOrder(const OrderSettings &settings, std::uint64_t blocks);
  std::uint64_t operator()(std::uint64_t position) const;
  std::uint64_t count() const { return count_; }  // of blocks that run

 private:
  std::uint64_t blocks_, count_, first_, step_, middle_ = 0;
};

}  // namespace cuda_on_cpu
