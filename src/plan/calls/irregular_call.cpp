// SPDX-License-Identifier: BSD-3-Clause
// Typed calls with counts, and alltoallv on untyped memory. There are three ways:
//
//   alltoallv, gatherv, scatterv    Each rank knows only its own counts. Such a call runs as an exchange by edges: it needs no plan
//                                   and no agreement.
//   allgatherv, reduce_scatterv     All ranks know all counts. Plans are kept, and found by their counts (`KnownCounts`).
//   the first three, if the caller  Each call makes its plan.
//   names an algorithm, a policy
//   or an executor
#include <fmt/format.h>

#include <algorithm>

#include "execute/agreement.hpp"
#include "plan/calls/calls.hpp"
#include "plan/calls/irregular_blocks.hpp"
#include "plan/plan.hpp"
#include "plan/request.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/typed_call.hpp"
#include "quadrille/typed_plan.hpp"

namespace quadrille {
namespace {

// A plan from the counts and displacements that each rank passes.
class IrregularPlan {
 public:
  IrregularPlan(Communicator& ranks, const IrregularCall& call)
      : ranks_(ranks),
        blocks_(call, ranks.rank(), ranks.size()),
        arguments_(call.arguments),
        has_pairs_(has_pair_counts(arguments_.collective)),
        is_rooted_(is_rooted(arguments_.collective)) {}

  Plan made(PlanOptions options) {
    const Problem problem = checked_problem([&] {
      if (!options.layouts.input.empty() || !options.layouts.output.empty())
        throw Error(ErrorCode::misuse, "the blocks of this plan say where its data lies; leave layouts out");
    });
    options.layouts = layouts();
    options.in_place = arguments_.in_place;
    if (arguments_.operation) options.operation = operator_owning(*arguments_.operation, arguments_.element_bytes);
    return plan(ranks_, problem, options);
  }

  // Collective. Checks the arguments of all ranks, and compares the counts on which two ranks must agree. Throws on all ranks or
  // on none.
  void compare() {
    const Problem problem = checked_problem([] {});
    if (has_pairs_) agree(ranks_, [&] { return request_of(problem, {}, blocks_.rank(), "exchange", true); });
  }

 private:
  // Collective, as above. `check`: one more check of this rank's own arguments.
  template <class Check>
  Problem checked_problem(Check&& check) {
    const ByRank<Bytes> own_shares = gathered_or_thrown(ranks_, [&] {
      check();
      blocks_.check_all();
      return is_rooted_ ? blocks_.own_share() : 0;
    });
    return made_or_thrown(ranks_, [&] {
      if (is_rooted_ && blocks_.is_root())
        for (Rank rank = 0; rank < blocks_.ranks(); ++rank) blocks_.compare_share(rank, own_shares[rank]);
      return problem_of(own_shares);
    });
  }

  std::vector<Bytes> bytes(const Blocks& list) const {
    std::vector<Bytes> all;
    for (std::size_t i = 0; i < list.counts.size(); ++i) all.push_back(blocks_.bytes(list.counts[i]));
    return all;
  }

  Problem problem_of(const ByRank<Bytes>& own_shares) const {
    if (has_pairs_)
      return alltoallv_of_rank(blocks_.rank(), bytes(blocks_.replaces() ? blocks_.received() : blocks_.sent()),
                               bytes(blocks_.received()));
    Problem problem{.collective = arguments_.collective, .ranks = blocks_.ranks(), .root = arguments_.root};
    std::vector<Bytes> counts = is_rooted_ ? std::vector<Bytes>(own_shares) : bytes(blocks_.blocks());
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
    if (arguments_.operation) {
      problem.element_bytes = arguments_.operation->element_bytes;
      problem.commutative = arguments_.operation->commutative;
    }
    quadrille::check(problem);
    return problem;
  }

  // Returns an empty layout if the blocks are contiguous in rank order.
  Layout layout_of(const Blocks& list) const { return list.displacements ? placed(list) : Layout{}; }

  // Returns a layout that states all offsets, even if the blocks are contiguous in rank order.
  Layout placed(const Blocks& list) const {
    std::vector<Count> counts, displacements;
    Count before = 0;
    for (std::size_t i = 0; i < list.counts.size(); ++i) {
      counts.push_back(list.counts[i]);
      displacements.push_back(list.displacements ? (*list.displacements)[i] : before);
      before += counts.back();
    }
    return layout(counts, displacements, arguments_.element_bytes);
  }

  Layouts layouts() const {
    const Blocks &sent = blocks_.sent(), &received = blocks_.received(), &blocks = blocks_.blocks();
    if (!arguments_.in_place) {
      const bool has_lists = !is_rooted_ || blocks_.is_root();
      return {has_lists ? layout_of(sent) : Layout{}, has_lists ? layout_of(received) : Layout{}};
    }
    if (has_pairs_ && !blocks_.replaces()) return {placed(sent), placed(received)};
    if (!blocks.displacements || (is_rooted_ && !blocks_.is_root())) return {};  // the default of plans in place
    const Layout all = layout_of(blocks);
    if (has_pairs_) return {all, all};
    const Layout own{all[index(blocks_.rank())]};
    return blocks_.is_scatter() ? Layouts{all, own} : Layouts{own, all};
  }

  Communicator& ranks_;
  const IrregularBlocks blocks_;
  const CallArguments& arguments_;
  const bool has_pairs_, is_rooted_;
};

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

// Choosing an algorithm takes several times as long as making a plan, and counts may change in every call. So a call with counts
// uses a simple algorithm unless the caller names one.
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
  if (compares) IrregularPlan(ranks, call).compare();
  return exchanger;
}

PlanOptions plan_options(const IrregularCall& call, const CallOptions& options) {
  return {.algorithm = algorithm_of(with_algorithm(call, options)),
          .effort = options.effort,
          .policy = options.policy,
          .executor = options.executor};
}

}  // namespace

Plan plan_irregular(Communicator& ranks, const IrregularCall& call, const PlanOptions& options) {
  return IrregularPlan(ranks, call).made(options);
}

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

// Gathers the counts of an alltoallv from all ranks.
Problem alltoallv_of_rows(Group ranks, const std::vector<Bytes>& row) {
  constexpr Bytes bad = -1;  // replaces every count of an invalid row, so that all ranks find the error
  Communicator& communicator = ranks;
  const auto p = index(communicator.size());
  const bool good = row.size() == p && std::all_of(row.begin(), row.end(), [](Bytes count) { return count >= 0; });
  const std::vector<Bytes> mine = good ? row : std::vector<Bytes>(p, bad);
  std::vector<Bytes> counts(p * p);
  communicator.all_gather(mine.data(), counts.data(), static_cast<Count>(p * sizeof(Bytes)));
  if (const auto found = std::find(counts.begin(), counts.end(), bad); found != counts.end())
    throw Error(ErrorCode::misuse,
                fmt::format("rank {} has no row of {} counts, each 0 or more", (found - counts.begin()) / communicator.size(), p));
  return Problem::alltoallv(communicator.size(), std::move(counts));
}

}  // namespace quadrille
