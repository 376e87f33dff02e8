// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/vendor_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>

#include "execute/transport.hpp"
#include "plan/placed.hpp"
#include "tune/rules/mpich_choice.hpp"

namespace quadrille {
namespace {

// Returns the best algorithm, or an empty text if none is known to be better than the library's default choice.
std::string best_of(const WisdomRecord& record) {
  const WisdomEntry *own = nullptr, *best = nullptr;
  for (const WisdomEntry& entry : record.entries) {
    if (entry.way.algorithm == Candidate(Vendor{}))
      own = &entry;
    else if (entry.way.is_vendor() && (!best || entry.timing.median_s < best->timing.median_s))
      best = &entry;
  }
  if (!own || !best || best->timing.upper_s >= own->timing.lower_s) return {};
  return std::get<Vendor>(best->way.algorithm).algorithm;
}

constexpr RulesByNodes openmpi_by_nodes{
    .trying = "OMPI_MCA_coll_han_priority=100",
    .setting =
        "OMPI_MCA_coll_han_priority=100 OMPI_MCA_coll_han_use_dynamic_file_rules=1 OMPI_MCA_coll_han_dynamic_rules_filename=",
    .splits = openmpi_splits,
    .write = openmpi_rules_by_nodes};

constexpr RulesFormat formats[] = {
    {.library = "openmpi",
     .setting = "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=",
     .force = openmpi_force,
     .write = openmpi_rules,
     .by_nodes = &openmpi_by_nodes},
    {.library = "mpich",
     .setting = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=",
     .is_json = true,
     .tells_nodes = true,
     .force = mpich_force,
     .write = [](const VendorRules& rules) { return mpich_rules(rules, installed_mpich()); }},
};

}  // namespace

void allow_vendor_algorithms() { ::setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0); }

Result<std::vector<Way>> vendor_ways(Communicator& communicator, const Problem& problem) {
  const auto names = communicator.transport().vendor_algorithms(placed(communicator, problem));
  if (!names) return cannot(names.error());
  std::vector<Way> ways{{.algorithm = Vendor{}, .executor = Executor::mpi}};
  for (const std::string& name : *names) ways.push_back({.algorithm = Vendor{name}, .executor = Executor::mpi});
  return ways;
}

std::string vendor_wisdom_file(const Fingerprint& machine) {
  const std::string file = wisdom_file(machine);
  return file.empty() ? file : file + ".vendor";
}

VendorRules vendor_rules(const Wisdom& wisdom, bool tell_nodes) {
  VendorRules rules;
  for (const WisdomRecord& record : wisdom.records) {
    const Situation& situation = record.situation;
    const bool is_even = situation.ranks_of_node * situation.nodes == situation.ranks;
    if (tell_nodes && !is_even) continue;
    AlgorithmBySize& by_size = rules[{situation.collective, situation.ranks, tell_nodes ? situation.ranks_of_node : 0}];
    const auto [at, is_first] = by_size.try_emplace(situation.block_bytes, best_of(record));
    if (!is_first && at->second != best_of(record)) at->second.clear();
  }
  std::erase_if(rules, [](const auto& each) {
    return std::all_of(each.second.begin(), each.second.end(), [](const auto& size) { return size.second.empty(); });
  });
  return rules;
}

std::vector<RuleFrom> steps_of(const AlgorithmBySize& by_size) {
  std::vector<RuleFrom> steps{{0, ""}};
  const auto add = [&](Bytes from, const std::string& algorithm) {
    if (steps.back().algorithm == algorithm) return;
    if (steps.back().from == from)
      steps.back().algorithm = algorithm;
    else
      steps.push_back({from, algorithm});
  };
  Bytes before = -1;
  for (const auto& [bytes, algorithm] : by_size) {
    const double middle = std::sqrt(static_cast<double>(std::max<Bytes>(before, 1)) * static_cast<double>(bytes));
    add(before < 0 ? bytes : std::clamp<Bytes>(std::llround(middle), before + 1, bytes), algorithm);
    before = bytes;
  }
  add(before + 1, "");
  return steps;
}

std::string for_all_sizes(const AlgorithmBySize& by_size) {
  if (by_size.empty()) return {};
  const std::string& first = by_size.begin()->second;
  const bool alike = std::all_of(by_size.begin(), by_size.end(), [&](const auto& each) { return each.second == first; });
  return alike ? first : std::string();
}

const RulesFormat* find_rules_format(std::string_view library) {
  const auto* const row =
      std::find_if(std::begin(formats), std::end(formats), [&](const RulesFormat& each) { return each.library == library; });
  return row == std::end(formats) ? nullptr : row;
}

std::vector<std::string> libraries_with_rules() {
  std::vector<std::string> libraries;
  for (const RulesFormat& format : formats) libraries.emplace_back(format.library);
  return libraries;
}

}  // namespace quadrille
