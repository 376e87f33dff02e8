// SPDX-License-Identifier: BSD-3-Clause
// Plans that choose their algorithm, and calls without plans, on four threads; and which algorithm plans of other ranks would take.
// docs/choosing.md quotes the lines between "part" and "end".
#include <cstdio>
#include <vector>

#include "quadrille/quadrille.hpp"

using namespace quadrille;

bool explains() {
  // part: explain
  const Problem problem = Problem::alltoall(8, 1024);  // 8 ranks on this machine; none of them has to run
  const Explanation here = explain(problem, knowledge_here(), {.seconds = 0.5});
  std::printf("%s: %s\n", way_text(problem, here.decision.chosen).c_str(), here.decision.reason.c_str());
  for (const Flip& flip : here.by_block.list) std::printf("blocks from %ld B on: %s\n", flip.from, flip.way.c_str());

  Problem on_nodes = Problem::alltoall(64, 1024);  // on another machine: 8 nodes of 8 ranks
  for (Rank rank = 0; rank < 64; ++rank) on_nodes.nodes.push_back(rank / 8);
  const Explanation there = explain(on_nodes, {.preset = find_machine("hdr")}, {.seconds = 0.5});
  for (const ExplainedWay& way : there.ways)
    if (way.parts) std::printf("%s: %ld start-ups, %ld B in messages\n", way.name.c_str(), way.parts->startups, way.parts->bytes);
  // end
  return here.decision.source != Source::standard && there.ways.front().parts && there.seconds() > 0;
}

int main() {
  bool right = explains();
  run_threads(4, [&](Communicator& ranks) {
    const int me = static_cast<int>(ranks.rank());
    const std::vector<int> to_send(4, me), expected{0, 1, 2, 3};
    std::vector<int> received(4);

    Plan exchange = plan(ranks, Problem::alltoall(ranks.size(), sizeof(int)));  // the algorithm is "auto"
    exchange.execute(to_send.data(), received.data());
    const Decision& decision = *exchange.decision();
    if (me == 0) std::printf("%s\n%s\n", specification(decision.chosen.algorithm).c_str(), decision.reason.c_str());

    for (int turn = 0; turn < 3; ++turn) alltoall(ranks, to_send, received);  // the first call makes a plan, the others find it
    if (me == 0) right = right && received == expected;
  });
  std::printf("the result is %s\n", right ? "right" : "wrong");
  return right ? 0 : 1;
}
