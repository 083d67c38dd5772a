// What "correct" means for lab 05, stage by stage. A test's tag is the stage it belongs to.
#include "arrangements.hpp"
#include "cases.hpp"
#include "catch.hpp"
#include "distances.hpp"
#include "inputs.hpp"
#include "launch_check.hpp"
#include "oracle.hpp"
#include "rounds.hpp"
#include "searches.hpp"
#include "sequence_check.hpp"
#include "sssp.hpp"

using namespace warpwise;
using namespace sssp;
using oracle::EdgeList;

// ---- stage 1 ------------------------------------------------------------------------------------

namespace {

template <typename Weight, typename Entry>
void check_edges(Entry entry, const CsrGraph<Weight>& graph, const std::string& label) {
  const std::size_t room = graph.arcs() / 2;
  const Reply reply =
      call(entry, In("offsets", graph.offsets), In("targets", graph.targets),
           In("weights", graph.weights), graph.vertices(), graph.arcs(), Out<int>("start", room),
           Out<int>("end", room), Out<Weight>("weight", room));
  const EdgeList<Weight> right = oracle::edge_list(graph);
  require_few_bytes_to_host(reply, kRoundsOfPreparation);
  require_few_launches(reply, graph.vertices() + graph.arcs());
  note_work_of_one(reply, graph);
  const EdgeList<Weight> got = {reply.template buffer<int>("start"),
                                reply.template buffer<int>("end"),
                                reply.template buffer<Weight>("weight")};
  if (reply.template value<int>() != right.size())
    fail(Verdict::wrong_answer,
         at(reply, label) + "returned " + std::to_string(reply.template value<int>()) +
             " edges, should be " + std::to_string(right.size()) + draw_lists(got, right));
  for (int e = 0; e < right.size(); ++e)
    if (got.start[e] != right.start[e] || got.end[e] != right.end[e] ||
        got.weight[e] != right.weight[e])
      fail(Verdict::wrong_answer,
           at(reply, label) + "edge " + std::to_string(e) + " is " +
               show_edge(got.start[e], got.end[e], got.weight[e]) + ", should be " +
               show_edge(right.start[e], right.end[e], right.weight[e]) + draw_lists(got, right));
}

template <typename Weight, typename Entry>
auto edges_check(Entry entry) {
  return [=](const Case<Weight>& one) { check_edges(entry, one.graph, one.label); };
}

}  // namespace

TEST_CASE("edges lists every undirected edge once", "[edges]") {
  for_each_case<float>({1, 2, 33, 256, 257, 1025}, edges_check<float>(ENTRY(sssp::edges)));
}
TEST_CASE("edges lists the edges of larger graphs", "[edges]") {
  for_each_large_case<float>(edges_check<float>(ENTRY(sssp::edges)));
}
TEST_CASE("edges lists the edges of a large hub", "[edges]") {
  for_a_large_hub<float>(edges_check<float>(ENTRY(sssp::edges)));
}
/// More vertices would take long with a warp for each.
TEST_CASE("edges lists more than 2^22 edges of more than 2^20 vertices", "[edges]") {
  for_millions<float>(edges_check<float>(ENTRY(sssp::edges)), 1 << 20);
}
TEST_CASE("edges lists more than 2^20 edges with double weights", "[edges]") {
  for_millions<double>(edges_check<double>(ENTRY(sssp::edges_double)), 1 << 17, 1 << 20);
}
TEST_CASE("edges lists edges with double weights", "[edges]") {
  for_each_case<double>(kSizesOfDouble, edges_check<double>(ENTRY(sssp::edges_double)));
}

TEST_CASE("edges shares the arcs among threads", "[edges]") {
  for_many_hands<float>(edges_check<float>(ENTRY(sssp::edges)));
}

TEST_CASE("edges lists every number of edges of every number of vertices", "[edges]") {
  for_every_number_once<float>(kEverySize / 4, edges_check<float>(ENTRY(sssp::edges)));
}

// ---- stages 2, 3 and 4: sweeps over the list of edges -------------------------------------------

