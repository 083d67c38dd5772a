"""The files of a new lab. @LAB@ is 06-scan, @SPACE@ scan, @TITLE@ Scan, @NUMBER@ 06."""

MANIFEST = """\
title = "@TITLE@"
source = "@SPACE@.cu"
contract = "@SPACE@.hpp"

[limits]
seconds = 10

[[stage]]
name = "first"
title = "One thread for every element"
points = { correct = 10 }
hints = [
  "What does one thread do?",
  "Which threads have nothing to do?",
  "Thread i = blockIdx.x * blockDim.x + threadIdx.x writes out[i], if i < n.",
]
"""

HANDOUT = """\
# Lab @NUMBER@: @TITLE@

## Goal

What is computed, why on a GPU, and a worked example.

## Contract

You edit one file, [@SPACE@.cu](@SPACE@.cu). What each function is called with and must leave behind
stands in [@SPACE@.hpp](@SPACE@.hpp); what is true stands in [oracle.hpp](oracle.hpp).

## Stages

| stage | what is new | lines | points |
|---|---|---|---|
| `first` | one thread for every element | 5 | 10 |

## Run it

    ./lab check @LAB@.first     # one stage, in seconds
    ./lab hint @LAB@.first      # a hint; --level 2 and 3 say more
    ./lab check @LAB@           # all stages, and the speedup figure

## How it is graded

Every output is compared with the oracle's, bit for bit. Hidden tests are these tests with another
seed.

## For the report

1. From which n on is the GPU faster than one CPU core, and why not below?
"""

CONTRACT = """\
// The contract of lab @NUMBER@: what each stage is called with and what it must leave behind.
//
// All pointers are device pointers to as many elements as said; no two buffers overlap. n >= 0, and
// n = 0 launches nothing.
#pragma once

#include "entry_points.hpp"

namespace @SPACE@ {

/// Stage 1. Writes 2 * in[i] to out[i] for every i < n.
void first(const float* in, float* out, int n);

WARPWISE_ENTRY_POINTS(first)

}  // namespace @SPACE@
"""

ORACLE = """\
// The truth about lab @NUMBER@, on the CPU, one element after another. Read this first.
#pragma once

#include <vector>

namespace @SPACE@::oracle {

inline std::vector<float> doubled(const std::vector<float>& in) {
  std::vector<float> out;
  for (const float value : in) out.push_back(2 * value);
  return out;
}

}  // namespace @SPACE@::oracle
"""

TEST = """\
// What "correct" means for lab @NUMBER@, stage by stage. A test's tag is the stage it belongs to.
#include "@SPACE@.hpp"
#include "catch.hpp"
#include "inputs.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = @SPACE@::oracle;

TEST_CASE("first doubles every element at every size", "[first]") {
  for_each_input(datasets::kDistinctShapes, 2049, [](const Keys& keys) {
    const std::size_t n = keys.values.size();
    const Reply reply =
        call(ENTRY(@SPACE@::first), In("in", keys.values), Out<float>("out", n), n);
    require_sequence(reply, keys.label, reply.buffer<float>("out"), oracle::doubled(keys.values),
                     [](float, float) { return true; });
  });
}
"""

BENCH = """\
// What lab @NUMBER@ times: n elements, against the same work on one CPU core.
#include "bench.hpp"

#include <memory>

#include "@SPACE@.hpp"
#include "inputs.hpp"
#include "oracle.hpp"
#include "sequence_check.hpp"

using namespace warpwise;
namespace oracle = @SPACE@::oracle;

namespace {

TimedCall time_first(std::size_t n, std::uint64_t seed) {
  const auto keys = std::make_shared<const Keys>(
      make_labelled(datasets::KeyShape::shuffled, n, seed));
  const auto verify = [keys](const Reply& reply) {
    require_sequence(reply, keys->label, reply.buffer<float>("out"), oracle::doubled(keys->values),
                     [](float, float) { return true; });
  };
  const auto baseline = [keys] { oracle::doubled(keys->values); };
  return {prepare(ENTRY(@SPACE@::first), In("in", keys->values), Out<float>("out", n), n), verify,
          baseline};
}

/// The least that the technique asks for: every element is read once and written once.
Work doubling(std::size_t n) { return {2.0 * sizeof(float) * n, 0, WorkUnit::none}; }

const BenchRegistration kFirst{
    "first", "elements", "one CPU core",
    {.cpu = {1 << 10, 1 << 12, 1 << 14}, .gpu = {1 << 12, 1 << 16, 1 << 20}}, time_first,
    doubling};

}  // namespace
"""

REFERENCE = """\
// @TITLE@: what the program does, in three sentences; what it costs in memory traffic.
#include "@SPACE@.hpp"

#include "ceil_div.hpp"
#include "cuda_check.hpp"

namespace @SPACE@ {
namespace {

constexpr int kBlock = 256;  // threads of a block: a multiple of the warp's 32

__global__ void double_each(const float* in, float* out, int n) {
  // BEGIN STAGE 1 first: thread i writes twice in[i] to out[i] (about 2 lines)
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  // END STAGE 1
}

}  // namespace

void first(const float* in, float* out, int n) {
  // BEGIN STAGE 1 first: launch one thread for every element, none for n = 0 (about 3 lines)
  if (n == 0) return;
  double_each<<<kit::ceil_div(n, kBlock), kBlock>>>(in, out, n);
  CUDA_CHECK_LAUNCH();
  // END STAGE 1
}

}  // namespace @SPACE@
"""

NOTES = """\
# Notes on lab @NUMBER@

The measured ladder, why each rung helps, and common wrong turns.
"""

WRONG = """\
// expect: first: not attempted
// Does nothing: a checker that looks only at exit codes would let it pass.
#include "@SPACE@.hpp"

namespace @SPACE@ {

void first(const float*, float*, int) {}

}  // namespace @SPACE@
"""
