// SPDX-License-Identifier: BSD-3-Clause
// The functions of c.h that make and use plans. Each function that makes a plan is one row, which says what its arguments mean;
// `planned` does the rest.
#include <fmt/format.h>

#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "c_interface/handles.hpp"
#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/c.h"
#include "quadrille/combine.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/problem.hpp"
#include "quadrille/request.hpp"
#include "quadrille/typed_call.hpp"
#include "schedule/ordering.hpp"

namespace quadrille::c_interface {
namespace {

// Blocks as C gives them: one count and one displacement for each rank, or null.
struct Lists {
  const int64_t* counts = nullptr;
  const int64_t* displacements = nullptr;
};

// The arguments of all collectives together. Each collective uses some of them.
struct Asked {
  Collective collective{};
  Count count = 0;
  Bytes element_bytes = 1;                 // unless it is a reduction
  quadrille_operator operation = nullptr;  // of a reduction
  Rank root = 0;
  Lists send{}, receive{};
};

// Returns the value whose name is `word`, or `otherwise` if there is no word.
template <class Value>
Value value_named(std::string_view option, const char* word, const std::vector<Value>& values, Value otherwise) {
  if (!word) return otherwise;
  std::vector<std::string_view> names;
  for (const Value value : values) {
    names.push_back(name(value));
    if (names.back() == word) return value;
  }
  throw Error(ErrorCode::misuse, fmt::format("there is no {} '{}'; choose {}", option, word, alternatives(names)));
}

std::vector<Executor> executors() {
  std::vector<Executor> all{Executor::automatic};
  for (const ExecutorRow& row : all_executors()) all.push_back(row.executor);
  return all;
}

Layout layout_of(const quadrille_layout& given, std::string_view field) {
  if (given.count < 0)
    throw Error(ErrorCode::misuse, fmt::format("the layout of the {} has {} pieces; it has 0 or more", field, given.count));
  if (given.count > 0 && !given.pieces)
    throw Error(ErrorCode::misuse,
                fmt::format("the layout of the {} has {} pieces at NULL; give their address", field, given.count));
  Layout layout;
  for (const quadrille_piece& piece : std::span(given.pieces, static_cast<std::size_t>(given.count)))
    layout.push_back({.offset = piece.offset, .length = piece.length});
  return layout;
}

PlanOptions options_of(const quadrille_plan_options* given) {
  PlanOptions options;
  if (!given) return options;
  if (given->algorithm) options.algorithm = std::string(given->algorithm);
  options.effort =
      value_named("effort", given->effort, std::vector{Effort::estimate, Effort::measure, Effort::exhaustive, Effort::wisdom_only},
                  options.effort);
  options.policy =
      value_named("policy", given->policy, std::vector{Policy::blocking, Policy::nonblocking, Policy::dataflow}, options.policy);
  options.executor = value_named("executor", given->executor, executors(), options.executor);
  if (given->buffers != 0) options.buffers = given->buffers;
  options.in_place = given->in_place != 0;
  options.layouts = {layout_of(given->input, "input"), layout_of(given->output, "output")};
  return options;
}

// Throws Error{misuse} if the value of an argument is less than `least`. `rule` says so.
void check_least(std::string_view argument, Count value, Count least, std::string_view rule) {
  if (value < least) throw Error(ErrorCode::misuse, fmt::format("'{}' is {}; {}", argument, value, rule));
}

Blocks blocks_of(const Lists& lists, std::string_view argument, bool is_needed, Count ranks) {
  if (!lists.counts && is_needed)
    throw Error(ErrorCode::misuse, fmt::format("'{}' is NULL; give a count for each of the {}", argument, counted(ranks, "rank")));
  const auto size = static_cast<std::size_t>(ranks);
  if (!lists.counts) return {};
  const std::span counts(lists.counts, size);
  return lists.displacements ? Blocks(counts, std::span(lists.displacements, size)) : Blocks(counts);
}

// Makes the plan of a rank whose arguments have been read.
using MakePlan = std::function<Plan()>;

// The call's blocks; `in_place`: input and output share a buffer.
IrregularCall irregular_call(const Communicator& ranks, const Asked& asked, bool in_place) {
  const bool has_lists = !is_rooted(asked.collective) || ranks.rank() == asked.root;
  const CollectiveFacts& facts = facts_of(asked.collective);
  const bool sends = facts.input.holding == Holding::all && !(has_pair_counts(facts) && in_place);
  const bool receives = facts.output.holding == Holding::all;
  return {
      .arguments = {.collective = asked.collective,
                    .in_place = in_place,
                    .input_elements = asked.count,
                    .output_elements = asked.count,
                    .element_bytes = asked.element_bytes,
                    .root = asked.root},
      .send = blocks_of(asked.send, is_reduction(asked.collective) ? "counts" : "send_counts", sends && has_lists, ranks.size()),
      .receive = blocks_of(asked.receive, "receive_counts", receives && has_lists, ranks.size()),
      .has_buffers = false};
}

MakePlan irregular_plan(Communicator& ranks, const Asked& asked, const PlanOptions& options) {
  IrregularCall call = irregular_call(ranks, asked, options.in_place);
  if (options.operation) call.arguments.element_bytes = options.operation->element_bytes;
  return [&ranks, call, options]() mutable {
    if (!options.operation) return plan_irregular(ranks, call, options);
    const CallOperator operation = OperatorFor<std::byte, std::shared_ptr<const Operator>>::of(options.operation);
    call.arguments.operation = &operation;
    return plan_irregular(ranks, call, options);
  };
}

Problem problem_of(const Communicator& ranks, const Asked& asked, const Operator* operation) {
  Problem problem{.collective = asked.collective, .ranks = ranks.size(), .root = asked.root};
  if (operation) {
    problem.element_bytes = operation->element_bytes;
    problem.commutative = operation->commutative;
  }
  // An overflow becomes the largest size, which the plan refuses.
  problem.block_bytes =
      times_at_most(asked.count, operation ? problem.element_bytes : asked.element_bytes, std::numeric_limits<Bytes>::max());
  return problem;
}

MakePlan regular_plan(Communicator& ranks, const Asked& asked, const PlanOptions& options) {
  const Problem problem = problem_of(ranks, asked, options.operation.get());
  return [&ranks, problem, options] { return plan(ranks, problem, options); };
}

void check_sizes(const Asked& asked) {
  check_least("element_bytes", asked.element_bytes, 1, "an element has 1 byte or more");
  check_least("count", asked.count, 0, "it is 0 or more");
}

// Reads the arguments of this rank. Local.
MakePlan read(Communicator& ranks, const Asked& asked, const quadrille_plan_options* given) {
  PlanOptions options = options_of(given);
  if (asked.collective == Collective::broadcast) options.in_place = true;
  if (is_reduction(asked.collective)) options.operation = object_of(asked.operation);
  check_sizes(asked);
  return (is_irregular(asked.collective) ? irregular_plan : regular_plan)(ranks, asked, options);
}

// Collective. Makes the plan for the handle at `address`, as the functions of c.h do. Returns the code of an error. A wrong group
// or address is refused on this rank alone, and other wrong arguments on all ranks.
int planned(quadrille_group group, const Asked& asked, const quadrille_plan_options* given, quadrille_plan* address) {
  return guarded([&] {
    make_handle(address, "plan", [&] {
      const std::shared_ptr<Communicator> ranks = object_of(group);
      const MakePlan made = made_or_thrown(*ranks, [&] { return read(*ranks, asked, given); });
      return std::make_shared<Plan>(made());
    });
  });
}

// Collective. Calls without a plan of the caller's.
int called(quadrille_group group, const Asked& asked, const void* input, void* output) {
  return guarded([&] {
    const std::shared_ptr<Communicator> ranks = object_of(group);
    check_sizes(asked);
    if (asked.collective == Collective::alltoallv) {
      IrregularCall call = irregular_call(*ranks, asked, /*in_place=*/false);
      call.arguments.input = input, call.arguments.output = output;
      return execute_irregular(*ranks, call, {});
    }
    const std::shared_ptr<const Operator> combining = is_reduction(asked.collective) ? object_of(asked.operation) : nullptr;
    const Problem problem = problem_of(*ranks, asked, combining.get());
    check(problem);
    CallArguments arguments{.collective = asked.collective,
                            .in_place = asked.collective == Collective::broadcast,
                            .input = input,
                            .output = output,
                            .element_bytes = combining ? combining->element_bytes : asked.element_bytes,
                            .root = asked.root};
    arguments.input_elements = input_bytes(problem, ranks->rank()) / arguments.element_bytes;
    arguments.output_elements = arguments.in_place ? asked.count : output_bytes(problem, ranks->rank()) / arguments.element_bytes;
    if (!combining) return execute_call(*ranks, arguments, {});
    const CallOperator operation = OperatorFor<std::byte, std::shared_ptr<const Operator>>::of(combining);
    arguments.operation = &operation;
    execute_call(*ranks, arguments, {});
  });
}

int started(quadrille_request* address, auto&& start) {
  return guarded([&] { make_handle(address, "request", [&] { return std::make_shared<Request>(start()); }); });
}

// Calls `finish`, which returns whether the execution is over. Frees the request if the execution is over or `finish` throws.
bool is_over_after(quadrille_request& handle, bool (*finish)(Request&)) {
  if (!handle) return true;
  const std::shared_ptr<Request> request = object_of(handle);
  try {
    if (!finish(*request)) return false;
  } catch (...) {
    forget(std::exchange(handle, nullptr));
    throw;
  }
  forget(std::exchange(handle, nullptr));
  return true;
}

bool is_over_after_waiting(quadrille_request& handle) {
  return is_over_after(handle, [](Request& request) {
    request.wait();
    return true;
  });
}

void wait_for_all(std::span<quadrille_request> requests) {
  std::exception_ptr first;
  for (quadrille_request& request : requests) try {
      is_over_after_waiting(request);
    } catch (...) {
      if (!first) first = std::current_exception();
    }
  if (first) std::rethrow_exception(first);
}

}  // namespace
}  // namespace quadrille::c_interface

