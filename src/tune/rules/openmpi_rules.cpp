// SPDX-License-Identifier: BSD-3-Clause
// The format of coll_tuned_dynamic_rules_filename: numbers, with comments after '#'. Each collective has a list of numbers of
// ranks in ascending order. Each number of ranks has a list of message sizes, ascending from 0: "bytes algorithm fanout segment".
// A rule holds from its number of ranks or bytes up to the next number in the list. The first number of ranks also holds for
// fewer ranks. Algorithm 0 means that Open MPI decides.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille {
namespace {

// A collective of Open MPI 4.1 and 5.0: its number, the names of its algorithms in the order of their numbers (from 1), and the
// size by which Open MPI looks up a rule.
struct Tuned {
  Collective collective;
  int number;
  std::vector<std::string_view> algorithms;
  enum { block, all_blocks, unknown } message;  // unknown: ranks may see different sizes, or Open MPI ignores the counts
};

const std::vector<Tuned>& all_tuned() {
  static const std::vector<Tuned> all{
      {Collective::allgather,
       0,
       {"linear", "bruck", "recursive_doubling", "ring", "neighbor", "two_proc", "sparbit"},
       Tuned::all_blocks},
      {Collective::allreduce,
       2,
       {"basic_linear", "nonoverlapping", "recursive_doubling", "ring", "segmented_ring", "rabenseifner"},
       Tuned::block},
      {Collective::alltoall, 3, {"linear", "pairwise", "modified_bruck", "linear_sync", "two_proc"}, Tuned::all_blocks},
      {Collective::alltoallv, 4, {"basic_linear", "pairwise"}, Tuned::unknown},
      {Collective::barrier, 6, {"linear", "double_ring", "recursive_doubling", "bruck", "two_proc", "tree"}, Tuned::unknown},
      {Collective::broadcast,
       7,
       {"basic_linear", "chain", "pipeline", "split_binary_tree", "binary_tree", "binomial", "knomial", "scatter_allgather",
        "scatter_allgather_ring"},
       Tuned::block},
      {Collective::exscan, 8, {"linear", "recursive_doubling"}, Tuned::unknown},
      {Collective::gather, 9, {"basic_linear", "binomial", "linear_sync"}, Tuned::unknown},
      {Collective::reduce,
       11,
       {"linear", "chain", "pipeline", "binary", "binomial", "in-order_binary", "rabenseifner"},
       Tuned::block},
      {Collective::reduce_scatterv, 12, {"non-overlapping", "recursive_halving", "ring", "butterfly"}, Tuned::all_blocks},
      {Collective::reduce_scatter, 13, {"basic_linear", "recursive_doubling", "recursive_halving", "butterfly"}, Tuned::all_blocks},
      {Collective::scan, 14, {"linear", "recursive_doubling"}, Tuned::unknown},
      {Collective::scatter, 15, {"basic_linear", "binomial", "linear_nb"}, Tuned::unknown},
  };
  return all;
}

// Returns the algorithm's number, 0 for the library's default choice.
std::optional<int> number_of(const Tuned& tuned, const std::string& algorithm) {
  if (algorithm.empty()) return 0;
  const auto at = std::find(tuned.algorithms.begin(), tuned.algorithms.end(), algorithm);
  if (at == tuned.algorithms.end()) return std::nullopt;
  return static_cast<int>(at - tuned.algorithms.begin()) + 1;
}

struct Line {
  Bytes bytes;
  std::string algorithm;
};

std::vector<Line> lines_of(const Tuned& tuned, Count ranks, const AlgorithmBySize& by_size) {
  if (tuned.message == Tuned::unknown) return {{0, for_all_sizes(by_size)}};
  std::vector<Line> lines;
  for (const RuleFrom& step : steps_of(by_size))
    lines.push_back(
        {step.from * (tuned.message == Tuned::all_blocks ? ranks : 1), step.algorithm == split_by_nodes ? "" : step.algorithm});
  return lines;
}

std::string text_of(const Tuned& tuned, const std::vector<Line>& lines) {
  // The fan-out of trees and chains. Open MPI uses this fan-out for a forced algorithm by default, so the algorithms were
  // measured with it.
  constexpr int fanout = 4;
  std::string text;
  for (const Line& line : lines)
    text += fmt::format("{} {} {} 0  # {}\n", line.bytes, *number_of(tuned, line.algorithm), line.algorithm.empty() ? 0 : fanout,
                        line.algorithm.empty() ? "as Open MPI decides" : line.algorithm);
  return text;
}

}  // namespace

std::string openmpi_force(Collective collective, std::string_view algorithm) {
  return fmt::format("OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_{}_algorithm={}", mpi_name(collective),
                     algorithm);
}

