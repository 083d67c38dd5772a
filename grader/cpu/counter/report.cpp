// The counters of every kernel by line of the source: a table for people, JSON for programs.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "counter.hpp"

namespace cuda_on_cpu::count {
namespace {

const char *name_of_pieces(const LineCounters &line) {
  if (line.access == "atomic") return "turns";
  return line.space == "global" ? "sectors" : "wavefronts";
}
double ratio(std::uint64_t a, std::uint64_t b) {
  return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

// "97.3 %", or "-" when `all` is 0.
std::string share(std::uint64_t part, std::uint64_t all) {
  if (!all) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * ratio(part, all));
  return text;
}

void print_table(std::FILE *out, const KernelCounters &kernel) {
  std::fprintf(out,
               "warpwise counters, kernel %s: launches %llu, blocks %llu, threads %llu, "
               "barriers per block %.4g, branch efficiency %s\n",
               kernel.kernel.c_str(), 0ull + kernel.launches, 0ull + kernel.blocks,
               0ull + kernel.threads, ratio(kernel.barriers, kernel.blocks),
               share(kernel.uniform_branches, kernel.branches).c_str());
  if (!kernel.lines.empty())
    std::fprintf(out, "  %-24s %-13s %12s %23s %11s %12s %8s\n", "line", "access", "requests",
                 "sectors or wavefronts", "per request", "ideal", "uniform");
  for (const LineCounters &line : kernel.lines) {
    const std::string access = line.space + " " + line.access;
    std::fprintf(out, "  %-24s %-13s %12llu", line.line.c_str(), access.c_str(),
                 0ull + line.requests);
    std::fprintf(out, " %12llu %10s %11.2f %12llu", 0ull + line.pieces, name_of_pieces(line),
                 ratio(line.pieces, line.requests), 0ull + line.ideal);
    std::fprintf(out, " %8s\n", share(line.uniform_branches, line.branches).c_str());
  }
}

std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') result += '\\';
    result += letter;
  }
  return result + '"';
}

// Only if there is a branch: without one there is no efficiency.
void write_branches(std::FILE *out, std::uint64_t branches, std::uint64_t uniform) {
  if (branches)
    std::fprintf(out, R"(, "branches": %llu, "branch_efficiency": %.4f)", 0ull + branches,
                 ratio(uniform, branches));
}

void write_line(std::FILE *out, const LineCounters &line) {
  std::fprintf(out, R"({"line": %s, "space": "%s", "access": "%s", "requests": %llu)",
               quoted(line.line).c_str(), line.space.c_str(), line.access.c_str(),
               0ull + line.requests);
  std::fprintf(out, R"(, "%s": %llu, "per_request": %.4f, "ideal": %llu)", name_of_pieces(line),
               0ull + line.pieces, ratio(line.pieces, line.requests), 0ull + line.ideal);
  write_branches(out, line.branches, line.uniform_branches);
  std::fprintf(out, "}");
}

void write_kernel(std::FILE *out, const KernelCounters &kernel) {
  std::fprintf(out,
               R"({"kernel": %s, "launches": %llu, "blocks": %llu, "threads": %llu, )"
               R"("barriers": %llu, "barriers_per_block": %.4f)",
               quoted(kernel.kernel).c_str(), 0ull + kernel.launches, 0ull + kernel.blocks,
               0ull + kernel.threads, 0ull + kernel.barriers,
               ratio(kernel.barriers, kernel.blocks));
  write_branches(out, kernel.branches, kernel.uniform_branches);
  std::fputs(", \"lines\": [", out);
  const char *separator = "\n  ";
  for (const LineCounters &line : kernel.lines) {
    std::fputs(separator, out);
    write_line(out, line);
    separator = ",\n  ";
  }
  std::fprintf(out, "]}");
}

// Written under another name first, so that a process that waits for the file finds all or nothing.
void write_json(const std::string &path, const std::vector<KernelCounters> &kernels) {
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  std::FILE *out = std::fopen(temporary.c_str(), "w");
  bool written = out != nullptr;
  if (out) {
    std::fputs("{\"kernels\": [", out);
    const char *separator = "\n";
    for (const KernelCounters &kernel : kernels) {
      std::fputs(separator, out);
      write_kernel(out, kernel);
      separator = ",\n";
    }
    std::fputs("]}\n", out);
    written = !std::ferror(out);
    written = std::fclose(out) == 0 && written;
  }
  if (written && std::rename(temporary.c_str(), path.c_str()) == 0) return;
  std::remove(temporary.c_str());
  std::fprintf(stderr, "warpwise: the counters could not be written to %s\n", path.c_str());
}

}  // namespace

void report_all() {
  std::fflush(stdout);
  const std::vector<KernelCounters> kernels = summary();
  for (const KernelCounters &kernel : kernels) print_table(stderr, kernel);
  if (const char *path = std::getenv("WARPWISE_COUNT_JSON"); path && *path)
    write_json(path, kernels);
}

}  // namespace cuda_on_cpu::count
