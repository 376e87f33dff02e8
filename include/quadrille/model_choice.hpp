// SPDX-License-Identifier: BSD-3-Clause
// Chooses the model by which a problem is priced on a machine, if the user names none. Prices, simulations, explanations and
// plans all choose by this function, so they agree.
//
//   const auto choice = choose_model(find_machine("paragon"), pricing_facts(problem, &torus));
//   if (choice) std::printf("%s, because %s\n", std::string(choice->model->id).c_str(), choice->reason.c_str());
#pragma once

#include <functional>
#include <string>

#include "quadrille/model.hpp"
#include "quadrille/result.hpp"
#include "quadrille/topology.hpp"

namespace quadrille {

// What is known of a problem, as far as the choice of a model depends on it.
struct PricingFacts {
  bool has_links = false;    // is the network known?
  bool has_nodes = false;    // are the ranks on several nodes?
  bool is_exchange = false;  // is it an alltoall or alltoallv?
};

// Returns the facts of a problem on a network, which may be null.
PricingFacts pricing_facts(const Problem& problem, const Topology* topology = nullptr);

struct ModelChoice {
  const Model* model = nullptr;
  std::string reason;  // why this one: "the network is known, and this model counts its links"
};

// Returns the first model of the table (all_models) for which the machine has figures, that `suits` accepts (if it is given), and
// that can price the problem. The table begins with the models that count what is special about a problem: max-rate counts ranks,
// nodes and executors, `torus` the links of a network, `cluster` the exchanges of nodes. If the network is known and the ranks
// are not on several nodes, max-rate is considered last. If there is no such model, returns the reason as a sentence.
Result<ModelChoice> choose_model(const MachineCosts& machine, const PricingFacts& facts,
                                 const std::function<Result<>(const Model&)>& suits = {});

bool counts_nodes(const Model& model);  // does the price depend on the nodes of the ranks?

// Returns the number of nodes on which the model places the problem's ranks. A model that counts nodes takes the nodes of the
// problem, and a single node if the problem names none. For the other models each message goes between nodes, so each rank is a
// node.
Count nodes_in(const Model& model, const Problem& problem);

// Returns this placement as text: "one node", "64 nodes, one rank each", "4 nodes, 1 or 3 ranks each".
std::string place_text(const Model& model, const Problem& problem);

}  // namespace quadrille
