// SPDX-License-Identifier: BSD-3-Clause
// Chooses the model by which a problem is priced on a machine, if nobody names one. `quadrille price`, `quadrille explain` and
// plans all choose by this function.
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
  bool has_links = false;           // is the network known?
  bool has_nodes = false;           // are the ranks on several nodes?
  bool is_exchange = false;         // is it an alltoall or alltoallv?
  bool compares_executors = false;  // are ways by several executors compared, as by plans?
};

// Returns the facts of a problem on a network, which may be null. They compare no executors.
PricingFacts pricing_facts(const Problem& problem, const Topology* topology = nullptr);

struct ModelChoice {
  const Model* model = nullptr;
  std::string reason;  // why this one: "the network is known, and this model counts its links"
};

// Returns the first model of the table (all_models) for which the machine has figures, that `suits` accepts (if it is given), and
// that can price the problem. The table begins with the models that count what is special about a problem: max-rate counts ranks,
// nodes and executors, `torus` the links of a network, `cluster` the exchanges of nodes. max-rate is passed over at first if
// neither executors are compared nor several nodes known. If there is no such model, returns the reason as a sentence.
Result<ModelChoice> choose_model(const MachineCosts& machine, const PricingFacts& facts,
                                 const std::function<Result<>(const Model&)>& suits = {});

}  // namespace quadrille