using namespace quadrille;
using namespace quadrille::c_interface;

// ---- Calls without a plan

int quadrille_call_alltoall(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes) {
  return called(ranks, {.collective = Collective::alltoall, .count = count, .element_bytes = element_bytes}, input, output);
}

int quadrille_call_allgather(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes) {
  return called(ranks, {.collective = Collective::allgather, .count = count, .element_bytes = element_bytes}, input, output);
}

int quadrille_call_broadcast(quadrille_group ranks, void* buffer, int64_t count, int64_t element_bytes, int64_t root) {
  return called(ranks, {.collective = Collective::broadcast, .count = count, .element_bytes = element_bytes, .root = root}, nullptr,
                buffer);
}

int quadrille_call_scatter(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes,
                           int64_t root) {
  return called(ranks, {.collective = Collective::scatter, .count = count, .element_bytes = element_bytes, .root = root}, input,
                output);
}

int quadrille_call_gather(quadrille_group ranks, const void* input, void* output, int64_t count, int64_t element_bytes,
                          int64_t root) {
  return called(ranks, {.collective = Collective::gather, .count = count, .element_bytes = element_bytes, .root = root}, input,
                output);
}

int quadrille_call_reduce(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation,
                          int64_t root) {
  return called(ranks, {.collective = Collective::reduce, .count = count, .operation = operation, .root = root}, input, output);
}

