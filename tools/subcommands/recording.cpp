// SPDX-License-Identifier: BSD-3-Clause
// quadrille recording: prints what 'quadrille wrap --record' has recorded.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <tuple>

#include "mpi_face/report/report_words.hpp"
#include "options/arguments.hpp"
#include "quadrille/checked.hpp"
#include "quadrille/recording.hpp"
#include "recording/recording_json.hpp"
#include "recording/totals.hpp"
#include "subcommands/subcommand.hpp"
#include "support/output.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

using mpi_face::count_words;
using mpi_face::share_words;
using recording::TimePart;

constexpr std::size_t slices = 20, most_phases = 12, most_rows = 12, most_calls = 8, most_shown_ranks = 16, most_functions = 4;

std::string several(Count count, std::string_view thing) {
  return fmt::format("{} {}{}", count_words(count), thing, count == 1 ? "" : "s");
}

// The sum, limited to the largest Count: counters in a file may have any value.
Count sum_of(Count a, Count b) { return checked_sum(a, b).value_or(std::numeric_limits<Count>::max()); }

std::string time_text(double seconds) { return seconds > 0 ? seconds_text(seconds) : "0 s"; }

// Names a communicator by its name, or else by its members; also by its number, if there are several with these members.
std::string communicator_text(const Recording& recording, std::size_t number) {
  const RecordedCommunicator& communicator = recording.communicators[number];
  const auto size = static_cast<Count>(communicator.members.size());
  std::string text = communicator.name;
  if (text.empty())
    text = fmt::format("{} of rank {}", several(size, "rank"), communicator.members.empty() ? -1 : communicator.members.front());
  if (communicator.is_inter) text += " (between groups)";
  return communicator.nth > 0 ? fmt::format("{}, #{}", text, communicator.nth + 1) : text;
}

std::string function_text(const RecordedSite& site) {
  switch (site.kind) {
    case RecordedKind::point_to_point: return "point-to-point";
    case RecordedKind::others: return "further sites";
    case RecordedKind::completion: return site.function + ": waiting";
    default: return site.function;
  }
}

std::string block_text(const RecordedSite& site) {
  if (site.kind == RecordedKind::point_to_point || site.kind == RecordedKind::others) return "–";
  return site.block_bytes > 0 ? bytes_text(site.block_bytes) : "–";
}

// Sites that differ only in counts, in roots or in communicators of the same size and name make one row.
struct Row {
  RecordedKind kind{};
  std::string function, block, operation, name, on;  // name: of the communicators, which all have this name
  std::set<std::size_t> communicators;
  Count ranks = 0;  // the ranks of one communicator
  RecordedTimes times;
  Bytes least = std::numeric_limits<Bytes>::max(), most = 0;  // bytes of a block
  bool has_counts = false, are_sampled = false;
};

std::vector<Row> rows_of(const Recording& recording) {
  const std::vector<RecordedTimes> times = recording::times_by_site(recording);
  std::map<std::tuple<std::string, std::string, std::string, std::string, Count>, Row> rows;
  for (std::size_t i = 0; i < recording.sites.size(); ++i) {
    const RecordedSite& site = recording.sites[i];
    if (times[i].calls == 0) continue;
    const RecordedCommunicator& communicator = recording.communicators[site.communicator];
    const bool has_counts = !site.counts.empty();
    const auto ranks = static_cast<Count>(communicator.members.size());
    Row& row = rows[{function_text(site), has_counts ? "" : block_text(site), site.operation, communicator.name, ranks}];
    row.kind = site.kind;
    row.function = function_text(site);
    row.name = communicator.name;
    row.block = block_text(site);
    row.operation = site.operation.empty() ? "" : site.operation + ' ' + site.type;
    row.on = communicator_text(recording, site.communicator);
    row.ranks = ranks;
    row.communicators.insert(site.communicator);
    row.has_counts = has_counts;
    row.are_sampled = row.are_sampled || site.are_sampled;
    row.least = std::min(row.least, site.block_bytes), row.most = std::max(row.most, site.block_bytes);
    row.times.calls += times[i].calls;
    row.times.gap_s += times[i].gap_s, row.times.away_s += times[i].away_s, row.times.duration_s += times[i].duration_s;
  }
  std::vector<Row> sorted;
  for (auto& [key, row] : rows) sorted.push_back(std::move(row));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Row& a, const Row& b) { return a.times.duration_s > b.times.duration_s; });
  return sorted;
}

