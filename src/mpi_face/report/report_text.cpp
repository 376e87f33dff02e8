// SPDX-License-Identifier: BSD-3-Clause
// Writes the report as text, for people.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/report/balance.hpp"
#include "mpi_face/report/report.hpp"
#include "mpi_face/report/report_words.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t width = 120, note_indent = 7;
constexpr std::size_t most_rows = 8, most_ranks = 6, most_groups = 16;

std::string plural(Count count, std::string_view word) {
  return fmt::format("{} {}{}", count_words(count), word, count == 1 ? "" : "s");
}

std::string head(const RunReport& report) {
  std::string words = report.program.empty() ? "Quadrille's report" : "Quadrille's report of " + report.program;
  words += fmt::format(": {} on {}", plural(report.world_size, "rank"), plural(static_cast<Count>(report.hosts.size()), "host"));
  if (!report.mpi.empty()) words += ", " + report.mpi;
  words += fmt::format("\nIt ran {}, {} of that inside collectives", seconds_words(report.seconds), share_words(report.share));
  if (report.message_share >= told_share)
    words += fmt::format(", {} inside point-to-point calls", share_words(report.message_share));
  if (report.own_share > 0) words += fmt::format(", and {} while Quadrille made and tried plans", share_words(report.own_share));
  words += ".\n";
  Count learned = 0;
  for (const ReportRow& row : report.rows)
    if (row.why.starts_with(learned_from)) add_count(learned, row.ours_calls);
  return learned == 0 ? words : words + fmt::format("It used what earlier runs found for {}.\n", plural(learned, "call"));
}

std::string sentence_of(const ReportedRank& rank) {
  const std::string inside = rank.communicator.empty() ? rank.function : rank.function + " on " + rank.communicator;
  const std::string in = seconds_words(rank.entered_s) + " in";
  if (rank.state == RankState::running) {
    if (rank.function.empty())
      return fmt::format("rank {} runs, outside the calls that are counted; its last one began {}", rank.rank, in);
    if (rank.inside_s <= 0) return fmt::format("rank {} runs, inside {}, {}", rank.rank, inside, in);
    return fmt::format("rank {} runs, inside {} for {}", rank.rank, inside, seconds_words(rank.inside_s));
  }
  const std::string end = rank.state == RankState::died ? "ended" : fmt::format("(host {}) runs or ended", rank.host);
  if (rank.function.empty())
    return fmt::format("rank {} {} outside the calls that are counted and without MPI_Finalize; its last one began {}", rank.rank,
                       end, in);
  return fmt::format("rank {} {} inside {}, {}", rank.rank, end, inside, in);
}

std::string ranks_text(const RunReport& report, bool full) {
  std::string lines;
  std::size_t told = 0, left_out = 0;
  for (const ReportedRank& rank : report.ranks) {
    if (rank.state == RankState::ended) continue;
    if (!full && told == most_ranks)
      ++left_out;
    else
      lines += sentence_of(rank) + '\n', ++told;
  }
  if (left_out > 0) lines += fmt::format("{} more did not end well\n", plural(static_cast<Count>(left_out), "rank"));
  if (report.missing_ranks > 0)
    lines += fmt::format("no counters of rank{} {} are here: {}\n", report.missing_ranks == 1 ? "" : "s",
                         ranks_words(report.missing, full ? 1000 : 8),
                         report.elsewhere.empty() ? "they ran on another machine, or ended before MPI_Finalize"
                                                  : "on other machines they are in " + report.elsewhere);
  if (report.other_runs > 0) lines += plural(report.other_runs, "file") + " of other runs left out\n";
  for (const std::string& remark : report.remarks) lines += remark + "; left out\n";
  return lines;
}

struct ShownRow {
  ReportRow row;
  std::string on;
  Count communicators = 1;
};

