// SPDX-License-Identifier: BSD-3-Clause
// What [liu2002] says about when which of A1 to A4 is better, beside what a plan takes on a T3D and an SP2.
#include <fmt/format.h>

#include "papers/exhibits/conclusions.hpp"
#include "papers/exhibits/irregular.hpp"
#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {
namespace {

struct Exchange {
  std::string machine;
  TrafficKind pattern = TrafficKind::spike;
  Bytes most = 1024;  // elements of the longest message
  Count ranks = 64;
};

Bytes element_of(const Exchange& exchange) { return static_cast<Bytes>(element_bytes(exchange.machine)); }

Planner planner_of(const Exchange& exchange, double startup_factor = 1) {
  const Bytes element = element_of(exchange);
  MachineCosts machine = machine_of_paper(exchange.machine);
  for (auto& [model, coefficients] : machine.models) coefficients["startup_us"] *= startup_factor;
  return Planner({fmt::format("{}, {} ranks, {}, {} elements", exchange.machine == "t3d" ? "T3D" : "SP2", exchange.ranks,
                              pattern_name(exchange.pattern), exchange.most),
                  make_traffic(exchange.ranks, {.kind = exchange.pattern, .most = exchange.most * element, .small = element}),
                  machine});
}

std::string algorithm(int number, const Exchange& exchange) {
  const Bytes grain = element_of(exchange);
  switch (number) {
    case 1: return "shift";
    case 2: return fmt::format("two-phase:counts=known,grain={}", grain);
    case 3: return "grid:counts=known";
    default: return fmt::format("four-stage:counts=known,grain={}", grain);
  }
}

// A plan's model (flat) is that of ranks in step, by table 1 and without contention.
constexpr const char* a3_in_step =
    "in step a round takes as long as its longest message, and the long messages of A3's hot spots fall into many rounds; the plan "
    "takes "
    "A3 only where start-ups dominate. Measured ranks are not in step (figures 19 to 22)";
constexpr const char* without_contention =
    "direct is A1 whose ranks do not keep step: all messages are under way at once, so its volume is L. Table 1 gives the plan's "
    "model no "
    "figure for what the paper says happens then, that start-ups are serialised at busy receivers (the factor f of equation (3))";
constexpr const char* a1_in_step =
    "in step the long messages of A1 fall into many rounds, so A4's gain in volume is larger than that in start-ups, of which it "
    "has 28 to "
    "63: with more start-ups the ratio goes to 0.44. The paper's start-ups are those of ranks that run freely";

void add(Reproduction& made, Planner& planner, const Exchange& exchange, int better, int than, Policy policy,
         const Quotation& said) {
  planner.add(made, {said.words, said.place, algorithm(better, exchange), algorithm(than, exchange), policy, 1, a3_in_step});
}

void add(Reproduction& made, const Exchange& exchange, int better, int than, Policy policy, const Quotation& said) {
  Planner planner = planner_of(exchange);
  add(made, planner, exchange, better, than, policy, said);
}

double a4_over_a1(const Exchange& exchange, double startup_factor = 1) {
  const Planner planner = planner_of(exchange, startup_factor);
  return planner.seconds(algorithm(4, exchange), Policy::blocking) / planner.seconds(algorithm(1, exchange), Policy::blocking);
}

Reproduction make_liu2002_conclusions(const Making& making) {
  using enum TrafficKind;
  Reproduction made =
      conclusions_of({"Counts are known to all ranks, as in a plan that is kept. The algorithms cut data between elements "
                      "and choose the best grid. Messages to oneself cost nothing."});
  const auto blocking = Policy::blocking;
  const Quotation short_on_t3d{
      "when 64 processors are used and M_max <= 1k, A3 performs better than A4 for both Pattern1 and Pattern2", "section 4.2"};
  const Quotation lower{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                        "section 4.1"};
  for (const char* machine : {"t3d", "sp2"})
    for (const TrafficKind pattern : {spike, transpose}) {
      if (making.small && (pattern == spike || machine[0] == 's')) continue;
      making.show(fmt::format("{}, {}", machine, pattern_name(pattern)));
      const Exchange exchange{machine, pattern};
      Planner planner = planner_of(exchange);
      for (const int than : {1, 2}) add(made, planner, exchange, 4, than, blocking, lower);
      planner.add(made,
                  {.words = "Our algorithm is suitable for performing all-to-all communication with high variance in message size",
                   .place = "section 5",
                   .better = algorithm(4, exchange),
                   .reason = without_contention});
      if (machine[0] == 't') add(made, planner, exchange, 3, 4, blocking, short_on_t3d);
    }
  if (making.small) return made;
  add(made, {"sp2", spike, 16}, 1, 2, blocking,
      {"the number of message start-ups is doubled; therefore, the start-up latency dominates the overall communication time when "
       "the "
       "total traffic is light",
       "section 1"});
  for (const TrafficKind pattern : {spike, transpose}) add(made, {"t3d", pattern, 16}, 3, 4, blocking, short_on_t3d);
  making.show("long messages");
  add(made, {"t3d", transpose, 4096}, 4, 3, blocking,
      {"Although A4 requires two more stages, it has superior performance as compared to A3", "section 4.2, figure 20"});
  const Quotation superior{"A3-n1 has superior performance for Pattern1, while A4-n2 has superior performance for Pattern2",
                           "section 4.2, figures 21 and 22"};
  add(made, {"sp2", spike}, 3, 4, Policy::nonblocking, superior);
  add(made, {"sp2", transpose}, 4, 3, Policy::dataflow, superior);
  for (const Count ranks : {25, 64})
    add(made, {"sp2", transpose, 4096, ranks}, 4, 3, Policy::dataflow,
        {"In this figure, A4-n2 is always superior to A3-n1", "section 4.2, figure 23"});
  for (const TrafficKind pattern : {spike, transpose}) {
    made.at_most(
            fmt::format("SP2, {}, 1024 elements: A4 over A1 among 100 ranks, over the same among 25 (\"particularly attractive as "
                        "the number of nodes increases\")",
                        pattern_name(pattern)),
            1, a4_over_a1({"sp2", pattern, 1024, 100}) / a4_over_a1({"sp2", pattern, 1024, 25}), "section 5")
        .reason = a1_in_step;
    made.at_most(fmt::format("SP2, {}, 1024 elements, 64 ranks: A4 over A1 with tenfold start-ups, over the same by table 1 (\"Our "
                             "algorithmic techniques will become even more useful with the increase in this ratio\")",
                             pattern_name(pattern)),
                 1, a4_over_a1({"sp2", pattern}, 10) / a4_over_a1({"sp2", pattern}), "section 5")
        .reason = a1_in_step;
  }
  return made;
}

}  // namespace

extern const Exhibit liu2002_conclusions{
    .id = "liu2002-conclusions",
    .title = "Which of A1 to A4 is better when, and what a plan takes on a T3D and an SP2",
    .source = "liu2002, sections 1, 4 and 5",
    .about =
        "each sentence that says which of A1 to A4 is better when, with both times by the model that a plan takes, beside what the "
        "plan takes among all algorithms",
    .make = make_liu2002_conclusions,
};

}  // namespace quadrille::papers
