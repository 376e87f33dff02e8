// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm Open MPI takes: the thresholds of its component coll/tuned, which are the same in 4.1 and 5.0. Also its
// algorithms as rows of our table.
#include "tune/rules/vendor_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "collectives/spreading/two_parts.hpp"
#include "problem/collective_facts.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/algorithm.hpp"

namespace quadrille {
namespace {

enum class Operators : std::uint8_t { any, commuting, ordered };

// One line of `text` for each number of ranks from which the line holds. "8: ring, 64 bruck": among 8 ranks or more, Open MPI
// takes ring below 64 B, and bruck from 64 B on. The bytes are those of `size_of`.
struct Rules {
  Collective collective;
  Operators operators;
  const char* text;
};

constexpr Rules all_rules[] = {
    {Collective::allreduce, Operators::ordered, R"(
2: recursive_doubling, 131072 basic_linear
4: recursive_doubling
8: recursive_doubling, 1048576 nonoverlapping
16: recursive_doubling
128: nonoverlapping, 131072 recursive_doubling, 524288 nonoverlapping
256: nonoverlapping, 4096 recursive_doubling, 524288 nonoverlapping
512: nonoverlapping, 2048 recursive_doubling
)"},
    {Collective::allreduce, Operators::commuting, R"(
2: ring, 8 recursive_doubling, 4096 ring, 8192 recursive_doubling, 16384 ring, 65536 segmented_ring, 262144 rabenseifner
4: ring, 16 recursive_doubling, 8192 rabenseifner
8: recursive_doubling, 8192 rabenseifner
16: segmented_ring, 64 recursive_doubling, 4096 rabenseifner
32: segmented_ring, 128 rabenseifner
64: recursive_doubling, 262144 rabenseifner
128: nonoverlapping, 131072 recursive_doubling, 262144 rabenseifner
256: nonoverlapping, 4096 rabenseifner
512: nonoverlapping, 2048 recursive_doubling, 16384 rabenseifner
2048: nonoverlapping, 2048 segmented_ring, 4096 recursive_doubling, 16384 rabenseifner
4096: nonoverlapping, 2048 segmented_ring, 16384 recursive_doubling, 32768 rabenseifner
)"},
    {Collective::alltoall, Operators::any, R"(
2: pairwise, 2 two_proc, 4 pairwise, 16 two_proc, 64 pairwise, 256 two_proc, 4096 pairwise, 32768 linear_sync, 262144 two_proc, 1048576 pairwise
3: linear_sync, 8192 linear, 16384 linear_sync, 65536 linear, 524288 pairwise, 1048576 linear
8: linear_sync, 262144 linear
16: linear_sync, 4 modified_bruck, 512 linear_sync, 8192 linear, 32768 linear_sync, 262144 linear, 524288 linear_sync
32: modified_bruck, 512 linear, 524288 linear_sync
64: modified_bruck, 1024 linear, 2048 linear_sync, 4096 linear, 262144 pairwise
128: modified_bruck, 1024 linear_sync, 2048 linear, 262144 pairwise
256: modified_bruck, 1024 linear_sync, 8192 linear, 32768 pairwise
512: modified_bruck, 512 linear_sync, 8192 linear, 16384 linear_sync, 131072 linear, 262144 pairwise
1024: modified_bruck, 512 linear_sync, 1024 linear, 2048 linear_sync, 16384 linear, 262144 linear_sync
2048: modified_bruck, 1024 linear_sync, 4096 linear, 8192 linear_sync, 131072 linear
4096: modified_bruck, 2048 linear_sync, 8192 linear, 16384 linear_sync, 32768 linear, 65536 linear_sync
)"},
    {Collective::alltoallv, Operators::any, R"(
2: pairwise
4: basic_linear
64: pairwise
128: basic_linear
256: pairwise
1024: basic_linear
)"},
    {Collective::barrier, Operators::any, R"(
2: recursive_doubling
4: linear
8: recursive_doubling
64: bruck
256: tree
512: bruck
1024: tree
4096: bruck
)"},
    {Collective::broadcast, Operators::any, R"(
2: pipeline, 32 binary_tree, 256 pipeline, 512 knomial, 1024 basic_linear, 32768 binary_tree, 131072 chain, 262144 basic_linear, 524288 binomial, 1048576 binary_tree
4: binary_tree, 64 binomial, 128 binary_tree, 2048 binomial, 8192 basic_linear, 1048576 chain
8: knomial, 8 binary_tree, 64 knomial, 4096 binary_tree, 16384 binomial, 32768 basic_linear
16: knomial, 4096 binomial, 1048576 scatter_allgather
32: binomial, 2048 knomial
64: knomial
128: binomial, 2 binary_tree, 16384 basic_linear, 32768 binary_tree, 65536 knomial
256: knomial, 16384 split_binary_tree, 32768 knomial
1024: knomial, 524288 scatter_allgather
2048: knomial, 262144 scatter_allgather
4096: knomial, 8192 binary_tree, 16384 knomial, 262144 scatter_allgather
)"},
    {Collective::reduce, Operators::ordered, R"(
2: in-order_binary, 8 linear
4: linear
8: in-order_binary, 1024 linear, 8192 in-order_binary, 16384 linear, 262144 in-order_binary
16: in-order_binary
128: in-order_binary, 512 linear, 1024 in-order_binary
256: in-order_binary
)"},
    {Collective::reduce, Operators::commuting, R"(
2: rabenseifner, 8 binary, 16 pipeline, 32 linear, 262144 pipeline, 524288 chain, 1048576 pipeline
4: binary, 4096 chain, 65536 binomial, 262144 linear, 524288 binomial, 1048576 linear
8: binary, 8192 binomial
16: binary, 4096 binomial
32: binomial
256: binomial, 8192 in-order_binary, 16384 binomial
512: binomial
2048: binomial, 512 in-order_binary, 1024 binomial, 8192 in-order_binary, 16384 binomial
4096: binomial, 16 in-order_binary, 32 binomial, 1024 in-order_binary, 2048 binomial, 8192 in-order_binary, 16384 binomial
)"},
    {Collective::reduce_scatterv, Operators::ordered, R"(
1: non-overlapping
)"},
    {Collective::reduce_scatterv, Operators::commuting, R"(
2: ring, 65536 butterfly, 131072 ring
4: non-overlapping, 8 recursive_halving, 262144 ring
8: recursive_halving, 262144 ring
32: non-overlapping, 64 recursive_halving, 2048 butterfly, 524288 ring
64: non-overlapping, 256 recursive_halving, 512 butterfly, 2048 recursive_halving, 4096 butterfly
128: non-overlapping, 256 recursive_halving, 512 butterfly
256: non-overlapping, 256 recursive_halving, 1024 butterfly
512: non-overlapping, 512 recursive_halving, 2048 butterfly, 8192 recursive_halving, 16384 butterfly
1024: non-overlapping, 512 recursive_halving, 4096 butterfly, 16384 recursive_halving, 32768 butterfly
2048: non-overlapping, 512 recursive_halving, 4096 butterfly
4096: non-overlapping, 1024 recursive_halving, 8192 butterfly
)"},
    {Collective::reduce_scatter, Operators::ordered, R"(
1: basic_linear
)"},
    {Collective::reduce_scatter, Operators::commuting, R"(
2: recursive_doubling, 4 butterfly, 8 recursive_halving, 16 butterfly, 128 recursive_halving, 256 butterfly, 4096 recursive_halving, 8192 butterfly, 131072 basic_linear
4: recursive_halving, 8 recursive_doubling, 32 butterfly, 256 recursive_halving, 8192 butterfly, 16384 recursive_halving, 1048576 basic_linear
8: basic_linear, 4 recursive_halving, 32 butterfly, 128 recursive_halving, 524288 basic_linear, 4194304 butterfly
16: basic_linear, 32 recursive_halving, 524288 basic_linear, 2097152 recursive_halving, 4194304 butterfly
32: recursive_halving, 4 basic_linear, 16 butterfly, 65536 basic_linear, 262144 butterfly
)"},
    {Collective::allgather, Operators::any, R"(
2: two_proc
3: recursive_doubling
32: recursive_doubling, 1024 neighbor, 65536 ring
64: recursive_doubling, 512 neighbor, 65536 ring
128: recursive_doubling, 512 neighbor, 131072 ring, 524288 neighbor, 1048576 ring
256: recursive_doubling, 32 bruck, 128 recursive_doubling, 1024 neighbor, 131072 ring, 524288 neighbor, 1048576 ring
512: recursive_doubling, 64 bruck, 256 recursive_doubling, 2048 neighbor
1024: recursive_doubling, 4 bruck, 8 recursive_doubling, 16 bruck, 32 recursive_doubling, 256 bruck, 512 recursive_doubling, 4096 neighbor
2048: bruck, 32 recursive_doubling, 128 bruck, 512 recursive_doubling, 4096 neighbor
4096: recursive_doubling, 2 bruck, 8 recursive_doubling, 16 bruck, 512 recursive_doubling, 4096 neighbor
)"},
    {Collective::allgatherv, Operators::any, R"(
2: ring, 2048 two_proc, 4096 ring, 8192 two_proc
3: default, 256 neighbor, 4096 ring, 8192 neighbor, 16384 bruck, 262144 neighbor
8: default, 1024 bruck
16: default, 128 bruck, 262144 ring
32: default, 256 bruck, 8192 ring
64: default, 256 bruck, 4096 ring
128: bruck, 1024 neighbor, 65536 ring
256: bruck, 1024 ring
512: bruck, 512 default, 1024 bruck, 4096 neighbor, 1048576 ring
1024: bruck, 4096 neighbor
)"},
    {Collective::gather, Operators::any, R"(
2: linear_sync, 2 basic_linear, 4 binomial, 32768 basic_linear, 65536 binomial, 131072 linear_sync
4: binomial, 1024 basic_linear, 8192 binomial, 32768 basic_linear, 262144 linear_sync
8: binomial
256: binomial, 2048 basic_linear, 8192 binomial
512: binomial
)"},
    {Collective::scatter, Operators::any, R"(
2: linear_nb, 2 basic_linear, 131072 linear_nb, 262144 basic_linear
4: binomial, 2048 basic_linear, 4096 binomial, 8192 basic_linear, 32768 linear_nb, 1048576 basic_linear
8: binomial, 16384 linear_nb, 1048576 basic_linear
16: binomial, 16384 basic_linear, 32768 linear_nb
32: binomial, 512 linear_nb, 8192 binomial, 16384 linear_nb
64: binomial, 512 linear_nb
)"},
};

// Collectives for which Open MPI has one algorithm only.
constexpr Rules only_algorithm[] = {{Collective::gatherv, Operators::any, "linear"},
                                    {Collective::scatterv, Operators::any, "linear"},
                                    {Collective::scan, Operators::any, "linear"},
                                    {Collective::exscan, Operators::any, "linear"}};

// Returns the size by which Open MPI looks up a rule.
Bytes size_of(const Problem& problem) {
  if (has_blocks(problem.collective)) return problem.block_bytes;
  if (!problem.counts || has_pair_counts(problem.collective)) return 0;
  Bytes total = 0;
  for (const Bytes bytes : *problem.counts) total += bytes;
  return problem.collective == Collective::allgatherv ? total / problem.ranks : total;
}

// Returns the part of `list`, such as "2: a, 8 b" or "a, 8 b", that holds for `value`: the text behind the largest number that is
// at most `value`. `separator` is between entries, `behind` between a number and its text. An entry without a number holds from 0
// on.
std::string entry_for(const std::string& list, Count value, char separator, char behind) {
  std::string found;
  std::istringstream stream(list);
  for (std::string entry; std::getline(stream, entry, separator);) {
    const std::size_t begin = entry.find_first_not_of(" \n");
    if (begin == entry.npos) continue;
    char* end = nullptr;
    const Count from = std::strtoll(entry.c_str() + begin, &end, 10);
    if (from > value) break;
    found = *end == behind ? end + 1 : entry.substr(begin);
  }
  return found;
}

// Open MPI's algorithms as rows of our table. Its rules give trees neither segments nor a fan-out: vectors are whole, and chains
// have a fan-out of 1. Its fan-out of 2 and its radix of 4 are the defaults of our tree and our knomial, if there are enough
// ranks.

using enum Collective;

bool has_two_bytes(const Problem& problem) { return problem.block_bytes >= 2; }

constexpr Equivalent openmpi_table[] = {
    {alltoall, "linear", "direct"},
    {alltoall, "pairwise", "shift"},
    {alltoall, "modified_bruck", "bruck:radix=2"},
    {alltoall, "linear_sync", "direct"},  // without a limit, as by default, all messages are under way at once
    {alltoall, "two_proc", "direct"},
    {alltoallv, "basic_linear", "direct:window={p-1}"},
    {alltoallv, "pairwise", "shift"},
    {allgather, "bruck", "concatenation"},
    {allgather, "recursive_doubling", "recursive-doubling", has_power_of_two},
    {allgather, "recursive_doubling", "concatenation"},
    {allgather, "ring", "ring"},
    {allgather, "neighbor", "neighbor-exchange", has_even},
    {allgather, "neighbor", "ring"},
    {allgather, "two_proc", "direct"},
    {broadcast, "basic_linear", "linear"},
    {broadcast, "chain", "chain:segments=1"},
    {broadcast, "pipeline", "chain:segments=1"},
    {broadcast, "split_binary_tree", "split-tree", has_two_bytes},
    {broadcast, "split_binary_tree", "chain:segments=1"},
    {broadcast, "binary_tree", "tree:segments=1"},
    {broadcast, "binomial", "knomial:radix=2,first=near"},
    {broadcast, "knomial", "knomial"},
    {broadcast, "scatter_allgather", "scatter-allgather:gather=recursive-doubling:passing=yes", fills_all_shares},
    {broadcast, "scatter_allgather", "", has_element_for_each, empty_share},
    {broadcast, "scatter_allgather", "linear"},
    {broadcast, "scatter_allgather_ring", "scatter-allgather:gather=ring", fills_all_shares},
    {broadcast, "scatter_allgather_ring", "", has_element_for_each, empty_share},
    {broadcast, "scatter_allgather_ring", "linear"},
    {reduce, "linear", "linear"},
    {reduce, "chain", "tree:fan-out=1,segments=1"},
    {reduce, "pipeline", "tree:fan-out=1,segments=1"},
    {reduce, "binary", "tree:segments=1"},
    {reduce, "binomial", "binomial"},
    {reduce, "in-order_binary", "in-order-tree"},
    {reduce, "rabenseifner", "rabenseifner:fold=halves", can_halve},
    {reduce, "rabenseifner", "linear"},
    {allreduce, "basic_linear", "reduce-broadcast:reduce=linear,broadcast=linear"},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "ring", "ring", has_element_for_each},
    {allreduce, "ring", "recursive-doubling"},
    {allreduce, "segmented_ring", "ring", has_element_for_each},  // by default the segments are the shares
    {allreduce, "segmented_ring", "recursive-doubling"},
    {allreduce, "rabenseifner", "rabenseifner:fold=halves", can_halve},
    {allreduce, "rabenseifner", "reduce-broadcast:reduce=linear,broadcast=linear"},
    {reduce_scatter, "recursive_doubling", "group-doubling"},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "butterfly", "recursive-halving:first=near", has_power_of_two},
    {reduce_scatter, "butterfly", "butterfly"},
    {reduce_scatterv, "butterfly", "butterfly"},
    {reduce_scatter, "ring", "ring"},
    {scan, "linear", "chain:segments=1"},
    {scan, "recursive_doubling", "recursive-doubling"},
    {exscan, "linear", "chain:segments=1"},
    {exscan, "recursive_doubling", "recursive-doubling"},
    {scatter, "basic_linear", "linear"},
    {scatter, "linear", "linear"},
    {scatter, "linear_nb", "linear"},
    {scatter, "binomial", "binomial"},
    {gather, "basic_linear", "linear"},
    {gather, "linear", "linear"},
    {gather, "binomial", "binomial"},
    {gather, "linear_sync", "linear-sync"},
    {barrier, "linear", "linear"},
    {barrier, "double_ring", "double-ring"},
    {barrier, "recursive_doubling", "recursive-doubling"},
    {barrier, "bruck", "dissemination"},
    {barrier, "two_proc", "dissemination"},
    {barrier, "tree", "binomial"},
};

