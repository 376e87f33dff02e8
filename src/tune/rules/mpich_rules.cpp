// SPDX-License-Identifier: BSD-3-Clause
// The format of MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: a tree (mpich_choice.hpp). MPICH never goes back in the tree. So the
// built-in subtree must be repeated below each branch that has no rule of ours.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/model.hpp"
#include "tune/rules/mpich_choice.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille {
namespace {

using Tree = MpichTree;

// The leaf key with the algorithm's function in MPICH, or nothing if this library has no such algorithm.
std::optional<std::string> function_of(Collective collective, const std::string& algorithm, std::string_view library) {
  std::string name = mpi_name(collective);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  for (const char* kind : {"intra", "allcomm"}) {
    std::string key = fmt::format("algorithm=MPIR_{}_{}_{}", name, kind, algorithm);
    if (library.find(key + '\0') != library.npos) return key;
  }
  return std::nullopt;
}

// Does a buffer have a block for each rank, on some rank?
bool has_blocks_of_all(Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  return facts.input.holding == Holding::all || facts.output.holding == Holding::all;
}

// Returns true if ranks of one call may see different sizes, so that rules cannot depend on the size. The counts of an alltoallv
// may differ. With MPI_IN_PLACE, the root of a scatter or gather passes no size for its own block.
bool knows_no_size(Collective collective) {
  return has_pair_counts(collective) || (is_rooted(collective) && has_blocks_of_all(collective));
}

struct Branch {
  Collective collective;
  Count ranks;
  const Tree& standard;  // the built-in tree
  std::string_view library;

  Tree leaf(const std::string& algorithm) const {
    if (algorithm.empty()) return standard;
    return Tree{{*function_of(collective, algorithm, library), Tree::object()}};
  }

  Tree by_size(const AlgorithmBySize& sizes) const {
    if (knows_no_size(collective)) return leaf(for_all_sizes(sizes));
    const bool of_one_block = is_exchange(collective);
    const char* const size = of_one_block ? "avg_msg_size" : "total_msg_size";
    const std::vector<RuleFrom> steps = steps_of(sizes);
    Tree tree = Tree::object();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const bool is_last = i + 1 == steps.size();
      const std::string below = is_last ? "=any" : fmt::format("<={}", steps[i + 1].from * (of_one_block ? 1 : ranks) - 1);
      tree[size + below] = leaf(steps[i].algorithm);
    }
    return tree;
  }

  // Algorithms were measured out of place and with a commutative operator, so the rules apply to such calls only.
  Tree with_conditions(const AlgorithmBySize& sizes) const {
    if (is_exchange(collective)) return {{"is_sendbuf_inplace=yes", standard}, {"is_sendbuf_inplace=no", by_size(sizes)}};
    if (is_reduction(collective)) return {{"is_commutative=no", standard}, {"is_commutative=yes", by_size(sizes)}};
    return by_size(sizes);
  }

  // MPICH knows how many ranks a node has on average.
  Tree by_nodes(const std::map<Count, const AlgorithmBySize*>& sizes) const {
    if (sizes.contains(0)) return with_conditions(*sizes.at(0));
    Tree tree = Tree::object();
    Count before = 0;
    for (const auto& [ranks_of_node, by_size] : sizes) {
      if (ranks_of_node > before + 1) tree[fmt::format("comm_avg_ppn<={}", ranks_of_node - 1)] = standard;
      tree[fmt::format("comm_avg_ppn<={}", ranks_of_node)] = with_conditions(*by_size);
      before = ranks_of_node;
    }
    tree["comm_size=any"] = standard;  // MPICH demands a last key that always holds
    return tree;
  }
};

}  // namespace

// MPICH takes its own algorithm only if the device does not split the collective by nodes. If a buffer has a block for each rank,
// the device never does; for the others a variable forbids it.
std::string mpich_force(Collective collective, std::string_view algorithm) {
  std::string name = mpi_name(collective);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  const std::string passed = has_blocks_of_all(collective) ? "" : fmt::format("MPIR_CVAR_{}_DEVICE_COLLECTIVE=0 ", name);
  return fmt::format("{}MPIR_CVAR_{}_INTRA_ALGORITHM={}", passed, name, algorithm);
}

RulesFile mpich_rules(const VendorRules& rules, std::string_view library) {
  RulesFile file;
  Tree tree = mpich_tree(library, MpichLayer::messages);
  std::map<Collective, std::map<Count, std::map<Count, const AlgorithmBySize*>>> known;  // by ranks and ranks of a node
  for (const auto& [key, by_size] : rules) {
    const auto& [collective, ranks, ranks_of_node] = key;
    const auto unknown = std::find_if(by_size.begin(), by_size.end(), [&, wanted = collective](const auto& each) {
      return !each.second.empty() && !function_of(wanted, each.second, library);
    });
    if (!tree.contains("collective=" + mpi_name(collective)) || unknown != by_size.end())
      file.left_out.push_back(fmt::format("{} among {}: MPICH's library does not know its algorithm '{}'", mpi_name(collective),
                                          counted(ranks, "rank"), unknown == by_size.end() ? "" : unknown->second));
    else if (knows_no_size(collective) && for_all_sizes(by_size).empty())
      file.left_out.push_back(fmt::format("{} among {}: its ranks may see different sizes, and no algorithm is best for all",
                                          mpi_name(collective), counted(ranks, "rank")));
    else
      known[collective][ranks][ranks_of_node] = &by_size;
  }
  for (const auto& [collective, by_ranks] : known) {
    Tree& subtree = tree["collective=" + mpi_name(collective)];
    if (!subtree.contains("comm_type=intra")) subtree = {{"comm_type=intra", subtree}, {"comm_type=inter", subtree}};
    const Tree standard = subtree["comm_type=intra"];
    Tree branches = Tree::object();
    Count before = 0;
    for (const auto& [ranks, by_nodes] : by_ranks) {
      if (ranks > before + 1) branches[fmt::format("comm_size<={}", ranks - 1)] = standard;
      branches[fmt::format("comm_size<={}", ranks)] = Branch{collective, ranks, standard, library}.by_nodes(by_nodes);
      before = ranks;
      file.rules += static_cast<Count>(by_nodes.size());
    }
    branches["comm_size=any"] = standard;
    subtree["comm_type=intra"] = std::move(branches);
  }
  file.text = tree.dump(2) + '\n';
  // MPICH 4.0.2 maps the file and reads up to the first zero byte. A zero byte follows the text only if the text
  // does not fill its last page.
  constexpr std::size_t page = 4096;
  if (file.text.size() % page == 0) file.text += '\n';
  return file;
}

}  // namespace quadrille
