// SPDX-License-Identifier: BSD-3-Clause
#include "plan/calls/own_counts.hpp"

#include "plan/plan_buffers.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// Lists the bytes by rank. Returns their sum.
Bytes list(const std::vector<Share>& shares, std::vector<Bytes>& by_rank) {
  Bytes sum = 0;
  for (const Share& share : shares) {
    by_rank[index(share.peer)] = share.bytes;
    sum += share.bytes;
  }
  return sum;
}

}  // namespace

OwnCounts::OwnCounts(const Problem& problem, Rank me, const void* input, void* output, std::string_view function)
    : sent_(index(problem.ranks)), received_(index(problem.ranks)) {
  const Traffic traffic(problem);
  const Bytes sent = list(traffic.sent_by(me), sent_), received = list(traffic.received_by(me), received_);
  if (overlap(input, {0, sent}, output, {0, received})) throw_overlap(function, false);
  call_.arguments = {.collective = problem.collective, .input = input, .output = output, .compares = false};
  call_.send = BlockList(sent_);
  call_.receive = BlockList(received_);
  call_.has_buffers = false;
}

}  // namespace quadrille
