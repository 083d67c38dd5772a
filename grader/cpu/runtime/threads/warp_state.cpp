// The results of warp functions, without the waiting.
#include "threads/warp_state.hpp"

#include <type_traits>

namespace cuda_on_cpu {
namespace {

long long combine(WarpFunction function, long long a, long long b) {
  switch (function) {
    case WarpFunction::reduce_min:
      return b < a ? b : a;
    case WarpFunction::reduce_max:
      return b > a ? b : a;
    case WarpFunction::reduce_and:
      return a & b;
    case WarpFunction::reduce_or:
      return a | b;
    case WarpFunction::reduce_xor:
      return a ^ b;
    default:
      return a + b;
  }
}

// The lane that `lane` reads, as the PTX manual defines it. Outside its segment a lane reads
// itself.
template <WarpFunction function>
unsigned source_lane_of(const WarpRequest &request, unsigned lane) {
  const int width = request.width, own = static_cast<int>(lane);
  const int segment = own & ~(width - 1);
  int source = own ^ request.argument;
  if (function == WarpFunction::shuffle) source = segment | (request.argument & (width - 1));
  if (function == WarpFunction::shuffle_up) source = own - request.argument;
  if (function == WarpFunction::shuffle_down) source = own + request.argument;
  const int first = function == WarpFunction::shuffle_xor ? 0 : segment;  // xor reads earlier ones
  return source < first || source >= segment + width ? lane : static_cast<unsigned>(source);
}

/// Calls body with the function as a constant, so that a loop in it need not ask for each lane.
template <class Body>
auto for_shuffle(WarpFunction function, const Body &body) {
  using enum WarpFunction;
  switch (function) {
    case shuffle:
      return body(std::integral_constant<WarpFunction, shuffle>());
    case shuffle_up:
      return body(std::integral_constant<WarpFunction, shuffle_up>());
    case shuffle_down:
      return body(std::integral_constant<WarpFunction, shuffle_down>());
    default:
      return body(std::integral_constant<WarpFunction, shuffle_xor>());
  }
}

}  // namespace

const char *name_of(WarpFunction function) {
  switch (function) {
    case WarpFunction::sync:
      return "__syncwarp()";
    case WarpFunction::shuffle:
      return "__shfl_sync()";
    case WarpFunction::shuffle_up:
      return "__shfl_up_sync()";
    case WarpFunction::shuffle_down:
      return "__shfl_down_sync()";
    case WarpFunction::shuffle_xor:
      return "__shfl_xor_sync()";
    case WarpFunction::ballot:
      return "a warp vote";
    case WarpFunction::match_any:
      return "__match_any_sync()";
    case WarpFunction::active_mask:
      return "__activemask()";
    default:
      return "a warp reduction";
  }
}

bool is_shuffle(WarpFunction function) {
  return function >= WarpFunction::shuffle && function <= WarpFunction::shuffle_xor;
}

unsigned source_lane(const WarpRequest &request, unsigned lane) {
  return for_shuffle(request.function,
                     [&](auto kind) { return source_lane_of<kind()>(request, lane); });
}

bool shuffle(WarpState &warp, WarpFunction function, unsigned lanes) {
  return for_shuffle(function, [&](auto kind) {
    bool all_take_part = true;
    for_each_lane(lanes, [&](unsigned lane) {
      const unsigned source = source_lane_of<kind()>(warp.request[lane], lane);
      all_take_part &= source < kWarpSize && lanes >> source & 1;
      warp.result[lane] = warp.request[source % kWarpSize].value;
    });
    return all_take_part;
  });
}

bool ask_for_the_same(const WarpState &warp, unsigned lanes) {
  const WarpRequest &first = warp.request[__builtin_ctz(lanes)];
  bool same = true;
  for_each_lane(lanes, [&](unsigned lane) {
    same &= asks_for_the_same(warp.request[lane], first);
  });
  return same;
}

bool SpoiledLanes::follow(const WarpRequest (&request)[kWarpSize], unsigned lanes) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(lanes));
  const WarpRequest &common = request[first];
  const unsigned argument = 1u << (common.argument & 31);
  if (function != common.function || arguments & argument) sure = in_doubt = arguments = 0;
  function = common.function;
  arguments |= argument;
  for_each_lane(lanes & in_doubt, [&](unsigned lane) {
    if (request[lane].value != given[lane]) sure |= 1u << lane;
  });
  in_doubt = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    const unsigned source = source_lane(request[lane], lane);
    if (lanes >> source & 1 && !(sure >> source & 1)) return;
    in_doubt |= 1u << lane;
    given[lane] = request[lane].value;
  });
  return sure >> first & 1;
}

// A result that is the same for all lanes: a vote, a reduction, the active lanes.
long long common_result(const WarpState &warp, WarpFunction function, unsigned lanes) {
  if (function == WarpFunction::active_mask) return lanes;
  if (function == WarpFunction::sync) return 0;
  long long result = 0;
  bool first = true;
  for_each_lane(lanes, [&](unsigned lane) {
    const long long value = warp.request[lane].value;
    if (function == WarpFunction::ballot)
      result |= value << lane;
    else
      result = first ? value : combine(function, result, value);
    first = false;
  });
  return result;
}

unsigned lanes_with_value(const WarpState &warp, unsigned lanes, long long value) {
  unsigned equal = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    equal |= static_cast<unsigned>(warp.request[lane].value == value) << lane;
  });
  return equal;
}

unsigned lanes_asking_who_is_here(const WarpState &warp, unsigned lanes) {
  unsigned asking = 0;
  for_each_lane(lanes, [&](unsigned lane) {
    asking |= static_cast<unsigned>(warp.request[lane].function == WarpFunction::active_mask)
              << lane;
  });
  return asking;
}

}  // namespace cuda_on_cpu
