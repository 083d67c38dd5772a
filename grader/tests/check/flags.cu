// Threads and blocks that wait for flags, and atomics that programs build from atomicCAS.
#include "case.cuh"

// The CUDA guide's way to write an atomic that the hardware does not have: the first read is plain.
__global__ void add_doubles(double *sum, bool bug) {
  auto *bits = reinterpret_cast<unsigned long long *>(sum);
  unsigned long long old = *bits, assumed;  // BUG race cas_without_compare
  do {
    assumed = old;
    const auto wanted = __double_as_longlong(1.0 + __longlong_as_double(assumed));
    if (bug) {
      atomicExch(bits, wanted);  // BUG race cas_without_compare
      return;
    }
    old = atomicCAS(bits, assumed, static_cast<unsigned long long>(wanted));
  } while (assumed != old);
}
CASE(cas_without_compare) {
  Buffer<double> sum(1);
  add_doubles<<<4, 64>>>(sum, bug);
  double host = 0;
  cudaMemcpy(&host, sum, sizeof host, cudaMemcpyDeviceToHost);
  if (!bug && host != 256) std::fprintf(stderr, "the sum is %g\n", host);
}

// A block hands its data to the next by a volatile flag.
__global__ void relay(int *data, volatile int *flags, unsigned *ticket, bool bug) {
  __shared__ unsigned tile;
  if (threadIdx.x == 0) tile = atomicAdd(ticket, 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 1;
    if (tile > 0) {
      while (flags[tile - 1] == 0) {
      }
      __threadfence();
      sum += data[tile - 1];  // BUG race volatile_flag_no_fence
    }
    data[tile] = sum;  // BUG race volatile_flag_no_fence
    if (!bug) __threadfence();
    flags[tile] = 1;
  }
}
CASE(volatile_flag_no_fence) {
  Buffer<int> data(16), flags(16);
  Buffer<unsigned> ticket(1);
  relay<<<16, 64>>>(data, flags, ticket, bug);
}

// Decoupled look-back: a tile adds up what earlier tiles have published, back to a complete prefix.
__global__ void scan(const int *in, int *sums, int *prefixes, volatile int *states,
                     unsigned *ticket, int *out, bool bug) {
  __shared__ int tile, before, values[32];
  if (threadIdx.x == 0) tile = static_cast<int>(atomicAdd(ticket, 1u));
  __syncthreads();
  const int i = tile * 32 + static_cast<int>(threadIdx.x);
  values[threadIdx.x] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (const int value : values) sum += value;
    sums[tile] = sum;
    __threadfence();
    states[tile] = 1;
    before = 0;
    for (int other = tile - 1; other >= 0; --other) {
      int state;
      do {
        state = states[other];
      } while (state == 0);
      __threadfence();
      before += state == 2 ? prefixes[other] : sums[other];  // BUG race look_back_no_fence
      if (state == 2) break;
    }
    prefixes[tile] = before + sum;  // BUG race look_back_no_fence
    if (!bug) __threadfence();
    states[tile] = 2;
  }
  __syncthreads();
  int sum = before;
  for (unsigned j = 0; j <= threadIdx.x; ++j) sum += values[j];
  out[i] = sum;
}
CASE(look_back_no_fence) {
  Buffer<int> in(8 * 32), sums(8), prefixes(8), states(8), out(8 * 32);
  Buffer<unsigned> ticket(1);
  scan<<<8, 32>>>(in, sums, prefixes, states, ticket, out, bug);
}

// A lock of tickets: each block waits for its number.
__global__ void ticket_lock(unsigned *lock, int *counter, bool bug) {
  if (threadIdx.x != 0) return;
  volatile unsigned *serving = &lock[1];
  const unsigned mine = atomicAdd(&lock[0], 1u);
  while (*serving != mine) {
  }
  __threadfence();
  *counter += 1;  // BUG race ticket_no_fence
  if (!bug) __threadfence();
  *serving = mine + 1;
}
CASE(ticket_no_fence) {
  Buffer<unsigned> lock(2);
  Buffer<int> counter(1);
  ticket_lock<<<8, 32>>>(lock, counter, bug);
}

