// SPDX-License-Identifier: BSD-3-Clause
// Reproduces the tables and figures of the papers. Each is an *exhibit*: a row of exhibits.def and a record; there is one file for
// each subject of a paper. An exhibit counts in our schedules what the paper shows, prices it with our models, and compares it with
// what the paper says. The verdict is computed from these comparisons.
//
//   Reproduction made = find_exhibit("bruck1997-fig4")->make({});
//   verdict_of(made).sentence;  // "holds: all 5 comparisons"
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "draw/panel.hpp"
#include "foundation/assert.hpp"
#include "foundation/sheet.hpp"
#include "papers/verdict_levels.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille::papers {

// A count or a measured value, stored as a double. Counts up to 2^53 are exact.
class Number {
 public:
  constexpr Number(std::floating_point auto measure) : value_(measure) {}
  constexpr Number(std::integral auto count) : value_(static_cast<double>(count)) { QUADRILLE_ASSERT(std::abs(value_) <= 0x1p53); }
  constexpr operator double() const { return value_; }

 private:
  double value_;
};

constexpr double ratio(Number one, Number other) { return one / other; }

enum class Relation : std::uint8_t { equal, at_most, at_least };  // our value is equal to, at most, or at least the paper's

std::string_view name(Outcome outcome);

// An explanation of a claim that does not hold as printed. It applies only if the numbers support it: `value` equals ours within
// the tolerance, and the paper's value does not agree. For a sharper bound both agree, and `value` is the stricter one. For a claim
// that is not testable `value` is the best that any schedule could reach, and the claim asks for more. A claim beyond its
// assumptions may have no correct value.
struct PaperFinding {
  Outcome level = Outcome::paper_is_wrong;  // not `holds` or `differs`, which need no finding
  std::optional<Number> value;
  std::string why;
  bool is_transcript_in_doubt = false;  // the transcript has lost signs at this place, so the error may be in the transcript
};

// The least and the greatest of the values that were added.
struct Extremes {
  double least = 1e300, most = -1e300;
  void add(double value) { least = std::min(least, value), most = std::max(most, value); }
};

// One number or claim of the paper, with our value. A claim about curves is expressed as a ratio between them or as
// the point where they cross.
struct Comparison {
  std::string what;  // with the unit
  Number paper = 0;
  Number ours = 0;
  Relation relation = Relation::equal;
  double tolerance = 0;  // relative to the paper's value: 0.01 is 1 %
  std::optional<PaperFinding> finding;
  std::string reason;  // if the values differ: what only one of them includes
  std::string place;   // place in the paper: "section 3.5"; empty if the exhibit's source is this one place
  std::string aside;   // shown in brackets after our value: our value by another convention
  // True if the paper states no number. `paper` is then an assumption, or our reading of words such as "large",
  // "in the range of" or "higher".
  bool is_reading = false;
  // Our values over all values of what the paper leaves open, if it does. The claim holds if it holds for the whole range, and is
  // not testable if only for a part.
  std::optional<Extremes> open;

  // Each sets a field, and returns this comparison.
  Comparison& found(Outcome level, std::optional<Number> value, std::string why);
  Comparison& because(std::string why) { return reason = std::move(why), *this; }
  Comparison& within(double share) { return tolerance = share, *this; }
  Comparison& beside(std::string text) { return aside = std::move(text), *this; }
  Comparison& reading() { return is_reading = true, *this; }
  Comparison& from_to(double least, double most) { return open = Extremes{least, most}, *this; }
};

Outcome outcome_of(const Comparison& comparison);

std::string values_of(const Comparison& comparison);   // "paper 9, ours 5 (-44 %)"
std::string finding_of(const Comparison& comparison);  // the finding or the reason; empty if there is none, or if the claim holds
// Returns "paper 9, ours 5 (-44 %): ceil is meant": the values and the finding.
std::string sentence_of(const Comparison& comparison);

// A curve of the paper's own numbers.
inline Curve paper_points(std::size_t column, const std::string& title) { return {column, "paper: " + title, CurveStyle::points}; }

struct Reproduction {
  std::deque<Sheet> sheets;
  std::deque<Panel> panels;  // empty for a table that needs no picture
  std::vector<Comparison> comparisons;
  std::vector<std::string> remarks;  // assumptions

  // Each adds a sheet, or a panel of the last sheet, and returns it; it stays valid when others are added.
  Sheet& add_sheet(Sheet sheet) { return sheets.emplace_back(std::move(sheet)); }
  Panel& add_panel(Panel panel);

  // Each adds a comparison: our value is equal to, at most, or at least the paper's. The caller sets other fields in the returned
  // comparison, which is valid until the next one is added.
  Comparison& compare(Relation relation, std::string what, Number paper, Number ours, std::string place) {
    return comparisons.emplace_back(
        Comparison{.what = std::move(what), .paper = paper, .ours = ours, .relation = relation, .place = std::move(place)});
  }
  Comparison& equal(const std::string& what, Number paper, Number ours, const std::string& place) {
    return compare(Relation::equal, what, paper, ours, place);
  }
  Comparison& at_most(const std::string& what, Number paper, Number ours, const std::string& place) {
    return compare(Relation::at_most, what, paper, ours, place);
  }
  Comparison& at_least(const std::string& what, Number paper, Number ours, const std::string& place) {
    return compare(Relation::at_least, what, paper, ours, place);
  }
};

struct ExhibitVerdict {
  Outcome outcome = Outcome::holds;                      // the worst of all comparisons
  ByEnum<Outcome, std::size_t, outcome_count> counts{};  // number of comparisons by outcome
  bool explained = true;                                 // true if every difference has a reason
  std::string sentence;                                  // one line
  std::string headline;                                  // a shorter one without reasons, and never cut, for pictures
};

ExhibitVerdict verdict_of(const Reproduction& reproduction);

// How to make an exhibit.
struct Making {
  bool small = false;                                   // fewer points on curves, for tests
  std::function<void(std::string_view)> progress = {};  // called with a line about what is being counted; may be empty

  void show(std::string_view line) const {
    if (progress) progress(line);
  }
};

struct Exhibit {
  std::string_view id = {};  // citation key and place: "bruck1997-fig4"; the table sets it
  std::string_view title;    // one line
  std::string_view source;   // citation key of docs/references.bib, and the place
  std::string_view about;    // what is compared, and how our values were obtained
  Reproduction (*make)(const Making&) = nullptr;
};

std::span<const Exhibit> all_exhibits();           // ordered by paper
const Exhibit* find_exhibit(std::string_view id);  // null if there is none

}  // namespace quadrille::papers
