// SPDX-License-Identifier: BSD-3-Clause
// Executes a schedule and records when everything happened (trace.hpp).
//
//   run_threads(4, [](Communicator& threads) {
//     const Trace trace = traced_run(threads, make_schedule(Problem::alltoall(4, 1024), "bruck"), {}, input, output);
//     if (threads.rank() == 0) write_trace(std::cout, trace);
//   });
#pragma once

#include <memory>

#include "quadrille/execute.hpp"
#include "quadrille/trace.hpp"

namespace quadrille {

// A plan whose executions record their times. An execution allocates no memory. Destroy the plan before its communicator.
//
// A message lasts from the time when its rank posts it to the time when the rank notices that it is complete; all messages of a
// window are posted together. A short message is complete for its sender when it is posted. All local operations of a window, and
// the packing before its messages, share one interval: the time of all these copies together. A reduction that the executor
// combines with its receive has no time.
class TracedPlan {
 public:
  // Collective. `options` must not ask for in_place; its algorithm is ignored. Throws like `plan`.
  TracedPlan(Group ranks, const Schedule& schedule, const PlanOptions& options = {});
  ~TracedPlan();

  // Like Plan::execute.
  void execute(const void* input, void* output);

  // Collective. Returns at rank 0 the trace of the last execution, with the logical time and the executed time, in nanoseconds.
  // Other ranks get an empty trace. The clocks of ranks on several machines were compared when the plan was made or by the last
  // `trace`, and are compared again (TracedTime::clock_bound). Throws Error{misuse} if nothing has been executed since the last
  // `trace`.
  Trace trace();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The number of runs before the recorded one, which make memory and caches warm.
inline constexpr int standard_warm_up = 10;

// Collective. Makes a TracedPlan, executes it `warm_up` times and, after a barrier, once more, and returns the last execution's
// trace.
Trace traced_run(Group ranks, const Schedule& schedule, const PlanOptions& options, const void* input, void* output,
                 int warm_up = standard_warm_up);

}  // namespace quadrille
