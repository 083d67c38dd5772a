#include "kernel_report.hpp"

#include "json.hpp"
#include "judge.hpp"
#include "report_file.hpp"

namespace warpwise {
namespace {

std::string line_json(const LineCounters& line) {
  return JsonObject()
      .text("line", line.line)
      .text("space", line.space)
      .text("access", line.access)
      .integer("requests", line.requests)
      .integer("pieces", line.pieces)
      .integer("ideal", line.ideal)
      .integer("branches", line.branches)
      .integer("uniform_branches", line.uniform_branches)
      .str();
}

std::string kernel_json(const KernelCounters& kernel) {
  return JsonObject()
      .text("kernel", kernel.kernel)
      .integer("launches", kernel.launches)
      .integer("blocks", kernel.blocks)
      .integer("threads", kernel.threads)
      .integer("barriers", kernel.barriers)
      .integer("branches", kernel.branches)
      .integer("uniform_branches", kernel.uniform_branches)
      .raw("lines", json_list(kernel.lines, line_json))
      .str();
}

std::string resources_json(const KernelResources& kernel) {
  return JsonObject()
      .text("kernel", kernel.kernel)
      .integer("launches", kernel.launches)
      .integer("grid", kernel.grid)
      .integer("block", kernel.block)
      .integer("registers", kernel.registers)
      .integer("static_shared", kernel.static_shared)
      .integer("dynamic_shared", kernel.dynamic_shared)
      .integer("local", kernel.local)
      .integer("resident_threads", kernel.resident_threads)
      .integer("most_threads", kernel.most_threads)
      .str();
}

/// One call on the bench's input, checked like every call.
void make_one_call(const JudgeOptions& options, const Bench& bench) {
  const TimedCall timed = bench.prepare(judge(), options.n)(options.seed);
  timed.verify(judge().call(timed.call));
}

int report(const JudgeOptions& options, const char* verdict, const std::string& kernels) {
  const std::string text = JsonObject()
                               .text("stage", options.stage)
                               .integer("n", options.n)
                               .text("verdict", verdict)
                               .raw("kernels", kernels)
                               .str();
  return write_report(options.report, text) ? 0 : 3;
}

}  // namespace

int count_stage(const JudgeOptions& options, const Bench& bench) {
  make_one_call(options, bench);
  return report(options, "counted", json_list(judge().counters(), kernel_json));
}

int profile_stage(const JudgeOptions& options, const Bench& bench) {
  make_one_call(options, bench);
  return report(options, "profiled", json_list(judge().resources(), resources_json));
}

}  // namespace warpwise
