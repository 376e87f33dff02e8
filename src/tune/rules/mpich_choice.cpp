// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm MPICH takes, by walking through the trees that its library has built in; and its algorithms as rows of our table.
#include "tune/rules/mpich_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <iterator>

#include "patterns/integers.hpp"
#include "problem/collective_facts.hpp"
#include "problem/node_ranks.hpp"
#include "quadrille/error.hpp"
#include "quadrille/transports.hpp"
#include "tune/rules/vendor_choice.hpp"

namespace quadrille {
namespace {

// A text that occurs in the tree of this layer only.
std::string_view mark_of(MpichLayer layer) {
  switch (layer) {
    case MpichLayer::device: return "\"composition=MPIDI_";
    case MpichLayer::shared_memory: return "\"algorithm=MPIDI_POSIX_";
    case MpichLayer::messages: return "\"algorithm=MPIR_Alltoall_";
  }
  return "";
}

bool is_leaf(std::string_view key) { return key.starts_with("algorithm=") || key.starts_with("composition="); }
bool is_of_communicator(std::string_view key) { return key.starts_with("comm_") || key.starts_with("is_node_consecutive"); }

bool nodes_are_consecutive(const Problem& problem) { return std::is_sorted(problem.nodes.begin(), problem.nodes.end()); }

// Evaluates MPICH's conditions for a call.
class MpichCall {
 public:
  explicit MpichCall(const Problem& problem)
      : problem_(problem), nodes_(problem.nodes.empty() ? 1 : NodeRanks(problem).node_count()) {}

