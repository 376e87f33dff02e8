// SPDX-License-Identifier: BSD-3-Clause
// Which algorithm authors call better in which case, compared with the choice of a plan. A plan's choice comes from the function
// behind `quadrille explain` (decide), among all algorithms of the table except baselines. This function chooses a model for the
// authors' machine and network; the same model prices the algorithms that a sentence compares. A row can fail in two ways: the
// authors' sentence may not hold, and the plan may be slower than the authors' choice.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

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

inline constexpr double tied = 1.03;  // the ratio up to which plans count times as tied (tie_tolerance in decision.hpp)

// The fastest of all algorithms except baselines, as the rival of a choice that authors call the best or optimal.
inline constexpr const char* fastest_of_all = "all others";

// A sentence of the authors: in this setting, `better` takes at most `at_most` times as long as `than`.
struct PaperConclusion {
  std::string words, place;
  std::string better;     // specification of an algorithm
  std::string than = {};  // another one, or fastest_of_all; empty: the sentence compares no times, only the plan is compared
  Policy policy = Policy::blocking;
  std::optional<Policy> than_policy = {};     // the policy of `than`; absent: that of `better`
  std::vector<Policy> further_policies = {};  // further policies of both algorithms, if the sentence does not name the mode
  double at_most = 1;       // the ratio of the two times that the sentence means; with fastest_of_all, `tied` is allowed
  std::string reason = {};  // why our value differs
};

// The same setting, with other values for what the paper leaves open.
struct OpenCase {
  std::string text;  // names the values; cases of the same text are random draws
  std::function<double(const std::string& specification, Policy policy)> seconds;
};

class Planner {
 public:
  // A sentence holds if it holds in the setting and in all other cases.
  explicit Planner(PaperSetting setting, std::vector<OpenCase> others = {});

  double seconds(const std::string& specification, Policy policy) const;

  struct Taken {
    std::string name;  // the algorithm, without parameters that have their default values
    double seconds = 0;
  };
  const Taken& takes(Policy policy);    // the way that a plan takes if it runs by this policy
  const Taken& fastest(Policy policy);  // the fastest of all ways that a plan prices by this policy

  // Adds a row to the first sheet, and up to two comparisons: that of the sentence; and, once for each choice of the authors, the
  // time of the plan over the time of this choice.
  void add(Reproduction& made, const PaperConclusion& conclusion);

 private:
  struct Ways {
    Taken taken, fastest;
  };
  const Ways& ways(Policy policy);
  void add_sentence(Reproduction& made, const PaperConclusion& said, const std::string& where, Cell& over);

  PaperSetting setting_;
  ModelChoice model_;
  std::map<Policy, Ways> ways_;
  std::vector<OpenCase> others_;
  mutable std::map<std::string, Workload> workloads_;  // by specification
};

// A reproduction with the sheet to which planners add rows. Its last remark says how many plans take as long as the authors'
// choice, how many take less time, and how many take more; planners renew this remark.
Reproduction conclusions_of(std::vector<std::string> remarks);

}  // namespace quadrille::papers
