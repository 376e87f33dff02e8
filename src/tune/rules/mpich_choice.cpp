// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm MPICH takes: by walking through the trees that its library has built in.
#include "tune/rules/mpich_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "patterns/integers.hpp"
#include "problem/collective_facts.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/error.hpp"
#include "tune/rules/equivalents.hpp"

namespace quadrille {
namespace {

bool nodes_are_consecutive(const Problem& problem) { return std::is_sorted(problem.nodes.begin(), problem.nodes.end()); }

// What MPICH's conditions ask about a call.
class Call {
 public:
  explicit Call(const Problem& problem) : problem_(problem), nodes_(problem.nodes.empty() ? 1 : NodeRanks(problem).node_count()) {}

  Count nodes() const { return nodes_; }
  // Do the ranks have a communicator for each node? Not if each has a node of its own.
  bool has_hierarchy() const { return nodes_ < problem_.ranks; }

  bool holds(std::string_view condition, MpichTime time) const {
    const std::size_t at = condition.find_first_of("<=");
    if (at == condition.npos) return false;
    const std::string_view key = condition.substr(0, at);
    const std::size_t behind = condition.find_first_not_of("<=", at);
    const std::string_view relation = condition.substr(at, behind - at),
                           value = condition.substr(std::min(behind, condition.size()));
    if (value == "any") return true;
    if (key == "comm_type") return value == "intra";
    if (key == "comm_hierarchy") return value == "parent" && has_hierarchy();
    if (key == "is_multi_threaded" || key == "is_sendbuf_inplace") return value == "no";
    if (key == "is_commutative" || key == "is_op_built_in") return is(problem_.commutative, value);  // MPI's own operators commute
    if (key == "is_block_regular") return is(has_blocks(problem_.collective), value);
    if (key == "is_node_consecutive") return is(nodes_are_consecutive(problem_), value);
    if (key == "count") return value == "pow2" && elements_of(problem_) < power_of_two_below(problem_.ranks);
    if (key == "comm_size" && value == "pow2") return is_power_of_two(problem_.ranks);
    if (key == "comm_size" && value == "node_comm_size") return nodes_ == 1;
    Count limit = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), limit);
    if (error != std::errc() || end != value.data() + value.size()) return false;
    const Count number = number_of(key);
    // MPICH (4.0 to 4.3) tests in each call whether a communicator has at most so many ranks where the condition says fewer.
    if (key == "comm_size" && time == MpichTime::call && relation == "<") return number <= limit;
    return number >= 0 && (relation == "<=" ? number <= limit : relation == "<" ? number < limit : number == limit);
  }

 private:
  static bool is(bool fact, std::string_view value) { return value == (fact ? "yes" : "no"); }

  Count number_of(std::string_view key) const {
    if (key == "comm_size") return problem_.ranks;
    if (key == "avg_msg_size") return problem_.block_bytes;
    if (key != "total_msg_size") return -1;
    if (has_blocks(problem_.collective)) return problem_.block_bytes * problem_.ranks;
    if (!problem_.counts) return -1;
    Bytes total = 0;
    for (const Bytes bytes : *problem_.counts) total += bytes;
    return total;
  }

  const Problem& problem_;
  Count nodes_;
};

std::optional<std::string> leaf_in(const MpichTree& tree, const Problem& problem, const Call& call) {
  const auto subtree = tree.find("collective=" + mpi_name(problem.collective));
  if (subtree == tree.end()) return std::nullopt;
  return leaf_for(*subtree, [&](std::string_view condition, MpichTime time) { return call.holds(condition, time); });
}

// Returns MPICH's name of the algorithm: "brucks" for MPIR_Alltoall_intra_brucks.
std::string name_of(const std::string& leaf) {
  for (const std::string_view before : {"_intra_", "_allcomm_"})
    if (const std::size_t at = leaf.find(before); at != leaf.npos) return leaf.substr(at + before.size());
  constexpr std::string_view of_shared_memory = "release_gather";
  return leaf.ends_with(of_shared_memory) ? std::string(of_shared_memory) : leaf;
}

// Does the device hand the whole collective down to messages? Other compositions treat the ranks of a node apart.
bool goes_by_messages(Collective collective, std::string_view composition) {
  switch (collective) {
    case Collective::broadcast:
    case Collective::reduce: return composition == "composition_gamma";
    case Collective::allreduce:
    case Collective::barrier:
    case Collective::scan: return composition == "composition_beta";
    default: return true;
  }
}

}  // namespace

MpichTrees::MpichTrees(std::string_view library)
    : device(mpich_tree(library, MpichLayer::device)),
      shared_memory(mpich_tree(library, MpichLayer::shared_memory)),
      messages(mpich_tree(library, MpichLayer::messages)) {}

Result<std::string> mpich_algorithm(const MpichTrees& trees, const Problem& problem) {
  if (problem.ranks == 1) return "self";
  const Call call(problem);
  const auto composed = leaf_in(trees.device, problem, call);
  if (composed && !goes_by_messages(problem.collective, name_of(*composed))) {
    if (call.nodes() > 1 || problem.collective == Collective::scan) return name_of(*composed);
    if (const auto shared = leaf_in(trees.shared_memory, problem, call)) return name_of(*shared);
  }
  if (const auto leaf = leaf_in(trees.messages, problem, call)) return name_of(*leaf);
  return cannot(fmt::format("MPICH's table has no rule for {} here", name(problem.collective)));
}

Result<std::string> mpich_algorithm(const Problem& problem) {
  static const Result<MpichTrees> trees = []() -> Result<MpichTrees> {
    try {
      return MpichTrees(installed_mpich());
    } catch (const Error& error) {
      return cannot(error.what());
    }
  }();
  if (!trees) return cannot(fmt::format("MPICH's rules are read from its library, but {}", trees.error()));
  return mpich_algorithm(*trees, problem);
}

}  // namespace quadrille
