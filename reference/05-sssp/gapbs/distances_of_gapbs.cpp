// Distances as the GAP Benchmark Suite finds them: its sssp.cc, taken from a checkout at compile
// time, with another main.
//
//     distances_of_gapbs GRAPH.wsg DELTA OUT SOURCE...
//
// writes, for every source, one 32-bit number per vertex; -1 if no path leads to the vertex.
#define main main_of_gapbs
#include "sssp.cc"
#undef main

#include <cstdlib>
#include <fstream>

int main(int argc, char** argv) {
  if (argc < 5) return 2;
  char name[] = "sssp", file[] = "-f";
  char* arguments[] = {name, file, argv[1], nullptr};
  CLDelta<WeightT> options(3, arguments, "");
  if (!options.ParseArgs()) return 2;
  WeightedBuilder builder(options);
  const WGraph graph = builder.MakeGraph();
  std::ofstream out(argv[3], std::ios::binary);
  for (int i = 4; i < argc; ++i) {
    const pvector<WeightT> dist = DeltaStep(graph, std::atoi(argv[i]), std::atoi(argv[2]));
    for (const WeightT d : dist) {
      const std::int32_t written = d == kDistInf ? -1 : d;
      out.write(reinterpret_cast<const char*>(&written), sizeof written);
    }
  }
  return out.flush() ? 0 : 3;
}