int quadrille_call_allreduce(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation) {
  return called(ranks, {.collective = Collective::allreduce, .count = count, .operation = operation}, input, output);
}

int quadrille_call_reduce_scatter(quadrille_group ranks, const void* input, void* output, int64_t count,
                                  quadrille_operator operation) {
  return called(ranks, {.collective = Collective::reduce_scatter, .count = count, .operation = operation}, input, output);
}

int quadrille_call_scan(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation) {
  return called(ranks, {.collective = Collective::scan, .count = count, .operation = operation}, input, output);
}

int quadrille_call_exscan(quadrille_group ranks, const void* input, void* output, int64_t count, quadrille_operator operation) {
  return called(ranks, {.collective = Collective::exscan, .count = count, .operation = operation}, input, output);
}

int quadrille_call_alltoallv(quadrille_group ranks, const void* input, const int64_t* send_counts,
                             const int64_t* send_displacements, void* output, const int64_t* receive_counts,
                             const int64_t* receive_displacements, int64_t element_bytes) {
  return called(ranks,
                {.collective = Collective::alltoallv,
                 .element_bytes = element_bytes,
                 .send = {send_counts, send_displacements},
                 .receive = {receive_counts, receive_displacements}},
                input, output);
}

// ---- Making plans

int quadrille_plan_alltoall(quadrille_group ranks, int64_t count, int64_t element_bytes, const quadrille_plan_options* options,
                            quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::alltoall, .count = count, .element_bytes = element_bytes}, options, plan);
}

int quadrille_plan_allgather(quadrille_group ranks, int64_t count, int64_t element_bytes, const quadrille_plan_options* options,
                             quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::allgather, .count = count, .element_bytes = element_bytes}, options, plan);
}

int quadrille_plan_broadcast(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                             const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::broadcast, .count = count, .element_bytes = element_bytes, .root = root},
                 options, plan);
}

int quadrille_plan_scatter(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                           const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::scatter, .count = count, .element_bytes = element_bytes, .root = root}, options,
                 plan);
}

int quadrille_plan_gather(quadrille_group ranks, int64_t count, int64_t element_bytes, int64_t root,
                          const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::gather, .count = count, .element_bytes = element_bytes, .root = root}, options,
                 plan);
}

