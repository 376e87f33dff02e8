// SPDX-License-Identifier: BSD-3-Clause
#include "reports/run_comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "foundation/text/wording.hpp"
#include "reports/compared_run.hpp"
#include "support/output.hpp"
#include "support/refuse.hpp"
#include "tune/median.hpp"
#include "tune/rules/vendor_switch.hpp"

namespace quadrille::command {
namespace {

constexpr std::size_t most_rows = 12;
constexpr std::size_t enough_runs = 3;      // from here on intervals come from runs, otherwise from parts of runs
constexpr double least_confidence = 0.899;  // three runs of each side give 90 %

// Runs of a program with the same MPI and settings. `mean` has their means, and samples of all runs: one for each run if there are
// enough of both sides, otherwise those of the runs.
struct ComparedSide {
  std::vector<ComparedRun> runs;
  ComparedRun mean;
};

ComparedSide side_of(std::vector<ComparedRun> runs, bool by_runs) {
  ComparedSide side{.runs = std::move(runs)};
  ComparedRun& mean = side.mean = side.runs.front();
  const auto count = static_cast<double>(side.runs.size());
  mean.seconds = 0, mean.parts = {}, mean.calls.clear();
  for (const ComparedRun& run : side.runs) {
    mean.seconds += run.seconds / count;
    for (std::size_t i = 0; i < run_parts; ++i) mean.parts[i] += run.parts[i] / count;
    for (const auto& [key, calls] : run.calls) {
      ComparedCalls& sum = mean.calls[key];
      sum.collective = calls.collective, sum.algorithm = calls.algorithm;
      sum.calls += calls.calls / count, sum.late_s += calls.late_s / count;
      const bool is_one = by_runs || calls.samples_s.empty();
      for (const double sample_s : is_one ? std::vector{calls.usual_s} : calls.samples_s) sum.samples_s.push_back(sample_s);
    }
  }
  for (auto& [key, sum] : mean.calls) sum.usual_s = median(sum.samples_s);
  return side;
}

struct CallChange {
  const CallKey* key = nullptr;
  const ComparedCalls *a = nullptr, *b = nullptr;  // null: the side has no such calls
  std::optional<RatioOfRuns> ratio;                // B's usual time of a call divided by A's

