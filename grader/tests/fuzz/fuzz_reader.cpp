// A libFuzzer target for the reader whose suffix the environment variable FUZZED names: whatever
// the bytes are, it refuses them with an InputError or hands out a sound graph. ./fuzz runs it.
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "formats.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

void require_sound(const datasets::CsrGraph<double>& graph) {
  require(graph.offsets.size() >= 1 && graph.offsets.front() == 0);
  require(graph.offsets.back() == graph.arcs());
  require(graph.weights.size() == graph.targets.size());
  for (int v = 0; v < graph.vertices(); ++v) require(graph.offsets[v] <= graph.offsets[v + 1]);
  for (const int target : graph.targets) require(target >= 0 && target < graph.vertices());
  for (const double weight : graph.weights) require(std::isfinite(weight) && weight >= 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const char* const format = std::getenv("FUZZED");
  require(format);  // nothing chosen: a run that would prove nothing
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    auto source = std::make_unique<datasets::MemorySource>(bytes);
    require_sound(datasets::read_graph(std::move(source), std::string("fuzzed.") + format).graph);
  } catch (const datasets::InputError&) {
  }
  return 0;
}
