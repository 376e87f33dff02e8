// SPDX-License-Identifier: BSD-3-Clause
// Typed calls with counts, and alltoallv on untyped memory (own_counts.hpp). There are three ways:
//
//   alltoallv, gatherv, scatterv    Each rank knows its own counts only. They run as an exchange by edges, which needs no plan and
//                                   no agreement.
//   allgatherv, reduce_scatterv     All ranks know all counts, so a plan is found by them and kept (known_counts.hpp).
//   the first three, if the caller  Each call makes its plan.
//   names an algorithm, a policy
//   or an executor
#include <fmt/format.h>

#include "plan/calls/calls.hpp"
#include "plan/calls/irregular_plan.hpp"
#include "plan/plan_buffers.hpp"
#include "plan/request.hpp"
#include "problem/collective_facts.hpp"

namespace quadrille {
namespace {

CallKey key_of(const IrregularCall& call, const CallOptions& options) {
  return {.collective = call.arguments.collective,
          .in_place = call.arguments.in_place,
          .block_bytes = 0,
          .root = call.arguments.root,
          .element_bytes = call.arguments.operation ? call.arguments.element_bytes : 1,
          .operation = call.arguments.operation,
          .options = &options,
          .problem = nullptr};
}

// Choosing an algorithm takes several times as long as making a plan, and counts may change in every call. So calls with counts
// take a simple algorithm unless the caller names one.
CallOptions with_algorithm(const IrregularCall& call, CallOptions options) {
  if (options.algorithm == automatic && !options.family)
    options.algorithm = is_rooted(call.arguments.collective) ? "linear" : "direct";
  return options;
}

// ---- Counts that all ranks know

// Valid as long as `options`.
CallKey checked_key(Communicator& ranks, const IrregularCall& call, const IrregularBlocks& blocks, const CallOptions& options) {
  Calls& calls = ranks.calls();
  CallKey key = key_of(call, options);
  calls.compare(ranks, call.arguments.compares, key, [&] {
    blocks.check_all();
    key.problem = &calls.known_counts.problem(blocks);
  });
  return key;
}

void execute_known(Communicator& ranks, const IrregularCall& call, const IrregularBlocks& blocks, const CallOptions& given) {
  const CallOptions options = with_algorithm(call, given);
  Calls& calls = ranks.calls();
  const CallKey key = checked_key(ranks, call, blocks, options);
  if (PackedOutput::is_superfluous(blocks)) return calls.execute(ranks, key, call.arguments.input, call.arguments.output);
  PackedOutput& packed = calls.packed_output;
  packed.begin(blocks, name(key.collective));
  calls.execute(ranks, key, call.arguments.input, packed.memory());
  packed.unpack();
}

Request start_known(Communicator& ranks, const IrregularCall& call, const IrregularBlocks& blocks, const CallOptions& given) {
  const CallOptions options = with_algorithm(call, given);
  Calls& calls = ranks.calls();
  const CallKey key = checked_key(ranks, call, blocks, options);
  if (PackedOutput::is_superfluous(blocks)) return calls.start(ranks, key, call.arguments.input, call.arguments.output);
  const auto packed = std::make_shared<PackedOutput>();
  packed->begin(blocks, fmt::format("i{}", name(key.collective)));
  return calls.start(ranks, key, call.arguments.input, packed->memory(), [packed] { packed->unpack(); });
}

// ---- Counts of which each rank knows its own

// Collective if the ranks compare their calls, and in the first call of the group. Returns null if the call asks for a plan.
Exchanger* exchanger_for(Communicator& ranks, const IrregularCall& call, const CallOptions& options) {
  Calls& calls = ranks.calls();
  const bool compares = calls.compares(ranks, call.arguments.compares);
  if (compares) calls.compare(ranks, true, key_of(call, options), [] {});
  if (!needs_no_plan(options)) return nullptr;
  Exchanger* const exchanger = calls.exchanger(ranks).get();
  if (compares) compare_counts(ranks, call);
  return exchanger;
}

PlanOptions plan_options(const IrregularCall& call, const CallOptions& options) {
  return {.algorithm = algorithm_of(with_algorithm(call, options)),
          .effort = options.effort,
          .policy = options.policy,
          .executor = options.executor};
}

}  // namespace

void execute_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options) {
  const CallArguments& arguments = call.arguments;
  const IrregularBlocks blocks(call, ranks.rank(), ranks.size());
  if (blocks.is_known_to_all()) return execute_known(ranks, call, blocks, options);
  if (Exchanger* const exchanger = exchanger_for(ranks, call, options)) {
    IrregularEdges& edges = ranks.calls().edges;
    edges.list(blocks, blocks.collective());
    return exchanger->execute(edges.edges());
  }
  Plan plan = plan_irregular(ranks, call, plan_options(call, options));
  if (arguments.in_place) return plan.execute_in_place(arguments.output);
  if (overlap(plan, arguments.input, arguments.output)) throw_overlap(name(arguments.collective), true);
  plan.execute(arguments.input, arguments.output);
}

Request start_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options) {
  const CallArguments& arguments = call.arguments;
  const IrregularBlocks blocks(call, ranks.rank(), ranks.size());
  if (blocks.is_known_to_all()) return start_known(ranks, call, blocks, options);
  const std::string function = fmt::format("i{}", name(arguments.collective));
  if (Exchanger* const exchanger = exchanger_for(ranks, call, options)) {
    const auto open = std::make_shared<IrregularEdges>();
    open->list(blocks, function);
    return exchanger->start(open->edges(), open);
  }
  Plan plan = plan_irregular(ranks, call, plan_options(call, options));
  if (arguments.in_place) return plan.start_in_place(arguments.output);
  if (overlap(plan, arguments.input, arguments.output)) throw_overlap(function, true);
  return plan.start(arguments.input, arguments.output);
}

}  // namespace quadrille
