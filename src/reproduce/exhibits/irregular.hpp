// SPDX-License-Identifier: BSD-3-Clause
// The irregular exchanges A1 to A4 of [liu2002]: what they do stage by stage, and how long they take on the paper's machines.
// Counts are in elements, which are never cut.
#pragma once

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
inline constexpr Bytes few = 16;
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
  Bytes longest_kept = 0;       // message to oneself
};

std::vector<StageTrace> trace(const Schedule& schedule);
Count startups_with_own(const Schedule& schedule);           // rounds, and one a stage for the messages to oneself
Bytes volume_with_own(const Schedule& schedule);             // the longest of each round, and of each stage's messages to oneself
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

// T3D or SP2, with their elements of 48 or 22 bytes.
class IrregularMachine {
 public:
  explicit IrregularMachine(const std::string& name);
  // Milliseconds by the flat model. blocking: all ranks in step, so that a round is as long as its longest message. Else each
  // stage has all its messages under way and no rank waits for another [liu2002, (4) with a contention factor of 1].
  double model_ms(const Problem& problem, const IrregularCurve& curve) const;

 private:
  FlatModel flat_;
};

// What a figure shows: times over the number of ranks, or over the longest message, in elements.
struct IrregularPlot {
  std::string name;  // of the sheet: "a"
  std::string title;
  std::string machine;
  TrafficKind pattern = TrafficKind::spike;
  std::vector<Count> ranks;  // one of the two has one entry
  std::vector<Bytes> most;
  std::vector<IrregularCurve> curves;
};

// The times of a plot, added to `made` as a sheet and a panel.
class IrregularTimes {
 public:
  IrregularTimes(const IrregularPlot& plot, const Making& making, Reproduction& made);

  // The largest of `one` over `other` along the curve, and the smallest.
  double most_ratio(const IrregularCurve& one, const IrregularCurve& other) const;
  double least_ratio(const IrregularCurve& one, const IrregularCurve& other) const;
  double growth(const IrregularCurve& curve) const;  // the last time less the first

 private:
  std::vector<double> times(const IrregularCurve& curve) const;

  std::vector<IrregularCurve> curves_;
  std::vector<std::vector<double>> model_;  // by point, by curve
};

// "x is lower than y" as a comparison: the ratio is at most 1 everywhere.
Comparison lower(const std::string& place, const IrregularTimes& times, const IrregularCurve& one, const IrregularCurve& other,
                 const std::string& reason = {});

extern const std::vector<std::string> irregular_remarks;

}  // namespace quadrille::reproduce