std::string on_text(const Row& row) {
  if (row.kind == RecordedKind::point_to_point || row.kind == RecordedKind::others) return "–";
  if (row.communicators.size() == 1) return row.on;
  return fmt::format("{}{}{} x {}", row.name, row.name.empty() ? "" : ", ", row.communicators.size(), several(row.ranks, "rank"));
}

std::string head_text(const Recording& recording) {
  std::set<std::string> hosts;
  double longest_s = 0;
  Count calls = 0;
  std::size_t bytes = 0;
  for (const RecordedRank& rank : recording.ranks) {
    hosts.insert(rank.host);
    longest_s = std::max(longest_s, rank.seconds);
    calls += rank.calls;
    bytes += rank.entries.size();
  }
  std::string text = fmt::format("A recording of {}: {} on {}, {}\n", recording.program, several(recording.world_size, "rank"),
                                 several(static_cast<Count>(hosts.size()), "host"), recording.mpi);
  text += fmt::format("It ran {}. {} {} recorded, {:.2f} B each{}.\n", time_text(longest_s), several(calls, "call"),
                      calls == 1 ? "is" : "are", static_cast<double>(bytes) / static_cast<double>(std::max<Count>(calls, 1)),
                      recording.is_folded ? "; of up to 64 repetitions only means are kept" : "");
  return text;
}

std::string parts_text(const Recording& recording) {
  const recording::PartSeconds sums = recording::totals(recording);
  const auto share = [&](TimePart part) { return share_words(recording::share_of(sums, part)); };
  std::string text = fmt::format(
      "Of the ranks' time: {} computing, {} in collectives, {} in point-to-point calls, {} making communicators, {} away\n",
      share(TimePart::computing), share(TimePart::collectives), share(TimePart::point_to_point), share(TimePart::making),
      share(TimePart::away));
  if (recording::share_of(sums, TimePart::point_to_point) > recording::most_point_to_point)
    text += fmt::format("More than {:.0f} % is in point-to-point calls, so a projection will give no verdict.\n",
                        100 * recording::most_point_to_point);
  return text;
}

std::string phases_text(const Recording& recording) {
  const auto all = recording::phases(recording, slices);
  if (all.empty()) return "";
  Table table(">from|>to|>computing|>collectives|>p2p|>away|most time in");
  for (std::size_t i = 0; i < std::min(all.size(), most_phases); ++i) {
    const recording::RunPhase& phase = all[i];
    const auto share = [&](TimePart part) { return share_words(recording::share_of(phase.seconds, part)); };
    std::vector<std::string> sites;
    for (const std::uint32_t site : phase.sites) {
      const RecordedSite& each = recording.sites[site];
      std::string words = function_text(each);
      if (each.counts.empty() && each.block_bytes > 0) words += ' ' + bytes_text(each.block_bytes);
      if (std::find(sites.begin(), sites.end(), words) == sites.end()) sites.push_back(std::move(words));
    }
    table.add({time_text(phase.begin_s), time_text(phase.end_s), share(TimePart::computing), share(TimePart::collectives),
               share(TimePart::point_to_point), share(TimePart::away), sites.empty() ? "–" : listed(sites)});
  }
  std::string text = "\nTime line\n" + table.text();
  if (all.size() > most_phases)
    text += fmt::format("... and {} more\n", several(static_cast<Count>(all.size() - most_phases), "phase"));
  return text;
}

