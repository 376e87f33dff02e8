// SPDX-License-Identifier: BSD-3-Clause
// Figures 15 to 23 of [liu2002] show times: what they plot, what the paper claims about the curves, and the times of A1 to A4.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "papers/exhibit.hpp"
#include "papers/exhibits/irregular.hpp"
#include "quadrille/model.hpp"

namespace quadrille::papers {

inline constexpr double claim_tolerance = 1e-6;  // relative to the bound

// The modes of an exchange, as the figures name them.
enum class ExchangeMode : std::uint8_t { blocking, one_buffer, two_buffers };  // b, n1, n2
template <class Value>
using ByMode = ByEnum<ExchangeMode, Value, 3>;

// A curve of a figure: algorithm A<number> in a mode.
struct IrregularCurve {
  int algorithm = 1;
  ExchangeMode mode = ExchangeMode::blocking;
  std::string label() const;  // "A4-n2"
  auto operator<=>(const IrregularCurve&) const = default;
};

using CurveTimes = std::map<IrregularCurve, double>;  // times at one point, in milliseconds

// A sentence of the paper, with its place.
struct Quotation {
  std::string words, place;
};

// A claim of the paper about the curves of a plot. `values` computes one value for each point, or one for all points.
// The claim is that the values are at most, or at least, `bound`: either at all points, or at some point.
struct IrregularClaim {
  std::string what;  // "time of A4-b over that of A1-b"
  Quotation said;
  std::function<std::vector<double>(const std::vector<CurveTimes>&)> values;
  Relation relation = Relation::at_most;
  double bound = 1;
  bool at_all_points = true;
  std::string reason;  // why the claim does not hold
  // The same values by other readings, if the paper does not name the mode.
  std::vector<std::function<std::vector<double>(const std::vector<CurveTimes>&)>> other_readings = {};

  bool holds(const std::vector<CurveTimes>& points) const;
  bool is_met_by(double value) const;
  // Returns the value that decides: the worst if the claim is about all points, else the best.
  std::vector<double>::const_iterator decisive(const std::vector<double>& list) const;
};

// Returns the claim with a further reading: the values of the other claim.
IrregularClaim or_as(IrregularClaim claim, const IrregularClaim& other);

IrregularClaim is_lower(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                        const std::string& reason = {});
// Claims that the ratio of the two curves is within the bound at all points.
IrregularClaim has_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                         const Quotation& said, const std::string& reason = {});
// Claims that the ratio is at most `bound` at some point.
IrregularClaim has_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const Quotation& said,
                        const std::string& reason = {});
// Claims that at all points nonblocking messages gain less for algorithm `number` than for algorithm `than`.
IrregularClaim gains_less(int number, int than, const Quotation& said, const std::string& reason = {});
// Claims that from the first point to the last `one` grows by a larger factor than `other`.
IrregularClaim grows_more(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                          const std::string& reason = {});

// Reasons why the model's times and the measured ones may differ.
inline constexpr const char* a4_and_others =
    "in A4 each element travels four times, in A1 once and in A2 twice; by table 1 the start-ups that A4 saves outweigh this only "
    "with more ranks";
inline constexpr const char* a3_and_a4 =
    "A3 saves half of the start-ups, and A4 avoids the wait for the busiest rank of a row; by table 1 they break even at another "
    "message length than in the measurements";
inline constexpr const char* says_both_at_1k =
    "at 1024 elements the paper says both: A3 is better if M_max <= 1k, and A4 is superior \"when M_max >= 1k\" (section 4.2, "
    "figure "
    "20); liu2002-conclusions has our value at 256 elements";
inline constexpr const char* no_overlap =
    "start-ups hide behind bytes, or bytes behind start-ups, but table 1 has no t_m that could be hidden, too";
inline constexpr const char* little_to_hide =
    "if messages are in flight together, start-ups hide behind bytes or bytes behind start-ups, but little is hidden if one of "
    "them takes most of the time";
inline constexpr const char* out_of_step =
    "the messages of a stage differ by some elements, so ranks that do not wait for each other get out of step, and some messages "
    "meet";
inline constexpr const char* long_messages_meet =
    "A1's long messages meet at some ranks also if no rank waits for the others' steps";
inline constexpr double slight_gain = 0.9;  // our reading of "slightly better": at most a tenth of the time is saved
inline constexpr const char* memory_is_shared =
    "on the T3D, processor and network share one path to the memory (section 4.1), so nothing overlaps";
inline constexpr const char* no_composing =
    "a second buffer hides the time to compose messages, t_m, for which table 1 has no value";

// A point of a plot: the number of ranks, and the longest message in elements.
struct IrregularPoint {
  Count ranks = 0;
  Bytes most = 0;
  bool is_ours = false;  // did we choose the point, because the paper names none?
};

// Points with several numbers of ranks and one longest message, or with one number of ranks and several longest messages.
std::vector<IrregularPoint> over_nodes(const std::vector<Count>& ranks, Bytes most);
// Each longest message is `factor` times the one before.
std::vector<IrregularPoint> over_lengths(Count ranks, Bytes first, Bytes last, Bytes factor = 2);

