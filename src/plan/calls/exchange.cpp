// SPDX-License-Identifier: BSD-3-Clause
#include "quadrille/exchange.hpp"

#include "execute/executions/exchanger.hpp"
#include "plan/calls/calls.hpp"
#include "plan/calls/compare_edges.hpp"

namespace quadrille {
namespace {

// Collective if the ranks compare their calls, and in the first call of the group. Checks the edges.
const std::shared_ptr<Exchanger>& exchanger_for(Communicator& ranks, const Edges& edges, bool compares) {
  const auto& exchanger = ranks.calls().exchanger_for(ranks, compares, "exchange", [&] { Exchanger::check(edges, ranks.size()); });
  if (ranks.calls().compares(ranks, compares)) compare_edges(ranks, edges);
  return exchanger;
}

// An exchange with lists of its own.
struct Listed {
  Listed(std::vector<Edges::Send> sent, std::vector<Edges::Receive> received)
      : sends(std::move(sent)), receives(std::move(received)), edges{sends, receives} {}
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

  const std::vector<Edges::Send> sends;
  const std::vector<Edges::Receive> receives;
  const Edges edges;
};

}  // namespace

void exchange(Group ranks, std::span<const Edges::Send> sends, std::span<const Edges::Receive> receives, bool compares) {
  const Edges edges{sends, receives};
  exchanger_for(ranks, edges, compares)->execute(edges);
}

Request iexchange(Group ranks, std::span<const Edges::Send> sends, std::span<const Edges::Receive> receives, bool compares) {
  const std::shared_ptr<Exchanger>& exchanger = exchanger_for(ranks, {sends, receives}, compares);
  const auto listed =
      std::make_shared<Listed>(std::vector(sends.begin(), sends.end()), std::vector(receives.begin(), receives.end()));
  return exchanger->start(listed->edges, listed);
}

struct Exchange::Kept : Listed {
  using Listed::Listed;
  std::shared_ptr<Exchanger> exchanger;
};

Exchange::Exchange(Group ranks, std::vector<Edges::Send> sends, std::vector<Edges::Receive> receives, bool compares) {
  const auto kept = std::make_shared<Kept>(std::move(sends), std::move(receives));
  kept->exchanger = exchanger_for(ranks, kept->edges, compares);
  kept_ = kept;
}

void Exchange::execute() { kept_->exchanger->execute(kept_->edges); }

Request Exchange::start() { return kept_->exchanger->start(kept_->edges, kept_); }

}  // namespace quadrille
