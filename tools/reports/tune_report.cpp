// SPDX-License-Identifier: BSD-3-Clause
#include "reports/tune_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "foundation/text/wording.hpp"
#include "quadrille/candidate.hpp"
#include "quadrille/cost.hpp"
#include "quadrille/explain.hpp"
#include "reports/race_formats.hpp"
#include "schedule/symmetry.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

// Accumulates a geometric mean.
struct Mean {
  double logarithms = 0;
  int count = 0;

  void add(double ratio) { logarithms += std::log(ratio), ++count; }
  std::string text() const { return count == 0 ? "–" : fmt::format("{:.2f}", std::exp(logarithms / count)); }
  Json json() const { return count == 0 ? Json() : Json(std::exp(logarithms / count)); }
};

struct Line {
  Collective collective;
  int cells = 0, ours = 0, vendor = 0;
  Mean vendor_to_best, default_to_best;
  Mean c2_to_least, time_to_least;  // of the fastest way, if it is one of ours
};

bool has_record(const TuneCell& each) { return each.state == CellState::known || each.state == CellState::measured; }

bool is_default(const TuneCell& each, const Way& way) {
  return way.algorithm == parse_candidate(each.problem, "") && way.policy == Policy::blocking;
}

constexpr Count most_operations = Count{1} << 17;  // the limit for a schedule whose figures are counted

// Returns the figures of a way, unless it has no schedule, or a long one.
std::optional<Figures> figures_of(const TuneCell& each, const WisdomEntry& entry) {
  if (entry.way.is_vendor()) return std::nullopt;
  const Schedule schedule = make_schedule(each.problem, completed(each.problem, entry.way.algorithm));
  if (operation_count(schedule, most_operations) > most_operations) return std::nullopt;
  return figures(schedule);
}

// Returns the fits that the session's file has; none if it cannot be read.
Wisdom wisdom_of(const TuneResult& session) {
  try {
    return session.file.empty() ? Wisdom{} : read_any_wisdom(session.file);
  } catch (const Error&) {
    return {};
  }
}

// How far the fastest way is from what every schedule takes at least.
void add_gap(Line& line, const TuneCell& each, const Wisdom& wisdom) {
  const WisdomEntry& best = each.record.entries.front();
  if (best.way.is_vendor()) return;
  const auto counted = figures_of(each, best);
  if (const auto least = counted ? least_c2_of(each.problem, counted->ports) : std::nullopt; least && counted->c2 > 0)
    line.c2_to_least.add(static_cast<double>(counted->c2) / *least);
  const ExecutorFit* const fit = wisdom.find_fit(best.way.executor, each.situation());
  if (const auto least = fit ? least_seconds(each.problem, *fit) : std::nullopt; least && *least > 0)
    line.time_to_least.add(best.timing.median_s / *least);
}

void add(Line& line, const TuneCell& each) {
  const std::vector<WisdomEntry>& entries = each.record.entries;
  const double best = entries.front().timing.median_s;
  ++line.cells;
  ++(entries.front().way.is_vendor() ? line.vendor : line.ours);
  const auto ratio_of = [&](const auto& is_meant, Mean& mean) {
    const auto entry = std::find_if(entries.begin(), entries.end(), [&](const WisdomEntry& one) { return is_meant(one.way); });
    if (entry != entries.end() && best > 0) mean.add(entry->timing.median_s / best);
  };
  ratio_of([](const Way& way) { return way.is_vendor(); }, line.vendor_to_best);
  ratio_of([&](const Way& way) { return is_default(each, way); }, line.default_to_best);
}

std::vector<Line> lines_of(const TuneResult& session) {
  std::vector<Line> lines;
  const Wisdom wisdom = wisdom_of(session);
  for (const TuneCell& each : session.cells) {
    if (!has_record(each)) continue;
    const Collective collective = each.problem.collective;
    auto line = std::find_if(lines.begin(), lines.end(), [&](const Line& one) { return one.collective == collective; });
    if (line == lines.end()) line = lines.insert(lines.end(), Line{.collective = collective});
    add(*line, each);
    add_gap(*line, each, wisdom);
  }
  return lines;
}

// A way and what distinguishes it from others: its name without defaults and, if it has a schedule that is not too long to count,
// C1 and C2.
Json way_of(const TuneCell& each, const WisdomEntry& entry) {
  const Candidate candidate = completed(each.problem, entry.way.algorithm);
  Json way = way_json(entry);
  way["short_name"] = short_name(each.problem, candidate);
  if (const auto counted = figures_of(each, entry)) way.update(MEMBERS_OF(*counted, c1, c2));
  return way;
}