// Warp 0 or the last warp of a block produces, the other consumes: whoever comes first must wait.
__global__ void hand_over(int *out, unsigned producer, bool bug) {
  __shared__ volatile int flag;
  __shared__ int data[32];
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (warp == producer) {
    data[lane] = static_cast<int>(lane);  // BUG race warps_no_fence
    __syncwarp();
    if (lane == 0) {
      if (!bug) __threadfence_block();
      flag = 1;
    }
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[lane] = data[lane];  // BUG race warps_no_fence
  }
}
CASE(warps_no_fence) {
  Buffer<int> out(32);
  hand_over<<<1, 64>>>(out, 0, bug);
}
// Each lane's fence publishes what it wrote; after __syncwarp() any of them may write the flag.
__global__ void fences_then_meet(int *out) {
  __shared__ volatile int flag;
  __shared__ int data[32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x == 0) flag = 0;
  __syncthreads();
  if (threadIdx.x < 32) {
    data[lane] = static_cast<int>(lane);
    __threadfence_block();
    __syncwarp();
    if (lane == 0) flag = 1;
  } else {
    while (flag == 0) {
    }
    __threadfence_block();
    out[lane] = data[lane];
  }
}
CASE(quiet_fences_then_meet) {
  Buffer<int> out(32);
  fences_then_meet<<<1, 64>>>(out);
}

// A maximum of floats: who finds a larger one leaves the loop before the compare-and-swap.
__global__ void largest(const int *in, int *largest, bool bug) {
  int seen = *largest;  // BUG race maximum_without_compare
  while (in[threadIdx.x] > seen) {
    if (bug) {
      atomicExch(largest, in[threadIdx.x]);  // BUG race maximum_without_compare
      return;
    }
    const int before = seen;
    seen = atomicCAS(largest, before, in[threadIdx.x]);
    if (seen == before) return;
  }
}
CASE(maximum_without_compare) {
  Buffer<int> in(64), out(1);
  int values[64];
  for (int i = 0; i < 64; ++i) values[i] = i * 29 % 64;
  cudaMemcpy(in, values, sizeof values, cudaMemcpyHostToDevice);
  largest<<<1, 64>>>(in, out, bug);
}

CASE(quiet_later_producer) {
  Buffer<int> out(32);
  hand_over<<<1, 64>>>(out, 1, false);
  hand_over<<<1, 64>>>(out, 0, false);
}

// A fence for the block says nothing to other blocks.
__global__ void narrow_fence(int *data, int *flag, int *out, bool bug) {
  if (atomicAdd(&flag[1], 1) == 0) {
    data[0] = 42;  // BUG race fence_too_narrow
    if (bug)
      __threadfence_block();
    else
      __threadfence();
    atomicExch(flag, 1);
  } else if (atomicAdd(flag, 0) == 1) {
    out[0] = data[0];  // BUG race fence_too_narrow
  }
}
CASE(fence_too_narrow) {
  Buffer<int> data(1), flag(2), out(1);
  narrow_fence<<<2, 1>>>(data, flag, out, bug);
}

// The first block counts, the second sees that and raises another flag, the third resets the counter with a
// plain write. The counting is over for it because the second tells on what it has seen: by a fence.
__global__ void told_on(int *count, int *flag, int *order, bool bug) {
  const int role = atomicAdd(order, 1);
  if (role == 0) {
    __threadfence();
    atomicAdd(count, 1);  // BUG race reset_not_told
  } else if (role == 1) {
    if (*static_cast<volatile int *>(count) == 0) return;
    if (!bug) __threadfence();
    atomicExch(flag, 1);
  } else if (atomicAdd(flag, 0) == 1) {
    *count = 0;  // BUG race reset_not_told
  }
}
CASE(reset_not_told) {
  Buffer<int> count(1), flag(1), order(1);
  told_on<<<3, 1>>>(count, flag, order, bug);
}

