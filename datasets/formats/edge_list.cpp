#include <algorithm>
#include <optional>

#include "readers.hpp"
#include "text_lines.hpp"

namespace datasets {
namespace {

bool is_comment(std::string_view first) {
  return first.empty() || first[0] == '#' || first[0] == '%';
}

/// The counts that SNAP's comments promise.
struct Promise {
  bool undirected = false;
  std::optional<std::int64_t> nodes;
  std::optional<std::int64_t> edges;
};

/// Takes the numbers of `# Nodes: 5 Edges: 7`; any other comment is only text.
void read_comment(std::string_view line, const Place& place, Promise& promise) {
  if (line.starts_with("# Undirected graph")) promise.undirected = true;
  const std::size_t start = line.find("Nodes:");
  if (start == line.npos) return;
  Fields fields(line.substr(start), place);
  fields.next();
  promise.nodes = fields.integer("number of nodes", 0);
  if (fields.next() == "Edges:") promise.edges = fields.integer("number of edges", 0);
}

struct Edge64 {
  std::int64_t from;
  std::int64_t to;
  double weight;
};

/// All different vertex numbers of the edges, ascending.
std::vector<std::int64_t> numbers_of(const std::vector<Edge64>& edges) {
  std::vector<std::int64_t> numbers;
  for (const Edge64& edge : edges) {
    numbers.push_back(edge.from);
    numbers.push_back(edge.to);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
}

/// If all numbers are below the promised count, they stay; otherwise they become 0, 1, 2, ...
ArcList renumbered(const std::vector<Edge64>& edges, const Promise& promise, const Place& place) {
  const std::vector<std::int64_t> numbers = numbers_of(edges);
  const auto distinct = static_cast<std::int64_t>(numbers.size());
  if (promise.nodes && *promise.nodes < distinct)
    place.refuse("the header promises " + std::to_string(*promise.nodes) + " nodes; the file has " +
                 std::to_string(distinct) + ".");
  const bool kept = promise.nodes && (numbers.empty() || numbers.back() < *promise.nodes);
  const auto number = [&](std::int64_t id) {
    if (kept) return static_cast<int>(id);
    return static_cast<int>(std::lower_bound(numbers.begin(), numbers.end(), id) - numbers.begin());
  };
  ArcList list{.vertices = kept ? *promise.nodes : distinct};
  if (list.vertices > kMostVertices) place.refuse("a graph has at most 2147483646 vertices.");
  for (const Edge64& edge : edges)
    list.arcs.push_back({number(edge.from), number(edge.to), edge.weight});
  return list;
}

}  // namespace

ArcList read_edge_list(ByteSource& source, const std::string& name, bool weighted) {
  TextLines lines(source, name);
  const Place& place = lines.place();
  ArcList list{.weighted = weighted};
  const auto vertex = [&](Fields& fields, const char* what) {
    const std::int64_t v = fields.integer(what, 0);
    if (v >= kMostVertices) place.refuse("vertex " + std::to_string(v) + " exceeds 2147483645.");
    list.vertices = std::max(list.vertices, v + 1);
    return static_cast<int>(v);
  };
  while (const auto line = lines.next()) {
    if (is_comment(Fields(*line, place).next())) continue;
    Fields fields(*line, place);
    const int from = vertex(fields, "start vertex");
    const int to = vertex(fields, "end vertex");
    const double weight = weighted ? fields.weight(false) : 1;
    fields.end();
    list.arcs.push_back({from, to, weight});
  }
  if (list.arcs.empty()) place.refuse("the file holds no edge.");
  return list;
}

ArcList read_snap(ByteSource& source, const std::string& name) {
  TextLines lines(source, name);
  const Place& place = lines.place();
  Promise promise;
  std::vector<Edge64> edges;
  std::optional<bool> weighted;  // all edges must be like the first one
  while (const auto line = lines.next()) {
    Fields fields(*line, place);
    if (is_comment(Fields(*line, place).next())) {
      read_comment(*line, place, promise);
      continue;
    }
    const std::int64_t from = fields.integer("start vertex", 0);
    const std::int64_t to = fields.integer("end vertex", 0);
    if (!weighted) weighted = !fields.at_end();
    const double weight = *weighted ? fields.weight(false) : 1;
    fields.end();
    edges.push_back({from, to, weight});
  }
  if (edges.empty() && !promise.nodes) place.refuse("the file holds no edge.");
  if (promise.edges && *promise.edges != static_cast<std::int64_t>(edges.size()))
    place.refuse("the header promises " + std::to_string(*promise.edges) + " edges; the file has " +
                 std::to_string(edges.size()) + ".");
  ArcList list = renumbered(edges, promise, place);
  list.weighted = weighted.value_or(true);  // without edges no weight is made up
  if (promise.undirected) add_opposites(list.arcs);
  return list;
}

}  // namespace datasets
