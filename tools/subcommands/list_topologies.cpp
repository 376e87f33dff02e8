// SPDX-License-Identifier: BSD-3-Clause
#include "subcommands/list_topologies.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/text.hpp"
#include "topology/topology_kind.hpp"

namespace quadrille::command {

std::string topologies_text() {
  std::size_t width = 0;
  for (const TopologyKind* kind : all_topology_kinds()) width = std::max(width, example_of(*kind).size());
  std::string text;
  for (const TopologyKind* kind : all_topology_kinds())
    text += wrapped(fmt::format("{:<{}}  {}", example_of(*kind), width, kind->description), terminal_width(), width + 2) + '\n';
  return text;
}

std::string topologies_markdown() {
  std::string text = "| topology | how ranks are linked | routings |\n| --- | --- | --- |\n";
  for (const TopologyKind* kind : all_topology_kinds()) {
    std::string routings;
    for (const std::string_view routing : kind->routings) routings += fmt::format("{}`,{}`", routings.empty() ? "" : " ", routing);
    text += fmt::format("| `{}` | {} | {} |\n", example_of(*kind), kind->description, routings.empty() ? "–" : routings);
  }
  return text;
}

Json topologies_json() {
  Json array = Json::array();
  for (const TopologyKind* kind : all_topology_kinds())
    array.push_back({{"name", kind->name},
                     {"example", example_of(*kind)},
                     {"description", kind->description},
                     {"numbers", kind->numbers == 0 ? Json("one or more") : Json(kind->numbers)},
                     {"routings", kind->routings}});
  return array;
}

}  // namespace quadrille::command
