// SPDX-License-Identifier: BSD-3-Clause
// Which of A1 to A4 [liu2002] calls better in which case, compared with the choice of a plan on a T3D and an SP2.
#include <fmt/format.h>

#include "papers/exhibits/conclusions.hpp"
#include "papers/exhibits/irregular_open.hpp"

namespace quadrille::papers {
namespace {

struct Exchange {
  std::string machine;
  TrafficKind pattern = TrafficKind::spike;
  Bytes most = 1024;  // elements of the longest message
  Count ranks = 64;
};

// Start-ups are multiplied by the factor.
PaperSetting setting_of(const Exchange& exchange, double startup_factor = 1) {
  const Bytes element = platform_of(exchange.machine).element_bytes;
  MachineCosts machine = machine_of_paper(exchange.machine);
  for (auto& [model, coefficients] : machine.models) coefficients["startup_us"] *= startup_factor;
  return {fmt::format("{}, {} ranks, {}, {} elements", platform_of(exchange.machine).title, exchange.ranks,
                      pattern_name(exchange.pattern), exchange.most),
          make_traffic(exchange.ranks, {.kind = exchange.pattern, .most = exchange.most * element, .small = few * element}),
          machine};
}

std::string algorithm(int number, const Exchange& exchange) {
  const Bytes grain = platform_of(exchange.machine).element_bytes;
  switch (number) {
    case 1: return "shift";
    case 2: return fmt::format("two-phase:counts=known,grain={}", grain);
    case 3: return "grid:counts=known";
    default: return fmt::format("four-stage:counts=known,grain={}", grain);
  }
}

// What the paper leaves open: its "small number of elements", messages to oneself, t_m, and the draw of Pattern1. These cases take
// the algorithms as printed (irregular_times.hpp).
Planner planner_of(const Exchange& exchange, const Making& making) {
  std::vector<OpenCase> others;
  const IrregularPoint point{exchange.ranks, exchange.most};
  for (const OpenValues& values : open_values())
    for (const double share : {0.0, most_composing / 2, most_composing}) {
      if (values.small > few && values.small * least_variance > exchange.most) continue;
      const Coefficients costs = flat_of_elements(exchange.machine, composing_us_per_byte(exchange.machine, share));
      for (std::uint64_t draw = 1; draw <= draws_tried(exchange.pattern, making); ++draw)
        others.push_back(
            {fmt::format("{}, t_m = {} (t_c + t_d)", name(values), share), [=](const std::string& specification, Policy policy) {
               int number = 1;
               while (number < 4 && algorithm(number, exchange) != specification) ++number;
               const CountedExchange& counted = counted_exchange(point, exchange.pattern, draw, number, values.small);
               return price_of(values.with_own ? counted.with_own : counted.without, *find_model("flat"), costs).seconds(policy);
             }});
    }
  return Planner(setting_of(exchange), std::move(others));
}

constexpr const char* a3_in_step =
    "the long messages of A3's hot spots fall into many rounds, and a rank may get ceil(sqrt P) + 1 times L (liu2002-table3); by "
    "table 3, which gives A3 a traffic of 2 L, the sentence would hold";
constexpr const char* in_step_or_not =
    "in step the long messages of A1 fall into many rounds, so that A4's gain in volume is larger than that in start-ups; ranks "
    "that run freely have the volume L, as in (3)";

// Modes that a sentence may mean: its own, or both if it names none.
enum class Mode { blocking, either };

void add(Reproduction& made, Planner& planner, const Exchange& exchange, int better, int than, Mode mode, const Quotation& said) {
  PaperConclusion conclusion{said.words, said.place, algorithm(better, exchange), algorithm(than, exchange)};
  if (mode == Mode::either) conclusion.further_policies = {Policy::nonblocking};
  conclusion.reason = better == 4 && than < 3 ? a4_and_others : a3_in_step;
  planner.add(made, conclusion);
}

void add(Reproduction& made, const Making& making, const Exchange& exchange, int better, int than, Mode mode,
         const Quotation& said) {
  Planner planner = planner_of(exchange, making);
  add(made, planner, exchange, better, than, mode, said);
}

// A3-n1 has one send buffer, and A4-n2 two, whose stages overlap.
void add_superior(Reproduction& made, const Making& making, const Exchange& exchange, int better, const Quotation& said) {
  const int than = better == 3 ? 4 : 3;
  const auto policy = [](int number) { return number == 3 ? Policy::nonblocking : Policy::dataflow; };
  PaperConclusion conclusion{said.words, said.place, algorithm(better, exchange), algorithm(than, exchange), policy(better)};
  conclusion.than_policy = policy(than);
  conclusion.reason = a3_in_step;
  planner_of(exchange, making).add(made, conclusion);
}

double a4_over_a1(const PaperSetting& setting, const Exchange& exchange, Policy policy) {
  const Planner planner(setting);
  return planner.seconds(algorithm(4, exchange), policy) / planner.seconds(algorithm(1, exchange), policy);
}

// Compares the ratio of A4's time to A1's time in two cases, in step and not in step.
void add_trend(Reproduction& made, const std::string& what, const PaperSetting& one, const PaperSetting& other,
               const Exchange& exchange) {
  std::vector<double> ratios;
  for (const Policy policy : {Policy::blocking, Policy::nonblocking})
    ratios.push_back(a4_over_a1(one, exchange, policy) / a4_over_a1(other, exchange, policy));
  const auto [least, most] = std::minmax(ratios[0], ratios[1]);
  made.at_most(what, 1, ratios[0], "section 5")
      .because(fmt::format("{} (here {:.3g} in step, and {:.3g} if not). By table 3 and (3) A4's start-ups over A1's are fewer "
                           "than its bytes over A1's up to f_nc_b = {:.1f} of A1, which the paper leaves open",
                           in_step_or_not, ratios[0], ratios[1], ratio(4 * exchange.ranks, 4 * paper_root(exchange.ranks) + 2)))
      .from_to(least, most);
}

void add_trends(Reproduction& made) {
  for (const TrafficKind pattern : {TrafficKind::spike, TrafficKind::transpose}) {
    const Exchange here{"t3d", pattern}, few_ranks{"t3d", pattern, 1024, 25}, many_ranks{"t3d", pattern, 1024, 100};
    const std::string where = fmt::format("T3D, {}, 1024 elements: A4 over A1 ", pattern_name(pattern));
    const PaperSetting setting = setting_of(here);
    PaperSetting equal = setting;
    const Bytes load = Traffic(setting.problem).heaviest();
    equal.problem = make_traffic(here.ranks, {.kind = TrafficKind::equal, .typical = load / here.ranks});
    add_trend(made,
              where + "among 100 ranks, over the same among 25 (\"particularly attractive as the number of nodes increases\")",
              setting_of(many_ranks), setting_of(few_ranks), here);
    add_trend(made,
              where +
                  "with tenfold start-ups, over the same by table 1 (\"Our algorithmic techniques will become even more useful "
                  "with the increase in this ratio\")",
              setting_of(here, 10), setting, here);
    add_trend(made,
              where +
                  "over the same for equal messages of as many elements (\"suitable for performing all-to-all communication with "
                  "high variance in message size\")",
              setting, equal, here);
  }
}

// If A2 had twice as many start-ups, it would take longer by the time of its start-ups.
void add_light_traffic(Reproduction& made) {
  const Exchange light{"sp2", TrafficKind::spike, 16};
  const auto a2 = [&](double startup_factor) {
    return Planner(setting_of(light, startup_factor)).seconds(algorithm(2, light), Policy::blocking);
  };
  made.at_least(
          "SP2, Pattern1, 16 elements: share of the start-ups in A2's time (\"the start-up latency dominates the overall "
          "communication time when the total traffic is light\")",
          0.5, a2(2) / a2(1) - 1, "section 1")
      .reading();
}

Reproduction make_liu2002_conclusions(const Making& making) {
  using enum TrafficKind;
  Reproduction made =
      conclusions_of({"Counts are known to all ranks, as in a plan that is kept. The algorithms cut data between elements and "
                      "choose the best grid. Messages to oneself cost nothing.",
                      "The paper leaves open its \"small number of elements\", t_m, whether messages to oneself cost anything, and "
                      "the random targets of Pattern1: sentences are also tested, with the algorithms as printed, for 1 and 4 "
                      "elements, for t_m of 0, half and all of t_c + t_d, with messages to oneself and without, and for 50 draws; "
                      "both modes are tested if the sentence names none. Our values in the first table, and plans, are those for 1 "
                      "element, t_m = 0 and the first draw, without messages to oneself."});
  const Quotation short_on_t3d{
      "when 64 processors are used and M_max <= 1k, A3 performs better than A4 for both Pattern1 and Pattern2", "section 4.2"};
  const Quotation lower{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                        "section 4.1"};
  for (const char* machine : {"t3d", "sp2"})
    for (const TrafficKind pattern : {spike, transpose}) {
      if (making.small && (pattern == spike || machine[0] == 's')) continue;
      making.show(fmt::format("{}, {}", machine, pattern_name(pattern)));
      const Exchange exchange{machine, pattern};
      Planner planner = planner_of(exchange, making);
      for (const int than : {1, 2}) add(made, planner, exchange, 4, than, Mode::blocking, lower);
      if (machine[0] == 't') add(made, planner, exchange, 3, 4, Mode::either, short_on_t3d);
    }
  if (!making.small) {
    for (const TrafficKind pattern : {spike, transpose}) add(made, making, {"t3d", pattern, 16}, 3, 4, Mode::either, short_on_t3d);
    making.show("long messages");
    add(made, making, {"t3d", transpose, 4096}, 4, 3, Mode::blocking,
        {"Although A4 requires two more stages, it has superior performance as compared to A3", "section 4.2, figure 20"});
    const Quotation superior{"A3-n1 has superior performance for Pattern1, while A4-n2 has superior performance for Pattern2",
                             "section 4.2, figures 21 and 22"};
    add_superior(made, making, {"sp2", spike}, 3, superior);
    add_superior(made, making, {"sp2", transpose}, 4, superior);
    for (const Count ranks : {25, 64})
      add_superior(made, making, {"sp2", transpose, 4096, ranks}, 4,
                   {"In this figure, A4-n2 is always superior to A3-n1", "section 4.2, figure 23"});
    add_light_traffic(made);
    add_trends(made);
  }
  return made;
}

}  // namespace

extern const Exhibit liu2002_conclusions{
    .title = "Which of A1 to A4 is better when, and what a plan takes on a T3D and an SP2",
    .source = "liu2002, sections 1, 4 and 5",
    .about =
        "each sentence that says which of A1 to A4 is better when, with both times by the model that a plan takes, beside what the "
        "plan takes among all algorithms",
    .make = make_liu2002_conclusions,
};

}  // namespace quadrille::papers
