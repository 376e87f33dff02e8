// SPDX-License-Identifier: BSD-3-Clause
// A1 to A4 with messages of today, as bench/measured_irregular.sh has measured them, beside the paper's model of the SP2.
#include <fmt/format.h>

#include <charconv>

#include "foundation/text/parsing.hpp"
#include "papers/exhibits/irregular_times.hpp"

namespace quadrille::papers {
namespace {

using enum ExchangeMode;

constexpr std::string_view table =
#include <measured_irregular.inc>  // made by papers/CMakeLists.txt
    ;

// The hosts share two cores. So two medians of times of the same exchange differ by up to this share.
constexpr double spread_on_hosts = 0.1;

struct Phases {
  double time = 0, distribute = 0, communicate = 0, collect = 0;  // ms
  void add(const Phases& other, double weight) {
    time += other.time * weight, distribute += other.distribute * weight;
    communicate += other.communicate * weight, collect += other.collect * weight;
  }
};

struct Place {
  std::string_view where, title;
  Count ranks;
  double tolerance;
};

constexpr Place places[] = {{"hosts", "emulated hosts", 16, spread_on_hosts},
                            {"hosts", "emulated hosts", 36, spread_on_hosts},
                            {"smpi", "SMPI", 64, claim_tolerance}};

using Measured = std::map<Bytes, std::map<IrregularCurve, Phases>>;  // by the longest message, in elements

double number(std::string_view text) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

std::vector<IrregularCurve> curves() {
  std::vector<IrregularCurve> list;
  for (const int algorithm : {1, 2, 3, 4})
    for (const ExchangeMode mode : {blocking, one_buffer, two_buffers}) list.push_back({algorithm, mode});
  return list;
}

// Returns the rows of a place and a pattern. Several random draws become their mean.
Measured measured(const Place& place, TrafficKind pattern) {
  std::map<std::pair<Bytes, IrregularCurve>, std::vector<Phases>> draws;
  for (const std::string_view line : split(table, '\n')) {
    const std::vector<std::string_view> cells = split(line, ',');
    if (cells.size() != 10 || cells[0] != place.where || number(cells[1]) != Number(place.ranks) ||
        cells[2] != pattern_name(pattern))
      continue;
    for (const IrregularCurve& curve : curves())
      if (curve.label() == cells[5])
        draws[{static_cast<Bytes>(number(cells[3])), curve}].push_back(
            {number(cells[6]), number(cells[7]), number(cells[8]), number(cells[9])});
  }
  Measured all;
  for (const auto& [key, list] : draws)
    for (const Phases& phases : list) all[key.first][key.second].add(phases, 1 / Number(list.size()));
  return all;
}

const char* const travels_four_times =
    "in A4 each element travels four times, in A2 twice: with long messages this outweighs the saved "
    "start-ups";
const char* const few_ranks = "with 16 ranks A4 has 12 start-ups and A1 has 15, and in A4 each element travels four times";
const char* const no_hot_spots =
    "the hot spots of A3 cost time only if messages are long, and A3 has half of A4's start-ups and traffic";
const char* const second_buffer =
    "a second buffer hides the time of copies, which is below 1 % on hosts and 0 in SMPI; without the end "
    "of a stage to wait for, an executor tests its requests more often";
const char* const links_are_full =
    "with long messages the links are full in each stage, and in A3 more elements arrive at the busiest rank";

std::vector<IrregularClaim> claims(TrafficKind pattern) {
  const bool is_spike = pattern == TrafficKind::spike;
  const Quotation lower{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                        "section 4.1"};
  const Quotation significant{"A2 and A4 achieve significant performance gain when nonblocking mode is used", "section 4.1"};
  std::vector<IrregularClaim> list{
      is_lower({4, blocking}, {1, blocking}, lower, few_ranks), is_lower({4, blocking}, {2, blocking}, lower, travels_four_times),
      has_gain(
          {1, one_buffer}, {1, blocking}, slight_gain,
          {"the performance of the nonblocking version of A1 shows the effectiveness of reducing node contention", "section 4.1"})};
  for (const int algorithm : {2, 4})
    list.push_back(has_gain({algorithm, one_buffer}, {algorithm, blocking}, slight_gain, significant));
  const IrregularCurve best = is_spike ? IrregularCurve{3, one_buffer} : IrregularCurve{4, two_buffers};
  const Quotation superior{is_spike ? "A3-n1 has superior performance for Pattern1"
                                    : "A4-n2 has superior performance for Pattern2 as compared to the other algorithms",
                           "section 4.2"};
  for (const IrregularCurve& other :
       {IrregularCurve{3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}})
    if (other != best)
      list.push_back(
          is_lower(best, other, superior, is_spike ? links_are_full : (other.algorithm == 4 ? second_buffer : no_hot_spots)));
  if (!is_spike)
    list.push_back(
        grows_more({3, blocking}, {4, blocking},
                   {"the communication time of A3 increases faster than that of A4 as the message size increases in Pattern2",
                    "section 4.2"}));
  return list;
}

// Adds a bar for each curve: its phases in the exchange of Pattern2 with this longest message.
void add_phases(const Place& place, Bytes most, Reproduction& made) {
  Sheet& sheet = made.add_sheet({.name = fmt::format("phases-{}", place.ranks),
                                 .columns = {"curve", "distribute (ms)", "communicate (ms)", "collect (ms)", "other ranks (ms)"}});
  const Measured all = measured(place, TrafficKind::transpose);
  for (const auto& [curve, part] : all.at(most))
    sheet.rows.push_back({curve.label(), part.distribute, part.communicate, part.collect,
                          std::max(0.0, part.time - part.distribute - part.communicate - part.collect)});
  made.add_panel({.title = fmt::format("Pattern2, {} ranks, {} elements, emulated hosts: phases", place.ranks, most),
                  .x_label = "",
                  .y_label = "time (ms)",
                  .curves = {{1, "distribute"}, {2, "communicate"}, {3, "collect"}, {4, "wait for other ranks' start or end"}},
                  .kind = PanelKind::bars});
}

void add_place(const Place& place, std::size_t range, TrafficKind pattern, const Making& making, Reproduction& made) {
  const Measured all = measured(place, pattern);
  IrregularPlot plot{.name = fmt::format("{}-{}-{}", place.where, place.ranks, pattern_name(pattern)),
                     .machine = "sp2",
                     .pattern = pattern,
                     .points = {},
                     .curves = curves(),
                     .claims = claims(pattern)};
  std::vector<CurveTimes> times;
  for (const auto& [most, phases] : all) {
    plot.points.push_back({place.ranks, most});
    CurveTimes& at = times.emplace_back();
    for (const auto& [curve, part] : phases) at[curve] = part.time;
  }
  Sheet& sheet = add_points(plot, made);
  add_curves(plot, std::string(place.title), times, range, made);
  add_curves(plot, "model of the SP2", model_times(plot, making, 0), std::size(places), made);
  sheet.columns.emplace_back("shortest time");
  for (std::size_t row = 0; row < times.size(); ++row)
    sheet.rows[row].emplace_back(std::min_element(times[row].begin(), times[row].end(), [](const auto& one, const auto& other) {
                                   return one.second < other.second;
                                 })->first.label());
  for (const IrregularClaim& claim : plot.claims)
    made.comparisons.emplace_back(comparison_of(plot, place.title, claim, times, place.tolerance))
        .found(Outcome::beyond_assumptions, {}, "the sentence is about the T3D and the SP2; here " + claim.reason);
}

Reproduction make_liu2002_measured(const Making& making) {
  Reproduction made{
      .remarks = {
          "Elements have 22 bytes, as on the SP2, and a small message has one. Pattern1 is the mean of three random draws. Our "
          "schedules have no messages to oneself. n1 is the policy nonblocking, n2 the policy dataflow with two buffers.",
          fmt::format("On emulated hosts each rank is a host with a link of 100 Mbit/s, all hosts share two cores, and ratios "
                      "within {:.0f} % of a bound count as equal. In SMPI a message takes 1 us at each end and 1 ns a byte on "
                      "the links of its hosts, copies take no time, and each test of a request takes 10 ns.",
                      spread_on_hosts * 100),
          "What carries over: blocking, the balanced A4 beats A1 and A2 with 36 and 64 ranks, and nonblocking messages gain most "
          "for "
          "A1. What does not: with nonblocking messages and long blocks A1 has the shortest time of all. Its elements travel "
          "once, and many messages share a link without loss, so that nothing has to be balanced. The last column of each "
          "table names the shortest time."}};
  for (std::size_t i = 0; i < std::size(places); ++i)
    for (const TrafficKind pattern : {TrafficKind::spike, TrafficKind::transpose}) add_place(places[i], i, pattern, making, made);
  for (const Place& place : places)
    if (place.where == "hosts") add_phases(place, 1024, made);
  return made;
}

}  // namespace

extern const Exhibit liu2002_measured{
    .title = "A1 to A4 with messages of today, beside the SP2's",
    .source = "liu2002, section 4",
    .about =
        "bench/measured_irregular.sh has measured the times, on emulated hosts and in SMPI; sections 4.1 and 4.2 say what they "
        "were like on the SP2",
    .make = make_liu2002_measured};

}  // namespace quadrille::papers
