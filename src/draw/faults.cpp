// SPDX-License-Identifier: BSD-3-Clause
#include "draw/faults.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "draw/picture.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/fault_cause.hpp"
#include "schedule/symmetry.hpp"
#include "verify/memory_rules.hpp"
#include "verify/replay.hpp"

namespace quadrille {
namespace {

constexpr double least_legend_width = 620, line_height = 17, cross_half = 5;
constexpr std::size_t most_sentences_a_place = 4;

// The order of findings in time. A finding without a rank or a round is shown at rank 0, before or after the rounds.
enum class Turn : std::uint8_t { before_rounds, in_round, deadlock, at_end };

Turn turn_of(const Finding& finding) {
  if (finding.rule == Rule::deadlock) return Turn::deadlock;
  if (finding.round) return Turn::in_round;
  return finding.rule == Rule::buffer_size || finding.rule == Rule::stage_disagreement ? Turn::before_rounds : Turn::at_end;
}

std::vector<Finding> in_order(std::vector<Finding> findings) {
  const auto key = [](const Finding& finding) {
    return std::tuple(turn_of(finding), finding.round.value_or(0), finding.rank.value_or(0));
  };
  std::stable_sort(findings.begin(), findings.end(), [&](const Finding& a, const Finding& b) { return key(a) < key(b); });
  return findings;
}

// "0 to 5, 7, 9 to 10".
std::string runs_of(const std::set<Count>& numbers) {
  std::vector<std::string> runs;
  for (auto number = numbers.begin(); number != numbers.end();) {
    const Count first = *number;
    Count last = first;
    while (++number != numbers.end() && *number == last + 1) ++last;
    runs.push_back(first == last ? fmt::format("{}", first) : fmt::format("{} to {}", first, last));
  }
  return fmt::format("{}", fmt::join(runs, ", "));
}

}  // namespace

Faults::Faults(const Schedule& schedule, const std::vector<Program>& programs, const std::vector<Finding>& findings)
    : wrong_(schedule.problem.ranks) {
  if (findings.empty()) return;
  for (const Finding& finding : findings)
    if (const Rank rank = finding.rank.value_or(0); rank < 0 || rank >= schedule.problem.ranks)
      throw Error(ErrorCode::misuse, fmt::format("a finding is about rank {}, but the schedule has {}", rank,
                                                 counted(schedule.problem.ranks, "rank")));
  find_wrong_bytes(schedule, programs);
  for (const Finding& finding : in_order(findings)) {
    place_of(finding).explain(finding);
    add_torn(finding);
  }
  const FaultCauses causes = causes_of(schedule, findings);
  const Finding& first = findings[order_of(findings, causes).front()];
  place_of(first).is_first = true;
  count_ = count_of(findings, causes);
  if (!causes.note.empty()) sentences_.push_back(fmt::format("Causes: {}.", causes.note));
  if (!causes.causes.empty() && !is_its_finding(causes.causes.front())) {
    if (const auto& operation = causes.causes.front().operation) cause_round_ = operation->round;
    sentences_.push_back(fmt::format("{}: {}.",
                                     causes.causes.size() == 1 ? "Cause" : fmt::format("First of {} causes", causes.causes.size()),
                                     causes.causes.front().message));
  }
  sentences_.push_back(fmt::format("{}: {}.", findings.size() == 1 ? "Found" : fmt::format("First of {} findings", findings.size()),
                                   to_string(first)));
  Bytes missing = 0, foreign = 0;
  for (const auto& parts : wrong_)
    for (const WrongBytes& part : parts) (part.missing ? missing : foreign) += part.length;
  std::vector<std::string> wrong;
  if (missing > 0) wrong.push_back(fmt::format("{} B missing (nothing was delivered)", missing));
  if (foreign > 0) wrong.push_back(fmt::format("{} B foreign (something else was delivered)", foreign));
  if (!wrong.empty()) sentences_.push_back(fmt::format("At the end: {}.", fmt::join(wrong, ", ")));
}

void Faults::find_wrong_bytes(const Schedule& schedule, const std::vector<Program>& programs) {
  FindingList ignored = FindingList::that_keeps_nothing();
  const auto compare = [&](std::optional<Count>, const std::vector<SymbolicMemory>& memories, const Terms& known) {
    Terms terms = known;
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank)
      for (const ExpectedPiece& expected : expected_output(schedule.problem, rank)) {
        Strip strip;
        memories[index(rank)][static_cast<std::size_t>(Buffer::output)].read(expected.offset, expected.length, strip);
        const Terms::Form wanted = terms.form_of_ranks(expected.first, expected.last);
        for (const WrongPart& part : wrong_parts(expected, strip, terms, wanted))
          wrong_[rank].push_back(
              {part.offset, part.found.length, part.found.term == Terms::undefined, to_string(part, terms, wanted)});
      }
  };
  replay(schedule, no_symmetry(schedule.problem.ranks), programs, {}, ignored, {}, compare);
}

