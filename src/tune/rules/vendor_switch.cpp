// SPDX-License-Identifier: BSD-3-Clause
#include "tune/rules/vendor_switch.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <sstream>

#include "foundation/mpi_libraries.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/vendor_choice.hpp"
#include "tune/rules/vendor_rules.hpp"

namespace quadrille {
namespace {

const RulesFormat* format_of(const VendorRun& run) {
  const MpiLibrary* const library = library_of_version(run.mpi);
  return library ? find_rules_format(library->id) : nullptr;
}

std::string_view name_in(std::string_view setting) { return setting.substr(0, setting.find('=')); }

bool has(const VendorRun& run, std::string_view setting) {
  return std::find(run.settings.begin(), run.settings.end(), setting) != run.settings.end();
}

bool has_name(const VendorRun& run, std::string_view name) {
  return std::any_of(run.settings.begin(), run.settings.end(), [&](const std::string& each) { return name_in(each) == name; });
}

// Returns the collective in the name of a setting: the longest one, because "_reduce_scatter_" also has "_reduce_". Empty if the
// setting is of no certain collective.
std::string collective_in(std::string_view setting) {
  std::string name(name_in(setting));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  std::string found;
  for (const Collective collective : all_collectives()) {
    const std::string each = mpi_name(collective);
    if (each.size() > found.size() && (name + '_').find('_' + each + '_') != name.npos) found = each;
  }
  return found;
}

// Settings of `run` that `other` does not have with the same value. `of`: those of this collective; empty: of all collectives.
std::vector<std::string> differing(const VendorRun& run, const VendorRun& other, const std::string& of) {
  std::vector<std::string> found;
  for (const std::string& setting : run.settings)
    if (!has(other, setting) && collective_in(setting) == of) found.push_back(setting);
  return found;
}

}  // namespace

std::string forced_algorithm(const VendorRun& run, Collective collective) {
  const RulesFormat* const format = format_of(run);
  if (!format) return {};
  std::istringstream needed(format->force(collective, ""));
  for (std::string setting; needed >> setting;) {
    if (!setting.ends_with('=')) {
      if (!has(run, setting)) return {};
      continue;
    }
    for (const std::string& each : run.settings)
      if (each.starts_with(setting)) return each.substr(setting.size());
  }
  return {};
}

std::optional<VendorSwitch> switch_between(const VendorRun& slow, const VendorRun& fast, Collective collective) {
  const RulesFormat* const format = format_of(slow);
  if (!format) return std::nullopt;
  const bool is_same_library = format_of(fast) == format;
  for (const std::string& of : {mpi_name(collective), std::string()}) {
    std::vector<std::string> only_slow = differing(slow, fast, of), only_fast = differing(fast, slow, of);
    if (!is_same_library) only_fast.clear();
    const std::string enabling = ' ' + format->force(collective, "") + ' ';  // these alone change nothing
    for (std::vector<std::string>* settings : {&only_slow, &only_fast})
      std::erase_if(*settings,
                    [&](const std::string& each) { return of.empty() && enabling.find(' ' + each + ' ') != enabling.npos; });
    std::erase_if(only_slow, [&](const std::string& each) { return is_same_library && has_name(fast, name_in(each)); });
    if (!only_fast.empty()) return VendorSwitch{false, fmt::format("{}", fmt::join(only_fast, " ")), "as in the faster run"};
    if (!only_slow.empty())
      return VendorSwitch{true, fmt::format("{}", fmt::join(only_slow, " ")), "because only the slower run sets it"};
  }
  const auto library = vendor_library_of(slow.mpi);
  if (library && slow.algorithm.empty() && slow.nodes > 1 && !library->without_nodes.empty() &&
      !has_name(slow, name_in(library->without_nodes)))
    return VendorSwitch{false, std::string(library->without_nodes),
                        "because the library then no longer splits collectives by nodes, as older versions did not"};
  const bool is_plain = !fast.algorithm.empty() &&
                        std::all_of(fast.algorithm.begin(), fast.algorithm.end(),
                                    [](unsigned char letter) { return std::isalnum(letter) || letter == '_' || letter == '-'; });
  if (is_same_library && is_plain && fast.algorithm != slow.algorithm)
    return VendorSwitch{false, format->force(collective, fast.algorithm),
                        fmt::format("because the faster run took {} by the library's rules", fast.algorithm)};
  return std::nullopt;
}

}  // namespace quadrille
