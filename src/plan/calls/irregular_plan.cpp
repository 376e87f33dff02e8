// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/irregular_plan.hpp"

#include <algorithm>

#include "execute/agreement.hpp"
#include "plan/calls/irregular_blocks.hpp"
#include "plan/request.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"
#include "quadrille/typed_plan.hpp"

namespace quadrille {
namespace {

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

  void compare() {
    const Problem problem = checked_problem([] {});
    if (has_pairs_) agree(ranks_, [&] { return request_of(problem, {}, blocks_.rank(), "exchange", true); });
  }

 private:
  // Collective. `check` is one more check of this rank's own arguments.
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

  std::vector<Bytes> bytes(const BlockList& list) const {
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
  Layout layout_of(const BlockList& list) const { return list.displacements ? placed(list) : Layout{}; }

  // Returns a layout that states all offsets, even if the blocks are contiguous in rank order.
  Layout placed(const BlockList& list) const {
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
    const BlockList &sent = blocks_.sent(), &received = blocks_.received(), &blocks = blocks_.blocks();
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

}  // namespace

Plan plan_irregular(Communicator& ranks, const IrregularCall& call, const PlanOptions& options) {
  return IrregularPlan(ranks, call).made(options);
}

void compare_counts(Communicator& ranks, const IrregularCall& call) { IrregularPlan(ranks, call).compare(); }

}  // namespace quadrille
