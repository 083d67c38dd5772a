// Measures this GPU's ceilings and prints them as JSON. Exit codes: 0 measured, 3 it cannot be.
#include <cstdio>
#include <exception>

#include "ceilings.hpp"
#include "json.hpp"

int main() {
  using namespace warpwise;
  try {
    const Ceilings found = measure_ceilings();
    const std::string json = JsonObject()
                                 .number("copied_bytes_per_second", found.copied_bytes)
                                 .number("cached_bytes_per_second", found.cached_bytes)
                                 .number("compares_per_second", found.compares)
                                 .number("exchanges_per_second", found.exchanges)
                                 .number("l2_gathers_per_second", found.l2_gathers)
                                 .number("memory_gathers_per_second", found.memory_gathers)
                                 .number("launch_seconds", found.launch_seconds)
                                 .number("barrier_seconds", found.barrier_seconds)
                                 .str();
    return std::puts(json.c_str()) < 0 ? 3 : 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ceilings: %s\n", error.what());
    return 3;
  }
}
