// SPDX-License-Identifier: BSD-3-Clause
// Figures 15 to 23: the times of A1 to A4 on a T3D and an SP2, over the number of ranks and over the length of messages.
#include <fmt/format.h>

#include <array>

#include "papers/exhibits/irregular_open.hpp"

namespace quadrille::papers {
namespace {

using enum ExchangeMode;

const std::vector<IrregularCurve> a1_a2_and_a4{{1, blocking},   {2, blocking},   {4, blocking},
                                               {1, one_buffer}, {2, one_buffer}, {4, one_buffer}};
const std::vector<IrregularCurve> a3_and_a4_curves{
    {3, blocking}, {3, one_buffer}, {4, blocking}, {4, one_buffer}, {4, two_buffers}};

// The parts of figures that show each pattern separately.
constexpr std::pair<const char*, TrafficKind> patterns[] = {{"a", TrafficKind::spike}, {"b", TrafficKind::transpose}};

void claim_gains(IrregularPlot& plot, const std::vector<int>& algorithms, const Quotation& said, const char* reason) {
  for (const int number : algorithms) {
    const auto gain = [&](ExchangeMode mode) { return has_gain({number, mode}, {number, blocking}, slight_gain, said, reason); };
    plot.claims.push_back(plot.further_curves.empty() || number == 1 ? gain(one_buffer)
                                                                     : or_as(gain(one_buffer), gain(two_buffers)));
  }
}

// Returns a plot of section 4.1, which compares A1, A2 and A4.
IrregularPlot plot_of_section_4_1(int figure, const char* name, const char* machine, TrafficKind pattern,
                                  const std::vector<IrregularPoint>& points) {
  IrregularPlot plot{name, machine, pattern, points, a1_a2_and_a4, {}, {{2, two_buffers}, {4, two_buffers}}};
  const Quotation said{"When blocking communication mode is used, A4 results in lower latency than that of A1 and A2",
                       fmt::format("section 4.1, figure {}({})", figure, name)};
  for (const int other : {1, 2}) plot.claims.push_back(is_lower({4, blocking}, {other, blocking}, said, a4_and_others));
  return plot;
}

// The text names no number of ranks for figures 15 and 17, no length for figures 16 and 18, and only 1k for figures 19 to 22.
std::vector<IrregularPoint> ours_except(Bytes named, std::vector<IrregularPoint> points) {
  for (IrregularPoint& point : points) point.is_ours = point.most != named;
  return points;
}
std::vector<IrregularPoint> nodes_of_section_4_1() {
  return ours_except(0, over_nodes({16, 18, 25, 36, 49, 61, 64, 81, 100}, 1024));
}
std::vector<IrregularPoint> up_to_1k(Bytes named = 1024) { return ours_except(named, over_lengths(64, 16, 1024, 4)); }
std::vector<IrregularPoint> from_1k() { return ours_except(1024, over_lengths(64, 1024, 8192)); }

constexpr const char* gains_of_a2_and_a4 = "A2 and A4 achieve significant performance gain when nonblocking mode is used";

std::vector<IrregularPlot> plots_of_fig15() {
  IrregularPlot plot = plot_of_section_4_1(15, "a", "t3d", TrafficKind::spike, nodes_of_section_4_1());
  claim_gains(plot, {1}, {"A1 results in a large performance gain when nonblocking mode is used", "section 4.1, figure 15"},
              long_messages_meet);
  for (const int number : {2, 4})
    plot.claims.push_back(
        gains_less(number, 1,
                   {"when A2 and A4 are performed using nonblocking communication, the gains are relatively small",
                    "section 4.1, figure 15"}));
  const Quotation slightly{
      "The performance of nonblocking version of A2 or A4 is slightly better as compared to the corresponding blocking version",
      "section 4.1, figure 15"};
  for (const int number : {2, 4})
    plot.claims.push_back(or_as(is_lower({number, one_buffer}, {number, blocking}, slightly, out_of_step),
                                is_lower({number, two_buffers}, {number, blocking}, slightly)));
  return {plot};
}

std::vector<IrregularPlot> plots_of_fig16() {
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : patterns) plots.push_back(plot_of_section_4_1(16, name, "t3d", pattern, up_to_1k(0)));
  return plots;
}

std::vector<IrregularPlot> plots_of_fig17() {
  IrregularPlot plot = plot_of_section_4_1(17, "a", "sp2", TrafficKind::spike, nodes_of_section_4_1());
  claim_gains(plot, {1},
              {"the performance of the nonblocking version of A1 shows the effectiveness of reducing node contention",
               "section 4.1, figure 17"},
              no_overlap);
  claim_gains(plot, {2, 4}, {gains_of_a2_and_a4, "section 4.1, figure 17"}, no_overlap);
  return {plot};
}

std::vector<IrregularPlot> plots_of_fig18() {
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : patterns) {
    IrregularPlot& plot = plots.emplace_back(plot_of_section_4_1(18, name, "sp2", pattern, up_to_1k(0)));
    claim_gains(plot, {2, 4}, {gains_of_a2_and_a4, fmt::format("section 4.1, figure 18({})", name)}, no_overlap);
  }
  return plots;
}