int quadrille_plan_reduce(quadrille_group ranks, int64_t count, quadrille_operator operation, int64_t root,
                          const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::reduce, .count = count, .operation = operation, .root = root}, options, plan);
}

int quadrille_plan_allreduce(quadrille_group ranks, int64_t count, quadrille_operator operation,
                             const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::allreduce, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_reduce_scatter(quadrille_group ranks, int64_t count, quadrille_operator operation,
                                  const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::reduce_scatter, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_scan(quadrille_group ranks, int64_t count, quadrille_operator operation, const quadrille_plan_options* options,
                        quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::scan, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_exscan(quadrille_group ranks, int64_t count, quadrille_operator operation, const quadrille_plan_options* options,
                          quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::exscan, .count = count, .operation = operation}, options, plan);
}

int quadrille_plan_alltoallv(quadrille_group ranks, const int64_t* send_counts, const int64_t* send_displacements,
                             const int64_t* receive_counts, const int64_t* receive_displacements, int64_t element_bytes,
                             const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks,
                 {.collective = Collective::alltoallv,
                  .element_bytes = element_bytes,
                  .send = {send_counts, send_displacements},
                  .receive = {receive_counts, receive_displacements}},
                 options, plan);
}

int quadrille_plan_allgatherv(quadrille_group ranks, const int64_t* receive_counts, const int64_t* receive_displacements,
                              int64_t element_bytes, const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(
      ranks,
      {.collective = Collective::allgatherv, .element_bytes = element_bytes, .receive = {receive_counts, receive_displacements}},
      options, plan);
}

int quadrille_plan_gatherv(quadrille_group ranks, int64_t count, const int64_t* receive_counts,
                           const int64_t* receive_displacements, int64_t element_bytes, int64_t root,
                           const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks,
                 {.collective = Collective::gatherv,
                  .count = count,
                  .element_bytes = element_bytes,
                  .root = root,
                  .receive = {receive_counts, receive_displacements}},
                 options, plan);
}

int quadrille_plan_scatterv(quadrille_group ranks, const int64_t* send_counts, const int64_t* send_displacements, int64_t count,
                            int64_t element_bytes, int64_t root, const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks,
                 {.collective = Collective::scatterv,
                  .count = count,
                  .element_bytes = element_bytes,
                  .root = root,
                  .send = {send_counts, send_displacements}},
                 options, plan);
}

int quadrille_plan_reduce_scatterv(quadrille_group ranks, const int64_t* counts, quadrille_operator operation,
                                   const quadrille_plan_options* options, quadrille_plan* plan) {
  return planned(ranks, {.collective = Collective::reduce_scatterv, .operation = operation, .send = {.counts = counts}}, options,
                 plan);
}

// ---- What a plan tells, executions, requests

int quadrille_plan_algorithm(quadrille_plan plan, const char** algorithm) {
  return guarded([&] { result_at(algorithm, "algorithm") = object_of(plan)->algorithm().c_str(); });
}

int quadrille_plan_free(quadrille_plan* plan) {
  return guarded([&] { free_handle(plan, "plan"); });
}

int quadrille_execute(quadrille_plan plan, const void* input, void* output) {
  return guarded([&] { object_of(plan)->execute(input, output); });
}

int quadrille_execute_in_place(quadrille_plan plan, void* buffer) {
  return guarded([&] { object_of(plan)->execute_in_place(buffer); });
}

int quadrille_start(quadrille_plan plan, const void* input, void* output, quadrille_request* request) {
  return started(request, [&] { return object_of(plan)->start(input, output); });
}

int quadrille_start_in_place(quadrille_plan plan, void* buffer, quadrille_request* request) {
  return started(request, [&] { return object_of(plan)->start_in_place(buffer); });
}

int quadrille_test(quadrille_request* request, int* is_over) {
  return guarded([&] {
    int& over = result_at(is_over, "is_over");
    over = 0;
    over = is_over_after(result_at(request, "request"), [](Request& each) { return each.test(); }) ? 1 : 0;
  });
}

int quadrille_wait(quadrille_request* request) {
  return guarded([&] { is_over_after_waiting(result_at(request, "request")); });
}

int quadrille_wait_all(int64_t count, quadrille_request* requests) {
  return guarded([&] {
    if (count < 0) throw Error(ErrorCode::misuse, fmt::format("'count' is {}; there are 0 requests or more", count));
    if (count > 0) wait_for_all({&result_at(requests, "requests"), static_cast<std::size_t>(count)});
  });
}
