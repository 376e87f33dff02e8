// SPDX-License-Identifier: BSD-3-Clause
// The tables and figures of the papers, made again. An exhibit is a row of table.cpp and a file, which figures of one kind may
// share. It counts what the paper shows from our schedules, prices it by our models, and compares it with what the paper says. The
// verdict is computed from the comparisons.
//
//   Reproduction made = find_exhibit("bruck1997-fig4")->make({});
//   verdict_of(made).sentence;  // "holds: all 5 comparisons"
#pragma once

#include <array>
#include <cassert>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "quadrille/indexed.hpp"

namespace quadrille::reproduce {

// A count or a measure, as a double. Counts that exhibits compare are exact there.
class Number {
 public:
  constexpr Number(std::floating_point auto measure) : value_(measure) {}
  constexpr Number(std::integral auto count) : value_(static_cast<double>(count)) { assert(std::abs(value_) <= 0x1p53); }
  constexpr operator double() const { return value_; }

 private:
  double value_;
};

constexpr double ratio(Number one, Number other) { return one / other; }

using Cell = std::variant<std::monostate, Count, double, std::string>;  // nothing: the paper, or we, have none

// Numbers under headings, which name their units; one CSV file.
struct Sheet {
  std::string name;  // told apart by, where an exhibit has several: "a"
  std::vector<std::string> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as `columns`
};

// Points are the paper's own numbers: markers without a line, in the colour of text, which the key calls "paper".
enum class CurveStyle : std::uint8_t { line, dashed, dotted, steps, points };

struct Curve {
  std::size_t column = 0;  // of the sheet
  std::string title;       // of points: what follows "paper: " in the key, or nothing
  CurveStyle style = CurveStyle::line;
  std::optional<std::size_t> colour;  // the same for curves that belong together; absent: one of its own
};

// curves: columns over the column `x`.
// bars: for each row of the sheet a bar, named by the column `x`; the columns of the curves are its parts, from the bottom to the
//   top. A curve of points is not a part but drawn over the bars.
// spans: what is busy when. Each row of the sheet is a rectangle; its first four columns are the lane (text or a number; one below
//   the other in the order of the sheet), begin, end, and what it is (text; one colour each). There are no curves.
enum class PanelKind : std::uint8_t { curves, bars, spans };

struct Panel {
  std::string title, x_label, y_label;
  std::size_t sheet = 0;
  std::size_t x = 0;  // column
  std::vector<Curve> curves;
  bool log_x = false, log_y = false;
  PanelKind kind = PanelKind::curves;
  // Panels of one number have one range of y, so that they can be compared by eye; spans one range of time. Of curves and bars
  // together all have to be logarithmic in y, or none.
  std::optional<std::size_t> range_group;
};

enum class Relation : std::uint8_t { equal, at_most, at_least };  // ours is .. the paper's

// What can come of a comparison, from best to worst; levels() names and explains each.
enum class Outcome : std::uint8_t { holds, sharper_bound, misprint, beyond_assumptions, paper_is_wrong, differs };
inline constexpr std::size_t outcome_count = 6;

struct VerdictLevel {
  Outcome outcome = Outcome::holds;
  std::string_view name;
  std::string_view meaning;  // one sentence
};

std::span<const VerdictLevel> levels();  // in the order of Outcome; the command and the documentation print them
std::string_view name(Outcome outcome);

// What is known of a claim besides its value. It counts only where the numbers support it: the paper's value does not hold and
// `value` does. Of a sharper bound both hold, and `value` is the stricter one.
struct PaperFinding {
  Outcome level = Outcome::paper_is_wrong;  // neither `holds` nor `differs`, which need no finding
  Number value = 0;
  std::string why;
  bool is_transcript_in_doubt = false;  // the transcript has lost signs there, so that the error may be its own
};

// One number, or one claim, of the paper beside ours. A claim about curves is one about their ratio or about where they cross.
struct Comparison {
  std::string what;  // with its unit
  Number paper = 0;
  Number ours = 0;
  Relation relation = Relation::equal;
  double tolerance = 0;  // of the paper's value: 0.01 is a hundredth
  std::optional<PaperFinding> finding;
  std::string reason;  // said where they differ: what is in the one and not in the other
  std::string place;   // of the paper's sentence: "section 3.5"; empty where the exhibit's source is that one place
  std::string aside;   // said in brackets behind our value: what it is under another convention
  // The paper has no such number: it is what its words are taken for, "large", "in the range of", "higher", or an assumption.
  bool is_reading = false;

  Comparison& found(Outcome level, Number value, std::string why);  // sets the finding
};

Outcome outcome_of(const Comparison& comparison);

// "paper 9, ours 5 (-44 %)": one comparison in words, with the finding or the reason where there is more to say.
std::string sentence_of(const Comparison& comparison);

struct Reproduction {
  std::vector<Sheet> sheets;
  std::vector<Panel> panels;  // none: a table that needs no picture
  std::vector<Comparison> comparisons;
  std::vector<std::string> remarks;  // what was assumed

  // Each adds a comparison: ours is equal to, at most, or at least the paper's value. What else is known of it is set in the
  // result, which is valid until the next one is added.
  Comparison& equal(std::string what, Number paper, Number ours, std::string place);
  Comparison& at_most(std::string what, Number paper, Number ours, std::string place);
  Comparison& at_least(std::string what, Number paper, Number ours, std::string place);
};

struct Verdict {
  Outcome outcome = Outcome::holds;                      // the worst
  ByEnum<Outcome, std::size_t, outcome_count> counts{};  // comparisons by outcome
  bool explained = true;                                 // does every difference have a reason?
  std::string sentence;                                  // one line
  std::string headline;                                  // the same without a reason, and shorter: for pictures
};

Verdict verdict_of(const Reproduction& reproduction);

struct Making {
  bool small = false;                                   // fewer points of curves, for tests
  std::function<void(std::string_view)> progress = {};  // told what is being counted; or none

  void show(std::string_view line) const {
    if (progress) progress(line);
  }
};

struct Exhibit {
  std::string_view id;      // the citation key and the place: "bruck1997-fig4"
  std::string_view title;   // one line
  std::string_view source;  // citation key of docs/references.bib, with the place
  std::string_view about;   // what is compared, and how it was obtained
  Reproduction (*make)(const Making&) = nullptr;
};

std::span<const Exhibit* const> all_exhibits();    // paper by paper
const Exhibit* find_exhibit(std::string_view id);  // null if there is none

// As files hold them. A sheet by RFC 4180; text with a comma or a quotation mark is quoted.
std::string csv_of(const Sheet& sheet);
std::string text_of(const Cell& cell);
// "bruck1997-fig4.csv", or with several sheets "bruck1997-fig4-a.csv".
std::string csv_name(std::string_view id, const Reproduction& reproduction, std::size_t sheet);

// A script for gnuplot that prints the panels side by side under the title and the verdict, as one SVG, on stdout. Empty where
// there are no panels.
std::string plot_script(std::string_view title, const Reproduction& reproduction);

// What gnuplot prints, with a style sheet that gives it light lines on a dark ground where the reader prefers that.
std::string with_dark_colours(std::string picture);

}  // namespace quadrille::reproduce
