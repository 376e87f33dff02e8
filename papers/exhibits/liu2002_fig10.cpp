// SPDX-License-Identifier: BSD-3-Clause
// Row 2 of 61 ranks, and rank 58, step by step: the schedule with contention and the one without.
#include <fmt/format.h>

#include <map>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"

namespace quadrille::papers {
namespace {

constexpr Count steps = 9, senders = 9;
constexpr Rank who[senders] = {16, 17, 18, 19, 20, 21, 22, 23, 58};
constexpr Rank none = -1;

// Receivers as printed; -1 if a sender stalls or has finished.
constexpr Rank with_contention[steps - 1][senders] = {{17, 18, 19, 20, 21, 22, 23, 16, 59}, {18, 19, 20, 21, 22, 23, 16, 17, 60},
                                                      {19, 20, 21, 22, 23, 16, 17, 18, 21}, {20, 21, 22, 23, 16, 17, 18, 19, 22},
                                                      {21, 22, 23, 16, 17, 18, 19, 20, 23}, {22, 23, 16, 17, 18, 19, 20, 21, 56},
                                                      {23, 16, 17, 18, 19, 20, 21, 22, 57}, {16, 17, 18, 19, 20, 21, 22, 23, 58}};
constexpr Rank revised[steps][senders] = {
    {17, 18, 19, 20, 21, 22, 23, 16, 59},   {18, 19, 20, 21, 22, 23, 16, 17, 60},   {19, 20, none, 22, 23, 16, 17, 18, 21},
    {20, none, 21, 23, 16, 17, 18, 19, 22}, {none, 21, 22, 16, 17, 18, 19, 20, 23}, {21, 22, 23, 17, 18, 19, 20, none, 56},
    {22, 23, 16, 18, 19, 20, none, 21, 57}, {23, 16, 17, 19, 20, none, 21, 22, 58}, {16, 17, 18, none, none, 21, 22, 23, none}};

template <std::size_t rows>
Count conflicts(const Rank (&table)[rows][senders]) {
  Count count = 0;
  for (const auto& row : table) {
    std::map<Rank, Count> receivers;
    for (const Rank receiver : row)
      if (receiver != none && receivers[receiver]++ > 0) ++count;
  }
  return count;
}

Reproduction make_liu2002_fig10(const Making&) {
  Reproduction made;
  std::map<std::pair<Count, Rank>, Rank> ours;  // by step, from 1, and by sender
  std::map<std::pair<Count, Rank>, Count> received;
  Count most_received_in_a_step = 0;
  const StageTrace first =
      trace(make_schedule(make_traffic(61, {.kind = TrafficKind::equal, .typical = 61}), irregular_algorithm(4))).at(0);
  for (const StageTrace::Sent& message : first.messages) {
    ours[{message.round + 1, message.from}] = message.to;
    most_received_in_a_step = std::max(most_received_in_a_step, ++received[{message.round, message.to}]);
  }
  Sheet sheet{.columns = {"step"}};
  for (const Rank sender : who) sheet.columns.push_back(fmt::format("{}", sender));
  Count printed = 0, same = 0;
  for (Count step = 1; step <= steps; ++step) {
    auto& row = sheet.rows.emplace_back(std::vector<Cell>{step});
    for (Count sender = 0; sender < senders; ++sender) {
      const Rank from = who[sender], said = revised[step - 1][sender];
      const auto found = ours.find({step, from});
      Cell& cell = row.emplace_back();
      if (found != ours.end()) cell = found->second;
      if (said == from) continue;  // a message to oneself, which our schedules do not have
      ++printed;
      same += said == (found == ours.end() ? none : found->second) ? 1 : 0;
    }
  }
  made.sheets.push_back(std::move(sheet));
  Count stall = 1;  // the first step in which rank 18 sends nothing
  while (ours.contains({stall, 18})) ++stall;
  made.equal("entries of figure 10, without messages to oneself, that our schedule also has", printed, same, "figure 10");
  made.equal("conflicts at receivers in figure 9, as printed", 3, conflicts(with_contention), "figure 9");
  made.equal("conflicts at receivers in figure 10, as printed", 0, conflicts(revised), "section 3.2.2 (B) and figure 10");
  made.equal("messages that one of the 61 ranks receives in a step, maximum", 1, most_received_in_a_step, "section 3.2.2 (B)");
  made.equal("step in which rank 18 (m = 2, k = 0) stalls, r - m + 1 + k in the text", 4, stall,
             "section 3.2.2 (B), revised R-Schedule")
      .found(Outcome::misprint, 3, "r - m + k, as figure 10 shows; the printed step would leave a conflict in each of r rows");
  return made;
}

}  // namespace

extern const Exhibit liu2002_fig10{
    .id = "liu2002-fig10",
    .title = "Steps of stage I in the third row of 61 ranks",
    .source = "liu2002, figures 9 and 10 and section 3.2.2",
    .about = "receivers by step and sender, from the four-stage schedule; empty if a rank stalls, has finished, or keeps its data",
    .make = make_liu2002_fig10,
};

}  // namespace quadrille::papers