// A plot of a figure: times over the number of ranks, or over the longest message.
struct IrregularPlot {
  std::string name;     // name of the sheet: "a"
  std::string machine;  // "t3d" or "sp2"
  TrafficKind pattern = TrafficKind::spike;
  std::vector<IrregularPoint> points;
  std::vector<IrregularCurve> curves;
  std::vector<IrregularClaim> claims;
  std::vector<IrregularCurve> further_curves = {};  // curves of other readings, computed by the model only and not shown

  std::string title() const;                // "Pattern1, 64 ranks"
  std::string at(std::size_t point) const;  // "16 elements"; with "our choice" if the paper does not name it
};

IrregularPlot thinned(IrregularPlot plot);  // keeps only the first point and the last

std::vector<IrregularPlot> plots_of(int figure);  // 15 to 23

// The figures of an exchange that the flat model needs, from the counts alone (irregular_counts.cpp). They are counted once in a
// process, because several exhibits need the same figures.
struct CountedExchange {
  Workload with_own, without;  // with and without messages to oneself
};
const CountedExchange& counted_exchange(const IrregularPoint& point, TrafficKind pattern, std::uint64_t seed, int algorithm,
                                        Bytes small = few);
// Number of random draws; their seeds are 1, 2, .., and exhibits show the mean.
std::uint64_t draws_of(TrafficKind pattern, const Making& making);
// Number of random draws that the model tries. The paper leaves the targets of Pattern1 to chance, so each draw is a case of its
// own.
std::uint64_t draws_tried(TrafficKind pattern, const Making& making);

// Returns the machine's coefficients of the flat model, or of the model free-running, with elements in place of bytes.
// `compose_us_per_byte` is t_m of a byte.
Coefficients flat_of_elements(const std::string& machine, double compose_us_per_byte = 0, const char* model = "flat");

// Returns the time of an exchange by the flat model, as `quadrille price` computes it. In blocking mode, all ranks keep step, so a
// round takes as long as its longest message. In the other modes, all messages of a stage are in flight at the same time, and each
// rank sends, and receives, one at a time [liu2002, (4)].
double model_ms(const Workload& work, const Coefficients& costs, ExchangeMode mode);

// The resources of a machine's flat model (model.hpp), with elements in place of bytes. `overlap`, if given, replaces that of the
// machine.
MessageTimes times_of_elements(const std::string& machine, std::optional<bool> overlap = {});

// Simulates an exchange event by event. Ranks do not keep step. For two buffers, simulates with_two_buffers(schedule).
double simulated_ms(const Schedule& schedule, const MessageTimes& message, ExchangeMode mode);

// Returns the times by the model, with messages to oneself or without. Short messages have `small` elements. `draw` is a seed; 0 is
// the mean of the first draws.
std::vector<CurveTimes> model_times(const IrregularPlot& plot, const Making& making, double compose_us_per_byte, Bytes small = few,
                                    bool with_own = true, std::uint64_t draw = 0);

// Returns the value that decides a claim at the points that the paper names; if it names none of them, the best value.
double decisive_at_named(const IrregularPlot& plot, const IrregularClaim& claim, const std::vector<double>& values);

// Compares a claim with times at the plot's points. `way` says how the times were obtained: "simulation". `tolerance` is relative
// to the claim's bound.
Comparison comparison_of(const IrregularPlot& plot, std::string_view way, const IrregularClaim& claim,
                         const std::vector<CurveTimes>& times, double tolerance = claim_tolerance);

// Adds a sheet with a row for each point of a plot; and the plot's curves as columns of the last sheet, with a panel that shows
// them (Panel::range_group).
Sheet& add_points(const IrregularPlot& plot, Reproduction& made);
void add_curves(const IrregularPlot& plot, const std::string& way, const std::vector<CurveTimes>& times, std::size_t range,
                Reproduction& made);

// Adds the times of a plot, in milliseconds, to `made`, as a sheet and four panels. Times are by the flat model, and by the event
// simulator without barriers. Each is shown with messages to oneself, which the paper counts [liu2002, section 3], and without
// them, as our schedules run. Compares every claim with the model and the simulation together, over all values of what the paper
// leaves open (irregular_open.hpp). If a claim does not hold for all these values, the reason names those for which the claim
// holds.
void add_times(const IrregularPlot& plot, const Making& making, Reproduction& made);
Reproduction reproduction_of(const std::vector<IrregularPlot>& plots, const Making& making);

// Adds a sheet with the blocking time of each stage of A3 and A4 for Pattern2, and the claim that the slowest stage
// of A3 takes longer than any stage of A4.
void add_stages(Reproduction& made, const std::string& machine, const IrregularPoint& point, const Quotation& said);

std::string without_own(double value);  // "0.5 without messages to oneself"

inline constexpr const char* about_claims = "the text does not contain the measured curves, so its claims about them are compared";

}  // namespace quadrille::papers