TEST_CASE("relax finds the distances", "[relax]") {
  for_each_case<float>(kSizes, sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds the distances in larger graphs", "[relax]") {
  for_each_large_case<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds the distances in a graph of 2^20 vertices", "[relax]") {
  for_a_million<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps), kSteps);
}
TEST_CASE("relax finds the distances around a large hub", "[relax]") {
  for_a_large_hub<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds the distances among more than 2^22 vertices and edges", "[relax]") {
  for_millions<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("relax finds distances of type double among more than 2^20 vertices and edges",
          "[relax]") {
  for_millions<double>(sweep_check<double>(ENTRY(sssp::relax_double), Rounds::sweeps), 1 << 20,
                       1 << 20);
}
TEST_CASE("relax makes as many sweeps as a long chain needs", "[relax]") {
  check_long_chains<float>(ENTRY(sssp::relax), 0);
}
TEST_CASE("relax finds distances of type double", "[relax]") {
  for_each_case<double>(kSizesOfDouble,
                        sweep_check<double>(ENTRY(sssp::relax_double), Rounds::sweeps));
}

TEST_CASE("restrict finds the distances", "[restrict]") {
  for_each_case<float>(kSizes, sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances in larger graphs", "[restrict]") {
  for_each_large_case<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances in a graph of 2^20 vertices", "[restrict]") {
  for_a_million<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps), kSteps);
}
TEST_CASE("restrict finds the distances around a large hub", "[restrict]") {
  for_a_large_hub<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances among more than 2^22 vertices and edges", "[restrict]") {
  for_millions<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("restrict finds distances of type double among more than 2^20 vertices and edges",
          "[restrict]") {
  for_millions<double>(sweep_check<double>(ENTRY(sssp::restrict_double), Rounds::sweeps), 1 << 20,
                       1 << 20);
}
TEST_CASE("restrict makes as many sweeps as a long chain needs", "[restrict]") {
  check_long_chains<float>(ENTRY(sssp::restrict), 1);
}
TEST_CASE("restrict finds distances of type double", "[restrict]") {
  for_each_case<double>(kSizesOfDouble,
                        sweep_check<double>(ENTRY(sssp::restrict_double), Rounds::sweeps));
}

TEST_CASE("atomic finds the distances", "[atomic]") {
  for_each_case<float>(kSizes, sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds the distances in larger graphs", "[atomic]") {
  for_each_large_case<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds the distances in a graph of 2^20 vertices", "[atomic]") {
  for_a_million<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses), kSteps);
}
TEST_CASE("atomic finds the distances around a large hub", "[atomic]") {
  for_a_large_hub<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds the distances among more than 2^22 vertices and edges", "[atomic]") {
  for_millions<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic makes as many sweeps as a long chain needs", "[atomic]") {
  for_a_long_chain<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("atomic finds distances of type double among more than 2^20 vertices and edges",
          "[atomic]") {
  for_millions<double>(sweep_check<double>(ENTRY(sssp::atomic_double), Rounds::no_losses), 1 << 20,
                       1 << 20);
}
TEST_CASE("atomic finds distances of type double", "[atomic]") {
  for_each_case<double>(kSizesOfDouble,
                        sweep_check<double>(ENTRY(sssp::atomic_double), Rounds::no_losses));
}

TEST_CASE("relax finds the distances along every number of edges", "[relax]") {
  for_every_number_once<float>(kEverySize / 2,
                               sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("restrict finds the distances along every number of edges", "[restrict]") {
  for_every_number_once<float>(kEverySize / 2,
                               sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("atomic finds the distances along every number of edges", "[atomic]") {
  for_every_number_once<float>(kEverySize / 2,
                               sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}

/// As long as any distance changes, however little that is beside the others.
template <typename Check>
void check_small_changes(const Check& check) {
  for (const std::size_t n : one_by_seed(40, 70))
    check(slightly_shorter_path<float>(static_cast<int>(n), judge().options().seed));
}
TEST_CASE("relax goes on after a small change", "[relax]") {
  check_small_changes(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("restrict goes on after a small change", "[restrict]") {
  check_small_changes(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("atomic goes on after a small change", "[atomic]") {
  check_small_changes(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("relax shares the edges among threads", "[relax]") {
  for_many_hands<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("restrict shares the edges among threads", "[restrict]") {
  for_many_hands<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("atomic shares the edges among threads", "[atomic]") {
  for_many_hands<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("relax goes on after 2^16 changes", "[relax]") {
  for_many_changes<float>(sweep_check<float>(ENTRY(sssp::relax), Rounds::sweeps));
}
TEST_CASE("restrict goes on after 2^16 changes", "[restrict]") {
  for_many_changes<float>(sweep_check<float>(ENTRY(sssp::restrict), Rounds::sweeps));
}
TEST_CASE("atomic goes on after 2^16 changes", "[atomic]") {
  for_many_changes<float>(sweep_check<float>(ENTRY(sssp::atomic), Rounds::no_losses));
}
TEST_CASE("relax counts every sweep", "[relax]") {
  count_every_sweep<float>(ENTRY(sssp::relax));
}
TEST_CASE("restrict counts every sweep", "[restrict]") {
  count_every_sweep<float>(ENTRY(sssp::restrict));
}
TEST_CASE("atomic counts every sweep", "[atomic]") {
  count_every_sweep<float>(ENTRY(sssp::atomic));
}

// ---- stage 5 ------------------------------------------------------------------------------------

TEST_CASE("arrange sorts the edges by segments", "[locality]") {
  check_arrangements<float>(ENTRY(sssp::arrange), {33, 257});
}
/// As many segments as the contract allows; 16 bits do not number the pairs of two of them.
TEST_CASE("arrange sorts the edges by 1024 segments", "[locality]") {
  constexpr int kVertices = 2048, kSegments = 1024;
  for (const std::size_t n : once_within_reach({kVertices})) {
    const auto one = generated_case<float>(GraphShape::uniform, static_cast<int>(n),
                                           judge().options().seed);
    arrange_and_check(ENTRY(sssp::arrange), one.graph, kVertices / kSegments, one.label);
    const auto ends = joined_ends<float>(kVertices, 50);
    arrange_and_check(ENTRY(sssp::arrange), ends.graph, kVertices / kSegments, ends.label);
  }
}
TEST_CASE("segment makes at most 1024 segments of a graph of any size", "[locality]") {
  for (const int n : {1, 2, 1023, 1025, 1 << 20, (1 << 20) + 1, 3'000'000, (1 << 22) + 1,
                      (1 << 23) - 1, 123'456'789, (1 << 30) - 1, 1 << 30})
    require_segments(n);
}
TEST_CASE("locality finds the distances", "[locality]") {
  for_each_case<float>(kSizes, segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality finds the distances in larger graphs", "[locality]") {
  for_each_large_case<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality finds the distances between two dense parts", "[locality]") {
  segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality))(two_dense_parts<float>(96));
}
TEST_CASE("locality finds the distances in a graph of 2^20 vertices", "[locality]") {
  for_a_million<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)), kSteps);
}
TEST_CASE("locality finds the distances among more than 2^22 vertices and edges", "[locality]") {
  for_millions<float>([](const Case<float>& one) {
    const int n = one.graph.vertices();
    const EdgeList<float> edges = in_either_direction(oracle::edge_list(one.graph));
    const auto list = by_segments(edges, require_segments(n));
    check_search(prepare(ENTRY(sssp::locality), In("start", list.start), In("end", list.end),
                         In("weight", list.weight), list.size(), n, one.sources[0],
                         Out<float>("dist", n)),
                 one, one.sources[0], Rounds::sweeps);
  });
}
TEST_CASE("locality finds the distances around a large hub", "[locality]") {
  for_a_large_hub<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality makes as many sweeps as a long chain needs", "[locality]") {
  for_a_long_chain<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality finds more distances of type double than 16 bits count", "[locality]") {
  for_a_million<double>(
      segment_check<double>(ENTRY(sssp::arrange_double), ENTRY(sssp::locality_double)));
}
TEST_CASE("locality arranges edges and finds distances of type double", "[locality]") {
  check_arrangements<double>(ENTRY(sssp::arrange_double), {33});
  for_each_case<double>(kSizesOfDouble, segment_check<double>(ENTRY(sssp::arrange_double),
                                                              ENTRY(sssp::locality_double)));
}

TEST_CASE("locality goes on after a small change", "[locality]") {
  check_small_changes(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
TEST_CASE("locality shares the edges among threads", "[locality]") {
  for_many_hands<float>(segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}
/// Two calls for each graph, or three.
TEST_CASE("locality finds the distances along every number of edges", "[locality]") {
  for_every_number_once<float>(
      kEverySize / 4, segment_check<float>(ENTRY(sssp::arrange), ENTRY(sssp::locality)));
}

// ---- stages 6 and 7: searches in the CSR --------------------------------------------------------

TEST_CASE("frontier finds the distances", "[frontier]") {
  for_each_case<float>(kSizes, frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier relaxes the arcs of those vertices alone that came closer", "[frontier]") {
  require_few_relaxations();
}
TEST_CASE("frontier finds the distances in larger graphs", "[frontier]") {
  for_each_large_case<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds the distances in a graph of 2^20 vertices", "[frontier]") {
  for_a_million<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds the distances around a large hub", "[frontier]") {
  for_a_large_hub<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds the distances among more than 2^22 vertices and edges", "[frontier]") {
  for_millions<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier makes as many rounds as a long chain needs", "[frontier]") {
  for_long_chains<float>(7003, false, frontier_check<float>(ENTRY(sssp::frontier)),
                         frontier_check<float>(ENTRY(sssp::frontier), Patience::little));
}
/// More rounds than 8 bits count, or 11, after which a vertex comes closer once more. The source is
/// the last of an even number of vertices, and of an odd one.
TEST_CASE("frontier comes back to a vertex after many rounds", "[frontier]") {
  for (const std::size_t n : once_within_reach({300, 2101}))
    frontier_check<float>(ENTRY(sssp::frontier))(chain_and_heavy_edges<float>(static_cast<int>(n)));
}
TEST_CASE("frontier reaches many vertices at once", "[frontier]") {
  for_many_at_once<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds distances of type double among more than 2^20 vertices and edges",
          "[frontier]") {
  for_millions<double>(frontier_check<double>(ENTRY(sssp::frontier_double)), 1 << 20, 1 << 20);
}
TEST_CASE("frontier finds the distances along every number of edges", "[frontier]") {
  for_every_number_once<float>(kEverySize / 2, frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier shares the arcs among threads", "[frontier]") {
  for_many_hands<float>(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier goes on after a small change", "[frontier]") {
  check_small_changes(frontier_check<float>(ENTRY(sssp::frontier)));
}
TEST_CASE("frontier finds distances of type double", "[frontier]") {
  for_each_case<double>(kSizesOfDouble, frontier_check<double>(ENTRY(sssp::frontier_double)));
}

TEST_CASE("delta sorts arcs and finds the distances", "[delta]") {
  for_each_case<float>(kSizes, delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
TEST_CASE("delta finds the distances in larger graphs", "[delta]") {
  for_each_large_case<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
namespace {

/// A phase of many threads that wait for each other takes long on a CPU: a search that is too slow
/// says nothing.
void check_many_phases(const Case<float>& one) {
  const int source = one.sources[0];
  const auto sorted = sort_and_check(ENTRY(sssp::lightest_first), one.graph, one.label);
  const std::optional<Reply> reply =
      judge().call_in_part(prepare_search(ENTRY(sssp::delta), sorted, source), kLittlePatience);
  if (reply) require_distances(*reply, one.label, sorted, source, reply->buffer<float>("dist"));
}

}  // namespace

/// Thousands of buckets of a vertex each, and a bucket of two thousand rounds.
TEST_CASE("delta makes as many phases as a long chain needs", "[delta]") {
  for_long_chains<float>(2700, false, check_many_phases, check_many_phases);
  for (const std::size_t n : once_within_reach({2100}))
    check_many_phases(weightless_chain<float>(static_cast<int>(n)));
}
/// Its arcs are sorted.
TEST_CASE("delta finds the distances along more than 2^22 edges", "[delta]") {
  for_millions<float>([](const Case<float>& one) {
    const int source = one.sources[0];
    check_search(prepare_search(ENTRY(sssp::delta), one.graph, source), one, source,
                 Rounds::phases);
  }, 1 << 17);
}
TEST_CASE("delta finds the distances in a graph of 2^20 vertices", "[delta]") {
  for_a_million<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
/// So many arcs that no block holds them at once, and few enough for one thread to sort them.
TEST_CASE("delta sorts the arcs of a large hub", "[delta]") {
  for (const std::size_t n : once_within_reach({34'000})) {
    const auto one = generated_case<float>(GraphShape::star, static_cast<int>(n),
                                           judge().options().seed);
    sort_and_check(ENTRY(sssp::lightest_first), one.graph, one.label);
  }
}
/// More arcs than 16 bits count; how many more, no program knows. Few blocks rank the hub's arcs:
/// among them the first and the last, which are the heaviest. A single thread has the arcs nearly
/// in order.
TEST_CASE("delta sorts more arcs of one vertex than 16 bits count", "[delta]") {
  std::mt19937_64 random(judge().options().seed);
  const std::size_t more = datasets::below(random, 200'000);
  for (const std::size_t n : once_within_reach({70'001 + more}))
    check_last_arcs_of_hub(static_cast<int>(n));
}
/// Its arcs are sorted. Each leaf is reached by one of them alone, and from afar: all are put off
/// together, by a search with buckets up to half as wide as the heaviest arc.
TEST_CASE("delta finds the distances around a large hub", "[delta]") {
  for_a_large_hub<float>([](const Case<float>& one) {
    Case<float> afar = {one.label, lightest_arcs_first(one.graph), one.sources};
    const float heaviest = std::ranges::max(afar.graph.weights);
    for (float& weight : afar.graph.weights) weight += heaviest;
    for (const int source : afar.sources)
      check_search(prepare_search(ENTRY(sssp::delta), afar.graph, source), afar, source,
                   Rounds::phases);
  });
}
TEST_CASE("delta finds more distances of type double than 16 bits count", "[delta]") {
  for_a_million<double>(
      delta_check<double>(ENTRY(sssp::lightest_first_double), ENTRY(sssp::delta_double)));
}
/// Two calls for each graph.
TEST_CASE("delta finds the distances along every number of edges", "[delta]") {
  for_every_number_once<float>(
      kEverySize / 4, delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
TEST_CASE("delta shares the arcs among threads", "[delta]") {
  for_many_hands<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
}
TEST_CASE("delta comes back to what it has put off", "[delta]") {
  delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta))(even_ring<float>(64));
  for (const std::size_t n : within_reach({1000}))
    delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta))(
        chain_and_heavy_edge<float>(static_cast<int>(n)));
  for (const std::size_t n : once_within_reach({300}))
    delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta))(
        chain_and_heavy_edges<float>(static_cast<int>(n)));
}
TEST_CASE("delta reaches many vertices at once", "[delta]") {
  for_many_at_once<float>(delta_check<float>(ENTRY(sssp::lightest_first), ENTRY(sssp::delta)));
  for (const std::size_t leaves : once_within_reach({17'001 + below_by_seed(3000)})) {
    auto one = hub_behind_leaves<float>(static_cast<int>(leaves));
    one.graph = lightest_arcs_first(one.graph);
    check_search(prepare_search(ENTRY(sssp::delta), one.graph, 0), one, 0, Rounds::phases);
  }
  // More than 2^12 that have to relax heavy edges, and fewer than a 16th of all vertices.
  for (const std::size_t near : once_within_reach({4200 + below_by_seed(4200)})) {
    const auto one = leaves_put_off<float>(static_cast<int>(near));
    check_search(prepare_search(ENTRY(sssp::delta), one.graph, 0), one, 0, Rounds::phases);
  }
}
TEST_CASE("delta sorts arcs and finds distances of type double", "[delta]") {
  for_each_case<double>(kSizesOfDouble, delta_check<double>(ENTRY(sssp::lightest_first_double),
                                                            ENTRY(sssp::delta_double)));
}
