// SPDX-License-Identifier: BSD-3-Clause
// What candidates cost on a machine, ranked, and at which size of block another one is the cheapest.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cases.hpp"
#include "quadrille/model.hpp"
#include "talk.hpp"

namespace quadrille::command {

struct Priced {
  std::string name;
  Choice choice;  // with the parameters that have not their defaults; of a file's schedule nothing
  std::string full_name;
  Price price;
  Bytes scratch = 0, control_bytes = 0;  // of a rank
  Count ports = 0;
  Count nodes_sampled = 0;  // Workload::nodes_sampled

  Policy best_policy() const;  // the plainest of the fastest
  double best_seconds() const { return price.seconds(best_policy()); }
  const std::vector<PriceTerm>& terms() const { return price.terms_of(best_policy()); }  // which add up to it
};

// The candidate that costs least for blocks from `from` bytes on.
struct Winner {
  Bytes from = 0;
  std::string name;
};

struct PriceList {
  Problem problem;
  std::vector<Priced> candidates;  // the cheapest first; of those alike the one with the fewest ports
  std::vector<LeftOut> left_out;
  Count messages = 0;           // that were looked at
  std::vector<Winner> winners;  // in ascending order; empty where they were not looked for
  std::string no_winners;       // and why
};

inline constexpr Bytes most_block_bytes = Bytes{1} << 24;  // up to which winners are looked for

class Pricer {
 public:
  // Throws Error{misuse} where the machine is not known by the model.
  Pricer(const Model& model, MachineCosts machine, std::optional<Topology> topology);

  const Model& model() const { return *model_; }
  const MachineCosts& machine() const { return machine_; }
  const Coefficients& coefficients() const { return machine_.models.find(model_->id)->second; }

  // Those that this problem's size is too large for are left out, with the reason; throws it where none remains.
  PriceList prices(const Problem& problem, const std::vector<Case>& cases, std::vector<LeftOut> left_out, Progress& progress) const;

  // Who is the cheapest of the candidates of `list`, all of the table, for blocks from 1 byte to `most_block_bytes`: at powers of
  // two, and between two that differ at the very byte, among those that win somewhere. Leaves a sentence where that would take too
  // long.
  void find_winners(PriceList& list, const std::function<Problem(Bytes block_bytes)>& problem_of, Progress& progress) const;

 private:
  Workload counted(const Schedule& schedule) const;

  const Model* model_;
  MachineCosts machine_;
  std::optional<Topology> topology_;
};

}  // namespace quadrille::command
