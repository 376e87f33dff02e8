// SPDX-License-Identifier: BSD-3-Clause
// What the comparisons of an exhibit come to, in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "reproduce/exhibit.hpp"

namespace quadrille::reproduce {
namespace {

bool agrees(double ours, double said, const Comparison& comparison) {
  const double room = std::max(comparison.tolerance, 1e-9) * std::abs(said);
  switch (comparison.relation) {
    case Relation::equal: return std::abs(ours - said) <= room;
    case Relation::at_most: return ours <= said + room;
    case Relation::at_least: return ours >= said - room;
  }
  return false;
}

std::string number_text(double value) {
  return value == std::round(value) && std::abs(value) < 1e9 ? fmt::format("{:.0f}", value) : fmt::format("{:.4g}", value);
}

std::string said_text(const Comparison& comparison) {
  switch (comparison.relation) {
    case Relation::equal: return number_text(comparison.paper);
    case Relation::at_most: return "at most " + number_text(comparison.paper);
    case Relation::at_least: return "at least " + number_text(comparison.paper);
  }
  return {};
}

// Of several that do not hold the one that is furthest off.
double distance(const Comparison& comparison) {
  return std::abs(comparison.ours - comparison.paper) / std::max(std::abs(comparison.paper), 1e-300);
}

}  // namespace

std::string_view name(Outcome outcome) {
  switch (outcome) {
    case Outcome::holds: return "holds";
    case Outcome::paper_is_wrong: return "the paper is wrong";
    case Outcome::differs: return "differs";
  }
  return {};
}

Outcome outcome_of(const Comparison& comparison) {
  if (agrees(comparison.ours, comparison.paper, comparison)) return Outcome::holds;
  if (comparison.erratum && agrees(comparison.ours, comparison.erratum->corrected, comparison)) return Outcome::paper_is_wrong;
  return Outcome::differs;
}

std::string sentence_of(const Comparison& comparison) {
  std::string text = fmt::format("{} {}{}, ours {}", comparison.is_reading ? "read as" : "paper", said_text(comparison),
                                 comparison.tolerance >= 0.02 ? fmt::format(" within {:.0f} %", comparison.tolerance * 100) : "",
                                 number_text(comparison.ours));
  const Outcome outcome = outcome_of(comparison);
  if (outcome == Outcome::holds) return text;
  if (outcome == Outcome::paper_is_wrong) return text + ": " + comparison.erratum->why;
  if (const double factor = comparison.ours / comparison.paper;
      comparison.paper != 0 && factor > 0 && (factor < 0.51 || factor > 1.99))
    text += fmt::format(" ({:.3g} times)", factor);
  else if (comparison.paper != 0)
    text += fmt::format(" ({:+.1f} %)", (factor - 1) * 100);
  return comparison.reason.empty() ? text : text + ": " + comparison.reason;
}

Verdict verdict_of(const Reproduction& reproduction) {
  Verdict verdict;
  const Comparison* worst = nullptr;
  for (const Comparison& comparison : reproduction.comparisons) {
    const Outcome outcome = outcome_of(comparison);
    ++(outcome == Outcome::holds ? verdict.holding : outcome == Outcome::differs ? verdict.differing : verdict.wrong);
    if (outcome == Outcome::differs && comparison.reason.empty()) verdict.explained = false;
    if (outcome == Outcome::holds) continue;
    if (!worst || outcome > verdict.outcome || (outcome == verdict.outcome && distance(comparison) > distance(*worst)))
      worst = &comparison;
    verdict.outcome = std::max(verdict.outcome, outcome);
  }
  const std::size_t count = reproduction.comparisons.size();
  if (!worst) {
    verdict.sentence = count == 1 ? "holds" : fmt::format("holds: all {} comparisons", count);
    return verdict;
  }
  if (verdict.differing > 0) verdict.sentence = fmt::format("differs in {} of {}", verdict.differing, count);
  if (verdict.wrong > 0)
    verdict.sentence += fmt::format("{}the paper is wrong in {}{}", verdict.differing > 0 ? ", and " : "", verdict.wrong,
                                    verdict.differing > 0 ? "" : fmt::format(" of {}", count));
  const bool several = verdict.differing + verdict.wrong > 1;
  verdict.sentence += fmt::format("; {}{}: {}", several ? "furthest off: " : "", worst->what, sentence_of(*worst));
  return verdict;
}

}  // namespace quadrille::reproduce