std::string sites_text(const Recording& recording, bool full) {
  const std::vector<Row> rows = rows_of(recording);
  const recording::PartSeconds sums = recording::totals(recording);
  const double all_s = std::accumulate(sums.begin(), sums.end(), 0.0);
  const auto ranks = static_cast<double>(recording.ranks.size());
  Table table(">share|>time|>calls|function|>block|on|>a call|>gap before");
  bool are_sampled = false;
  const std::size_t shown = full ? rows.size() : std::min(rows.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const Row& row = rows[i];
    const auto calls = static_cast<double>(row.times.calls);
    const std::string block =
        row.has_counts && row.least != row.most ? bytes_text(row.least) + " to " + bytes_text(row.most) : row.block;
    are_sampled = are_sampled || row.are_sampled;
    table.add({share_words(row.times.duration_s / std::max(all_s, 1e-12)), time_text(row.times.duration_s / ranks),
               count_words(row.times.calls), row.function + (row.operation.empty() ? "" : " (" + row.operation + ")"),
               block + (row.are_sampled ? " *" : ""), on_text(row), time_text(row.times.duration_s / calls),
               time_text((row.times.gap_s + row.times.away_s) / calls)});
  }
  std::string text = "\nSites: time inside, mean of the ranks; calls of all ranks\n" + table.text();
  if (shown < rows.size())
    text += fmt::format("... and {} more (--full)\n", several(static_cast<Count>(rows.size() - shown), "row"));
  if (are_sampled) text += "* more than 1,000 different vectors of counts: further ones are recorded as the nearest of these\n";
  return text;
}

// The calls that took longest, with the time at which they began.
std::string dearest_text(const Recording& recording) {
  struct Dear {
    double seconds, begin_s;
    Rank rank;
    std::uint32_t site;
  };
  std::vector<Dear> dearest;
  const auto is_dearer = [](const Dear& a, const Dear& b) { return a.seconds > b.seconds; };
  for (const RecordedRank& rank : recording.ranks) {
    RecordedCalls calls(rank);
    double now_s = 0;
    while (const auto call = calls.next()) {
      now_s += call->gap_s + call->away_s;
      const bool counts = recording::part_of(recording.sites[call->site].kind) == TimePart::collectives;
      if (counts && (dearest.size() < most_calls || call->duration_s > dearest.back().seconds)) {
        const Dear dear{call->duration_s, now_s, rank.rank, call->site};
        dearest.insert(std::upper_bound(dearest.begin(), dearest.end(), dear, is_dearer), dear);
        if (dearest.size() > most_calls) dearest.pop_back();
      }
      now_s += call->duration_s;
    }
  }
  if (dearest.empty()) return "";
  Table table(
      {{"time", Align::right}, {"begins", Align::right}, {"rank", Align::right}, {"function"}, {"block", Align::right}, {"on"}});
  for (const Dear& dear : dearest) {
    const RecordedSite& site = recording.sites[dear.site];
    table.add({time_text(dear.seconds), time_text(dear.begin_s), std::to_string(dear.rank), function_text(site), block_text(site),
               communicator_text(recording, site.communicator)});
  }
  return "\nDearest collectives\n" + table.text();
}

std::string messages_text(const Recording& recording) {
  std::map<std::string, std::pair<Count, double>> functions;
  for (const RecordedRank& rank : recording.ranks)
    for (const RecordedFunction& each : rank.functions) {
      auto& [calls, seconds] = functions[each.name];
      calls = sum_of(calls, each.calls), seconds += each.seconds;
    }
  std::vector<std::pair<std::string, std::pair<Count, double>>> sorted(functions.begin(), functions.end());
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second.second > b.second.second; });
  std::vector<std::string> words;
  for (const auto& [name, sums] : sorted)
    if (words.size() < most_functions)
      words.push_back(fmt::format("{} {} ({})", name, time_text(sums.second / static_cast<double>(recording.ranks.size())),
                                  several(sums.first, "call")));
  return words.empty() ? "" : "\nPoint-to-point calls, mean of the ranks: " + listed(words) + "\n";
}

