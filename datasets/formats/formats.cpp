#include "formats.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>

#include "output_file.hpp"
#include "readers.hpp"
#include "writers.hpp"

namespace datasets {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 6> kSuffixes = {{
    {".gr", Format::dimacs},
    {".mtx", Format::matrix_market},
    {".wel", Format::weighted_edge_list},
    {".el", Format::edge_list},
    {".txt", Format::snap},
    {".wsg", Format::wsg},
}};

ArcList read_arcs(Format format, ByteSource& source, const std::string& name) {
  switch (format) {
    case Format::dimacs:
      return read_dimacs(source, name);
    case Format::matrix_market:
      return read_matrix_market(source, name);
    case Format::snap:
      return read_snap(source, name);
    default:
      return read_edge_list(source, name, format == Format::weighted_edge_list);
  }
}

/// One more than the last vertex that an arc leaves or enters.
int vertices_with_arcs(const Graph& graph) {
  int count = 0;
  for (const int target : graph.targets) count = std::max(count, target + 1);
  for (int v = graph.vertices(); v > count; --v)
    if (graph.offsets[v] > graph.offsets[v - 1]) return v;
  return count;
}

bool is_edge_list(Format format) {
  return format == Format::edge_list || format == Format::weighted_edge_list;
}

/// Refuses a graph that the format cannot hold at all, or that could not be read back.
void check_fit(const Graph& graph, Format format, const std::string& path) {
  if (format == Format::dimacs) require_whole_weights(graph, 9007199254740992.0, "DIMACS");  // 2^53
  if (format == Format::wsg)
    require_whole_weights(graph, std::numeric_limits<std::int32_t>::max(), ".wsg");
  if (is_edge_list(format) && graph.arcs() == 0)
    throw InputError(path + ": an edge list cannot hold a graph without edges; write .gr or .mtx.");
  if (format != Format::wsg && graph.vertices() > most_vertices(graph.arcs()))
    throw InputError(path + ": " + std::to_string(graph.vertices()) + " vertices with only " +
                     std::to_string(graph.arcs()) + " arcs could not be read back.");
}

}  // namespace

FileType type_of(const std::string& path) {
  std::string_view name = path;
  const bool zipped = name.ends_with(".gz");
  if (zipped) name.remove_suffix(3);
  for (const auto& [suffix, format] : kSuffixes)
    if (name.ends_with(suffix)) return {format, zipped};
  throw InputError(path + ": unknown suffix; use .gr, .mtx, .wel, .el, .txt (SNAP) or .wsg, " +
                   "each with or without .gz.");
}

GraphFile read_graph(std::unique_ptr<ByteSource> source, const std::string& name,
                     const ReadOptions& options) {
  const FileType type = type_of(name);
  if (type.zipped) source = unzipped(std::move(source), name);
  if (type.format == Format::wsg) {
    if (options.undirected)
      throw InputError(name + ": a .wsg file says whether it is undirected; omit --undirected.");
    return {read_wsg(*source, name)};
  }
  ArcList list = read_arcs(type.format, *source, name);
  const bool weighted = list.weighted;
  return {to_graph(std::move(list), options, name), weighted};
}

GraphFile read_graph(const std::string& path, const ReadOptions& options) {
  type_of(path);  // report a wrong suffix before a missing file
  return read_graph(open_file(path), path, options);
}

std::string what_is_lost(const Graph& graph, const std::string& path) {
  const Format format = type_of(path).format;
  std::string lost;
  if (format == Format::edge_list) lost = path + " holds no weights. ";
  const int kept = vertices_with_arcs(graph);
  if (is_edge_list(format) && kept < graph.vertices())
    lost += path + " keeps vertices up to the last one with an edge: it has " +
            std::to_string(kept) + " of " + std::to_string(graph.vertices()) + ".";
  return lost;
}

void check_target(const std::string& path, bool force) {
  type_of(path);
  check_writable(path, force);
}

void write_graph(const Graph& graph, const std::string& path, bool force) {
  const FileType type = type_of(path);
  check_target(path, force);
  check_fit(graph, type.format, path);
  OutputFile file(path, type.zipped);
  switch (type.format) {
    case Format::dimacs:
      write_dimacs(graph, file);
      break;
    case Format::matrix_market:
      write_matrix_market(graph, file);
      break;
    case Format::weighted_edge_list:
      write_edge_list(graph, file, true);
      break;
    case Format::edge_list:
      write_edge_list(graph, file, false);
      break;
    case Format::snap:
      write_snap(graph, file);
      break;
    case Format::wsg:
      write_wsg(graph, file);
      break;
  }
  file.commit();
}

}  // namespace datasets
