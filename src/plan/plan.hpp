// SPDX-License-Identifier: BSD-3-Clause
// Plans that execute.hpp does not make, and checks of the buffers that are passed to a plan. If tune/choosing chooses the
// algorithm, all ranks must make the same choice. So each rank puts a hash of the knowledge by which it chooses into its request,
// and the ranks compare the requests. A schedule that this library has made becomes a plan without verification.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "plan/request.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/schedule.hpp"

namespace quadrille {

struct Script;

// The choice of one rank by its own knowledge, before ranks compare their choices.
struct Chosen {
  PlanOptions options;  // with the chosen way filled in
  std::shared_ptr<const Decision> decision;
  std::uint64_t knowledge = no_knowledge;  // hash of the knowledge used
};

// Makes the choice; local. `kept` is the communicator that the plan keeps alive.
using Choose = std::function<Chosen(Communicator& kept, const Problem& placed)>;

// The result of plan_chosen, equal on all ranks. `plan` is empty if the ranks chose with different knowledge or
// if some rank refuses the vendor's collective.
struct ChosenPlan {
  std::optional<Plan> plan;
  bool vendor_is_refused = false;
};

// Collective: every rank makes its choice, and if they agree, the ranks make the plan together (plan.cpp).
ChosenPlan plan_chosen(Communicator& communicator, const Problem& problem, const PlanOptions& options, const Choose& choose);

// Returns the problem, on the communicator's nodes if it names none. Throws Error{misuse} as `check` does, and if the group has a
// different number of ranks.
Problem checked_for(Communicator& communicator, const Problem& asked);

// Collective. Like `plan`, but runs `schedule`, without verifying it, instead of choosing an algorithm for a problem.
// `own_counts` is true if each rank makes the schedule from only the counts that it sends and receives itself
// (Algorithm::needs_own_counts_only).
Plan plan_schedule(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

// A plan whose executions write their times to `script->record` (execution_record.hpp).
struct ObservedPlan {
  Plan plan;
  std::shared_ptr<const Script> script;
};

// Collective: makes an observed plan, as plan_schedule.
ObservedPlan observed_plan(Communicator& communicator, const Schedule& schedule, bool own_counts, const PlanOptions& options);

// Makes the checks of Plan::execute or, for a plan in place, those of Plan::execute_in_place on `output`. For callers that run a
// plan's Execution themselves. Returns true if input and output overlap; the caller must then refuse them by throw_overlap.
// `block_bytes`: the size of this execution's blocks; only for an elastic plan.
[[nodiscard]] bool overlap(const Plan& plan, const void* input, const void* output, Bytes block_bytes = 0);

// Of an elastic plan: the largest block that it runs (PlanOptions::capacity). 0: the plan runs blocks of one size.
Bytes capacity_of(const Plan& plan);

// As Plan::execute or, for a plan in place, Plan::execute_in_place on `output`, with blocks of this size. If the plan is not
// elastic, its blocks have this size.
void execute(Plan& plan, const void* input, void* output, Bytes block_bytes);

// The used part of a buffer: the offsets of its first byte and of the byte after its last one.
using UsedPart = std::pair<Bytes, Bytes>;

// Throws Error{misuse} if bytes of a buffer are used, but the buffer is a null pointer.
void check_given(const void* buffer, const UsedPart& used, const char* what);

// Checks that both buffers are given. Returns true if their used parts overlap.
[[nodiscard]] bool overlap(const void* input, const UsedPart& used_input, const void* output, const UsedPart& used_output);

// Throws Error{misuse} that says what to call instead of `function`: the in-place form of a typed call, or a plan in place.
[[noreturn]] void throw_overlap(std::string_view function, bool is_typed_call);

}  // namespace quadrille
