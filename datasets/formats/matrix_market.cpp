#include <algorithm>
#include <cctype>

#include "readers.hpp"
#include "text_lines.hpp"

namespace datasets {
namespace {

enum class Field { real, integer, pattern };

struct Header {
  Field field = Field::real;
  bool symmetric = false;
  std::int64_t vertices = 0;
  std::int64_t entries = 0;
};

std::string lower(std::string_view word) {
  std::string result(word);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

/// `%%MatrixMarket matrix coordinate FIELD SYMMETRY`; case matters only in the first word.
Header read_banner(std::string_view line, const Place& place) {
  Fields fields(line, place);
  if (fields.next() != "%%MatrixMarket")
    place.refuse("the file does not begin with %%MatrixMarket.");
  const std::string object = lower(fields.next());
  const std::string layout = lower(fields.next());
  const std::string field = lower(fields.next());
  const std::string symmetry = lower(fields.next());
  fields.end();
  if (object != "matrix" || layout != "coordinate")
    place.refuse("a graph is a `matrix coordinate`, not " + quoted(object + " " + layout) + ".");
  Header header;
  if (field == "integer")
    header.field = Field::integer;
  else if (field == "pattern")
    header.field = Field::pattern;
  else if (field != "real" && field != "double")
    place.refuse("weights are real, integer or pattern, not " + quoted(field) + ".");
  header.symmetric = symmetry == "symmetric";
  if (!header.symmetric && symmetry != "general")
    place.refuse("a graph's matrix is general or symmetric, not " + quoted(symmetry) + ".");
  return header;
}

void read_sizes(std::string_view line, const Place& place, Header& header) {
  Fields fields(line, place);
  const std::int64_t rows = fields.integer("number of rows", 0);
  const std::int64_t columns = fields.integer("number of columns", 0);
  header.vertices = rows;
  header.entries = fields.integer("number of entries", 0);
  fields.end();
  if (rows != columns) place.refuse("a graph's matrix must have as many rows as columns.");
  if (rows > kMostVertices) place.refuse("a graph has at most 2147483646 vertices.");
  if (header.entries > kMostArcs) place.refuse("a graph has at most 2147483647 arcs.");
}

int read_index(Fields& fields, const Place& place, const Header& header, const char* what) {
  const std::int64_t index = fields.integer(what, 1);
  if (index > header.vertices)
    place.refuse("the " + std::string(what) + " " + std::to_string(index) +
                 " is beyond the matrix's last, " + std::to_string(header.vertices) + ".");
  return static_cast<int>(index - 1);
}

Arc read_entry(std::string_view line, const Place& place, const Header& header) {
  Fields fields(line, place);
  const int row = read_index(fields, place, header, "row");
  const int column = read_index(fields, place, header, "column");
  const bool weighted = header.field != Field::pattern;
  const double weight = weighted ? fields.weight(header.field == Field::integer) : 1;
  fields.end();
  if (header.symmetric && row < column)
    place.refuse("a symmetric matrix lists its lower triangle only: row >= column.");
  return {row, column, weight};
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t") == line.npos; }

}  // namespace

ArcList read_matrix_market(ByteSource& source, const std::string& name) {
  TextLines lines(source, name);
  const Place& place = lines.place();
  auto line = lines.next();
  Header header = read_banner(*line, place);
  do line = lines.next();
  while (line && (is_blank(*line) || line->front() == '%'));
  if (!line) place.refuse("the line `ROWS COLUMNS ENTRIES` is missing: the file is truncated.");
  read_sizes(*line, place, header);

  ArcList list{.vertices = header.vertices, .weighted = header.field != Field::pattern};
  while ((line = lines.next())) {
    if (is_blank(*line)) continue;
    if (static_cast<std::int64_t>(list.arcs.size()) == header.entries)
      place.refuse("the header promises " + std::to_string(header.entries) + " entries, not more.");
    list.arcs.push_back(read_entry(*line, place, header));
  }
  if (static_cast<std::int64_t>(list.arcs.size()) < header.entries)
    place.refuse("the file ends after " + std::to_string(list.arcs.size()) + " of the " +
                 std::to_string(header.entries) + " entries of its header: it is truncated.");
  if (header.symmetric) add_opposites(list.arcs);
  return list;
}

}  // namespace datasets
