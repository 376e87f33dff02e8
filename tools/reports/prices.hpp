// SPDX-License-Identifier: BSD-3-Clause
// Prices of candidates on a machine: a ranked list, and the sizes of block at which another candidate becomes the cheapest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "options/cases.hpp"
#include "quadrille/model.hpp"
#include "support/talk.hpp"

namespace quadrille::command {

struct Priced {
  std::string name;
  Choice choice;  // with the parameters that differ from their defaults; empty for a schedule from a file
  std::string specification;
  Price price;
  Bytes scratch = 0, control_bytes = 0;  // per rank
  Count ports = 0;
  Count nodes_sampled = 0;  // see Workload::nodes_sampled

  Policy best_policy() const;  // of equally fast policies, the simplest
  double best_seconds() const { return price.seconds(best_policy()); }
  // the terms of the price under the best policy
  const std::vector<PriceTerm>& terms() const { return price.terms_of(best_policy()); }
};

// The candidate that is cheapest for blocks of `from` bytes and more, up to the next winner.
struct Winner {
  Bytes from = 0;
  std::string name;
};

struct PriceList {
  Problem problem;
  std::vector<Priced> candidates;  // the cheapest first; among equal prices, the one with the fewest ports
  std::vector<LeftOut> left_out;
  Count messages = 0;           // messages that were counted
  std::vector<Winner> winners;  // in ascending order of `from`; empty if they were not searched
  std::string no_winners;       // why they were not searched
};

inline constexpr Bytes most_block_bytes = Bytes{1} << 24;  // winners are searched up to this size

class Pricer {
 public:
  // Throws Error{misuse} if the machine has no figures for the model.
  Pricer(const Model& model, MachineCosts machine, std::optional<Topology> topology);

  const Model& model() const { return *model_; }
  const MachineCosts& machine() const { return machine_; }
  const Coefficients& coefficients() const { return machine_.models.find(model_->id)->second; }

  // Returns the prices of all cases. A case for which the problem is too large is added to `left_out` with the reason; if no case
  // remains, that error is thrown.
  PriceList prices(const Problem& problem, const std::vector<Case>& cases, std::vector<LeftOut> left_out,
                   ProgressLine& progress) const;

  // Finds which candidate of `list` (all must be of the table) is the cheapest for blocks from 1 byte to `most_block_bytes`. It
  // prices powers of two. Between two with different winners it searches the exact byte, among candidates that win somewhere. If
  // that would take too long, it stores the reason in the list.
  void find_winners(PriceList& list, const std::function<Problem(Bytes block_bytes)>& problem_of, ProgressLine& progress) const;

 private:
  Workload counted(const Schedule& schedule) const;

  const Model* model_;
  MachineCosts machine_;
  std::optional<Topology> topology_;
};

}  // namespace quadrille::command
