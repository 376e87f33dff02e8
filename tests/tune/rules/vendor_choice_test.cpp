// SPDX-License-Identifier: BSD-3-Clause
// Which algorithms MPI libraries take, and which of ours send the same messages. tests/mpi/callers/vendor_choice.cpp compares both
// with what the libraries do.
#include "quadrille/vendor_choice.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"

namespace quadrille {
namespace {

std::string ours(std::string_view library, const Problem& problem, std::string_view algorithm) {
  const auto choice = vendor_equivalent(library, problem, algorithm);
  return choice ? specification(shortened(problem, *choice)) : "none: " + choice.error();
}

Problem any(Collective collective, Count ranks, Bytes bytes, bool commutative = true) {
  Problem problem{.collective = collective, .ranks = ranks, .block_bytes = bytes, .commutative = commutative};
  if (is_irregular(collective)) {
    problem.block_bytes = 0;
    problem.counts = std::make_shared<const std::vector<Bytes>>(
        static_cast<std::size_t>(has_pair_counts(collective) ? ranks * ranks : ranks), bytes);
  }
  if (!moves_data(collective)) problem.block_bytes = 0;
  return problem;
}

// The library's algorithms fall back to others.
TEST(VendorChoice, EquivalentsDependOnTheProblem) {
  EXPECT_EQ(ours("openmpi", Problem::allgather(8, 64), "recursive_doubling"), "recursive-doubling");
  EXPECT_EQ(ours("openmpi", Problem::allgather(6, 64), "recursive_doubling"), "concatenation");
  EXPECT_EQ(ours("openmpi", Problem::allgather(6, 64), "neighbor"), "neighbor-exchange");
  EXPECT_EQ(ours("openmpi", Problem::allgather(7, 64), "neighbor"), "ring");
  EXPECT_EQ(ours("openmpi", Problem::allreduce(3, 8, {.element_bytes = 4}), "ring"), "recursive-doubling");
  EXPECT_EQ(ours("openmpi", Problem::allreduce(3, 12, {.element_bytes = 4}), "ring"), "ring");
  EXPECT_EQ(ours("openmpi", Problem::alltoallv(3, std::vector<Bytes>(9, 1)), "basic_linear"), "direct");
  EXPECT_EQ(ours("openmpi", Problem::broadcast(16, 64), "binomial"), "knomial:first=near,radix=2");
  EXPECT_EQ(ours("openmpi", Problem::reduce(16, 64), "chain"), "tree:fan-out=1");
  EXPECT_EQ(ours("mpich", Problem::alltoall(8, 64), "pairwise"), "xor");
  EXPECT_EQ(ours("mpich", Problem::alltoall(9, 64), "pairwise"), "shift");
  EXPECT_EQ(ours("mpich", Problem::alltoall(40, 64), "scattered"), "scattered");
  EXPECT_EQ(ours("openmpi", Problem::reduce_scatter(6, 64), "recursive_halving"), "recursive-halving");
  EXPECT_EQ(ours("openmpi", Problem::reduce_scatter(6, 64), "butterfly"), "butterfly");
  EXPECT_EQ(ours("openmpi", Problem::reduce_scatter(8, 64), "butterfly"), "recursive-halving:first=near");
  EXPECT_EQ(ours("openmpi", Problem::broadcast(256, 1), "split_binary_tree"), "chain");
  EXPECT_EQ(ours("openmpi", Problem::broadcast(256, 2), "split_binary_tree"), "split-tree");
  EXPECT_EQ(ours("openmpi", Problem::allreduce(6, 64, {.element_bytes = 4}), "rabenseifner"), "rabenseifner:fold=halves");
  EXPECT_EQ(ours("mpich", Problem::allreduce(6, 64, {.element_bytes = 4}), "reduce_scatter_allgather"), "rabenseifner");
  EXPECT_EQ(ours("openmpi", Problem::alltoall(6, 64), "quick").substr(0, 24), "none: no algorithm 'quic");
  EXPECT_EQ(ours("openmpi", Problem::alltoall(1, 64), "self"), "direct");
}

// Algorithms of two parts: each part is what the library takes for its own problem.
TEST(VendorChoice, PartsAreWhatTheLibraryTakesForThem) {
  EXPECT_EQ(ours("openmpi", Problem::allgatherv(8, std::vector<Bytes>(8, 100)), "default"),
            "gather-broadcast:broadcast=knomial,gather=linear");
  EXPECT_EQ(ours("openmpi", Problem::reduce_scatter(16, 8, {.element_bytes = 4}), "basic_linear"),
            "reduce-then-scatter:reduce=tree:segments=1");
  EXPECT_EQ(ours("openmpi", Problem::reduce_scatter(16, 8, {.element_bytes = 4, .commutative = false}), "basic_linear"),
            "reduce-then-scatter:reduce=in-order-tree");
  EXPECT_EQ(ours("openmpi", Problem::reduce_scatterv(4, {4, 4, 4, 4}, {.element_bytes = 4}), "non-overlapping"),
            "reduce-then-scatter:reduce=tree:segments=1,scatter=linear");
  EXPECT_EQ(ours("openmpi", Problem::allreduce(128, 1, {}), "nonoverlapping"),
            "reduce-broadcast:broadcast=(knomial:radix=2,first=near)");
}

// Each algorithm that the rules take has a row in the table of equivalents, whose specification is one of our table.
TEST(VendorChoice, EveryAlgorithmOfTheRulesIsMapped) {
  std::set<std::string> mapped, missing;
  for (const VendorLibrary& library : all_vendor_libraries())
    for (const Collective collective : all_collectives())
      for (const Count ranks : {1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 64, 100, 128, 256, 512, 1024, 2048, 4096})
        for (const Bytes bytes : {0, 1, 8, 64, 512, 2048, 16384, 65536, 524288, 4194304}) {
          if (has_pair_counts(collective) && ranks > 128) continue;
          for (const bool commutative : {true, false}) {
            if (!commutative && !is_reduction(collective)) continue;
            const Problem problem = any(collective, ranks, bytes, commutative);
            const auto algorithm = vendor_algorithm(library.id, problem);
            if (!algorithm) {
              EXPECT_EQ(library.id, "mpich") << algorithm.error();
              continue;
            }
            const auto choice = vendor_equivalent(library.id, problem, *algorithm);
            const std::string text = fmt::format("{} {} {}", library.id, name(collective), *algorithm);
            (choice ? mapped : missing).insert(text);
            if (!choice) EXPECT_EQ(choice.error().find("is known"), std::string::npos) << text << ": " << choice.error();
          }
        }
  EXPECT_GT(mapped.size(), 60u);
  EXPECT_TRUE(mapped.count("openmpi broadcast knomial"));
  EXPECT_TRUE(mapped.count("openmpi broadcast split_binary_tree"));
  // Of Open MPI only broadcasts by shares, some of which are empty, have no equivalent.
  missing.erase("openmpi broadcast scatter_allgather"), missing.erase("openmpi5 broadcast scatter_allgather");
  for (const std::string& each : missing) EXPECT_TRUE(each.starts_with("mpich")) << each;
}

TEST(VendorChoice, RefusesLibrariesThatAreNotKnown) {
  EXPECT_FALSE(find_vendor_library("lam"));
  try {
    vendor_algorithm("lam", Problem::alltoall(2, 8));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::misuse);
    EXPECT_NE(std::string(error.what()).find("openmpi, openmpi5, mpich"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace quadrille