void add_calls(ReportRow& sum, const ReportRow& more) {
  add_count(sum.calls, more.calls);
  add_count(sum.ours_calls, more.ours_calls);
  add_count(sum.block_bytes, more.block_bytes);
  sum.rank_seconds += more.rank_seconds;
  sum.most_seconds = std::max(sum.most_seconds, more.most_seconds);
  add_count(sum.rank_calls, more.rank_calls);
  sum.ours_rank_seconds += more.ours_rank_seconds;
  sum.share += more.share;
  sum.ranks_inside += more.ranks_inside;
  sum.late_rank_seconds += more.late_rank_seconds;
  sum.late_samples = std::max(sum.late_samples, more.late_samples);
  sum.trial_s = std::max(sum.trial_s, more.trial_s);
  if (sum.ratio && more.ratio) {
    sum.ratio->least = std::min(sum.ratio->least, more.ratio->least);
    sum.ratio->most = std::max(sum.ratio->most, more.ratio->most);
    add_count(sum.ratio->samples, more.ratio->samples);
  } else if (more.ratio) {
    sum.ratio = more.ratio;
  }
  if (sum.what.empty()) sum.what = more.what, sum.why = more.why;
  for (const PassedReason& each : more.passed) {
    const auto same =
        std::find_if(sum.passed.begin(), sum.passed.end(), [&](const auto& reason) { return reason.why == each.why; });
    if (same == sum.passed.end())
      sum.passed.push_back(each);
    else
      add_count(same->calls, each.calls);
  }
}

// The rows to show. In the summary, communicators with the same name and number of ranks share a row.
std::vector<ShownRow> shown_rows(const RunReport& report, bool full) {
  std::vector<ShownRow> rows;
  std::map<std::tuple<std::string, bool, Bytes, Bytes, std::string, Count>, std::size_t> places;
  std::vector<std::set<int>> merged;  // the communicators that each row stands for
  for (const ReportRow& row : report.rows) {
    ShownRow shown{row, "several"};
    Count ranks = 0;
    if (row.communicator >= 0) {
      const ReportedCommunicator& communicator = report.communicators[static_cast<std::size_t>(row.communicator)];
      shown.on = communicator.label();
      ranks = communicator.ranks;
    }
    const std::tuple key(row.collective, row.ranks_inside > 0, row.least_block, row.most_block, shown.on, ranks);
    const auto [found, is_new] = places.try_emplace(key, rows.size());
    if (is_new || full) {
      rows.push_back(std::move(shown));
      merged.push_back({row.communicator});
    } else {
      add_calls(rows[found->second].row, row);
      merged[found->second].insert(row.communicator);
      rows[found->second].communicators = static_cast<Count>(merged[found->second].size());
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ShownRow& a, const ShownRow& b) { return a.row.rank_seconds > b.row.rank_seconds; });
  return rows;
}

