// SPDX-License-Identifier: BSD-3-Clause
// The 1-factorisations of [sanders2002], lemma 1, and the factor algorithm for machines without nodes, figure 1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "papers/exhibit.hpp"
#include "papers/problems.hpp"
#include "patterns/factors.hpp"
#include "quadrille/cost.hpp"

namespace quadrille::papers {
namespace {

// What is found about a form of the 1-factorisation for one number of vertices.
struct Factors {
  Count not_matchings = 0;         // factors in which the degree of some vertex is not one
  Count wrong_edges = 0;           // edges, self-loops included, that are not in exactly one factor
  Count elsewhere = 0;             // edges (u, v) that are not in factor (u + v) mod p
  Count with_loops = 0;            // factors with a self-loop
  bool are_loops_together = true;  // do the factors with self-loops have only self-loops?
};

Factors looked_at(one_factor::Form form, Count p) {
  Factors found;
  std::vector<Count> times(index(p * p), 0);  // how often u meets v
  for (Count factor = 0; factor < p; ++factor) {
    bool is_matching = true;
    Count loops = 0;
    for (Count u = 0; u < p; ++u) {
      const Count v = one_factor::partner(form, p, factor, u);
      is_matching = is_matching && 0 <= v && v < p && one_factor::partner(form, p, factor, v) == u;
      if (!is_matching) break;
      ++times[index(u * p + v)];
      found.elsewhere += (u + v) % p == factor ? 0 : 1;
      loops += u == v ? 1 : 0;
    }
    found.not_matchings += is_matching ? 0 : 1;
    found.with_loops += loops > 0 ? 1 : 0;
    found.are_loops_together = found.are_loops_together && (loops == 0 || loops == p);
  }
  found.wrong_edges = std::count_if(times.begin(), times.end(), [](Count count) { return count != 1; });
  return found;
}

// A step of the factor algorithm, as the schedule has it: the processors that send, receive or copy, and whether anything is sent.
struct FlatSteps {
  Count steps = 0, idle = 0;   // idle: processors without a message or a copy, summed over the steps
  Count in_one_direction = 0;  // messages whose receiver sends nothing back in the same step
  Count rounds = 0;            // steps with messages
};

FlatSteps steps_of_factors(Count p, const char* form) {
  const Schedule schedule = make_schedule(problem_of(Collective::alltoall, p, 1), fmt::format("one-factor:factor={}", form));
  FlatSteps found{.rounds = figures(schedule).c1};
  for (const Stage& stage : schedule.program(0).stages) found.steps += stage.round_count;
  found.idle = found.steps * p;
  for (Rank rank = 0; rank < p; ++rank)
    for (const Round& round : schedule.program(rank).rounds) {
      found.idle -= !round.sends.empty() || !round.receives.empty() || !round.locals.empty() ? 1 : 0;
      for (const Message& message : round.sends)
        found.in_one_direction += round.receives.size() == 1 && round.receives[0].peer == message.peer ? 0 : 1;
    }
  return found;
}

void compare_lemma(Reproduction& made, Count most) {
  Factors all, last;
  Count not_concentrated = 0;
  for (Count p = 1; p <= most; ++p) {
    const Factors basic = looked_at(one_factor::Form::basic, p), together = looked_at(one_factor::Form::concentrated, p);
    all.not_matchings += basic.not_matchings, all.wrong_edges += basic.wrong_edges, all.elsewhere += basic.elsewhere;
    if (p % 2 == 1) continue;
    last.not_matchings += together.not_matchings, last.wrong_edges += together.wrong_edges;
    not_concentrated += together.with_loops == 1 && together.are_loops_together ? 0 : 1;
  }
  const std::string of = fmt::format("1 to {} vertices: ", most);
  constexpr const char* loops =
      "\"using a small modification, the self-loops can all be concentrated in a single factor in the case of even P\"";
  made.equal(of + "factors, v = (i - u) mod p, in which a vertex has another degree than 1", 0, all.not_matchings, "lemma 1");
  made.equal(of + "edges, self-loops included, that are not in exactly one factor", 0, all.wrong_edges, "lemma 1");
  made.equal(of + "edges (u, v) that are not in factor (u + v) mod p", 0, all.elsewhere, "lemma 1, proof");
  made.equal(fmt::format("even numbers of up to {} vertices whose self-loops are not all in one factor, alone ({})", most, loops),
             0, not_concentrated, "section 2, last paragraph");
  made.equal("the same: factors that are no matchings, and edges that are not in exactly one factor", 0,
             last.not_matchings + last.wrong_edges, "section 2, last paragraph");
}

Reproduction make_sanders2002_factors(const Making& making) {
  Reproduction made{
      .remarks = {"The figure's text is missing in the transcript; section 2 describes it: \"In the ith round, processors u and v "
                  "that are neighbors in G^i are paired and exchange messages m_uv and m_vu\". For an odd number of processors no "
                  "schedule of exchanges has fewer than p rounds: the pairs of all p, an odd set, are divided among matchings of "
                  "(p - 1)/2 pairs. For two processors one of the basic form's two rounds has self-loops only."}};
  const Count most = making.small ? 24 : 64;
  Sheet& sheet = made.add_sheet({.columns = {"processors", "rounds", "with messages", "rounds with concentrated self-loops",
                                             "with messages", "least rounds of exchanges"}});
  Count other_than_p = 0, idle = 0, one_way = 0, not_dropped = 0, above_least = 0;
  for (Count p = 2; p <= most; ++p) {
    const FlatSteps basic = steps_of_factors(p, "basic"), together = steps_of_factors(p, "concentrated");
    const Count least = least_exchange_steps(std::vector<Count>(index(p), 1));
    if (p <= 16) sheet.rows.push_back({p, basic.steps, basic.rounds, together.steps, together.rounds, least});
    other_than_p += basic.steps == p ? 0 : 1;
    idle += basic.idle;
    one_way += basic.in_one_direction + together.in_one_direction;
    not_dropped += p % 2 == 0 && together.rounds != p - 1 ? 1 : 0;
    above_least += together.rounds == least ? 0 : 1;
  }
  compare_lemma(made, most);
  const std::string of = fmt::format("2 to {} processors: ", most);
  made.equal(of + "numbers for which the algorithm does not take p rounds (\"requires p communication rounds for any number of p "
                  "processors\")",
             0, other_than_p, "section 2 and figure 1");
  made.equal(of + "messages that are not exchanged for one of the partner (\"exchange messages m_uv and m_vu\")", 0, one_way,
             "section 2 and figure 1");
  made.equal(of + "processors that do nothing in a round (\"in every step, each processor sends data it needs to send or receives "
                  "data it needs to receive\")",
             0, idle, "section 2, last paragraph");
  made.equal(
      "even numbers of processors for which the factor of self-loops is not dropped, so that p - 1 rounds remain (\"In the "
      "nonhierarchical case, we could even drop this factor\")",
      0, not_dropped, "section 2, last paragraph");
  made.equal(of + "numbers for which it then takes more rounds than the least possible (\"The factor algorithm is optimal\")", 0,
             above_least, "section 2, last paragraph");
  return made;
}

}  // namespace

extern const Exhibit sanders2002_factors{
    .title = "1-factorisations, and the exchange on machines without nodes",
    .source = "sanders2002, section 2 with lemma 1 and figure 1",
    .about = "factors looked at edge by edge, and rounds counted from the schedules of one-factor in both forms",
    .make = make_sanders2002_factors,
};

}  // namespace quadrille::papers
