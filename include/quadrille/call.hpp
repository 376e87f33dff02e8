// SPDX-License-Identifier: BSD-3-Clause
// Calls without a plan: what a caller may choose, and calls on untyped memory. The typed calls are in collectives.hpp.
//
//   execute(ranks, Problem::alltoall(ranks.size(), 8), input, output);   // chooses an algorithm and makes the plan
//   execute(ranks, Problem::alltoall(ranks.size(), 8), input, output);   // finds the plan
//
// The plans are kept in the communicator; over MPI, with the MPI communicator, until that is freed. There are at most 256: the one
// that was used least recently goes. All ranks make the same calls in the same order, so all find a plan, or all make it together.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

#include "quadrille/execute.hpp"

namespace quadrille {

// The same on all ranks.
struct CallOptions {
  std::string_view algorithm = "auto";  // as PlanOptions::algorithm; read before the call returns
  Effort effort = Effort::estimate;
  Policy policy = Policy::blocking;
  Executor executor = Executor::automatic;
};

// Collective: a call on untyped memory. The buffers are those of Plan::execute. Reductions need an operator. Two problems are the
// same call if all their fields are equal, and two operators if name, type, size and commutativity are. For an alltoallv the plan
// is made anew each time, because its counts may have changed on some ranks only. Throws as `plan` and Plan::execute do.
void execute(Communicator& ranks, const Problem& problem, const void* input, void* output,
             const std::shared_ptr<const Operator>& operation = nullptr, const CallOptions& options = {});

// As `execute`, but returns a request (request.hpp). It waits for other ranks only where the plan has to be made, where ranks
// compare their calls (QUADRILLE_CHECK=1 in the environment, debug builds), and as Plan::start does.
Request start(Communicator& ranks, const Problem& problem, const void* input, void* output,
              const std::shared_ptr<const Operator>& operation = nullptr, const CallOptions& options = {});

// What follows is for collectives.hpp. Programs do not use it.

// The operator of one call: how all ranks describe it, and this call's function. Nothing is owned.
struct CallOperator {
  using Combine = void(const void* function, const std::byte* source, std::byte* target, Count elements, OperandOrder order);

  const Operator* built_in = nullptr;  // then it is one of built_in_operator's, and the other fields are those of that
  std::string_view name{}, type{};     // empty type: elements of so many bytes
  Bytes element_bytes = 1;
  bool commutative = false;
  Combine* combine = nullptr;                                           // as Operator::combine
  const void* function = nullptr;                                       // what `combine` gets
  std::shared_ptr<const void> (*copy)(const void* function) = nullptr;  // a copy of the function
};

struct CallArguments {
  Collective collective = Collective::alltoall;
  bool in_place = false;  // the buffer is the output; so it is for a broadcast
  const void* input = nullptr;
  Count input_elements = 0;
  void* output = nullptr;
  Count output_elements = 0;
  Bytes element_bytes = 1;
  Rank root = 0;
  const CallOperator* operation = nullptr;  // of reductions
  // In debug builds the ranks compare what must be equal. One rank that asks for it is enough.
#ifdef NDEBUG
  bool compares = false;
#else
  bool compares = true;
#endif
};

bool is_built_in(const Operator& operation);  // one of those that built_in_operator returns

void execute_call(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);
Request start_call(Communicator& ranks, const CallArguments& arguments, const CallOptions& options);

}  // namespace quadrille
