// SPDX-License-Identifier: BSD-3-Clause
// What [liu2002] claims about the curves of figures 15 to 23.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "papers/exhibit.hpp"

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

  bool holds(const std::vector<CurveTimes>& points) const;
  // Returns the value that decides: the worst if the claim is about all points, else the best.
  std::vector<double>::const_iterator decisive(const std::vector<double>& list) const;
};

IrregularClaim is_lower(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                        const std::string& reason = {});
// Claims that the ratio of the two curves is within the bound at all points.
IrregularClaim has_ratio(const IrregularCurve& one, const IrregularCurve& other, Relation relation, double bound,
                         const Quotation& said, const std::string& reason = {});
// Claims that the ratio is at most `bound` at some point.
IrregularClaim has_gain(const IrregularCurve& one, const IrregularCurve& other, double bound, const Quotation& said,
                        const std::string& reason = {});
// Claims that nonblocking messages gain less for one algorithm than for the other, at all points.
IrregularClaim gains_less(int number, int than, const Quotation& said, const std::string& reason = {});
// Claims that `one` grows by a larger factor from the first point to the last than `other`.
IrregularClaim grows_more(const IrregularCurve& one, const IrregularCurve& other, const Quotation& said,
                          const std::string& reason = {});

// Reasons why the model's times and the measured ones may differ.
inline constexpr const char* a4_and_others =
    "in A4 each element travels four times, in A1 once and in A2 twice; by table 1 the start-ups that A4 saves outweigh this only "
    "with more ranks";
inline constexpr const char* a3_and_a4 =
    "A3 saves half of the start-ups, and A4 avoids the wait for the busiest rank of a row; by table 1 they break even at another "
    "message length than in the measurements";
inline constexpr const char* no_overlap =
    "start-ups hide behind bytes, or bytes behind start-ups, but table 1 has no t_m that could be hidden, too";
inline constexpr const char* little_to_hide =
    "if messages are in flight together, start-ups hide behind bytes or bytes behind start-ups, but little is hidden if one of "
    "them takes most of the time";
inline constexpr const char* out_of_step =
    "the messages of a stage differ by some elements, so ranks that do not wait for each other get out of step, and some messages "
    "meet";
inline constexpr const char* stalls =
    "if P is not a square, ranks stall in some steps of A4, which costs start-ups only if all ranks keep step";
inline constexpr const char* long_messages_meet =
    "A1's long messages meet at some ranks also if no rank waits for the others' steps";
inline constexpr double large_gain = 2.0 / 3;  // our reading of "a large performance gain": at least a third of the time is saved
inline constexpr double slight_gain = 0.9;     // our reading of "slightly better": at most a tenth of the time is saved
inline constexpr const char* memory_is_shared =
    "on the T3D, processor and network share one path to the memory (section 4.1), so nothing overlaps";
inline constexpr const char* no_composing =
    "a second buffer hides the time to compose messages, t_m, for which table 1 has no value";

}  // namespace quadrille::papers
