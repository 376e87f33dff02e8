// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/own_features.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string_view>

#include "problem/collective_facts.hpp"

namespace quadrille::own_algorithms {
namespace {

// Does MPICH obey its variable for the algorithm of this collective? MPICH has such a variable for every collective. It ignores
// the variable if no buffer has a block for each rank (broadcast, for example): such collectives run as compositions of its
// device layer, which other variables select.
bool chooses(Collective collective) {
  const CollectiveFacts& facts = facts_of(collective);
  return facts.input.holding == Holding::all || facts.output.holding == Holding::all;
}

// MPICH lists the values of such a variable only in the variable's description, without line ends: "Variable to select allgather
// algorithmauto - Internal algorithm selectionbrucks - Force brucks algorithmnb - Force ...". The values are numbered from 0. The
// text does not mark where a name begins, so this function searches for known names.
std::map<std::string, int> values_in(const std::string& description) {
  constexpr std::array known{"brucks", "nb",     "pairwise", "scattered", "recursive_doubling", "recursive_halving",
                             "ring",   "linear", "binomial"};
  std::map<std::string, int> values;
  int value = 0;  // the first is "auto"
  for (std::size_t at = 0; (at = description.find("- Force", at)) != std::string::npos; at += 7) {
    ++value;
    const std::size_t end = description.find_last_not_of(' ', at - 1);
    if (at == 0 || end == std::string::npos) continue;
    const std::string_view before(description.data(), end + 1);
    for (const std::string_view name : known) {
      const bool ends_so = before.ends_with(name) && before.size() > name.size();
      if (ends_so && before[before.size() - name.size() - 1] != '_') values.emplace(name, value);
    }
  }
  return values;
}

}  // namespace

const bool are_read_in_each_call = true;
const char* const rules_variable = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE";
const char* const environment_prefix = "";

std::shared_ptr<ControlVariable> variable_of(Collective collective) {
  if (!chooses(collective)) return nullptr;
  std::string name = mpi_name(collective);
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::toupper(letter); });
  return ControlVariable::named(fmt::format("MPIR_CVAR_{}_INTRA_ALGORITHM", name));
}

std::map<std::string, int> values_for(const ControlVariable& variable, const Problem& problem) {
  std::map<std::string, int> values = values_in(variable.description());
  if (!std::has_single_bit(static_cast<std::uint64_t>(problem.ranks))) values.erase("recursive_doubling");
  return values;
}

std::string obstacle() { return {}; }

}  // namespace quadrille::own_algorithms

namespace quadrille {

// MPICH's polls never yield.
bool QuietPolls::are_possible() { return false; }
QuietPolls::QuietPolls() = default;
QuietPolls::~QuietPolls() = default;

}  // namespace quadrille
