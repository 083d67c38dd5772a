#include "readers.hpp"
#include "text_lines.hpp"

namespace datasets {
namespace {

struct Problem {
  std::int64_t vertices = -1;
  std::int64_t arcs = 0;

  bool seen() const { return vertices >= 0; }
};

Problem read_header(Fields& fields, const Place& place) {
  Problem header;
  if (fields.next() != "sp") place.refuse("the header must be `p sp VERTICES ARCS`.");
  header.vertices = fields.integer("number of vertices", 0);
  header.arcs = fields.integer("number of arcs", 0);
  fields.end();
  if (header.vertices > kMostVertices) place.refuse("a graph has at most 2147483646 vertices.");
  if (header.arcs > kMostArcs) place.refuse("a graph has at most 2147483647 arcs.");
  return header;
}

int read_vertex(Fields& fields, const Place& place, const Problem& header, const char* what) {
  const std::int64_t vertex = fields.integer(what, 1);
  if (vertex > header.vertices)
    place.refuse("the " + std::string(what) + " " + std::to_string(vertex) +
                 " is beyond the header's " + std::to_string(header.vertices) + " vertices.");
  return static_cast<int>(vertex - 1);
}

}  // namespace

ArcList read_dimacs(ByteSource& source, const std::string& name) {
  TextLines lines(source, name);
  const Place& place = lines.place();
  Problem header;
  ArcList list;
  while (const auto line = lines.next()) {
    Fields fields(*line, place);
    const std::string_view kind = fields.next();
    if (kind.empty() || kind[0] == 'c') continue;
    if (kind == "p") {
      if (header.seen()) place.refuse("this is a second header; there must be one `p` line.");
      header = read_header(fields, place);
    } else if (kind == "a") {
      if (!header.seen()) place.refuse("an arc comes before the header `p sp VERTICES ARCS`.");
      if (static_cast<std::int64_t>(list.arcs.size()) == header.arcs)
        place.refuse("the header promises " + std::to_string(header.arcs) + " arcs, not more.");
      const int from = read_vertex(fields, place, header, "start vertex");
      const int to = read_vertex(fields, place, header, "end vertex");
      const double weight = fields.weight(true);
      fields.end();
      list.arcs.push_back({from, to, weight});
    } else {
      place.refuse("a .gr line begins with `c`, `p` or `a`, not with " + quoted(kind) + ".");
    }
  }
  if (!header.seen()) place.refuse("there is no header `p sp VERTICES ARCS`.");
  if (static_cast<std::int64_t>(list.arcs.size()) < header.arcs)
    place.refuse("the file ends after " + std::to_string(list.arcs.size()) + " of the " +
                 std::to_string(header.arcs) + " arcs of its header: it is truncated.");
  list.vertices = header.vertices;
  return list;
}

}  // namespace datasets
