// SPDX-License-Identifier: BSD-3-Clause
// The format of MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE: a tree of objects whose keys are questions, "comm_size<=8", asked in
// their order until one is answered by yes; what it holds is asked next, and nothing leads back. So what MPICH has built in stands
// below each branch for which there is no rule. A leaf is "algorithm=MPIR_Alltoall_intra_brucks".
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>

#include "execute/mpi/mpi_name.hpp"
#include "plan/vendor_rules.hpp"

namespace quadrille {
namespace {

using Tree = nlohmann::ordered_json;

// The library has it as one string, among two others for other layers.
Tree built_in(std::string_view library) {
  constexpr std::string_view begin = "{\"collective=", leaf = "\"algorithm=MPIR_Alltoall_";
  for (std::size_t at = 0; (at = library.find(begin, at)) != library.npos; at += begin.size()) {
    const std::string_view text = library.substr(at, library.substr(at).find('\0'));
    if (text.find(leaf) == text.npos) continue;
    if (Tree tree = Tree::parse(text, nullptr, false); tree.is_object()) return tree;
  }
  throw Error(ErrorCode::environment, "the table of algorithms that MPICH has built in is not in its library, where 4.0.2 has it");
}

// As MPICH names its functions; nothing if this library has no such algorithm.
std::optional<std::string> function_of(Collective collective, const std::string& algorithm, std::string_view library) {
  std::string name = mpi_name(collective);
  name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
  for (const char* kind : {"intra", "allcomm"}) {
    std::string key = fmt::format("algorithm=MPIR_{}_{}_{}", name, kind, algorithm);
    if (library.find(key + '\0') != library.npos) return key;
  }
  return std::nullopt;
}

// What the ranks of a call may not know alike: what they send in alltoallv, and in place of which the root has no sizes.
bool knows_no_size(Collective collective) {
  switch (collective) {
    case Collective::alltoallv:
    case Collective::scatter:
    case Collective::scatterv:
    case Collective::gather:
    case Collective::gatherv: return true;
    default: return false;
  }
}

struct Branch {
  Collective collective;
  Count ranks;
  const Tree& standard;  // what is built in
  std::string_view library;

  Tree leaf(const std::string& algorithm) const {
    if (algorithm.empty()) return standard;
    return Tree{{*function_of(collective, algorithm, library), Tree::object()}};
  }

  Tree by_size(const AlgorithmBySize& sizes) const {
    if (knows_no_size(collective)) return leaf(for_all_sizes(sizes));
    const bool of_one_block = collective == Collective::alltoall;
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

  // Algorithms that were measured out of place, with an operator that commutes, are for nothing else.
  Tree with_conditions(const AlgorithmBySize& sizes) const {
    switch (collective) {
      case Collective::alltoall:
      case Collective::alltoallv: return {{"is_sendbuf_inplace=yes", standard}, {"is_sendbuf_inplace=no", by_size(sizes)}};
      case Collective::reduce_scatter:
      case Collective::reduce_scatterv: return {{"is_commutative=no", standard}, {"is_commutative=yes", by_size(sizes)}};
      default: return by_size(sizes);
    }
  }
};

}  // namespace

RulesFile mpich_rules(const VendorRules& rules, std::string_view library) {
  RulesFile file;
  Tree tree = built_in(library);
  std::map<Collective, std::map<Count, const AlgorithmBySize*>> known;
  for (const auto& [key, by_size] : rules) {
    const auto& [collective, ranks] = key;
    const auto unknown = std::find_if(by_size.begin(), by_size.end(), [&, wanted = collective](const auto& each) {
      return !each.second.empty() && !function_of(wanted, each.second, library);
    });
    if (!tree.contains("collective=" + mpi_name(collective)) || unknown != by_size.end())
      file.left_out.push_back(fmt::format("{} among {} ranks: MPICH's library does not know its algorithm '{}'",
                                          mpi_name(collective), ranks, unknown == by_size.end() ? "" : unknown->second));
    else if (knows_no_size(collective) && for_all_sizes(by_size).empty())
      file.left_out.push_back(fmt::format("{} among {} ranks: its ranks may know different sizes, and no algorithm is best for all",
                                          mpi_name(collective), ranks));
    else
      known[collective][ranks] = &by_size;
  }
  for (const auto& [collective, by_ranks] : known) {
    Tree& node = tree["collective=" + mpi_name(collective)];
    if (!node.contains("comm_type=intra")) node = {{"comm_type=intra", node}, {"comm_type=inter", node}};
    const Tree standard = node["comm_type=intra"];
    Tree branches = Tree::object();
    Count before = 0;
    for (const auto& [ranks, by_size] : by_ranks) {
      if (ranks > before + 1) branches[fmt::format("comm_size<={}", ranks - 1)] = standard;
      branches[fmt::format("comm_size<={}", ranks)] = Branch{collective, ranks, standard, library}.with_conditions(*by_size);
      before = ranks;
      ++file.rules;
    }
    branches["comm_size=any"] = standard;
    node["comm_type=intra"] = std::move(branches);
  }
  file.text = tree.dump(2) + '\n';
  // MPICH 4.0.2 maps the file and reads up to a byte 0, which stands there only if the file does not fill its last page.
  constexpr std::size_t page = 4096;
  if (file.text.size() % page == 0) file.text += '\n';
  return file;
}

}  // namespace quadrille