std::vector<IrregularPlot> plots_of_fig19() {
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : patterns) {
    IrregularPlot& plot = plots.emplace_back(IrregularPlot{name, "t3d", pattern, up_to_1k(), a3_and_a4_curves, {}});
    const std::string place = fmt::format("section 4.2, figure 19({})", name);
    plot.claims.push_back(or_as(
        is_lower({3, blocking}, {4, blocking}, {"when 64 processors are used and M_max <= 1k, A3 performs better than A4", place},
                 pattern == TrafficKind::transpose ? says_both_at_1k : a3_and_a4),
        is_lower({3, one_buffer}, {4, one_buffer}, {})));
    plot.claims.push_back(has_ratio({4, two_buffers}, {4, one_buffer}, Relation::at_least, 0.9,
                                    {"the implementation with dual buffers does not improve significantly the performance", place},
                                    memory_is_shared));
    if (pattern == TrafficKind::transpose)
      plot.claims.push_back(or_as(
          grows_more(
              {3, blocking}, {4, blocking},
              {"the communication time of A3 increases faster than that of A4 as the message size increases in Pattern2", place}),
          grows_more({3, one_buffer}, {4, one_buffer}, {})));
  }
  return plots;
}

std::vector<IrregularPlot> plots_of_fig20() {
  IrregularPlot plot{"a", "t3d", TrafficKind::transpose, from_1k(), {{3, blocking}, {4, blocking}}, {}};
  plot.claims.push_back(
      is_lower({4, blocking}, {3, blocking},
               {"Although A4 requires two more stages, it has superior performance as compared to A3", "section 4.2, figure 20"}));
  return {plot};
}

// Returns a plot of figures 21 and 22. Its claims say which curve is below all others, and how much nonblocking messages gain.
IrregularPlot plot_of_a3_and_a4_on_an_sp2(const char* name, TrafficKind pattern, const std::vector<IrregularPoint>& points,
                                          const std::string& place) {
  IrregularPlot plot{name, "sp2", pattern, points, a3_and_a4_curves, {}};
  const bool is_spike = pattern == TrafficKind::spike;
  const IrregularCurve best = is_spike ? IrregularCurve{3, one_buffer} : IrregularCurve{4, two_buffers};
  const Quotation said{is_spike ? "A3-n1 has superior performance for Pattern1"
                                : "A4-n2 has superior performance for Pattern2 as compared to the other algorithms",
                       place};
  for (const IrregularCurve& other : a3_and_a4_curves)
    if (other != best) plot.claims.push_back(is_lower(best, other, said, a3_and_a4));
  claim_gains(plot, {3, 4}, {"Nonblocking communication mode results in significant performance gains", place}, little_to_hide);
  return plot;
}

std::vector<IrregularPlot> plots_of_fig21() {
  std::vector<IrregularPlot> plots;
  for (const auto& [name, pattern] : patterns)
    plots.push_back(plot_of_a3_and_a4_on_an_sp2(name, pattern, up_to_1k(), fmt::format("section 4.2, figure 21({})", name)));
  return plots;
}

std::vector<IrregularPlot> plots_of_fig22() {
  std::vector<IrregularPlot> plots;
  const std::string place = "section 4.2, figure 22";
  for (const auto& [name, pattern] : patterns)
    plots.emplace_back(plot_of_a3_and_a4_on_an_sp2(name, pattern, from_1k(), place))
        .claims.push_back(has_ratio(
            {4, two_buffers}, {4, one_buffer}, Relation::at_most, 0.99,
            {"The nonblocking version using dual end buffers performs better than that using a single send buffer", place},
            no_composing));
  return plots;
}

std::vector<IrregularPlot> plots_of_fig23() {
  IrregularPlot plot{
      "a", "sp2", TrafficKind::transpose, over_nodes({25, 36, 49, 64, 81, 100}, 4096), {{4, two_buffers}, {3, one_buffer}}, {}};
  plot.claims.push_back(is_lower({4, two_buffers}, {3, one_buffer},
                                 {"In this figure, A4-n2 is always superior to A3-n1", "section 4.2, figure 23"}, a3_and_a4));
  return {plot};
}