  Count nodes() const { return nodes_; }
  // Does MPICH make a communicator for each node? It does not if each rank has a node of its own.
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
    // In each call, MPICH (4.0 to 4.3) tests the condition "comm_size<n" as if it were "comm_size<=n".
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

std::optional<std::string> leaf_in(const MpichTree& tree, const Problem& problem, const MpichCall& call) {
  const auto subtree = tree.find("collective=" + mpi_name(problem.collective));
  if (subtree == tree.end()) return std::nullopt;
  return leaf_for(*subtree, [&](std::string_view condition, MpichTime time) { return call.holds(condition, time); });
}

// Returns MPICH's name of the algorithm: "brucks" for MPIR_Alltoall_intra_brucks.
std::string mpich_name_of(const std::string& leaf) {
  for (const std::string_view before : {"_intra_", "_allcomm_"})
    if (const std::size_t at = leaf.find(before); at != leaf.npos) return leaf.substr(at + before.size());
  constexpr std::string_view of_shared_memory = "release_gather";
  return leaf.ends_with(of_shared_memory) ? std::string(of_shared_memory) : leaf;
}

// Does the device pass the whole collective down to the layer `messages`? Other compositions treat the ranks of a node
// separately.
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

// MPICH's algorithms as rows of our table. If there are enough ranks, the default of our scattered and direct is MPICH's window
// of 32 messages.

using enum Collective;

constexpr std::string_view by_shared_memory = "MPICH sends no messages here: the ranks of a node copy through shared memory";
constexpr std::string_view by_nodes = "MPICH sends messages between nodes and copies through shared memory inside nodes";

constexpr std::string_view needs_power_of_two = "MPICH needs a power of two of ranks for it, and takes another one";
constexpr std::string_view cannot_halve =
    "MPICH needs an operator that commutes and an element for each rank, and takes another one";

bool can_double_shares(const Problem& problem) { return has_power_of_two(problem) && fills_all_shares(problem); }

bool fits_pieces(const Problem& problem) {
  return std::all_of(problem.counts->begin(), problem.counts->end(), [](Bytes bytes) { return bytes <= 32768; });
}

constexpr Equivalent mpich_table[] = {
    {alltoall, "brucks", "bruck:radix=2"},
    {alltoall, "pairwise", "xor", has_power_of_two},
    {alltoall, "pairwise", "shift"},
    {alltoall, "scattered", "scattered"},
    {alltoallv, "scattered", "direct"},
    {allgather, "brucks", "concatenation"},
    {allgather, "recursive_doubling", "recursive-doubling", has_power_of_two},
    {allgather, "recursive_doubling", "", nullptr, needs_power_of_two},
    {allgather, "ring", "ring"},
    {allgatherv, "ring", "ring", fits_pieces},
    {allgatherv, "ring", "", nullptr, "the table has no ring that passes shares on in pieces of 32 KiB"},
    {broadcast, "binomial", "binomial"},
    {broadcast, "scatter_recursive_doubling_allgather", "scatter-allgather:gather=recursive-doubling", can_double_shares},
    {broadcast, "scatter_recursive_doubling_allgather", "", has_power_of_two, empty_share},
    {broadcast, "scatter_recursive_doubling_allgather", "", nullptr, needs_power_of_two},
    {broadcast, "scatter_ring_allgather", "scatter-allgather:gather=ring", fills_all_shares},
    {broadcast, "scatter_ring_allgather", "", nullptr, empty_share},
    {broadcast, "release_gather", "", nullptr, by_shared_memory},
    {broadcast, "smp", "", nullptr, by_nodes},
    {broadcast, "composition_alpha", "", nullptr, by_nodes},
    {broadcast, "composition_beta", "", nullptr, by_nodes},
    {reduce, "binomial", "binomial"},
    {reduce, "reduce_scatter_gather", "rabenseifner", can_halve},
    {reduce, "reduce_scatter_gather", "", nullptr, cannot_halve},
    {reduce, "release_gather", "", nullptr, by_shared_memory},
    {reduce, "smp", "", nullptr, by_nodes},
    {reduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce, "composition_beta", "", nullptr, by_nodes},
    {allreduce, "recursive_doubling", "recursive-doubling"},
    {allreduce, "reduce_scatter_allgather", "rabenseifner", can_halve},
    {allreduce, "reduce_scatter_allgather", "", nullptr, cannot_halve},
    {allreduce, "release_gather", "", nullptr, by_shared_memory},
    {allreduce, "smp", "", nullptr, by_nodes},
    {allreduce, "composition_alpha", "", nullptr, by_nodes},
    {reduce_scatter, "recursive_halving", "recursive-halving"},
    {reduce_scatter, "pairwise", "shift"},
    {reduce_scatter, "recursive_doubling", "group-doubling"},
    {reduce_scatter, "noncommutative", "recursive-halving:first=near", has_power_of_two},
    {reduce_scatter, "noncommutative", "", nullptr, needs_power_of_two},
    {scan, "recursive_doubling", "recursive-doubling"},
    {scan, "smp", "", nullptr, by_nodes},
    {scan, "composition_alpha", "", nullptr, by_nodes},
    {exscan, "recursive_doubling", "recursive-doubling"},
    {scatter, "binomial", "binomial"},
    {scatter, "linear", "linear"},
    {gather, "binomial", "binomial"},
    {gather, "linear", "linear"},
    {barrier, "dissemination", "dissemination"},
    {barrier, "release_gather", "", nullptr, by_shared_memory},
    {barrier, "smp", "", nullptr, by_nodes},
    {barrier, "composition_alpha", "", nullptr, by_nodes},
};

}  // namespace

MpichTree mpich_tree(std::string_view library, MpichLayer layer) {
  // Each tree is stored as one string.
  constexpr std::string_view begin = "{\"collective=";
  for (std::size_t at = 0; (at = library.find(begin, at)) != library.npos; at += begin.size()) {
    const std::string_view text = library.substr(at, library.substr(at).find('\0'));
    if (text.find(mark_of(layer)) == text.npos) continue;
    if (MpichTree tree = MpichTree::parse(text, nullptr, false); tree.is_object()) return tree;
  }
  throw Error(ErrorCode::environment, "the table of algorithms that MPICH has built in is not in its library, where 4.0.2 has it");
}

std::string installed_mpich() {
  const std::string file = mpi_library_file("mpich");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  if (!stream || bytes.empty()) throw Error(ErrorCode::environment, fmt::format("the library '{}' cannot be read", file));
  return bytes;
}

std::optional<std::string> leaf_for(const MpichTree& tree,
                                    const std::function<bool(std::string_view condition, MpichTime time)>& holds) {
  MpichTime time = MpichTime::communicator_is_made;
  for (const MpichTree* at = &tree; at->is_object();) {
    const MpichTree* below = nullptr;
    for (const auto& [key, value] : at->items()) {
      if (is_leaf(key)) return key.substr(key.find('=') + 1);
      if (!is_of_communicator(key)) time = MpichTime::call;
      if (!holds(key, time)) continue;
      below = &value;
      break;
    }
    if (!below) break;
    at = below;
  }
  return std::nullopt;
}

MpichTrees::MpichTrees(std::string_view library)
    : device(mpich_tree(library, MpichLayer::device)),
      shared_memory(mpich_tree(library, MpichLayer::shared_memory)),
      messages(mpich_tree(library, MpichLayer::messages)) {}

Result<std::string> mpich_algorithm(const MpichTrees& trees, const Problem& problem) {
  if (problem.ranks == 1) return "self";
  const MpichCall call(problem);
  const auto composed = leaf_in(trees.device, problem, call);
  if (composed && !goes_by_messages(problem.collective, mpich_name_of(*composed))) {
    if (call.nodes() > 1 || problem.collective == Collective::scan) return mpich_name_of(*composed);
    if (const auto shared = leaf_in(trees.shared_memory, problem, call)) return mpich_name_of(*shared);
  }
  if (const auto leaf = leaf_in(trees.messages, problem, call)) return mpich_name_of(*leaf);
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

Result<std::string> mpich_equivalent(const Problem& problem, std::string_view algorithm) {
  return equivalent_in(mpich_table, problem, algorithm);
}

}  // namespace quadrille
