// SPDX-License-Identifier: BSD-3-Clause
// The irregular exchanges A1 to A4 of [liu2002]: what they do stage by stage, and how long they take on the paper's machines.
// Counts are in elements, which are never cut.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "quadrille/traffic.hpp"
#include "quadrille/traffic_patterns.hpp"
#include "reproduce/exhibit.hpp"
#include "reproduce/machines.hpp"

namespace quadrille::reproduce {

// A1 to A4 as printed: element by element, with the paper's array and start slots, and the counts known.
std::string irregular_algorithm(int number);

// One element is one byte here. `few` elements go where the paper says "a small number".
inline constexpr Bytes few = 1;
Problem traffic_of(Count ranks, TrafficKind kind, Bytes most, Bytes small = few, std::uint64_t seed = 1);

// A stage with messages to oneself, which the paper counts and schedules leave out: what a rank keeps.
struct StageTrace {
  struct Sent {
    Count round = 0;  // of the stage, from 0
    Rank from = 0, to = 0;
    Bytes length = 0;
  };
  std::string name;
  std::vector<Sent> messages;   // without those to oneself
  std::vector<Count> received;  // messages, by rank
  std::vector<Bytes> longest;   // received, by rank
  std::vector<Bytes> held;      // afterwards, by rank: all that was received
  std::vector<Bytes> kept;      // of the message to oneself, by rank
};

std::vector<StageTrace> trace(const Schedule& schedule);

// The schedule with messages to oneself, for counting, pricing and simulating, none of which knows such messages: two copies of it,
// side by side, in which each rank sends to its twin what the paper has it send to itself, in one more round at the end of each
// stage. Both copies do the same at the same time, so figures and times are those of one.
Schedule with_own_messages(const Schedule& schedule);

Bytes most_received(const std::vector<StageTrace>& stages);  // by a rank in all stages together

Count paper_root(Count ranks);  // ceil(sqrt(P))

// Modes as the figures name them.
enum class ExchangeMode : std::uint8_t { blocking, one_buffer, two_buffers };  // b, n1, n2

// A curve: algorithm A<number>, in a mode.
struct IrregularCurve {
  int algorithm = 1;
  ExchangeMode mode = ExchangeMode::blocking;
  std::string label() const;  // "A4-n2"
  bool operator==(const IrregularCurve&) const = default;
};

// A point of a plot: how many nodes, and the longest message in elements.
struct IrregularPoint {
  Count ranks = 0;
  Bytes most = 0;
};

// What a figure shows: times over the number of nodes, or over the longest message.
struct IrregularPlot {
  std::string name;     // of the sheet: "a"
  std::string machine;  // "t3d" or "sp2"
  TrafficKind pattern = TrafficKind::spike;
  std::vector<IrregularPoint> points;
  std::vector<IrregularCurve> curves;
};

// The times of a plot in milliseconds, added to `made` as a sheet and four panels, on the machine with its elements of 48 or 22
// bytes. By the flat model: blocking has all ranks in step, so that a round is as long as its longest message; else each stage has
// all its messages under way and no rank waits for another [liu2002, (4), with a contention factor of 1]. And simulated event by
// event, without barriers. Every claim is compared with both. Either way once with messages to oneself, which the paper counts
// [liu2002, section 3], and once without them, as our schedules run. Verdicts follow from the former; the latter is said beside it.
class IrregularTimes {
 public:
  IrregularTimes(const IrregularPlot& plot, const Making& making, Reproduction& made);

  // The claim that `one` is lower than each of the others, at all points.
  void expect_lower(const IrregularCurve& one, const std::vector<IrregularCurve>& others, const std::string& reason = {});
  // The claim that the ratio of the two is at most, or at least, so much at all points.
  void expect_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                    const std::string& quotation, const std::string& reason = {});
  // The claim that the ratio is at most so much at one point at least.
  void expect_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const std::string& quotation,
                   const std::string& reason = {});
  // The claim that overlapping gains less for one algorithm than for the other, at all points.
  void expect_smaller_gain(int number, int than, const std::string& quotation, const std::string& reason = {});
  // The claim that `one` grows more from the first point to the last than `other`.
  void expect_more_growth(const IrregularCurve& one, const IrregularCurve& other, const std::string& reason = {});

 private:
  std::size_t column_of(const IrregularCurve& curve) const;
  // By point; of times in milliseconds by curve.
  using Times = std::vector<std::vector<double>>;
  struct Way {
    std::string name;  // "model", "simulation"
    Times times;       // with messages to oneself
    Times without;     // them
  };
  using Ratios = std::function<std::vector<double>(const Times&)>;

  void compare(const std::string& what, const Ratios& ratios, Relation relation, double bound, const std::string& reason);
  Ratios ratios(const IrregularCurve& one, const IrregularCurve& other) const;

  IrregularPlot plot_;
  Reproduction& made_;
  Way ways_[2];
};

// Every node count of a figure with the same longest message, and the other way round.
std::vector<IrregularPoint> over_nodes(const std::vector<Count>& ranks, Bytes most);
std::vector<IrregularPoint> over_lengths(Count ranks, Bytes first, Bytes last);  // doubling

// What each stage of A3 and A4 takes in step, for Pattern2: a sheet, and the claim that the slowest of A3 is longer than any of A4.
void add_stages(Reproduction& made, const std::string& machine, const IrregularPoint& point);

// The claim that a second buffer leaves at most `bound` of the time of A4 by the model, for Pattern2, if putting a byte together
// took `share` of the time that moving it takes: table 1 has no figure for it.
void add_second_buffer(Reproduction& made, const std::string& machine, const IrregularPoint& point, double share, double bound);

std::string_view pattern_name(TrafficKind pattern);  // "Pattern1"

extern const std::vector<std::string> irregular_remarks;

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
inline constexpr const char* no_composing =
    "table 1 has no t_m, and it is the putting together of messages that a second buffer hides";

}  // namespace quadrille::reproduce
