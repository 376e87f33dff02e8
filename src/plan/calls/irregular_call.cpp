// SPDX-License-Identifier: BSD-3-Clause
// Typed calls with counts. Each call makes a new plan from the counts and displacements that each rank passes.
#include "quadrille/irregular_call.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "execute/agreement.hpp"
#include "plan/calls/call_sizes.hpp"
#include "plan/calls/calls.hpp"
#include "plan/plan_buffers.hpp"
#include "plan/request.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/typed_plan.hpp"

namespace quadrille {
namespace {

class IrregularPlan {
 public:
  IrregularPlan(Communicator& ranks, const IrregularCall& call)
      : ranks_(ranks),
        call_(call),
        arguments_(call.arguments),
        facts_(facts_of(arguments_.collective)),
        me_(ranks.rank()),
        p_(ranks.size()) {}

  Plan made(PlanOptions options) {
    const bool is_rooted = quadrille::is_rooted(arguments_.collective);
    const ByRank<Bytes> own_shares = gathered_or_thrown(ranks_, [&] {
      if (!options.layouts.input.empty() || !options.layouts.output.empty())
        throw Error(ErrorCode::misuse, "the blocks of this plan say where its data lies; leave layouts out");
      check_all();
      return is_rooted ? own_share() : 0;
    });
    const Problem problem = made_or_thrown(ranks_, [&] {
      if (is_rooted && is_root()) compare_with(own_shares);
      options.layouts = layouts();
      return problem_of(own_shares);
    });
    options.in_place = arguments_.in_place;
    if (arguments_.operation) options.operation = operator_owning(*arguments_.operation, arguments_.element_bytes);
    return plan(ranks_, problem, options);
  }

 private:
  bool is_root() const { return me_ == arguments_.root; }
  // For calls in place: returns true if the block received from a rank replaces the block sent to it. If the caller passes send
  // counts, too, blocks are sent from their own places in the buffer.
  bool replaces() const { return arguments_.in_place && call_.send.counts.empty(); }
  bool is_scatter() const { return facts_.output.holding == Holding::one; }
  // Returns the blocks of the side that has one block per rank. In an alltoallv both sides do; the receiving side is returned.
  const Blocks& blocks() const { return is_scatter() ? call_.send : call_.receive; }
  Bytes bytes(Count elements) const {
    const auto product = checked_product(elements, arguments_.element_bytes);
    if (!product) throw Error(ErrorCode::too_large, fmt::format("{} elements reach 2^63 bytes", elements));
    return *product;
  }
  std::vector<Bytes> bytes(const Blocks& blocks) const {
    std::vector<Bytes> list;
    for (const Count count : blocks.counts) list.push_back(bytes(count));
    return list;
  }

  void check_all() const {
    check_root(arguments_.root, p_);
    if (arguments_.operation) check_element_bytes(*arguments_.operation, arguments_.element_bytes);
    const bool buffer_is_output = arguments_.in_place || !is_scatter();
    if (has_pair_counts(arguments_.collective)) return check_pairs();
    if (is_rooted(arguments_.collective) && !is_root()) return;
    check("", blocks(),
          arguments_.in_place ? "buffer"
          : buffer_is_output  ? "output"
                              : "input",
          buffer_is_output ? arguments_.output_elements : arguments_.input_elements);
    if (arguments_.in_place || is_rooted(arguments_.collective)) return;
    if (is_scatter())
      check_own("output", arguments_.output_elements);
    else
      check_own("input", arguments_.input_elements);
  }

  void check_pairs() const {
    if (!arguments_.in_place) check("send", call_.send, "input", arguments_.input_elements);
    if (arguments_.in_place && !replaces()) check("send", call_.send, "buffer", arguments_.output_elements);
    check("receive", call_.receive, arguments_.in_place ? "buffer" : "output", arguments_.output_elements);
  }

  // Checks the blocks of one side.
  void check(std::string_view side, const Blocks& blocks, std::string_view buffer, Count elements) const {
    const std::string_view dash = side.empty() ? "" : "_";
    if (size(blocks.counts) != p_)
      throw Error(ErrorCode::misuse, fmt::format("{} has {} {}{}counts for {} ranks", name(arguments_.collective),
                                                 blocks.counts.size(), side, dash, p_));
    if (blocks.displacements && size(*blocks.displacements) != p_)
      throw Error(ErrorCode::misuse, fmt::format("{} has {} {}{}displacements for {} ranks", name(arguments_.collective),
                                                 blocks.displacements->size(), side, dash, p_));
    Count before = 0;
    for (std::size_t rank = 0; rank < blocks.counts.size(); ++rank) {
      const Count count = blocks.counts[rank], first = blocks.displacements ? (*blocks.displacements)[rank] : before;
      if (count < 0)
        throw Error(ErrorCode::misuse, fmt::format("{}{}counts[{}] is {}; counts are 0 or more", side, dash, rank, count));
      const auto end = checked_sum(first, count);
      if (!end) throw Error(ErrorCode::too_large, fmt::format("the {}{}counts reach 2^63 elements", side, dash));
      if (count > 0 && first < 0)
        throw Error(ErrorCode::misuse,
                    fmt::format("{}{}displacements[{}] is {}; displacements are 0 or more", side, dash, rank, first));
      if (call_.has_buffers && count > 0 && *end > elements)
        throw Error(ErrorCode::misuse, fmt::format("{}{}counts[{}] is {} from element {} on, and the {} has {} elements", side,
                                                   dash, rank, count, first, buffer, elements));
      before = *end;
    }
  }

