// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/balance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/report/report_words.hpp"

namespace quadrille::mpi_face {
namespace {

double of_calls(const ReportRow& row, const std::vector<std::string_view>& reasons) {
  Count calls = 0;
  for (const PassedReason& each : row.passed)
    if (std::find(reasons.begin(), reasons.end(), each.why) != reasons.end()) add_count(calls, each.calls);
  return row.calls > 0 ? row.rank_seconds * static_cast<double>(calls) / static_cast<double>(row.calls) : 0;
}

// The part of the world's ranks that make the calls of the row.
double part_of_ranks(const RunReport& report, const ReportRow& row) {
  if (row.communicator < 0 || report.world_size < 1) return 1;
  const Count ranks = report.communicators[static_cast<std::size_t>(row.communicator)].ranks;
  return ranks < 1 ? 1 : static_cast<double>(ranks) / static_cast<double>(report.world_size);
}

std::string interval(const Balance::Seconds& seconds) {
  return fmt::format("{} [{}, {}]", seconds_words(seconds.median), seconds_words(std::max(seconds.least, 0.0)),
                     seconds_words(seconds.most));
}

std::string won(const Balance& balance) {
  if (balance.ours_calls == 0)
    return balance.own_s > 0 ? fmt::format("Quadrille ran no call, and spent {}", seconds_words(balance.own_s))
                             : "Quadrille ran no call";
  if (balance.tried_calls == 0)
    return fmt::format("Quadrille ran {} calls, without a trial beside the MPI library's", count_words(balance.ours_calls));
  std::string words = "Quadrille saved " + interval(balance.saved);
  if (balance.lost.median > 0) words += ", lost " + interval(balance.lost) + " in calls that took longer";
  return words + fmt::format(", and spent {} on plans and trials", seconds_words(balance.own_s));
}

std::string next_command(const RunReport& report, const Balance& balance) {
  const std::string program = report.program.empty() ? "PROGRAM" : report.program;
  const double gain = balance.saved.median - balance.lost.median - balance.own_s;
  if (report.share < 0.02) return "nothing: the program spends hardly any time in collectives";
  if (balance.ours_calls > 0 && balance.tried_calls > 0 && gain < 0)
    return fmt::format("quadrille wrap --off {} (Quadrille has not paid in this run; a longer one may)", program);
  if (balance.late_s > 0.5 * balance.inside_s)
    return "quadrille report --full (ranks that spend least time in collectives are those that others wait for)";
  if (balance.rare_s > 0.5 * balance.inside_s)
    return fmt::format("quadrille wrap --tune=2% --report {} (races candidates for calls that come rarely)", program);
  return "quadrille report --full (every row, with its reasons)";
}

}  // namespace

Balance::Seconds& Balance::Seconds::operator+=(const Seconds& more) {
  median += more.median, least += more.least, most += more.most;
  return *this;
}

Balance balance_of(const RunReport& report) {
  const auto ranks = static_cast<double>(std::max<std::size_t>(report.ranks.size(), 1));
  Balance balance{.own_s = report.own_rank_seconds / ranks};
  for (const ReportRow& row : report.rows) {
    add_count(balance.ours_calls, row.ours_calls);
    balance.inside_s += row.rank_seconds / ranks;
    balance.uncovered_s += of_calls(row, uncovered()) / ranks;
    balance.rare_s += of_calls(row, {sentence(Cause::rare)}) / ranks;
    // Few calls are measured, so their mean may exceed what all calls took.
    if (row.late) balance.late_s += std::min(row.late->median_s * static_cast<double>(row.rank_calls), row.rank_seconds) / ranks;
    if (!row.vendor || !row.ours || row.ours_calls == 0) continue;
    add_count(balance.tried_calls, row.ours_calls);
    const double calls = static_cast<double>(row.ours_calls) * part_of_ranks(report, row);
    const Balance::Seconds gain{.median = (row.vendor->median_s - row.ours->median_s) * calls,
                                .least = (row.vendor->least_s - row.ours->most_s) * calls,
                                .most = (row.vendor->most_s - row.ours->least_s) * calls};
    if (gain.median >= 0)
      balance.saved += gain;
    else
      balance.lost += {.median = -gain.median, .least = -gain.most, .most = -gain.least};
  }
  return balance;
}

std::string balance_text(const RunReport& report) {
  const Balance balance = balance_of(report);
  std::string text = won(balance) + ".\n";
  if (balance.late_s > 0) text += fmt::format("Ranks waited {} for late ranks. ", seconds_words(balance.late_s));
  text += fmt::format("Calls that Quadrille does not cover took {}.\n", seconds_words(balance.uncovered_s));
  return text + "Next: " + next_command(report, balance) + '\n';
}

}  // namespace quadrille::mpi_face
