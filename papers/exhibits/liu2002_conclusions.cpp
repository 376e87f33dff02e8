// SPDX-License-Identifier: BSD-3-Clause
// What [liu2002] says about when which of A1 to A4 is better, beside what a plan takes on a T3D and an SP2.
#include <fmt/format.h>

#include <algorithm>
#include <array>

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

Bytes element_of(const Exchange& exchange) { return platform_of(exchange.machine).element_bytes; }

PaperSetting setting_of(const Exchange& exchange) {
  const Bytes element = element_of(exchange);
  return {fmt::format("{}, {} ranks, {}, {} elements", platform_of(exchange.machine).title, exchange.ranks,
                      pattern_name(exchange.pattern), exchange.most),
          make_traffic(exchange.ranks, {.kind = exchange.pattern, .most = exchange.most * element, .small = few * element}),
          machine_of_paper(exchange.machine)};
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

// The time of A<number> as printed (irregular_times.hpp).
double as_printed(int number, const Exchange& exchange, const OpenValues& values, std::uint64_t draw, const Coefficients& costs,
                  Policy policy) {
  const CountedExchange& counted = counted_exchange({exchange.ranks, exchange.most}, exchange.pattern, draw, number, values.small);
  return price_of(values.with_own ? counted.with_own : counted.without, *find_model("flat"), costs).seconds(policy);
}

Coefficients model_of(const Exchange& exchange, double share) {
  return flat_of_elements(exchange.machine, composing_us_per_byte(exchange.machine, share));
}

// What the paper leaves open: its "small number of elements", messages to oneself, t_m, and the draw of Pattern1.
Planner planner_of(const Exchange& exchange, const Making& making) {
  std::vector<OpenCase> others;
  for (const OpenValues& values : open_values())
    for (const double share : {0.0, most_composing / 2, most_composing}) {
      if (values.small > few && values.small * least_variance > exchange.most) continue;
      const Coefficients model = model_of(exchange, share);
      for (std::uint64_t draw = 1; draw <= draws_tried(exchange.pattern, making); ++draw)
        others.push_back(
            {fmt::format("{}, t_m = {} (t_c + t_d)", name(values), share), [=](const std::string& specification, Policy policy) {
               int number = 1;
               while (number < 4 && algorithm(number, exchange) != specification) ++number;
               return as_printed(number, exchange, values, draw, model, policy);
             }});
    }
  return Planner(setting_of(exchange), std::move(others));
}

constexpr const char* a3_in_step =
    "the long messages of A3's hot spots fall into many rounds, and a rank may get ceil(sqrt P) + 1 times L (liu2002-table3); by "
    "table 3, "
    "which gives A3 a traffic of 2 L, the sentence would hold";

// Figure 20 says the contrary of figure 19 at 1024 elements, so our range at 256 elements is given, too.
std::string says_both() {
  Extremes range;
  for (const OpenValues& values : open_values())
    for (const double share : {0.0, most_composing}) {
      const Exchange at{"t3d", TrafficKind::transpose, 256};
      const auto seconds = [&](int number) { return as_printed(number, at, values, 1, model_of(at, share), Policy::blocking); };
      range.add(seconds(3) / seconds(4));
    }
  return fmt::format("; at 1024 elements the paper says both (figure 20), and at 256 elements ours is {:.3g} to {:.3g}",
                     range.least, range.most);
}

// Modes that a sentence may mean: its own, or both if it names none.
enum class Mode { blocking, either };

void add(Reproduction& made, Planner& planner, const Exchange& exchange, int better, int than, Mode mode, const Quotation& said) {
  PaperConclusion conclusion{said.words, said.place, algorithm(better, exchange), algorithm(than, exchange)};
  if (mode == Mode::either) conclusion.further_policies = {Policy::nonblocking};
  conclusion.reason = better == 4 && than < 3 ? a4_and_others : a3_in_step;
  if (better == 3 && exchange.pattern == TrafficKind::transpose && exchange.most == 1024) conclusion.reason += says_both();
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

// A4 over A1, by draw. `equal`: equal messages take the place of the draw's, as many elements at the busiest rank.
std::vector<double> a4_over_a1(const Exchange& exchange, const OpenValues& values, double share, Policy policy,
                               const Making& making, double startup_factor = 1, bool equal = false) {
  Coefficients model = model_of(exchange, share);
  model.at("startup_us") *= startup_factor;
  std::vector<double> ratios;
  for (std::uint64_t draw = 1; draw <= draws_tried(exchange.pattern, making); ++draw) {
    Exchange at = exchange;
    if (equal) {
      at.pattern = TrafficKind::equal;
      at.most = Traffic(traffic_of(at.ranks, exchange.pattern, at.most, values.small, draw)).heaviest() / at.ranks;
    }
    const auto seconds = [&](int number) { return as_printed(number, at, values, equal ? 1 : draw, model, policy); };
    ratios.push_back(seconds(4) / seconds(1));
  }
  return ratios;
}

// Compares A4 over A1 in one case with the same in another, for all values of what the paper leaves open. `ratios_of` returns the
// ratios of all draws.
template <class RatiosOf>
void add_trend(Reproduction& made, const std::string& what, const Exchange& here, const RatiosOf& ratios_of) {
  Extremes all, by_mode[2];
  for (const bool free : {false, true})
    for (const OpenValues& values : open_values())
      for (const double share : {0.0, most_composing / 2, most_composing})
        for (const double ratio : ratios_of(values, share, free ? Policy::nonblocking : Policy::blocking))
          all.add(ratio), by_mode[free].add(ratio);
  made.at_most(fmt::format("T3D, {}, 1024 elements: A4 over A1 {}", pattern_name(here.pattern), what), 1, all.least, "section 5")
      .because(fmt::format(
          "{:.3g} to {:.3g} in step, where the long messages of A1 fall into many rounds, and {:.3g} to {:.3g} if not. By table 3 "
          "and (3) A4's start-ups over A1's are fewer than its bytes over A1's up to f_nc_b = {:.1f} of A1, which is open",
          by_mode[0].least, by_mode[0].most, by_mode[1].least, by_mode[1].most,
          ratio(4 * here.ranks, 4 * paper_root(here.ranks) + 2)))
      .open = all;
}

void add_trends(Reproduction& made, const Making& making) {
  const auto divided = [](std::vector<double> ratios, const std::vector<double>& others) {
    for (std::size_t i = 0; i < ratios.size(); ++i) ratios[i] /= others[i];
    return ratios;
  };
  for (const TrafficKind pattern : {TrafficKind::spike, TrafficKind::transpose}) {
    const Exchange here{"t3d", pattern}, few_ranks{"t3d", pattern, 1024, 25}, many_ranks{"t3d", pattern, 1024, 100};
    add_trend(made, "among 100 ranks, over the same among 25 (\"particularly attractive as the number of nodes increases\")", here,
              [&](const auto&... open) {  // each draw of one with each of the other: the least and the greatest ratio
                const auto [least, most] = std::ranges::minmax(a4_over_a1(many_ranks, open..., making));
                const auto [least_of_few, most_of_few] = std::ranges::minmax(a4_over_a1(few_ranks, open..., making));
                return std::array{least / most_of_few, most / least_of_few};
              });
    add_trend(
        made,
        "with tenfold start-ups, over the same by table 1 (\"Our algorithmic techniques will become even more useful with the "
        "increase in this ratio\")",
        here,
        [&](const auto&... open) { return divided(a4_over_a1(here, open..., making, 10), a4_over_a1(here, open..., making)); });
    add_trend(made,
              "over the same for equal messages of as many elements (\"suitable for performing all-to-all communication with high "
              "variance in message size\")",
              here, [&](const auto&... open) {
                return divided(a4_over_a1(here, open..., making), a4_over_a1(here, open..., making, 1, true));
              });
  }
}

Reproduction make_liu2002_conclusions(const Making& making) {
  using enum TrafficKind;
  const Coefficients sp2 = flat_of_elements("sp2");
  Reproduction made = conclusions_of(
      {"Counts are known to all ranks, as in a plan that is kept. The algorithms cut data between elements and "
       "choose the best grid. "
       "Messages to oneself cost nothing.",
       "The paper leaves open its \"small number of elements\", t_m, whether messages to oneself cost anything, and "
       "the random targets of Pattern1: sentences are also tested, with the algorithms as printed, for 1 and 4 "
       "elements, for t_m of 0, half and all of t_c + t_d, with messages to oneself and without, and for 50 draws; "
       "both modes are tested if the sentence names none. Our values in the first table, and plans, are those for 1 "
       "element, t_m = 0 and the first draw, without messages to oneself. A t_m above t_c + t_d, and a split of "
       "t_c + t_d, are not tried: all of it is on the wire.",
       fmt::format("\"The start-up latency dominates the overall communication time when the total traffic is light\" "
                   "(section 1) has no verdict, because \"light\" has no figure: by table 3 start-ups take half of "
                   "A2's time or more up to L_max = P T_s / (t_c + t_d), on 64 ranks of an SP2 {:.0f} elements.",
                   64 * sp2.at("startup_us") / (sp2.at("copy_us_per_byte") + sp2.at("wire_us_per_byte")))});
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
    add_trends(made, making);
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
