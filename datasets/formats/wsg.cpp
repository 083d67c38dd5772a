#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include "errors.hpp"
#include "graph_properties.hpp"
#include "readers.hpp"

static_assert(std::endian::native == std::endian::little, "a .wsg file is little-endian");

namespace datasets {
namespace {

/// A target and a weight as the file stores them.
struct WsgArc {
  std::int32_t target;
  std::int32_t weight;
};

class WsgReader {
 public:
  WsgReader(ByteSource& source, const std::string& name) : source_(source), name_(name) {}

  CsrGraph<double> read() {
    const auto directed = value<std::uint8_t>();
    if (directed > 1) refuse("its first byte is neither 0 nor 1");
    const auto arcs = value<std::int64_t>();
    const auto vertices = value<std::int64_t>();
    if (vertices < 0 || vertices > kMostVertices) refuse("its number of vertices is impossible");
    if (arcs < 0 || arcs > kMostArcs) refuse("its number of arcs is impossible");
    CsrGraph<double> graph = half(vertices, arcs);
    if (directed) {
      const CsrGraph<double> inverse = half(vertices, arcs);
      if (sum_of_arcs(inverse, true) != sum_of_arcs(graph))
        refuse("the inverse graph at its end is that of another graph");
    } else if (!is_undirected(graph)) {
      refuse("it calls itself undirected, but an arc has no opposite of equal weight");
    }
    char more = 0;
    if (source_.read(&more, 1) > 0) refuse("there are more bytes after its end");
    return graph;
  }

 private:
  [[noreturn]] void refuse(const std::string& reason) const {
    throw InputError(name_ + " is not a valid .wsg file: " + reason + ".");
  }

  void bytes(void* to, std::size_t size) {
    if (source_.read(static_cast<char*>(to), size) < size)
      refuse(offset_ == 0 && size == 1 ? "it is empty"
                                       : "it ends after byte " + std::to_string(offset_) +
                                             ", too early: it is truncated");
    offset_ += size;
  }

  template <typename T>
  T value() {
    T result;
    bytes(&result, sizeof result);
    return result;
  }

  /// Grows with what the file really contains, not with what its header promises.
  template <typename T>
  std::vector<T> array(std::int64_t count) {
    constexpr std::int64_t kAtOnce = 1 << 16;
    std::vector<T> values;
    for (std::int64_t done = 0; done < count; done += kAtOnce) {
      const std::int64_t part = std::min(kAtOnce, count - done);
      values.resize(static_cast<std::size_t>(done + part));
      bytes(values.data() + done, static_cast<std::size_t>(part) * sizeof(T));
    }
    return values;
  }

  CsrGraph<double> half(std::int64_t vertices, std::int64_t arcs) {
    CsrGraph<double> graph;
    const std::vector<std::int64_t> offsets = array<std::int64_t>(vertices + 1);
    if (offsets.front() != 0 || offsets.back() != arcs || !std::ranges::is_sorted(offsets))
      refuse("its offsets do not ascend from 0 to the number of arcs");
    graph.offsets.assign(offsets.begin(), offsets.end());
    const std::vector<WsgArc> pairs = array<WsgArc>(arcs);
    graph.targets.reserve(pairs.size());
    graph.weights.reserve(pairs.size());
    for (const WsgArc arc : pairs) {
      if (arc.target < 0 || arc.target >= vertices)
        refuse("an arc ends at vertex " + std::to_string(arc.target) + " of " +
               std::to_string(vertices));
      if (arc.weight < 0) refuse("it has the negative weight " + std::to_string(arc.weight));
      graph.targets.push_back(arc.target);
      graph.weights.push_back(arc.weight);
    }
    sort_rows(graph, 0);
    return graph;
  }

  ByteSource& source_;
  const std::string& name_;
  std::size_t offset_ = 0;
};

}  // namespace

CsrGraph<double> read_wsg(ByteSource& source, const std::string& name) {
  return WsgReader(source, name).read();
}

}  // namespace datasets
