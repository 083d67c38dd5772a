// The counters of every kernel by line of the source: a table for people, JSON for programs.
#include <unistd.h>

#include <compare>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../checker/source_line.hpp"
#include "counter.hpp"

namespace cuda_on_cpu::count {
namespace {

struct Line {
  std::string file;
  int number;
  Space space;
  Direction direction;
  std::string text() const { return number ? file + ":" + std::to_string(number) : file; }
  auto operator<=>(const Line &) const = default;
};
using Lines = std::map<Line, Sums>;

const char *name_of(Space space) { return space == Space::global ? "global" : "shared"; }
const char *name_of(Direction direction) {
  return direction == Direction::load ? "load" : direction == Direction::store ? "store" : "atomic";
}
const char *name_of_pieces(Space space) {
  return space == Space::global ? "sectors" : "wavefronts";
}
double ratio(std::uint64_t a, std::uint64_t b) {
  return b ? static_cast<double>(a) / static_cast<double>(b) : 0;
}

// The instructions of one line together.
Lines by_line(const Kernel &kernel) {
  Lines lines;
  for (const auto &[instruction, sums] : kernel.rows) {
    const std::string &where = check::source_line(instruction.site);
    const std::size_t colon = where.rfind(':');
    const int number = colon == std::string::npos ? 0 : std::atoi(where.c_str() + colon + 1);
    Sums &sum = lines[{where.substr(0, colon), number, instruction.space, instruction.direction}];
    sum.requests += sums.requests;
    sum.pieces += sums.pieces;
    sum.ideal += sums.ideal;
  }
  return lines;
}

void print_table(std::FILE *out, const Kernel &kernel, const Lines &lines) {
  std::fprintf(out,
               "warpwise counters, kernel %s: launches %llu, blocks %llu, threads %llu, "
               "barriers per block %.4g\n",
               kernel.name.c_str(), 0ull + kernel.launches, 0ull + kernel.blocks,
               0ull + kernel.threads, ratio(kernel.barriers, kernel.blocks));
  if (!lines.empty())
    std::fprintf(out, "  %-24s %-13s %12s %23s %11s %12s\n", "line", "access", "requests",
                 "sectors or wavefronts", "per request", "ideal");
  for (const auto &[line, sums] : lines) {
    const std::string access = std::string(name_of(line.space)) + " " + name_of(line.direction);
    std::fprintf(out, "  %-24s %-13s %12llu", line.text().c_str(), access.c_str(),
                 0ull + sums.requests);
    if (line.direction == Direction::atomic)
      std::fprintf(out, " %23s %11s %12s\n", "-", "-", "-");
    else
      std::fprintf(out, " %12llu %10s %11.2f %12llu\n", 0ull + sums.pieces,
                   name_of_pieces(line.space), ratio(sums.pieces, sums.requests),
                   0ull + sums.ideal);
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

void write_line(std::FILE *out, const Line &line, const Sums &sums) {
  std::fprintf(out, R"({"line": %s, "space": "%s", "access": "%s", "requests": %llu)",
               quoted(line.text()).c_str(), name_of(line.space), name_of(line.direction),
               0ull + sums.requests);
  if (line.direction != Direction::atomic)
    std::fprintf(out, R"(, "%s": %llu, "per_request": %.4f, "ideal": %llu)",
                 name_of_pieces(line.space), 0ull + sums.pieces, ratio(sums.pieces, sums.requests),
                 0ull + sums.ideal);
  std::fprintf(out, "}");
}

void write_kernel(std::FILE *out, const Kernel &kernel, const Lines &lines) {
  std::fprintf(out,
               R"({"kernel": %s, "launches": %llu, "blocks": %llu, "threads": %llu, )"
               R"("barriers": %llu, "barriers_per_block": %.4f, "lines": [)",
               quoted(kernel.name).c_str(), 0ull + kernel.launches, 0ull + kernel.blocks,
               0ull + kernel.threads, 0ull + kernel.barriers,
               ratio(kernel.barriers, kernel.blocks));
  const char *separator = "\n  ";
  for (const auto &[line, sums] : lines) {
    std::fputs(separator, out);
    write_line(out, line, sums);
    separator = ",\n  ";
  }
  std::fprintf(out, "]}");
}

// Under another name first: who waits for the file finds all of it or nothing.
void write_json(const std::string &path) {
  const std::string temporary = path + "." + std::to_string(getpid()) + ".tmp";
  std::FILE *out = std::fopen(temporary.c_str(), "w");
  bool written = out != nullptr;
  if (out) {
    std::fputs("{\"kernels\": [", out);
    const char *separator = "\n";
    for (const Kernel &kernel : counter().kernels) {
      std::fputs(separator, out);
      write_kernel(out, kernel, by_line(kernel));
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
  for (const Kernel &kernel : counter().kernels) print_table(stderr, kernel, by_line(kernel));
  if (const char *path = std::getenv("WARPWISE_COUNT_JSON"); path && *path) write_json(path);
}

}  // namespace cuda_on_cpu::count