// The mean block size or, if sizes differ between ranks, the mean number of bytes that a rank sent per call.
std::string size_text(const ReportRow& row) {
  if (row.most_block == 0 || !row.has_sizes) return "–";
  const Count calls = row.most_block < 0 ? row.rank_calls : row.calls;
  if (calls < 1) return "–";
  if (row.block_bytes % calls == 0 && row.block_bytes / calls < 100'000 && row.block_bytes / calls % 1024 != 0)
    return fmt::format("{} B", row.block_bytes / calls);
  const std::string words = bytes_words(static_cast<double>(row.block_bytes) / static_cast<double>(calls));
  return row.block_bytes % calls == 0 && words.find('.') == std::string::npos ? words : "~" + words;
}

std::string late_text(const ReportRow& row) {
  if (row.late_samples == 0 || row.rank_calls < 1) return "–";
  return fmt::format("{} (n = {})", seconds_words(row.late_rank_seconds / static_cast<double>(row.rank_calls)),
                     count_words(row.late_samples));
}

std::string ratio_text(const MeasuredRatio& ratio) {
  const std::string least = fmt::format("{:.2f}", ratio.least), most = fmt::format("{:.2f}", ratio.most);
  return fmt::format(", in trials {} times as long as the MPI library's (n = {})", least == most ? most : least + " to " + most,
                     count_words(ratio.samples));
}

// The reason why the MPI library ran calls. If they are rare, or a trial was put off: also the cost of the trial, and the most time
// that it could save, which is the time of the calls without the wait for late ranks.
std::string passed_text(const ReportRow& row, const PassedReason& reason, double ranks) {
  const std::string words = fmt::format("{} by the MPI library: {}", count_words(reason.calls), reason.why);
  const bool is_rare = reason.why == sentence(Cause::rare);
  const bool is_put_off = reason.why == sentence(Cause::too_dear) || reason.why == sentence(Cause::not_worth);
  if (!is_rare && (!is_put_off || row.trial_s <= 0)) return words;
  const double own_s = std::max(row.rank_seconds - row.late_rank_seconds, 0.0) / ranks;
  const double part = static_cast<double>(reason.calls) / static_cast<double>(std::max<Count>(row.calls, 1));
  const std::string gain = seconds_words(own_s * part);
  if (is_rare) return fmt::format("{}: they could gain at most {}", words, gain);
  return fmt::format("{} ({}; it could gain at most {})", words, seconds_words(row.trial_s), gain);
}

void add_notes(WordTable& table, const ReportRow& row, double ranks, bool full) {
  if (row.ranks_inside > 0)
    table.note(fmt::format("under way: {} of the ranks that run {} inside", count_words(row.ranks_inside),
                           row.ranks_inside == 1 ? "is" : "are"));
  if (row.ours_calls > 0) {
    std::string words = fmt::format("{} by {}", count_words(row.ours_calls), row.what.empty() ? "Quadrille" : row.what);
    if (row.ratio) words += ratio_text(*row.ratio);
    if (!row.why.empty()) words += ": " + row.why;
    table.note(words);
  }
  std::vector<PassedReason> passed = row.passed;
  std::stable_sort(passed.begin(), passed.end(), [](const auto& a, const auto& b) { return a.calls > b.calls; });
  const std::size_t told = full ? passed.size() : std::min<std::size_t>(passed.size(), 2);
  for (std::size_t i = 0; i < told; ++i) table.note(passed_text(row, passed[i], ranks));
  Count others = 0;
  for (std::size_t i = told; i < passed.size(); ++i) add_count(others, passed[i].calls);
  if (others > 0) table.note(fmt::format("{} by the MPI library for other reasons (--full)", count_words(others)));
}

std::string rows_text(const RunReport& report, bool full) {
  const std::vector<ShownRow> rows = shown_rows(report, full);
  if (rows.empty()) return "No collective was counted.\n";
  WordTable table({false, false, false, true, false, true, false, false});
  table.add({"share", "time", "calls", "collective", "block", "on", "a call", "late ranks"});
  double left_share = 0;
  const std::size_t told = full ? rows.size() : std::min(rows.size(), most_rows);
  const auto ranks = static_cast<double>(std::max<std::size_t>(report.ranks.size(), 1));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const ReportRow& row = rows[i].row;
    if (i >= told) {
      left_share += row.share;
      continue;
    }
    const std::string on = rows[i].communicators == 1 ? rows[i].on : fmt::format("{} x {}", rows[i].communicators, rows[i].on);
    const double a_call = row.rank_seconds / static_cast<double>(std::max<Count>(row.rank_calls, 1));
    table.add({share_words(row.share), seconds_words(row.rank_seconds / ranks), count_words(row.calls), row.collective,
               size_text(row), on, seconds_words(a_call), late_text(row)});
    add_notes(table, row, ranks, full);
  }
  std::string text = table.text(note_indent, width);
  if (told < rows.size())
    text += fmt::format("and {} more rows with {} of the time\n", rows.size() - told, share_words(left_share));
  return text;
}

