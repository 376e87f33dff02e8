// SPDX-License-Identifier: BSD-3-Clause
// Counts the allocations of our own code. C++ code allocates through operator new, which this header replaces for the whole
// program. MPI libraries are C and use malloc, so their allocations are not counted. Include it in one source file of a program
// only.
#pragma once

#include <cstdlib>
#include <new>

#include "execute/executions/execution.hpp"
#include "plan/plan.hpp"
#include "quadrille/execute.hpp"
#include "support/cases.hpp"
#include "support/judge.hpp"

namespace quadrille::testing {

inline thread_local long allocation_count = 0;  // each rank counts its own

inline void* counted(std::size_t size) {
  ++allocation_count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}

// Collective. Executes every algorithm under every policy, plain and observed (execution_record.hpp), and returns a description of
// the first execution that allocated.
inline std::string first_allocation(Communicator& communicator, Executor executor = Executor::automatic) {
  const Count p = communicator.size();
  for (const Algorithm* algorithm : all_algorithms()) {
    const Problem problem = problem_of(algorithm->collective, p, 24);
    const Choice choice = standard_choice(*algorithm, problem);
    if (!applies(problem, choice)) continue;
    for (int way = 0; way < 6; ++way) {
      const auto policy = static_cast<Policy>(way / 2);
      const PlanOptions options{
          .algorithm = std::string(algorithm->id), .policy = policy, .executor = executor, .operation = operation_for(problem)};
      Plan made = way % 2 == 0 ? plan(communicator, problem, options)
                               : std::move(observed_plan(communicator, make_schedule(problem, choice), false, options).plan);
      std::vector<std::byte> input(static_cast<std::size_t>(input_bytes(problem, communicator.rank()))),
          output(static_cast<std::size_t>(output_bytes(problem, communicator.rank())));
      made.execute(input.data(), output.data());
      communicator.barrier();
      const long before = allocation_count;
      for (int run = 0; run < 10; ++run) {
        made.execute(input.data(), output.data());
        Started started;  // what a Request allocates
        started.execution = shared_execution_of(made);
        started.arguments = {input.data(), output.data()};
        execution_of(made).start(started);
        execution_of(made).wait(started);
      }
      const long here = allocation_count - before;
      std::vector<long> all(static_cast<std::size_t>(p));
      communicator.all_gather(&here, all.data(), sizeof here);
      for (const long count : all)
        if (count > 0)
          return std::string(algorithm->id) +
                 (way % 2 == 0 ? ": executing a plan allocates " : ": an observed execution allocates ") + std::to_string(count) +
                 " times under policy " + std::to_string(static_cast<int>(policy));
    }
  }
  return "";
}

}  // namespace quadrille::testing

// Not inlined: GCC 12 would inline some of these functions and not the others, and then warn that memory from one is freed by
// free().
[[gnu::noinline]] void* operator new(std::size_t size) { return quadrille::testing::counted(size); }
[[gnu::noinline]] void* operator new[](std::size_t size) { return quadrille::testing::counted(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