std::string time_left(double seconds) {
  if (seconds < 90) return fmt::format("{:.0f} s", seconds);
  return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace

std::string text_of(const TuneCell& cell) {
  std::string words(name(cell.problem.collective));
  if (!cell.shape.empty()) words += ' ' + cell.shape;
  if (cell.own_counts_only) words += " of own counts";
  return moves_data(cell.problem.collective) ? fmt::format("{} of {}", words, bytes_text(cell.size)) : words;
}

std::string text_of(const TuneProgress& progress) {
  switch (progress.work) {
    case TuneProgress::fitting_executors: return "measuring what messages and copies take";
    case TuneProgress::fitting_vendor: return "timing the MPI library's own collectives";
    case TuneProgress::racing: break;
  }
  std::string text = fmt::format("{}, cell {} of {}: repetition {} of {} of {}", text_of(*progress.cell), progress.number,
                                 progress.cells, progress.repetition + 1, progress.repetitions, counted(progress.ways, "way"));
  if (progress.seconds_left) text += fmt::format("; about {} left", time_left(*progress.seconds_left));
  return text;
}

std::string plan_text(const TuneOptions& options, std::size_t open, std::size_t cells) {
  const double seconds = static_cast<double>(open) * options.seconds_per_cell;
  return fmt::format("{} of {} cells are to be measured: about {} at {:g} s each, more where calls are slow{}", open, cells,
                     time_left(seconds), options.seconds_per_cell,
                     options.seconds && *options.seconds < seconds ? "; --time stops earlier" : "");
}

std::string text_of(const std::vector<TuneResult>& sessions) {
  std::string text;
  for (const TuneResult& session : sessions) {
    const std::size_t known = session.count(CellState::known), measured = session.count(CellState::measured);
    if (!text.empty()) text += '\n';
    text += fmt::format("{} on {}: {} cells measured, {} known before, {} in all; kept in {}\n\n", counted(session.ranks, "rank"),
                        session.transport, measured, known, session.cells.size(), session.file);
    Table table("collective|>cells|>ours fastest|>vendor fastest|>vendor / best|>default / best|>C2 / least|>time / least");
    for (const Line& line : lines_of(session))
      table.add({std::string(name(line.collective)), fmt::format("{}", line.cells), fmt::format("{}", line.ours),
                 line.vendor_to_best.count == 0 ? "–" : fmt::format("{}", line.vendor), line.vendor_to_best.text(),
                 line.default_to_best.text(), line.c2_to_least.text(), line.time_to_least.text()});
    text += table.text();
  }
  return text + '\n' +
         paragraph(
             "vendor / best, default / best: how many times as long as the fastest way the MPI library's own collective and our "
             "default algorithm take, as geometric means over the cells. C2 / least, time / least: the same for C2 and the time of "
             "the "
             "fastest way, if it is ours, over what every schedule takes at least, by the measured costs of messages.");
}

Json json_of(const TuneCell& each) {
  static constexpr const char* states[] = {"open", "known", "measured", "left_out"};
  Json cell{{"collective", name(each.problem.collective)}};
  cell.update(MEMBERS_OF(each, shape, own_counts_only, size));
  cell.update({{"block_bytes", each.situation().block_bytes},
               {"state", states[static_cast<int>(each.state)]},
               {"repetitions", each.record.repetitions},
               {"launches", each.record.races.size()},
               {"ways", array_of(each.record.entries, [&](const WisdomEntry& entry) { return way_of(each, entry); })}});
  if (each.state == CellState::left_out) cell["reason"] = each.reason;
  return cell;
}

Json json_of(const TuneResult& session) {
  Json object = MEMBERS_OF(session, ranks, transport, file);
  object["collectives"] = array_of(lines_of(session), [](const Line& line) {
    return Json{{"collective", name(line.collective)},
                {"cells", line.cells},
                {"ours_fastest", line.ours},
                {"vendor_fastest", line.vendor},
                {"vendor_to_best", line.vendor_to_best.json()},
                {"default_to_best", line.default_to_best.json()},
                {"c2_to_least", line.c2_to_least.json()},
                {"time_to_least", line.time_to_least.json()}};
  });
  object["cells"] = array_of(session.cells, [](const TuneCell& each) { return json_of(each); });
  return object;
}

}  // namespace quadrille::command
