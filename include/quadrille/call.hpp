// SPDX-License-Identifier: BSD-3-Clause
// Calls that make and keep their plans themselves: their options, and the calls on untyped memory. The typed calls are in
// collectives.hpp.
//
//   execute(ranks, Problem::alltoall(ranks.size(), 8), input, output);   // chooses an algorithm and makes the plan
//   execute(ranks, Problem::alltoall(ranks.size(), 8), input, output);   // finds the plan
//
// The communicator keeps at most 256 plans; a further plan replaces the least recently used one. Over MPI the plans are attached
// to the MPI communicator until it is freed. All ranks make the same calls in the same order, so either all of them find a plan
// or all make it together.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "quadrille/execute.hpp"

namespace quadrille {

// Options of a call. They must be equal on all ranks.
struct CallOptions {
  std::string_view algorithm = "auto";  // as PlanOptions::algorithm; only read during the call
  // Instead of an algorithm: schedules of your own (candidate.hpp). Only read during the call. A later call finds the plan if it
  // gives the same family or a copy of that family.
  const Family* family = nullptr;
  Effort effort = Effort::estimate;
  Policy policy = Policy::blocking;
  Executor executor = Executor::automatic;
};

// Collective: a call on untyped memory. The buffers are those of Plan::execute. Reductions need an operator. A call finds the plan
// of an earlier one if all fields of both problems are equal and both operators have the same name, type, size and commutativity.
// An alltoallv with default options makes no plan: it runs and throws as the typed alltoallv does (collectives.hpp). With other
// options its plan is made anew each time, because counts may have changed on some ranks only. Throws like `plan` and
// Plan::execute.
void execute(Group ranks, const Problem& problem, const void* input, void* output,
             const std::shared_ptr<const Operator>& operation = nullptr, const CallOptions& options = {});

// As `execute`, but returns a request (request.hpp). The call waits for other ranks in three cases: if the plan has to be made,
// if ranks compare their calls (QUADRILLE_CHECK=1 in the environment, or a debug build), and if Plan::start waits.
Request start(Group ranks, const Problem& problem, const void* input, void* output,
              const std::shared_ptr<const Operator>& operation = nullptr, const CallOptions& options = {});

// The rest is used by collectives.hpp; programs do not use it.

// The operator of one call: the description that must be equal on all ranks, and this rank's function. It owns nothing.
struct CallOperator {
  using Combine = void(const void* function, const std::byte* source, std::byte* target, Count elements, OperandOrder order);

  const Operator* built_in = nullptr;  // an operator that built_in_operator returned, or null
  std::string_view name{}, type{};     // not needed for a built-in operator; empty type: only the size of elements is known
  Bytes element_bytes = 1;
  bool commutative = false;
  Combine* combine = nullptr;                                           // as Operator::combine
  const void* function = nullptr;                                       // the first argument of `combine`
  std::shared_ptr<const void> (*copy)(const void* function) = nullptr;  // returns an owning copy of the function
};

struct CallArguments {
  Collective collective = Collective::alltoall;
  bool in_place = false;  // the only buffer is `output`; always true for a broadcast
  const void* input = nullptr;
  Count input_elements = 0;
  void* output = nullptr;
  Count output_elements = 0;
  Bytes element_bytes = 1;
  Rank root = 0;
  const CallOperator* operation = nullptr;  // for reductions
  // If true on at least one rank, the ranks first compare the arguments that must be equal on all of them.
#ifdef NDEBUG
  bool compares = false;
#else
  bool compares = true;
#endif
};

void execute_call(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);
Request start_call(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);

}  // namespace quadrille
