// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/rules_formats.hpp"

#include <algorithm>
#include <iterator>

#include "tune/rules/mpich_trees.hpp"

namespace quadrille {
namespace {

constexpr RulesFormat formats[] = {
    {.library = "openmpi",
     .setting = "OMPI_MCA_coll_tuned_use_dynamic_rules=1 OMPI_MCA_coll_tuned_dynamic_rules_filename=",
     .write = openmpi_rules},
    {.library = "mpich",
     .setting = "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE=",
     .is_json = true,
     .write = [](const VendorRules& rules) { return mpich_rules(rules, installed_mpich()); }},
};

}  // namespace

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
