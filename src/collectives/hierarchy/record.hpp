// SPDX-License-Identifier: BSD-3-Clause
// The record of a hierarchical algorithm: everything but its texts follows from its form.
#pragma once

#include "collectives/hierarchy/hierarchy.hpp"

namespace quadrille {

// The parameters of hierarchical algorithms, with their defaults and the values worth trying.
std::vector<Parameter> parameters_of_hierarchy(Collective collective);

template <Form form>
Algorithm hierarchical(Collective collective, std::string summary, std::string_view picture,
                       std::string_view needs = "several nodes, one with several ranks, and what the parts need") {
  Algorithm record{
      .collective = collective,
      .id = "hierarchical",
      .summary = std::move(summary),
      .picture = picture,
      .needs = needs,
      .source = "traff2020",
      .parameters = parameters_of_hierarchy(collective),
      .generate = [](const Problem&, const Parameters&, const Analysis* analysis,
                     Rank me) { return composed(static_cast<const Hierarchy&>(*analysis), me); },
      .applies = [](const Problem& problem, const Parameters& parameters) { return hierarchy_applies(problem, parameters, form); },
      .analyse = [](const Problem& problem, const Parameters& parameters) -> std::shared_ptr<const Analysis> {
        return std::make_shared<Hierarchy>(problem, parameters, form);
      },
      .ports = [](const Problem& problem, const Parameters& parameters) { return Hierarchy(problem, parameters, form).ports(); },
      .node_ports = [](const Problem& problem,
                       const Parameters& parameters) { return Hierarchy(problem, parameters, form).node_ports(); },
  };
  if (!is_irregular(collective) && !is_rooted(collective) && collective != Collective::scan && collective != Collective::exscan)
    record.symmetry = [](const Problem& problem, const Parameters& parameters) {
      return Hierarchy(problem, parameters, form).symmetry();
    };
  if (is_reduction(collective)) {
    record.combining = [](const Problem& problem, const Parameters& parameters) {
      return Hierarchy(problem, parameters, form).combining();
    };
    record.combining_rule =
        "as the parts if each node has consecutive ranks, but fixed tree only if all nodes have the same power of two of ranks "
        "(the last one may have fewer); else any order";
  }
  return record;
}

}  // namespace quadrille