// Open MPI's algorithms of two parts. For each part, Open MPI takes its own choice of algorithm.
struct Composed {
  Collective collective;
  std::string_view algorithm;  // Open MPI's name
  std::string_view ours;
};

constexpr Composed all_composed[] = {
    {allreduce, "nonoverlapping", "reduce-broadcast"},
    {allgather, "linear", "gather-broadcast"},
    {allgatherv, "default", "gather-broadcast"},
    {reduce_scatter, "basic_linear", "reduce-then-scatter"},
    {reduce_scatterv, "non-overlapping", "reduce-then-scatter"},
};

Result<std::string> equivalent_of_parts(const Problem& problem, std::string_view ours) {
  const RootedParts parts = rooted_parts(problem);
  std::vector<std::string> texts;
  for (const Problem& part : {parts.first, parts.second}) {
    auto text = equivalent_in(openmpi_table, part, *openmpi_algorithm(part));
    if (!text) return text;
    texts.push_back(std::move(*text));
  }
  return rooted_specification(problem, ours, texts[0], texts[1]);
}

}  // namespace

Result<std::string> openmpi_algorithm(const Problem& problem) {
  if (problem.ranks == 1) return "self";
  for (const Rules& rules : only_algorithm)
    if (rules.collective == problem.collective) return rules.text;
  for (const Rules& rules : all_rules) {
    if (rules.collective != problem.collective || (rules.operators == Operators::commuting && !problem.commutative) ||
        (rules.operators == Operators::ordered && problem.commutative))
      continue;
    return entry_for(entry_for(rules.text, problem.ranks, '\n', ':'), size_of(problem), ',', ' ');
  }
  return cannot(fmt::format("Open MPI's rules for {} are not known", name(problem.collective)));
}

Result<std::string> openmpi5_algorithm(const Problem& problem) {
  // The component han has the higher priority. It declines if all ranks are on one node.
  const bool is_split = !problem.nodes.empty() && NodeRanks(problem).node_count() > 1;
  constexpr Collective split[] = {Collective::broadcast, Collective::reduce,  Collective::allreduce, Collective::allgather,
                                  Collective::barrier,   Collective::scatter, Collective::gather};
  if (is_split && std::find(std::begin(split), std::end(split), problem.collective) != std::end(split))
    return cannot(fmt::format("Open MPI 5.0 splits {} by nodes, by rules of its component han, which are not known",
                              name(problem.collective)));
  return openmpi_algorithm(problem);
}

Result<std::string> openmpi_equivalent(const Problem& problem, std::string_view algorithm) {
  for (const Composed& row : all_composed)
    if (row.collective == problem.collective && row.algorithm == algorithm) return equivalent_of_parts(problem, row.ours);
  return equivalent_in(openmpi_table, problem, algorithm);
}

}  // namespace quadrille
