// SPDX-License-Identifier: BSD-3-Clause
// alltoallv/groups: from a group of senders to a group of receivers in the four stages of A4, or the two of A3, without the ranks
//                   that have nothing to send, or nothing to receive.
// Source  [liu2002], section 5: senders and receivers in distinct groups of different sizes.
// Needs   a rank that sends nothing or receives nothing. Ranks that know only their own counts do not know who sends and who
//         receives, so counts are gathered or known.
// Idea    The S ranks that send anything form one array, the D ranks that receive anything another one. The senders deal all data
//         out among themselves, along rows and columns. Then data crosses, and moves along the columns of the larger group: if
//         that is the receivers, each sender has one message for each column of them, and they forward data along their columns;
//         if it is the senders, they collect data along their columns before it crosses.
// Cost    four stages: about 2 sqrt(S) + 2 sqrt(max(S, D)) rounds. A rank sends at most 2L to other senders and L to the receivers.
//         It sends L along a column, if the smaller group has at least as many ranks as a column; plus rounding to grains. L is the
//         most that a rank sends or receives. Two stages: the terms of the last two.
// Prefer  few of the ranks send, or few receive: alltoallv/four-stage has rounds for rows and columns of all ranks.
#include "collectives/slices/counts_agreement.hpp"
#include "collectives/slices/group_route.hpp"
#include "collectives/slices/pairs.hpp"
#include "collectives/slices/route_replay.hpp"

namespace quadrille {
namespace {

Parameter stages_parameter() {
  return {.name = "stages",
          .summary = "four: the senders deal out all data among themselves first; two: each sends its own data",
          .standard = "four",
          .choices = {"four", "two"}};
}

Parameter counts_of_all() {
  Parameter counts = counts_parameter();
  counts.choices = {"gathered", "known"};
  counts.worth_trying = [](const Problem&, const Parameters&) -> std::vector<ParameterValue> { return {"known"}; };
  return counts;
}

Result<> has_groups(const Problem& problem, const Parameters&) {
  const Traffic traffic(problem);
  for (Rank rank = 0; rank < problem.ranks; ++rank)
    if (traffic.sent_bytes(rank) == 0 || traffic.received_bytes(rank) == 0) return {};
  return cannot("every rank sends something and receives something; then four-stage and grid have fewer rounds");
}

std::shared_ptr<const Analysis> analyse_groups(const Problem& problem, const Parameters& parameters) {
  const Bytes grain = number(parameters, "grain");
  const auto split = word(parameters, "stages") == "four" ? std::optional(Split::chain) : std::nullopt;
  return replay_route(problem, parameters, std::make_shared<GroupRoute>(problem, split, grain), grain);
}

}  // namespace

extern const Algorithm alltoallv_groups{
    .collective = Collective::alltoallv,
    .id = "groups",
    .summary = "from the ranks that send to those that receive, in an array of each: deal among senders, collect among receivers",
    .picture =
        "Three ranks have something to send, and only the other five receive. When all know the counts, the senders deal the data "
        "out among themselves, then it crosses, and the receivers collect it among themselves. The rounds with data depend on the "
        "sizes of these two groups, not on the number of all ranks.",
    .picture_problem = "--ranks 8 --block 64B --pattern groups:3",
    .needs = "a rank that sends nothing or receives nothing",
    .source = "liu2002, section 5",
    .parameters = {stages_parameter(), grain_parameter(), counts_of_all()},
    .generate = program_by_route,
    .applies = has_groups,
    .analyse = analyse_groups,
    .ports = [](const Problem&, const Parameters&) { return Count{1}; },
};

}  // namespace quadrille
