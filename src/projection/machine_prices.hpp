// SPDX-License-Identifier: BSD-3-Clause
// Prices of schedules on the machine of a projection: also with each of its assumed figures halved and doubled, and with the delays
// between entries and exits.
#pragma once

#include <string>
#include <vector>

#include "projection/member_times.hpp"
#include "quadrille/algorithm.hpp"
#include "quadrille/decision.hpp"
#include "quadrille/explain.hpp"
#include "quadrille/message_times.hpp"

namespace quadrille::projection {

// A figure of the machine that was assumed.
struct AssumedFigure {
  const Model* model;
  std::string key;
};

// Seconds of a call if all members enter together.
struct SchedulePrice {
  double seconds = 0;
  std::vector<double> halved, doubled;  // by figure of MachinePrices::assumed
  Policy policy = Policy::blocking;

  void scale(double factor);
};

class MachinePrices {
 public:
  explicit MachinePrices(const MachineCosts& machine);

  const std::vector<AssumedFigure>& assumed() const { return assumed_; }

  // Our choice for the problem. Throws Error{misuse} if no model of the machine can price it.
  Decision decide(const Problem& problem) const;

  // The price under the best policy. Throws Error{misuse}, Error{too_large}.
  SchedulePrice price(const Problem& problem, const Choice& choice) const;

  // Delays for such a schedule whose largest one is the price.
  MemberTimes times(const Problem& problem, const Choice& choice, const SchedulePrice& price) const;

 private:
  DecisionOptions options_for(const Problem& problem) const;
  ModelChoice model_for(const Problem& problem) const;

  const MachineKnowledge knowledge_;
  std::vector<AssumedFigure> assumed_;
  MessageTimes messages_;
};

}  // namespace quadrille::projection