// The traffic matrix as text. Rows and columns are ranks, or up to 16 groups of ranks.
std::string matrix_text(const RunReport& report) {
  const Count p = report.world_size, each = ceil_divide(p, static_cast<Count>(most_groups)), groups = ceil_divide(p, each);
  std::vector<double> sums(static_cast<std::size_t>(groups * groups));
  for (Rank from = 0; from < p; ++from)
    for (Rank to = 0; to < p; ++to)
      sums[static_cast<std::size_t>(from / each * groups + to / each)] +=
          static_cast<double>(report.traffic[static_cast<std::size_t>(from * p + to)]);
  const auto name = [&](Count group) {
    const Rank first = group * each, last = std::min(p, first + each) - 1;
    return first == last ? fmt::format("{}", first) : fmt::format("{}..{}", first, last);
  };
  WordTable table(std::vector<bool>(static_cast<std::size_t>(groups) + 1, false));
  std::vector<std::string> line{"from \\ to"};
  for (Count to = 0; to < groups; ++to) line.push_back(name(to));
  table.add(line);
  for (Count from = 0; from < groups; ++from) {
    line = {name(from)};
    for (Count to = 0; to < groups; ++to) {
      const double bytes = sums[static_cast<std::size_t>(from * groups + to)];
      line.push_back(bytes == 0 ? "–" : bytes_words(bytes));
    }
    table.add(line);
  }
  return table.text(0, width);
}

std::string traffic_text(const RunReport& report, bool full) {
  double all = 0;
  std::size_t most = 0;
  for (std::size_t i = 0; i < report.traffic.size(); ++i) {
    all += static_cast<double>(report.traffic[i]);
    if (report.traffic[i] > report.traffic[most]) most = i;
  }
  if (all == 0) return {};
  const auto p = static_cast<std::size_t>(report.world_size);
  std::string text = fmt::format("\nTraffic: {} between ranks; the most from rank {} to rank {}: {}\n", bytes_words(all), most / p,
                                 most % p, bytes_words(static_cast<double>(report.traffic[most])));
  return full ? text + matrix_text(report) : text;
}

std::string heap_text(const RunReport& report) {
  std::string text;
  if (report.most_heap_bytes > 0)
    text = fmt::format("Heap: at most {} in a rank; ranks lent {} buffers there\n",
                       bytes_words(static_cast<double>(report.most_heap_bytes)), count_words(report.lent));
  if (!report.why_no_heap.empty()) text += fmt::format("Heap: no buffers of the program lie there: {}\n", report.why_no_heap);
  return text;
}

std::string details_text(const RunReport& report) {
  WordTable communicators({true, false, false, true});
  communicators.add({"communicator", "ranks", "made", "members"});
  for (const ReportedCommunicator& each : report.communicators)
    communicators.add({each.label(), each.ranks == 0 ? "–" : count_words(each.ranks), count_words(each.made),
                       each.members.empty() ? "–" : ranks_words(each.members, 8)});
  WordTable ranks({false, true, false, false, false, true});
  ranks.add({"rank", "host", "ran", "in collectives", "in messages", "end"});
  for (const ReportedRank& each : report.ranks) {
    const auto share = [&](double seconds) { return share_words(each.seconds > 0 ? seconds / each.seconds : 0); };
    ranks.add({fmt::format("{}", each.rank), each.host, seconds_words(each.seconds), share(each.collective_seconds),
               report.sees_messages ? share(each.message_seconds) : "–",
               each.state == RankState::ended ? "well" : sentence_of(each)});
  }
  return '\n' + communicators.text(0, width) + '\n' + ranks.text(0, width);
}

}  // namespace

std::string text_of(const RunReport& report, const ReportStyle& style) {
  std::string text = head(report) + balance_text(report) + ranks_text(report, style.full) + '\n' + rows_text(report, style.full);
  text += traffic_text(report, style.full) + heap_text(report);
  if (style.full) text += details_text(report);
  return text;
}

}  // namespace quadrille::mpi_face
