// SPDX-License-Identifier: BSD-3-Clause
#include "papers/exhibit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace quadrille::papers {
namespace {

bool agrees(double ours, double said, const Comparison& comparison, std::optional<Relation> relation = {}) {
  const double room = std::max(comparison.tolerance, 1e-9) * std::abs(said);
  switch (relation.value_or(comparison.relation)) {
    case Relation::equal: return std::abs(ours - said) <= room;
    case Relation::at_most: return ours <= said + room;
    case Relation::at_least: return ours >= said - room;
  }
  return false;
}

std::string number_text(double value) {
  return value == std::round(value) && std::abs(value) < 1e9 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

// The values of the open range that fit the claim best and worst; our value if nothing is open.
std::pair<double, double> ends_of(const Comparison& comparison) {
  const auto [least, most] = comparison.open.value_or(Extremes{comparison.ours, comparison.ours});
  const double paper = comparison.paper;
  switch (comparison.relation) {
    case Relation::at_most: return {least, most};
    case Relation::at_least: return {most, least};
    case Relation::equal: break;
  }
  return {std::clamp<double>(paper, least, most), paper - least > most - paper ? least : most};
}

std::string said_text(const Comparison& comparison) {
  constexpr const char* relations[] = {"", "at most ", "at least "};
  return relations[static_cast<std::size_t>(comparison.relation)] + number_text(comparison.paper);
}

std::string ours_text(const Comparison& comparison) {
  if (!comparison.open) return number_text(comparison.ours);
  const std::string least = number_text(comparison.open->least), most = number_text(comparison.open->most);
  return least == most ? most : fmt::format("{} to {}", least, most);
}

// Returns the relative difference. The verdict's sentence names the comparison with the largest one.
double distance(const Comparison& comparison) {
  return std::abs(comparison.ours - comparison.paper) / std::max(std::abs(comparison.paper), 1e-300);
}

// Returns true if the finding's bound is stricter than the paper's. An equality has no stricter form.
bool is_stricter(const PaperFinding& finding, const Comparison& comparison) {
  switch (comparison.relation) {
    case Relation::equal: return false;
    case Relation::at_most: return *finding.value < comparison.paper;
    case Relation::at_least: return *finding.value > comparison.paper;
  }
  return false;
}

// Describes by how much two values differ, both not 0: "39.0 % above the bound", "2.2 times the bound", "+12.5 %". Of an open range
// it takes the end that fits the claim best.
std::string difference_of(const Comparison& comparison) {
  const double factor = ends_of(comparison).first / comparison.paper;
  const bool is_bound = comparison.relation != Relation::equal;
  if (factor > 0 && (factor < 0.51 || factor > 1.99)) return fmt::format("{:.3g} times{}", factor, is_bound ? " the bound" : "");
  if (!is_bound) return fmt::format("{:+.1f} %", (factor - 1) * 100);
  return fmt::format("{:.1f} % {} the bound", std::abs(factor - 1) * 100, factor > 1 ? "above" : "below");
}

// Returns a description without the paper's own words, which are quoted in brackets.
std::string without_quotation(std::string text) {
  const std::size_t begin = text.find(" (\""), end = text.find("\")", begin + 3);
  if (begin != std::string::npos && end != std::string::npos) text.erase(begin, end + 2 - begin);
  return text;
}

}  // namespace

std::string_view name(Outcome outcome) { return verdict_levels[static_cast<std::size_t>(outcome)].name; }

Outcome outcome_of(const Comparison& comparison) {
  const std::optional<PaperFinding>& finding = comparison.finding;
  const bool is_bound = finding && finding->level == Outcome::sharper_bound;
  const bool is_borne_out = finding && (finding->value ? agrees(comparison.ours, *finding->value, comparison,
                                                                is_bound ? comparison.relation : Relation::equal)
                                                       : finding->level == Outcome::beyond_assumptions);
  const auto [best, worst] = ends_of(comparison);
  const bool is_sharper = is_borne_out && is_bound && is_stricter(*finding, comparison);
  if (agrees(worst, comparison.paper, comparison)) return is_sharper ? Outcome::sharper_bound : Outcome::holds;
  if (agrees(best, comparison.paper, comparison)) return Outcome::not_testable;
  if (finding && finding->level == Outcome::not_testable)
    return finding->value && agrees(*finding->value, comparison.paper, comparison) ? Outcome::differs : Outcome::not_testable;
  return is_borne_out && !is_bound ? finding->level : Outcome::differs;
}

std::string values_of(const Comparison& comparison) {
  std::string text = fmt::format("{} {}{}, ours {}", comparison.is_reading ? "read as" : "paper", said_text(comparison),
                                 comparison.tolerance >= 0.02 ? fmt::format(" within {:.0f} %", comparison.tolerance * 100) : "",
                                 ours_text(comparison));
  const Outcome outcome = outcome_of(comparison);
  std::vector<std::string> asides;
  if (outcome == Outcome::differs && comparison.paper != 0 && comparison.ours != 0) asides.push_back(difference_of(comparison));
  if (!comparison.aside.empty()) asides.push_back(comparison.aside);
  if (!asides.empty()) text += fmt::format(" ({})", fmt::join(asides, "; "));
  return text;
}

Comparison& Comparison::found(Outcome level, std::optional<Number> value, std::string why) {
  finding = PaperFinding{.level = level, .value = value, .why = std::move(why)};
  return *this;
}

Panel& Reproduction::add_panel(Panel panel) {
  panel.sheet = sheets.size() - 1;
  return panels.emplace_back(std::move(panel));
}

std::string finding_of(const Comparison& comparison) {
  const Outcome outcome = outcome_of(comparison);
  if (outcome == Outcome::holds) return {};
  const bool has_finding = comparison.finding && comparison.finding->level == outcome;
  if (outcome == Outcome::differs || !has_finding) return comparison.reason;
  return comparison.finding->is_transcript_in_doubt
             ? comparison.finding->why + "; the error may be the transcript's, which has lost signs here"
             : comparison.finding->why;
}

std::string sentence_of(const Comparison& comparison) {
  const std::string finding = finding_of(comparison);
  return finding.empty() ? values_of(comparison) : fmt::format("{}: {}", values_of(comparison), finding);
}

ExhibitVerdict verdict_of(const Reproduction& reproduction) {
  ExhibitVerdict verdict;
  const Comparison* worst = nullptr;
  for (const Comparison& comparison : reproduction.comparisons) {
    const Outcome outcome = outcome_of(comparison);
    ++verdict.counts[outcome];
    if ((outcome == Outcome::differs || outcome == Outcome::not_testable) && finding_of(comparison).empty())
      verdict.explained = false;
    if (outcome == Outcome::holds) continue;
    if (!worst || outcome > verdict.outcome || (outcome == verdict.outcome && distance(comparison) > distance(*worst)))
      worst = &comparison;
    verdict.outcome = std::max(verdict.outcome, outcome);
  }
  const std::size_t count = reproduction.comparisons.size();
  if (!worst) {
    verdict.headline = verdict.sentence = count == 1 ? "holds" : fmt::format("holds: all {} comparisons", count);
    return verdict;
  }
  std::vector<std::string> parts;  // from worst to best
  for (auto level = verdict_levels.rbegin(); level != verdict_levels.rend(); ++level)
    if (const std::size_t cases = verdict.counts[level->outcome]; cases > 0 && level->outcome != Outcome::holds)
      parts.push_back(fmt::format("{} in {}{}", level->name, cases, parts.empty() ? fmt::format(" of {}", count) : ""));
  const bool several = count - verdict.counts[Outcome::holds] > 1;
  const std::string begin = fmt::format("{}; {}", fmt::join(parts, ", and "), several ? "largest difference: " : "");
  verdict.sentence = fmt::format("{}{}: {}", begin, worst->what, sentence_of(*worst));
  constexpr std::size_t most_letters = 300;  // three lines of a picture; a longer headline names no difference
  verdict.headline = fmt::format("{}{}: {}", begin, without_quotation(worst->what), values_of(*worst));
  if (verdict.headline.size() > most_letters) verdict.headline = begin.substr(0, begin.find(';'));
  return verdict;
}

#define ROW(record) extern const Exhibit record;
#include "papers/exhibits.def"
#undef ROW

std::span<const Exhibit> all_exhibits() {
  static const std::vector<Exhibit> table = [] {
    static std::string ids[] = {
#define ROW(record) #record,
#include "papers/exhibits.def"
#undef ROW
    };
    std::vector<Exhibit> exhibits{
#define ROW(record) record,
#include "papers/exhibits.def"
#undef ROW
    };
    for (std::size_t row = 0; row < exhibits.size(); ++row) {
      std::replace(ids[row].begin(), ids[row].end(), '_', '-');
      exhibits[row].id = ids[row];
    }
    return exhibits;
  }();
  return table;
}

const Exhibit* find_exhibit(std::string_view id) {
  const auto exhibits = all_exhibits();
  const auto found = std::find_if(exhibits.begin(), exhibits.end(), [&](const Exhibit& exhibit) { return exhibit.id == id; });
  return found == exhibits.end() ? nullptr : &*found;
}

}  // namespace quadrille::papers