// Adds the elements of a result whose bytes were combined in different ways. A comparison of single bytes does not find such
// elements.
void Faults::add_torn(const Finding& finding) {
  if (finding.rule != Rule::element_torn || finding.round || !finding.rank || !finding.region) return;
  wrong_[*finding.rank].push_back({finding.region->offset, finding.region->length, false, finding.message});
}

FaultPlace& Faults::place_of(const Finding& finding) {
  const Turn turn = turn_of(finding);
  FaultPlace place{finding.rank.value_or(0), FaultTime::in_round, finding.round.value_or(0), {}, false, ""};
  if (!finding.round) place.time = turn == Turn::before_rounds ? FaultTime::before_rounds : FaultTime::at_end;
  const auto known = std::find_if(places_.begin(), places_.end(), [&](const FaultPlace& other) {
    return other.rank == place.rank && other.time == place.time && other.round == place.round;
  });
  return known == places_.end() ? places_.emplace_back(place) : *known;
}

void FaultPlace::explain(const Finding& finding) {
  if (finding.region) regions.push_back(*finding.region);
  const auto told = std::count(explanation.begin(), explanation.end(), ';');
  if (static_cast<std::size_t>(told) < most_sentences_a_place)
    explanation += (explanation.empty() ? "" : "; ") + to_string(finding);
}

std::string Faults::wrong_bytes_text(Rank rank) const {
  Bytes missing = 0, foreign = 0;
  for (const WrongBytes& part : wrong_[rank]) (part.missing ? missing : foreign) += part.length;
  std::string text;
  if (missing > 0) text = fmt::format("{} B missing", missing);
  if (foreign > 0) text += fmt::format("{}{} B foreign", text.empty() ? "" : ", ", foreign);
  return text;
}

std::string Faults::rank_key(bool has_panels) const {
  std::set<Count> rounds;
  for (const FaultPlace& place : places_)
    if (place.time == FaultTime::in_round) rounds.insert(place.round);
  const std::string list = rounds.empty() ? "" : fmt::format(" Rounds with findings: {}.", runs_of(rounds));
  return fmt::format("A cross marks a rank with findings; the cross in the circle is the first finding.{} {}.", list,
                     has_panels ? "The last panel has the findings that belong to no round"
                                : "--as space-time and --as blocks show them round by round");
}

Point Faults::draw_legend(Svg& svg, Point reach, const std::string& key) const {
  if (!any()) return reach;
  const double width = std::max(reach.x - picture_margin, least_legend_width);
  double y = reach.y + line_height;
  for (const std::string& sentence : sentences_)
    for (const std::string& line : lines_of(sentence, width)) {
      svg.text({picture_margin, y}, line);
      reach.x = std::max(reach.x, picture_margin + text_width(line));
      y += line_height;
    }
  svg.cross({picture_margin + cross_half, y - 4}, cross_half - 1);
  for (const std::string& line : lines_of(key, width - 20)) {
    svg.text({picture_margin + 20, y}, line, Anchor::start, "faint");
    reach.x = std::max(reach.x, picture_margin + 20 + text_width(line));
    y += line_height;
  }
  return {reach.x, y - line_height + 4};
}

void mark_round(Svg& svg, Point base, const std::string& words, Anchor anchor, double size) {
  const double width = text_width(words, size) + 8;
  const double before = anchor == Anchor::start ? 4 : anchor == Anchor::middle ? width / 2 : width - 4;
  svg.box({base.x - before, base.y - size, width, size + 4}, "fault");
}

void mark(Svg& svg, const FaultPlace& place, Point centre) {
  svg.cross(centre, cross_half, place.explanation);
  if (place.is_first) svg.circle(centre, 2 * cross_half, "fault");
}

}  // namespace quadrille