template <int figure>
Reproduction make_liu2002_figs15_to_23(const Making& making) {
  return reproduction_of(plots_of(figure), making);
}

// Makes figures 20 and 22, which also show the time of each stage and the parts of an exchange's time.
Reproduction with_stages_and_parts(int figure, const char* machine, const char* place, const Making& making) {
  const std::vector<IrregularPlot> plots = plots_of(figure);
  Reproduction made = reproduction_of(plots, making);
  const Quotation said{"The hot-spots encountered in A3 .. result in much larger latencies when C-Comm or R-Comm is performed",
                       place};
  add_stages(made, machine, {64, 4096}, said);
  // For the curves of figure 22, shows only the first and last points, because readers cannot tell more than ten bars apart.
  for (const IrregularPlot& plot : plots) add_parts(made, figure == 22 ? thinned(plot) : plot, said, making);
  made.remarks.emplace_back(parts_remark);
  return made;
}

template <>
Reproduction make_liu2002_figs15_to_23<20>(const Making& making) {
  return with_stages_and_parts(20, "t3d", "section 4.2, figure 20", making);
}

template <>
Reproduction make_liu2002_figs15_to_23<22>(const Making& making) {
  Reproduction made = with_stages_and_parts(22, "sp2", "section 4.2, about the T3D, figure 20", making);
  made.remarks.emplace_back(
      "In the stacked bars each stage of n1 and n2 communicates for as long as its start-ups or its bytes take, whichever is "
      "longer, since the two overlap. In n2 the communication of a stage after the first also overlaps distribute and collect: the "
      "bars show only by how much these exceed it.");
  return made;
}

constexpr Exhibit exhibit(std::string_view title, std::string_view source, Reproduction (*maker)(const Making&),
                          std::string_view about = about_claims) {
  return {.title = title, .source = source, .about = about, .make = maker};
}

}  // namespace

std::vector<IrregularPlot> plots_of(int figure) {
  constexpr std::array figures{plots_of_fig15, plots_of_fig16, plots_of_fig17, plots_of_fig18, plots_of_fig19,
                               plots_of_fig20, plots_of_fig21, plots_of_fig22, plots_of_fig23};
  return figures.at(index(figure - 15))();
}

extern const Exhibit liu2002_fig15 =
    exhibit("A4, A1 and A2 on a T3D, by number of ranks", "liu2002, figure 15 and section 4.1", make_liu2002_figs15_to_23<15>);
extern const Exhibit liu2002_fig16 =
    exhibit("A4, A1 and A2 on a T3D, by length of messages", "liu2002, figure 16 and section 4.1", make_liu2002_figs15_to_23<16>);
extern const Exhibit liu2002_fig17 =
    exhibit("A4, A1 and A2 on an SP2, by number of ranks", "liu2002, figure 17 and section 4.1", make_liu2002_figs15_to_23<17>);
extern const Exhibit liu2002_fig18 =
    exhibit("A4, A1 and A2 on an SP2, by length of messages", "liu2002, figure 18 and section 4.1", make_liu2002_figs15_to_23<18>);
extern const Exhibit liu2002_fig19 =
    exhibit("A4 and A3 on a T3D, short messages", "liu2002, figure 19 and section 4.2", make_liu2002_figs15_to_23<19>);
extern const Exhibit liu2002_fig20 =
    exhibit("A4 and A3 on a T3D, long messages", "liu2002, figure 20 and section 4.2", make_liu2002_figs15_to_23<20>);
extern const Exhibit liu2002_fig21 =
    exhibit("A4 and A3 on an SP2, short messages", "liu2002, figure 21 and section 4.2", make_liu2002_figs15_to_23<21>);
extern const Exhibit liu2002_fig22 =
    exhibit("A4 and A3 on an SP2, long messages", "liu2002, figure 22 and section 4.2", make_liu2002_figs15_to_23<22>);
extern const Exhibit liu2002_fig23 =
    exhibit("A4-n2 and A3-n1 on an SP2, by number of ranks", "liu2002, figure 23 and section 4.2", make_liu2002_figs15_to_23<23>,
            "the text does not contain the measured curves, so its claims about them are compared; figure 23 does not name its "
            "pattern, but it must be Pattern2, because the paragraph before says that A3-n1 is superior for Pattern1");

}  // namespace quadrille::papers
