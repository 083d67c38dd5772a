// cub::WarpScan: for each lane of a logical warp what all lanes before it make together. Lanes use
// shuffles, so TempStorage stays empty.
#pragma once

#include "../../cuda_on_cpu/cub_lanes.hpp"
#include "../thread/thread_operators.cuh"

#pragma GCC visibility push(default)

namespace cub {

template <class T, int width = 32, int legacy = 0>
class WarpScan {
  using Lanes = detail::Lanes<width>;

 public:
  struct TempStorage {};
  CUDA_ON_CPU_LIBRARY WarpScan() {}
  CUDA_ON_CPU_LIBRARY explicit WarpScan(TempStorage &) {}

  CUDA_ON_CPU_LIBRARY void InclusiveSum(T in, T &out, CUDA_ON_CPU_CALLER) {
    out = Lanes(caller).scan(in, detail::Plus());
  }
  CUDA_ON_CPU_LIBRARY void InclusiveSum(T in, T &out, T &all, CUDA_ON_CPU_CALLER) {
    InclusiveScan(in, out, detail::Plus(), all, caller);
  }
  CUDA_ON_CPU_LIBRARY void ExclusiveSum(T in, T &out, CUDA_ON_CPU_CALLER) {
    ExclusiveScan(in, out, T{}, detail::Plus(), caller);
  }
  CUDA_ON_CPU_LIBRARY void ExclusiveSum(T in, T &out, T &all, CUDA_ON_CPU_CALLER) {
    ExclusiveScan(in, out, T{}, detail::Plus(), all, caller);
  }

  template <class Operator>
  CUDA_ON_CPU_LIBRARY void InclusiveScan(T in, T &out, Operator op, CUDA_ON_CPU_CALLER) {
    out = Lanes(caller).scan(in, op);
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void InclusiveScan(T in, T &out, Operator op, T &all, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    const T own = lanes.scan(in, op);
    all = lanes.get(own, width - 1);
    out = own;
  }
  // The first lane's output means nothing where no initial value is given.
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void ExclusiveScan(T in, T &out, Operator op, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    out = before(lanes, lanes.scan(in, op));
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void ExclusiveScan(T in, T &out, T initial, Operator op, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    const T earlier = before(lanes, lanes.scan(in, op));
    out = lanes.lane > 0 ? op(initial, earlier) : initial;
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void ExclusiveScan(T in, T &out, Operator op, T &all, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    const T own = lanes.scan(in, op);
    all = lanes.get(own, width - 1);
    out = before(lanes, own);
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void ExclusiveScan(T in, T &out, T initial, Operator op, T &all,
                                         CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    const T own = lanes.scan(in, op), earlier = before(lanes, own);
    all = lanes.get(own, width - 1);
    out = lanes.lane > 0 ? op(initial, earlier) : initial;
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void Scan(T in, T &inclusive, T &exclusive, Operator op, CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    inclusive = lanes.scan(in, op);
    exclusive = before(lanes, inclusive);
  }
  template <class Operator>
  CUDA_ON_CPU_LIBRARY void Scan(T in, T &inclusive, T &exclusive, T initial, Operator op,
                                CUDA_ON_CPU_CALLER) {
    const Lanes lanes(caller);
    const T own = lanes.scan(in, op), earlier = before(lanes, own);
    inclusive = op(initial, own);
    exclusive = lanes.lane > 0 ? op(initial, earlier) : initial;
  }
  CUDA_ON_CPU_LIBRARY T Broadcast(T input, unsigned source, CUDA_ON_CPU_CALLER) {
    return Lanes(caller).get(input, static_cast<int>(source));
  }

 private:
  CUDA_ON_CPU_LIBRARY static T before(const Lanes &lanes, const T &own) {
    return lanes.get(own, lanes.lane > 0 ? lanes.lane - 1 : 0);
  }
};

}  // namespace cub

#pragma GCC visibility pop