  void check_own(std::string_view buffer, Count elements) const {
    const Count own = blocks().counts[index(me_)];
    if (call_.has_buffers && elements != own)
      throw Error(ErrorCode::misuse, fmt::format("{}'s {} has {} elements, and counts[{}], of this rank, is {}",
                                                 name(arguments_.collective), buffer, elements, me_, own));
  }

  // The bytes that this rank contributes to a gatherv or receives from a scatterv. Only the root knows all counts, so each rank
  // determines its own.
  Bytes own_share() const {
    if (arguments_.in_place) return bytes(is_root() ? blocks().counts[index(me_)] : arguments_.output_elements);
    return bytes(is_scatter() ? arguments_.output_elements : arguments_.input_elements);
  }

  void compare_with(const ByRank<Bytes>& own_shares) const {
    for (Rank rank = 0; rank < p_; ++rank)
      if (const Bytes expected = bytes(blocks().counts[index(rank)]); expected != own_shares[rank])
        throw Error(ErrorCode::misuse, fmt::format("{}'s counts[{}] is {} B at the root and rank {} {} {} B; they must be equal",
                                                   name(arguments_.collective), rank, expected, rank,
                                                   is_scatter() ? "has room for" : "gives", own_shares[rank]));
  }

  Problem problem_of(const ByRank<Bytes>& own_shares) const {
    if (has_pair_counts(arguments_.collective))
      return alltoallv_of_rank(me_, bytes(replaces() ? call_.receive : call_.send), bytes(call_.receive));
    Problem problem{.collective = arguments_.collective, .ranks = p_, .root = arguments_.root};
    std::vector<Bytes> counts = is_rooted(problem.collective) ? std::vector<Bytes>(own_shares) : bytes(blocks());
    problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts));
    if (arguments_.operation) {
      problem.element_bytes = arguments_.operation->element_bytes;
      problem.commutative = arguments_.operation->commutative;
    }
    quadrille::check(problem);
    return problem;
  }

  // Returns an empty layout if the blocks are contiguous in rank order.
  Layout layout_of(const Blocks& blocks) const {
    return blocks.displacements ? layout(blocks.counts, *blocks.displacements, arguments_.element_bytes) : Layout{};
  }

  // Returns a layout that states all offsets, even if the blocks are contiguous in rank order.
  Layout placed(const Blocks& blocks) const {
    if (blocks.displacements) return layout_of(blocks);
    std::vector<Count> displacements(blocks.counts.size());
    std::exclusive_scan(blocks.counts.begin(), blocks.counts.end(), displacements.begin(), Count{0});
    return layout(blocks.counts, displacements, arguments_.element_bytes);
  }

  Layouts layouts() const {
    if (!arguments_.in_place) {
      const bool has_send = !is_rooted(arguments_.collective) || is_root();
      return {has_send ? layout_of(call_.send) : Layout{}, has_send ? layout_of(call_.receive) : Layout{}};
    }
    if (has_pair_counts(arguments_.collective) && !replaces()) return {placed(call_.send), placed(call_.receive)};
    if (!blocks().displacements || (is_rooted(arguments_.collective) && !is_root())) return {};  // the default of plans in place
    const Layout all = layout_of(blocks());
    if (has_pair_counts(arguments_.collective)) return {all, all};
    const Layout own{all[index(me_)]};
    return is_scatter() ? Layouts{all, own} : Layouts{own, all};
  }

  Communicator& ranks_;
  const IrregularCall& call_;
  const CallArguments& arguments_;
  const CollectiveFacts& facts_;
  const Rank me_;
  const Count p_;
};

// A call with counts names a simple algorithm. It makes a new plan each time, so choosing an
// algorithm would take longer than most calls.
PlanOptions plan_options(const IrregularCall& call, const CallOptions& options) {
  const std::string_view simplest = is_rooted(call.arguments.collective) ? "linear" : "direct";
  return {.algorithm = std::string(options.algorithm == automatic ? simplest : options.algorithm),
          .effort = options.effort,
          .policy = options.policy,
          .executor = options.executor};
}

// Compares the ranks' calls before the plan is made, if the caller or the environment asks for it.
void compare(Communicator& ranks, const IrregularCall& call, const CallOptions& options) {
  const CallKey key{.collective = call.arguments.collective,
                    .in_place = call.arguments.in_place,
                    .root = call.arguments.root,
                    .element_bytes = call.arguments.element_bytes,
                    .operation = call.arguments.operation,
                    .options = &options};
  ranks.calls().compare(ranks, call.arguments.compares, key, [] {});
}

}  // namespace

Plan plan_irregular(Communicator& ranks, const IrregularCall& call, const PlanOptions& options) {
  return IrregularPlan(ranks, call).made(options);
}

void execute_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options) {
  compare(ranks, call, options);
  Plan plan = plan_irregular(ranks, call, plan_options(call, options));
  if (call.arguments.in_place) return plan.execute_in_place(call.arguments.output);
  if (overlap(plan, call.arguments.input, call.arguments.output)) throw_overlap(name(call.arguments.collective), true);
  plan.execute(call.arguments.input, call.arguments.output);
}

Request start_irregular(Communicator& ranks, const IrregularCall& call, const CallOptions& options) {
  compare(ranks, call, options);
  Plan plan = plan_irregular(ranks, call, plan_options(call, options));
  if (call.arguments.in_place) return plan.start_in_place(call.arguments.output);
  if (overlap(plan, call.arguments.input, call.arguments.output))
    throw_overlap(fmt::format("i{}", name(call.arguments.collective)), true);
  return plan.start(call.arguments.input, call.arguments.output);
}

}  // namespace quadrille