  double change_s() const { return (b ? b->calls * b->usual_s : 0) - (a ? a->calls * a->usual_s : 0); }
  bool has_interval() const { return ratio && ratio->confidence >= least_confidence; }
  bool is_marked() const { return !ratio || (has_interval() && (ratio->lower > 1 || ratio->upper < 1)); }
};

// Those outside the noise come first, the largest change in seconds on top.
std::vector<CallChange> changes_of(const ComparedRun& a, const ComparedRun& b) {
  std::map<CallKey, CallChange> changes;
  for (const auto& [key, calls] : a.calls) changes[key].a = &calls;
  for (const auto& [key, calls] : b.calls) changes[key].b = &calls;
  std::vector<CallChange> sorted;
  for (auto& [key, change] : changes) {
    change.key = &(change.a ? a : b).calls.find(key)->first;
    if (change.a && change.b) change.ratio = ratio_of_runs(change.a->samples_s, change.b->samples_s);
    sorted.push_back(change);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const CallChange& x, const CallChange& y) {
    if (x.is_marked() != y.is_marked()) return x.is_marked();
    return std::abs(x.change_s()) > std::abs(y.change_s());
  });
  return sorted;
}

std::string time_words(double seconds) { return seconds > 0 ? seconds_text(seconds) : "0 s"; }
std::string change_words(double seconds) {
  return seconds == 0 ? "0 s" : fmt::format("{}{}", seconds > 0 ? '+' : '-', seconds_text(std::abs(seconds)));
}
std::string ratio_words(const RatioOfRuns& ratio) {
  return fmt::format("{:.2f} ({:.2f}..{:.2f})", ratio.median, ratio.lower, ratio.upper);
}

std::string words_of(const CallChange& change) {
  const auto& [function, block, on] = *change.key;
  return fmt::format("{}{}{} on {}: {}{}", function, block.empty() ? "" : ", ", block, on, change_words(change.change_s()),
                     change.has_interval() ? fmt::format(", a call takes {} times as long", ratio_words(*change.ratio)) : "");
}

// Names the part of the time that changed most in the direction in which the whole run changed, and the calls that changed most.
std::string cause_of(const ComparedRun& a, const ComparedRun& b, const CallChange* calls) {
  const double sign = b.seconds < a.seconds ? -1 : 1;
  auto greatest = static_cast<std::size_t>(RunPart::irregular);
  for (std::size_t i = greatest; i < run_parts; ++i)
    if (sign * (b.parts[i] - a.parts[i]) > sign * (b.parts[greatest] - a.parts[greatest])) greatest = i;
  const double change_s = b.parts[greatest] - a.parts[greatest];
  if (calls && 2 * sign * calls->change_s() >= sign * change_s) return "most of it in " + words_of(*calls);
  return fmt::format("most of it {}: {}; {}", name(static_cast<RunPart>(greatest)), change_words(change_s),
                     calls ? "of the calls, most changed " + words_of(*calls) : "no calls changed by more than the noise");
}

// What to do in the slower run. `found`: the setting; nothing if none is known.
std::string advice_of(const ComparedSide& a, const ComparedSide& b, const CallChange& change, std::optional<VendorSwitch>& found) {
  const auto vendor = [](const ComparedRun& run, const ComparedCalls* calls) {
    return VendorRun{.mpi = run.mpi, .settings = run.settings, .nodes = run.hosts, .algorithm = calls ? calls->algorithm : ""};
  };
  const Collective collective = *(change.a ? change.a : change.b)->collective;
  const VendorRun run_a = vendor(a.mean, change.a), run_b = vendor(b.mean, change.b);
  const bool is_b_slower = change.change_s() > 0;
  found = is_b_slower ? switch_between(run_b, run_a, collective) : switch_between(run_a, run_b, collective);
  if (!found)
    return fmt::format(
        "No setting is known that undoes this; race the library's algorithms: mpirun -n {} quadrille race {} "
        "--algorithm vendor:all",
        a.mean.ranks, name(collective));
  return fmt::format("In {}, {} {} {}.", is_b_slower ? 'B' : 'A', found->is_to_unset ? "unset" : "set", found->settings,
                     found->reason);
}

void check_comparable(const ComparedSide& a, const ComparedSide& b) {
  const ComparedRun& first = a.runs.front();
  if (first.is_recording != b.runs.front().is_recording)
    refuse("a recording cannot be compared with a report; name two of one kind");
  for (const ComparedSide* side : {&a, &b})
    for (const ComparedRun& run : side->runs) {
      const ComparedRun& own = side->runs.front();
      if (run.ranks != first.ranks)
        refuse(fmt::format("the runs cannot be compared: {} has {}, {} has {}", first.place, counted(first.ranks, "rank"),
                           run.place, counted(run.ranks, "rank")));
      if (run.mpi != own.mpi || run.settings != own.settings || run.is_recording != own.is_recording)
        refuse(fmt::format("{} and {} are to be runs alike, but their MPI or its settings differ", own.place, run.place));
      if (run.program != first.program)
        remark(fmt::format("the programs differ: '{}' in {}, '{}' in {}", first.program, first.place, run.program, run.place));
    }
}

std::string line_of(const ComparedSide& side) {
  return fmt::format("{} ({}, {} on {}, {})", side.mean.place, side.mean.mpi, counted(side.mean.ranks, "rank"),
                     counted(side.mean.hosts, "host"), counted(side.runs.size(), "run"));
}

std::string call_words(const ComparedCalls* calls) {
  if (!calls) return "–";
  const double late_s = calls->late_s / std::max(calls->calls, 1e-9);
  return seconds_text(calls->usual_s) + (late_s >= 0.01 * calls->usual_s ? " + " + seconds_text(late_s) : "");
}

std::string tables_of(const ComparedRun& a, const ComparedRun& b, const std::vector<CallChange>& changes) {
  Table parts("time of the ranks|>A|>B|>change"), rows(">change|function|>block|on|>a call: A|>B|B / A|by: A|B");
  for (std::size_t i = 0; i < run_parts; ++i)
    parts.add({std::string(name(static_cast<RunPart>(i))), time_words(a.parts[i]), time_words(b.parts[i]),
               change_words(b.parts[i] - a.parts[i])});
  for (std::size_t i = 0; i < std::min(most_rows, changes.size()); ++i) {
    const CallChange& each = changes[i];
    const auto& [function, block, on] = *each.key;
    rows.add({change_words(each.change_s()), function, block, on, call_words(each.a), call_words(each.b),
              each.ratio ? ratio_words(*each.ratio) + (each.is_marked() ? "" : " ?")
              : each.a   ? "only in A"
                         : "only in B",
              each.a ? each.a->algorithm : "", each.b ? each.b->algorithm : ""});
  }
  const std::size_t more = changes.size() - std::min(most_rows, changes.size());
  return parts.text() + '\n' + rows.text() + (more > 0 ? fmt::format("... and {} more (--json)\n", more) : "");
}

Json side_json(const ComparedSide& side) {
  Json json = MEMBERS_OF(side.mean, seconds, mpi, settings);
  json["runs"] = array_of(side.runs, [](const ComparedRun& run) { return run.place; });
  for (std::size_t i = 0; i < run_parts; ++i) json["parts"][std::string(name(static_cast<RunPart>(i)))] = side.mean.parts[i];
  return json;
}

Json ratio_json(const std::optional<RatioOfRuns>& ratio) {
  return ratio ? MEMBERS_OF((*ratio), median, lower, upper, confidence) : Json();
}

Json change_json(const CallChange& change) {
  const auto& [function, block, on] = *change.key;
  Json json{
      {"function", function}, {"block", block}, {"on", on}, {"change_s", change.change_s()}, {"is_marked", change.is_marked()}};
  json["ratio"] = ratio_json(change.ratio);
  for (const auto& [side, calls] : {std::pair("a", change.a), std::pair("b", change.b)})
    json[side] = calls ? MEMBERS_OF((*calls), calls, usual_s, late_s, algorithm) : Json();
  return json;
}

}  // namespace

