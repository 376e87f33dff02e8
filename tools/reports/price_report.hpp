// SPDX-License-Identifier: BSD-3-Clause
// Prices of candidates on a machine: a ranked list, and the block sizes at which the cheapest candidate changes; as text or as
// JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "options/cases.hpp"
#include "quadrille/explain.hpp"
#include "quadrille/model_choice.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {

struct Priced {
  std::string name;
  Choice choice;  // with the parameters that differ from their defaults; empty for a family
  std::string specification;
  Price price;
  Bytes scratch = 0, control_bytes = 0;  // per rank
  Count ports = 0;
  Count nodes_sampled = 0;  // see Workload::nodes_sampled
  std::string note;         // what is known of an MPI library's choice (VendorCase::note)

  double best_seconds() const { return price.seconds(price.best_policy()); }
  const std::vector<PriceTerm>& terms() const { return price.terms_of(price.best_policy()); }
};

struct PriceList {
  Problem problem;
  std::vector<Priced> candidates;  // by price; of equal prices, baselines come last, and those with fewer ports first
  std::vector<LeftOut> left_out;
  Count messages = 0;  // messages that were counted
  Flips winners;       // the cheapest candidates by size of block; empty if they were not searched
};

class Pricer {
 public:
  // Throws Error{misuse} if the machine has no figures for the model.
  Pricer(ModelChoice model, MachineCosts machine, std::optional<Topology> topology);

  const Model& model() const { return *model_.model; }
  const std::string& why_model() const { return model_.reason; }  // empty if the user named the model
  const MachineCosts& machine() const { return machine_; }
  const Coefficients& coefficients() const { return machine_.models.find(model().id)->second; }

  // Returns the prices of all cases. If a case is too large, adds it to `left_out` with the reason. If no case
  // remains, throws Error{misuse} with the first reason.
  PriceList prices(const Problem& problem, const std::vector<Case>& cases, std::vector<LeftOut> left_out,
                   ProgressLine& progress) const;

  // Finds the winners of `list`, whose candidates must be algorithms of the table. Finds none if an MPI library's choice is among
  // them.
  void find_winners(PriceList& list, const AtBlock& at_block, ProgressLine& progress) const;

 private:
  ModelChoice model_;
  MachineCosts machine_;
  std::optional<Topology> topology_;
};

std::string text_of(const std::vector<PriceList>& lists, const Pricer& pricer);
Json json_of(const PriceList& list, const Pricer& pricer);

}  // namespace quadrille::command
