// From instructions to lines of the source.
#include <cstdlib>
#include <tuple>
#include <utility>
#include <vector>

#include "../checker/source_line.hpp"
#include "counter.hpp"

namespace cuda_on_cpu::count {
namespace {

const char *name_of(Space space) {
  return space == Space::global ? "global" : space == Space::shared ? "shared" : "texture";
}
const char *name_of(Direction direction) {
  return direction == Direction::load ? "load" : direction == Direction::store ? "store" : "atomic";
}

// By file and number, so that line 9 comes before line 10.
using Line = std::tuple<std::string, int, Space, Direction>;

Line line_of(const Instruction &instruction) {
  const std::string &where = check::source_line(instruction.site);
  const std::size_t colon = where.rfind(':');
  const int number = colon == std::string::npos ? 0 : std::atoi(where.c_str() + colon + 1);
  return {where.substr(0, colon), number, instruction.space, instruction.direction};
}

std::vector<LineCounters> lines_of(const Kernel &kernel) {
  std::map<Line, LineCounters> lines;
  for (const auto &[instruction, sums] : kernel.rows) {
    LineCounters &line = lines[line_of(instruction)];
    line.line = check::source_line(instruction.site);
    line.space = name_of(instruction.space);
    line.access = name_of(instruction.direction);
    line.requests += sums.requests;
    line.pieces += sums.pieces;
    line.ideal += sums.ideal;
    line.branches += sums.branch.decisions();
    line.uniform_branches += sums.branch.uniform();
  }
  std::vector<LineCounters> list;
  for (auto &[key, line] : lines) list.push_back(std::move(line));
  return list;
}

KernelCounters summary_of(const Kernel &kernel) {
  KernelCounters all{
      kernel.name,     kernel.launches,          kernel.blocks,          kernel.threads,
      kernel.barriers, kernel.start.decisions(), kernel.start.uniform(), lines_of(kernel)};
  for (const LineCounters &line : all.lines) {
    all.branches += line.branches;
    all.uniform_branches += line.uniform_branches;
  }
  return all;
}

}  // namespace

std::vector<KernelCounters> summary() {
  std::vector<std::uint32_t> sites;
  for (const Kernel &kernel : counter().kernels)
    for (const auto &[instruction, sums] : kernel.rows) sites.push_back(instruction.site);
  check::look_up(std::move(sites));
  std::vector<KernelCounters> kernels;
  for (const Kernel &kernel : counter().kernels) kernels.push_back(summary_of(kernel));
  return kernels;
}

}  // namespace cuda_on_cpu::count
