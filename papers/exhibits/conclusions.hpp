// SPDX-License-Identifier: BSD-3-Clause
// What authors conclude about when which algorithm is better, beside what a plan takes. A plan's choice comes from the function
// behind `quadrille explain` (decide), among all algorithms of the table except baselines. It prices by the model that it takes for
// the authors' machine and network, and the same model prices the algorithms that a sentence compares.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "papers/exhibit.hpp"
#include "quadrille/model_choice.hpp"
#include "quadrille/topology.hpp"

namespace quadrille::papers {

// A problem on a machine, and perhaps a network.
struct PaperSetting {
  std::string text;  // "SP2, 64 ranks, Pattern1, 1024 elements"
  Problem problem;
  MachineCosts machine;
  std::optional<Topology> topology = {};
};

// A sentence of the authors: in this setting, `better` takes less time than `than`.
struct PaperConclusion {
  std::string words, place;
  std::string better;     // specification of an algorithm
  std::string than = {};  // another one; empty: whatever a plan takes
  Policy policy = Policy::blocking;
  double at_most = 1;       // the ratio of both times that the sentence means
  std::string reason = {};  // why our value differs
};

class Planner {
 public:
  explicit Planner(PaperSetting setting);

  double seconds(const std::string& specification, Policy policy) const;

  struct Taken {
    std::string name;  // without parameters that have their default values
    double seconds = 0;
  };
  const Taken& takes(Policy policy);  // what a plan takes that runs by this policy

  void add(Reproduction& made, const PaperConclusion& conclusion);  // a row of the first sheet, and a comparison

 private:
  PaperSetting setting_;
  ModelChoice model_;
  std::map<Policy, Taken> taken_;
};

// A reproduction with the sheet to which planners add rows.
Reproduction conclusions_of(std::vector<std::string> remarks);

}  // namespace quadrille::papers