// One fence, then two flags: who has seen the second knows what was before the fence, not the first flag.
__global__ void two_flags(int *first, int *second, int *order, bool bug) {
  if (atomicAdd(order, 1) == 0) {
    __threadfence();
    atomicAdd(first, 1);  // BUG race reset_of_other_flag
    atomicAdd(second, 1);
  } else if (atomicAdd(bug ? second : first, 0) == 1) {
    *first = 0;  // BUG race reset_of_other_flag
  }
}
CASE(reset_of_other_flag) {
  Buffer<int> flags(2), order(1);  // one beside the other
  two_flags<<<2, 1>>>(flags + 1, flags, order, bug);
}

// The same for an atomic after a fence for the block: it publishes itself to that block only.
__global__ void narrow_count(int *count, int *order, bool bug) {
  if (atomicAdd(order, 1) == 0) {
    if (bug)
      __threadfence_block();
    else
      __threadfence();
    atomicAdd(count, 1);  // BUG race narrow_count_reset
  } else if (atomicAdd(count, 0) == 1) {
    *count = 0;  // BUG race narrow_count_reset
  }
}
CASE(narrow_count_reset) {
  Buffer<int> count(1), order(1);
  narrow_count<<<2, 1>>>(count, order, bug);
}

// Who passes a flag on tells of what it has learnt itself, if it fences.
__global__ void pass_on(int *data, volatile int *flags, int *order, int *out, bool bug) {
  const int role = atomicAdd(order, 1);
  if (role == 0) {
    *data = 1;  // BUG race told_by_another
    __threadfence();
    flags[0] = 1;
  } else if (role == 1) {
    while (flags[0] == 0) {
    }
    if (!bug) __threadfence();
    flags[1] = 1;
  } else {
    while (flags[1] == 0) {
    }
    __threadfence();
    *out = *data;  // BUG race told_by_another
  }
}
CASE(told_by_another) {
  Buffer<int> data(1), flags(2), order(1), out(1);
  pass_on<<<3, 1>>>(data, flags, order, out, bug);
}

// Who has looked at a counter before another counted has not seen that: `steps` orders them, but tells nothing.
__global__ void look_then_reset(int *count, volatile int *steps, int *order, bool bug) {
  if (atomicAdd(order, 1) == 0) {
    __threadfence();
    atomicAdd(count, 1);
    atomicAdd(count, 1);
    steps[0] = 1;
    while (steps[1] == 0) {
    }
    if (!bug) atomicAdd(count, 0);
    *count = 0;  // BUG race seen_too_early
  } else {
    while (steps[0] == 0) {
    }
    __threadfence();
    atomicAdd(count, 1);  // BUG race seen_too_early
    steps[1] = 1;
  }
}
CASE(seen_too_early) {
  Buffer<int> count(1), steps(2), order(1);
  look_then_reset<<<2, 1>>>(count, steps, order, bug);
}

// Two warps of a block tell of their own writes, each by a fence of its own.
__global__ void two_warps_tell(int *data, int *count, int *order, int *out, bool bug) {
  __shared__ int role;
  if (threadIdx.x == 0) role = atomicAdd(order, 1);
  __syncthreads();
  const unsigned warp = threadIdx.x / 32;
  if (threadIdx.x % 32 != 0) return;
  if (role == 0) {
    data[warp] = 1;  // BUG race told_by_two_warps
    if (!bug || warp == 0) __threadfence();
    atomicAdd(count, 1);
  } else if (warp == 0) {
    while (atomicAdd(count, 0) < 2) {
    }
    *out = data[0] + data[1];  // BUG race told_by_two_warps
  }
}
CASE(told_by_two_warps) {
  Buffer<int> data(2), count(1), order(1), out(1);
  two_warps_tell<<<2, 64>>>(data, count, order, out, bug);
}

int main(int count, char **arguments) { return run_case(count, arguments); }