RunComparison compared_runs(const std::string& place_a, const std::string& place_b) {
  std::vector<ComparedRun> runs_a = read_runs(place_a), runs_b = read_runs(place_b);
  const bool by_runs = std::min(runs_a.size(), runs_b.size()) >= enough_runs;
  const ComparedSide a = side_of(std::move(runs_a), by_runs), b = side_of(std::move(runs_b), by_runs);
  check_comparable(a, b);
  const std::vector<CallChange> changes = changes_of(a.mean, b.mean);
  const auto marked = std::count_if(changes.begin(), changes.end(), [](const CallChange& each) { return each.is_marked(); });
  const CallChange* const first = marked > 0 ? &changes.front() : nullptr;

  std::optional<RatioOfRuns> ratio;
  if (by_runs) {
    const auto seconds_of = [](const ComparedSide& side) {
      std::vector<double> seconds;
      for (const ComparedRun& run : side.runs) seconds.push_back(std::max(run.seconds, 1e-9));
      return seconds;
    };
    ratio = ratio_of_runs(seconds_of(a), seconds_of(b));
  }
  std::vector<std::string> sentences{
      fmt::format("B takes {}, A {} (mean of the ranks){}; {}.", time_words(b.mean.seconds), time_words(a.mean.seconds),
                  ratio ? fmt::format(": {} times as long", ratio_words(*ratio)) : "", cause_of(a.mean, b.mean, first))};
  std::optional<VendorSwitch> found;
  if (first && (first->a ? first->a : first->b)->collective && a.mean.is_recording)
    sentences.push_back(advice_of(a, b, *first, found));

  RunComparison result;
  for (const std::string& sentence : sentences) result.text += paragraph(sentence, 0);
  result.text += fmt::format("\nA: {}\nB: {}\n\n{}\n", line_of(a), line_of(b), tables_of(a.mean, b.mean, changes));
  result.text += paragraph(fmt::format("{} of {} changed by more than the noise (?: not). {}", marked, changes.size(),
                                       by_runs ? "Intervals are of the runs."
                                               : "Intervals cover only the time within these runs; record each side three times "
                                                 "or more to see more."),
                           0);
  result.json = {{"a", side_json(a)},
                 {"b", side_json(b)},
                 {"ratio", ratio_json(ratio)},
                 {"sentences", sentences},
                 {"switch", found ? Json(found->settings) : Json()},
                 {"changes", array_of(changes, change_json)}};
  for (const CallChange& each : changes)
    if (each.has_interval()) result.slowest = std::max(result.slowest, each.ratio->lower);
  return result;
}

}  // namespace quadrille::command
