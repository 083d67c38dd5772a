// What the CPU backend's counter says about a run, as it travels from the worker to the judge.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "message.hpp"

namespace warpwise {

struct LineCounters {
  std::string line, space, access;  // "rank_sort.cu:41", "global", "load"
  std::uint64_t requests = 0, pieces = 0, ideal = 0, branches = 0, uniform_branches = 0;
};

struct KernelCounters {
  std::string kernel;
  std::uint64_t launches = 0, blocks = 0, threads = 0, barriers = 0;
  std::uint64_t branches = 0, uniform_branches = 0;
  std::vector<LineCounters> lines;
};

inline void put_counters(MessageWriter& message, const std::vector<KernelCounters>& kernels) {
  message.put<std::uint32_t>(kernels.size());
  for (const KernelCounters& kernel : kernels) {
    message.put_text(kernel.kernel).put(kernel.launches).put(kernel.blocks).put(kernel.threads);
    message.put(kernel.barriers).put(kernel.branches).put(kernel.uniform_branches);
    message.put<std::uint32_t>(kernel.lines.size());
    for (const LineCounters& line : kernel.lines) {
      message.put_text(line.line).put_text(line.space).put_text(line.access);
      message.put(line.requests).put(line.pieces).put(line.ideal);
      message.put(line.branches).put(line.uniform_branches);
    }
  }
}

inline LineCounters get_line_counters(MessageReader& message) {
  LineCounters line;
  for (std::string* text : {&line.line, &line.space, &line.access}) *text = message.get_text();
  for (std::uint64_t* number :
       {&line.requests, &line.pieces, &line.ideal, &line.branches, &line.uniform_branches})
    *number = message.get<std::uint64_t>();
  return line;
}

inline std::vector<KernelCounters> get_counters(MessageReader& message) {
  std::vector<KernelCounters> kernels;
  for (auto left = message.get<std::uint32_t>(); left > 0; --left) {
    KernelCounters kernel;
    kernel.kernel = message.get_text();
    for (std::uint64_t* number : {&kernel.launches, &kernel.blocks, &kernel.threads,
                                  &kernel.barriers, &kernel.branches, &kernel.uniform_branches})
      *number = message.get<std::uint64_t>();
    for (auto lines = message.get<std::uint32_t>(); lines > 0; --lines)
      kernel.lines.push_back(get_line_counters(message));
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

}  // namespace warpwise
