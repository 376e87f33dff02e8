// SPDX-License-Identifier: BSD-3-Clause
// The figures of times of [liu2002], 15 to 23: what they plot, what the paper claims about it, and how long A1 to A4 take.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "reproduce/exhibits/irregular.hpp"

namespace quadrille::reproduce {

// Modes as the figures name them.
enum class ExchangeMode : std::uint8_t { blocking, one_buffer, two_buffers };  // b, n1, n2

// A curve: algorithm A<number>, in a mode.
struct IrregularCurve {
  int algorithm = 1;
  ExchangeMode mode = ExchangeMode::blocking;
  std::string label() const;  // "A4-n2"
  auto operator<=>(const IrregularCurve&) const = default;
};

using CurveTimes = std::map<IrregularCurve, double>;  // of one point, in milliseconds

// A sentence of the paper, and where it is.
struct Quotation {
  std::string words, place;
};

// What the paper says about the curves of a plot: the values, one a point or one in all, are at most, or at least, so much; at all
// points, or at one at least.
struct IrregularClaim {
  std::string what;  // "time of A4-b over that of A1-b"
  Quotation said;
  std::function<std::vector<double>(const std::vector<CurveTimes>&)> values;
  Relation relation = Relation::at_most;
  double bound = 1;
  bool at_all_points = true;
  std::string reason;  // where it does not hold

  bool holds(double value) const;
  bool holds(const std::vector<CurveTimes>& points) const;
  // Of those that have to hold the one that is nearest to not doing so, or of those of which one has to the best.
  std::vector<double>::const_iterator decisive(const std::vector<double>& list) const;
};

IrregularClaim is_lower(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                        const std::string& reason = {});
// The ratio of the two, at all points.
IrregularClaim has_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                         const Quotation& said, const std::string& reason = {});
// The ratio is at most so much at one point at least.
IrregularClaim has_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const Quotation& said,
                        const std::string& reason = {});
// Messages under way together gain less for one algorithm than for the other, at all points.
IrregularClaim gains_less(int number, int than, const Quotation& said, const std::string& reason = {});
// `one` grows more from the first point to the last than `other`.
IrregularClaim grows_more(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                          const std::string& reason = {});

// A point of a plot: how many nodes, and the longest message in elements.
struct IrregularPoint {
  Count ranks = 0;
  Bytes most = 0;
};

// Every node count of a figure with the same longest message, and the other way round.
std::vector<IrregularPoint> over_nodes(const std::vector<Count>& ranks, Bytes most);
std::vector<IrregularPoint> over_lengths(Count ranks, Bytes first, Bytes last);  // doubling

// What a figure shows: times over the number of nodes, or over the longest message.
struct IrregularPlot {
  std::string name;     // of the sheet: "a"
  std::string machine;  // "t3d" or "sp2"
  TrafficKind pattern = TrafficKind::spike;
  std::vector<IrregularPoint> points;
  std::vector<IrregularCurve> curves;
  std::vector<IrregularClaim> claims;

  std::string title() const;                // "Pattern1, 64 nodes"
  std::string at(std::size_t point) const;  // "16 elements"
};

IrregularPlot thinned(IrregularPlot plot);  // to the first point and the last

std::vector<IrregularPlot> plots_of_fig15();
std::vector<IrregularPlot> plots_of_fig16();
std::vector<IrregularPlot> plots_of_fig17();
std::vector<IrregularPlot> plots_of_fig18();
std::vector<IrregularPlot> plots_of_fig19();
std::vector<IrregularPlot> plots_of_fig20();
std::vector<IrregularPlot> plots_of_fig21();
std::vector<IrregularPlot> plots_of_fig22();
std::vector<IrregularPlot> plots_of_fig23();

// What the flat model asks of an exchange, without its rounds. Counted once in a process, since several exhibits ask for the same.
struct CountedExchange {
  std::vector<StageFigures> with_own, without;  // messages to oneself
};
const CountedExchange& counted_exchange(const IrregularPoint& point, TrafficKind pattern, std::uint64_t seed, int algorithm);
std::uint64_t draws_of(TrafficKind pattern, const Making& making);  // the seeds are 1 to so many, and the mean is shown

double element_bytes(const std::string& machine);  // 48 on the T3D, 22 on the SP2 (section 4)

// Of a machine, for elements; t_m of a byte.
FlatModel flat_of_elements(const std::string& machine, double compose_us_per_byte = 0);

// Blocking has all ranks in step, so that a round is as long as its longest message; else each stage has all its messages under way
// and no rank waits for another [liu2002, (4), with a contention factor of 1].
double model_ms(const std::vector<StageFigures>& stages, FlatModel model, ExchangeMode mode);

// By the model with messages to oneself.
std::vector<CurveTimes> model_times(const IrregularPlot& plot, const Making& making, double compose_us_per_byte);

// The times of a plot in milliseconds, added to `made` as a sheet and four panels: by the flat model, and simulated event by event,
// without barriers; either way once with messages to oneself, which the paper counts [liu2002, section 3], and once without them,
// as our schedules run. Every claim is compared with both. Verdicts follow from the times with such messages and without t_m, for
// which table 1 has no figure; where one differs, the reason says for which t_m the claim would hold by the model.
void add_times(const IrregularPlot& plot, const Making& making, Reproduction& made);
Reproduction reproduction_of(const std::vector<IrregularPlot>& plots, const Making& making);

// What each stage of A3 and A4 takes in step, for Pattern2: a sheet, and the claim that the slowest of A3 is longer than any of A4.
void add_stages(Reproduction& made, const std::string& machine, const IrregularPoint& point, const Quotation& said);

std::string without_own(double value);  // "0.5 without messages to oneself"

inline constexpr const char* about_claims =
    "the paper's curves are measured and not in its text, so that its claims about them are compared";

// Why the model's times and the measured ones may differ.
inline constexpr const char* a4_and_others =
    "each element travels four times, against once in A1 and twice in A2, and by table 1 the start-ups that A4 saves are worth "
    "that "
    "only from more nodes on";
inline constexpr const char* a3_and_a4 =
    "A3 saves half of the start-ups, A4 the wait for the busiest node of a row; by table 1 they break even at another length than "
    "was "
    "measured";
inline constexpr const char* no_overlap =
    "a port is taken for a start-up and all bytes of a message, and table 1 has no t_m that could be hidden, so that little is "
    "left to "
    "overlap";
inline constexpr const char* little_to_hide =
    "with the messages under way together start-ups hide behind bytes, or bytes behind start-ups; where one of them is most of the "
    "time, little is hidden, and what the paper also names, less contention than in blocking mode, is a factor that table 1 does "
    "not "
    "have";
inline constexpr const char* memory_is_shared =
    "on the T3D processor and network share one path to the memory (section 4.1), which no model here knows";
inline constexpr const char* no_composing =
    "table 1 has no t_m, and it is the putting together of messages that a second buffer hides";

}  // namespace quadrille::reproduce