std::string ranks_text(const Recording& recording, bool full) {
  Table table(">rank|>ran|>computing|>away|>collectives|>p2p|>calls|host");
  const std::size_t shown = full ? recording.ranks.size() : std::min(recording.ranks.size(), most_shown_ranks);
  for (std::size_t i = 0; i < shown; ++i) {
    const RecordedRank& rank = recording.ranks[i];
    const recording::PartSeconds seconds = recording::totals(rank, recording);
    const auto text_of = [&](TimePart part) { return time_text(seconds[static_cast<std::size_t>(part)]); };
    table.add({std::to_string(rank.rank), time_text(rank.seconds), text_of(TimePart::computing), text_of(TimePart::away),
               text_of(TimePart::collectives), text_of(TimePart::point_to_point), count_words(rank.calls), rank.host});
  }
  std::string text = "\nRanks\n" + table.text();
  if (shown < recording.ranks.size())
    text += fmt::format("... and {} more (--full)\n", several(static_cast<Count>(recording.ranks.size() - shown), "rank"));
  return text;
}

// Remarks that a reader needs before trusting the figures.
std::string remarks_text(const Recording& recording) {
  Count cut = 0, killed = 0, walls = 0, unseen = 0;
  for (const RecordedRank& rank : recording.ranks) {
    cut += rank.is_cut, killed += !rank.has_ended, walls += rank.uses_wall_time;
    unseen = sum_of(unseen, rank.unseen_calls);
  }
  std::string text;
  const Count missing = recording.world_size - static_cast<Count>(recording.ranks.size());
  if (missing > 0) text += fmt::format("The recordings of {} are missing.\n", several(missing, "rank"));
  if (killed > 0)
    text += fmt::format("{} did not end normally, or still {}.\n", several(killed, "rank"), killed == 1 ? "runs" : "run");
  if (cut > 0) text += fmt::format("The recording of {} ends early: the disk was full.\n", several(cut, "rank"));
  if (walls > 0) text += fmt::format("Computing of {} is wall time, because the program has threads.\n", several(walls, "rank"));
  if (unseen > 0)
    text += fmt::format("{} were made while another thread was in MPI, and are not recorded.\n", several(unseen, "call"));
  for (const std::string& remark : recording.remarks) text += "Note: " + remark + '\n';
  return text.empty() ? "" : '\n' + text;
}

// `full`: all sites and ranks.
std::string recording_text(const Recording& recording, bool full) {
  return head_text(recording) + parts_text(recording) + phases_text(recording) + sites_text(recording, full) +
         dearest_text(recording) + messages_text(recording) + ranks_text(recording, full) + remarks_text(recording);
}

struct RecordingArguments {
  std::string folder = "quadrille-recording";
  std::optional<std::string> output;
  bool full = false, json = false;
};

int run_recording(const RecordingArguments& options) {
  Output output(options.output);
  const Recording recording = read_recording(options.folder);
  if (options.json)
    recording::write_json(output.stream(), recording);
  else
    output.stream() << recording_text(recording, options.full);
  output.finish();
  return good;
}

}  // namespace

Subcommand add_recording(CLI::App& command) {
  auto options = std::make_shared<RecordingArguments>();
  OptionTable table(command, "recording", "print what 'quadrille wrap --record' has recorded");
  table.add(group::arguments,
            {{"folder", "FOLDER", options->folder, "the folder of the recording (default: quadrille-recording)"}});
  table.add(group::output, {{"--full", "", options->full, "every row and every rank"}});
  table.add_json(options->json, "all calls, as a JSON object (docs/recording.md)");
  table.add_output(options->output);
  table.set_footer(
      "A recording also can be read while the program runs, and after ranks were killed.\n"
      "computing: processor time between calls, an estimate. away: time between calls in which the thread was not on a "
      "processor. a call: time of a rank in a call, waiting included. gap before: time between the call and the one before, "
      "computing and away.\n\n"
      "Examples:\n"
      "  mpirun -n 8 quadrille wrap --record=run.recording ./app\n"
      "  quadrille recording run.recording\n"
      "  quadrille recording run.recording --json --output run.json");
  return {std::move(table), [options] { return run_recording(*options); }};
}

}  // namespace quadrille::command
