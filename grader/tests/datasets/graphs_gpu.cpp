// The GPU's graphs are the CPU's, bit for bit: on this preset's backend.
#include "graphs_gpu.hpp"

#include "catch.hpp"
#include "graphs.hpp"

using namespace datasets;

namespace {

template <typename Weight>
void require_same(const GraphRecipe& recipe) {
  const auto expected = make_graph<Weight>(recipe);
  const auto made = make_graph_on_gpu<Weight>(recipe);
  REQUIRE(made.offsets == expected.offsets);
  REQUIRE(made.targets == expected.targets);
  REQUIRE(made.weights == expected.weights);
}

}  // namespace

TEST_CASE("the GPU makes every shape as the CPU does", "[graphs_gpu]") {
  for (const GraphShape shape : kAllGraphShapes)
    for (const int n : {0, 1, 2, 33, 1000}) {
      INFO(describe(shape) << " of " << n << " vertices");
      require_same<float>(recipe_of(shape, n, 11));
      require_same<double>(recipe_of(shape, n, 11));
    }
}

TEST_CASE("the GPU makes directed and larger graphs as the CPU does", "[graphs_gpu]") {
  GraphRecipe recipe = rmat_recipe(13, 5);
  require_same<float>(recipe);
  recipe.directed = true;
  recipe.scrambled = false;
  require_same<double>(recipe);
}

TEST_CASE("another seed makes another graph on the GPU", "[graphs_gpu]") {
  CHECK(make_graph_on_gpu<float>(rmat_recipe(10, 1)).targets !=
        make_graph<float>(rmat_recipe(10, 2)).targets);
}
