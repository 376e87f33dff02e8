// SPDX-License-Identifier: BSD-3-Clause
// One-shot calls: plans that are made at the first call and kept for the next ones that ask for the same.
//
//   PlanCache cache(communicator);
//   cache.execute(Problem::alltoall(p, 8), input, output);   // chooses an algorithm and makes the plan
//   cache.execute(Problem::alltoall(p, 8), input, output);   // finds it
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <unordered_map>

#include "quadrille/execute.hpp"

namespace quadrille {

// Of one rank. All ranks of the communicator make the same calls in the same order, so all find a plan, or all make it together.
class PlanCache {
 public:
  // `options` hold for all plans; those of reductions take their operator from the call. The communicator lives as long as this.
  explicit PlanCache(Communicator& communicator, PlanOptions options = {}, std::size_t most_plans = 256);
  ~PlanCache();

  // The plan for the problem; collective where it has to be made. It is kept until `most_plans` others were used after it. Problems
  // are the same if all their fields are, and operators if name, type and size are. Throws Error{misuse} for alltoallv, whose
  // counts may change on some ranks only: those would make a plan while the others execute theirs.
  Plan& plan_for(const Problem& problem, const std::shared_ptr<const Operator>& operation = nullptr);

  void execute(const Problem& problem, const void* input, void* output,
               const std::shared_ptr<const Operator>& operation = nullptr) {
    plan_for(problem, operation).execute(input, output);
  }

  std::size_t size() const { return plans_.size(); }

 private:
  struct Entry;
  using Entries = std::list<Entry>;  // the one used last comes first

  Communicator& communicator_;
  const PlanOptions options_;
  const std::size_t most_plans_;
  Entries plans_;
  std::unordered_multimap<std::uint64_t, Entries::iterator> by_hash_;
};

}  // namespace quadrille