RulesFile openmpi_rules(const VendorRules& rules) {
  RulesFile file;
  std::string collectives;
  int collective_count = 0;
  for (const Tuned& tuned : all_tuned()) {
    std::map<Count, std::vector<Line>> by_ranks;
    for (const auto& [key, by_size] : rules) {
      const auto& [collective, ranks, any] = key;
      if (collective != tuned.collective) continue;
      const std::vector<Line> lines = lines_of(tuned, ranks, by_size);
      const auto unknown =
          std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return !number_of(tuned, line.algorithm); });
      if (unknown != lines.end())
        file.left_out.push_back(fmt::format("{} among {}: the number of Open MPI's algorithm '{}' is not known",
                                            mpi_name(collective), counted(ranks, "rank"), unknown->algorithm));
      else if (std::all_of(lines.begin(), lines.end(), [](const Line& line) { return line.algorithm.empty(); }))
        file.left_out.push_back(
            fmt::format("{} among {}: Open MPI does not distinguish sizes here, and no algorithm is best for all",
                        mpi_name(collective), counted(ranks, "rank")));
      else
        by_ranks[ranks] = lines;
    }
    if (by_ranks.empty()) continue;
    file.rules += static_cast<Count>(by_ranks.size());
    // Open MPI decides for numbers of ranks in between, because these were not measured.
    const std::vector<Line> standard{{0, ""}};
    auto all = by_ranks;
    all.emplace(1, standard);
    for (const auto& each : by_ranks) all.emplace(each.first + 1, standard);
    collectives += fmt::format("{}  # {}\n{}  # numbers of ranks\n", tuned.number, mpi_name(tuned.collective), all.size());
    for (const auto& [ranks, lines] : all)
      collectives += fmt::format("{}  # ranks or more\n{}  # sizes: bytes, algorithm, fan-out, segment\n{}", ranks, lines.size(),
                                 text_of(tuned, lines));
    ++collective_count;
  }
  file.text = fmt::format(
      "# Rules for Open MPI's own algorithms, by quadrille. To use them:\n"
      "#   OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=THIS_FILE\n"
      "{}  # collectives\n{}",
      collective_count, collectives);
  return file;
}

bool openmpi_splits(Collective collective) {
  constexpr Collective by_size[] = {Collective::allgather, Collective::allreduce, Collective::barrier, Collective::broadcast,
                                    Collective::reduce};
  return std::find(std::begin(by_size), std::end(by_size), collective) != std::end(by_size);
}

// The format of coll_han_dynamic_rules_filename has nested lists: of collectives, of levels (2: the whole communicator), of numbers
// of ranks, which ascend from 1, and of sizes of a block, which ascend from 0. A size has the number of the component that runs it.
// All collectives that the component han implements are listed, because it splits by nodes those that are not.
RulesFile openmpi_rules_by_nodes(const VendorRules& rules) {
  constexpr int tuned = 3, han = 6;
  constexpr std::pair<int, std::string_view> implemented[] = {{0, "allgather"}, {1, "allgatherv"}, {2, "allreduce"},
                                                              {6, "barrier"},   {7, "bcast"},      {9, "gather"},
                                                              {11, "reduce"},   {15, "scatter"}};
  RulesFile file;
  file.text =
      fmt::format("# Which collectives Open MPI splits by nodes, by quadrille. Component {}: it does, {}: it does not.\n{}\n", han,
                  tuned, std::size(implemented));
  for (const auto& [number, mpi] : implemented) {
    std::map<Count, std::vector<RuleFrom>> by_ranks{{1, {{0, ""}}}};
    for (const auto& [key, by_size] : rules) {
      AlgorithmBySize split = by_size;
      for (auto& [bytes, algorithm] : split)
        if (algorithm != split_by_nodes) algorithm.clear();
      const std::vector<RuleFrom> steps = steps_of(split);
      if (mpi_name(key.collective) != mpi || steps.size() < 2) continue;
      by_ranks[key.ranks] = steps;
      by_ranks.try_emplace(key.ranks + 1, std::vector<RuleFrom>{{0, ""}});
      ++file.rules;
    }
    file.text += fmt::format("{}  # {}\n1\n2\n{}  # numbers of ranks\n", number, mpi, by_ranks.size());
    for (const auto& [ranks, steps] : by_ranks) {
      file.text += fmt::format("{}  # ranks or more\n{}  # sizes: bytes, component\n", ranks, steps.size());
      for (const RuleFrom& step : steps) file.text += fmt::format("{} {}\n", step.from, step.algorithm.empty() ? tuned : han);
    }
  }
  return file;
}

}  // namespace quadrille
