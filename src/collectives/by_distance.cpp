// SPDX-License-Identifier: BSD-3-Clause
#include "collectives/by_distance.hpp"

#include <algorithm>

#include "quadrille/program_builder.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {

Program exchange_by_distance(const Problem& problem, Count window, Rank me) {
  const Count p = problem.ranks;
  const Count rounds = std::max<Count>(1, ceil_divide(p - 1, window));
  struct Partner {
    Count distance;
    bool receives;
    Share share;
  };
  std::vector<Partner> partners;
  Region own_input, own_output;
  for (const Share& share : Traffic(problem).sent_by(me)) {
    if (share.peer == me)
      own_input = {Buffer::input, share.offset, share.bytes, {}};
    else
      partners.push_back({(share.peer - me + p) % p, false, share});
  }
  for (const Share& share : Traffic(problem).received_by(me)) {
    if (share.peer == me)
      own_output = {Buffer::output, share.offset, share.bytes, {}};
    else
      partners.push_back({(me - share.peer + p) % p, true, share});
  }
  std::stable_sort(partners.begin(), partners.end(), [](const Partner& a, const Partner& b) { return a.distance < b.distance; });

  ProgramBuilder program{me};
  program.stage("exchange");
  program.begin_round();
  program.copy({own_input}, {own_output});
  Count round = 0;
  for (const Partner& partner : partners) {
    const Count its_round = (partner.distance - 1) / window;
    program.skip_rounds(its_round - round);
    round = its_round;
    const auto& [peer, length, offset] = partner.share;
    if (partner.receives)
      program.receive(peer, {{Buffer::output, offset, length, {}}});
    else
      program.send(peer, {{Buffer::input, offset, length, {}}});
  }
  program.skip_rounds(rounds - 1 - round);
  return std::move(program).finish();
}

}  // namespace quadrille
