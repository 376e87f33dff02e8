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

bool has(const VendorRun& run, std::string_view setting) {
  return std::find(run.settings.begin(), run.settings.end(), setting) != run.settings.end();
}

// Returns the collective in the name of a setting: the longest one, because "_reduce_scatter_" also has "_reduce_". Empty if the
// setting is of no certain collective.
std::string collective_in(std::string_view setting) {
  std::string name(setting.substr(0, setting.find('=')));
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char letter) { return std::tolower(letter); });
  std::string found;
  for (const Collective collective : all_collectives()) {
    const std::string each = mpi_name(collective);
    if (each.size() > found.size() && (name + '_').find('_' + each + '_') != name.npos) found = each;
  }
  return found;
}

// Returns the settings of `run` that `other` does not have with the same value, separated by spaces. `of`: those of this
// collective; empty: those of no certain collective, without those that only allow others.
std::string differing(const VendorRun& run, const VendorRun& other, const std::string& of, const std::string& allowing) {
  std::vector<std::string> found;
  for (const std::string& setting : run.settings)
    if (!has(other, setting) && collective_in(setting) == of && (!of.empty() || !allowing.starts_with(setting + ' ')))
      found.push_back(setting);
  return fmt::format("{}", fmt::join(found, " "));
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
    const std::string allowing = format->force(collective, ""), fasts = differing(fast, slow, of, allowing),
                      slows = differing(slow, fast, of, allowing);
    if (is_same_library && !fasts.empty()) return VendorSwitch{false, fasts, "as in the faster run"};
    if (!slows.empty()) return VendorSwitch{true, slows, "because only the slower run sets it"};
  }
  const auto library = vendor_library_of(slow.mpi);
  if (library && slow.algorithm.empty() && slow.nodes > 1 && !library->without_nodes.empty() && !has(slow, library->without_nodes))
    return VendorSwitch{false, std::string(library->without_nodes),
                        "because the library then no longer splits collectives by nodes, as older versions did not"};
  // MPICH's compositions and its shared memory cannot be forced by the same variable as its algorithms of messages.
  const bool can_be_forced =
      !fast.algorithm.empty() && fast.algorithm != "release_gather" && !fast.algorithm.starts_with("composition");
  if (is_same_library && can_be_forced && fast.algorithm != slow.algorithm)
    return VendorSwitch{false, format->force(collective, fast.algorithm),
                        fmt::format("because the faster run took {} by the library's rules", fast.algorithm)};
  return std::nullopt;
}

}  // namespace quadrille
