// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/balance.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mpi_face/policy/cause.hpp"
#include "mpi_face/report/report_words.hpp"

namespace quadrille::mpi_face {
namespace {

// The time of the row's calls that the MPI library ran for these reasons.
double of_calls(const ReportRow& row, const std::vector<std::string_view>& reasons) {
  Count calls = 0, all = 0;
  for (const PassedReason& each : row.passed) {
    add_count(all, each.calls);
    if (std::find(reasons.begin(), reasons.end(), each.why) != reasons.end()) add_count(calls, each.calls);
  }
  const double passed_s = std::max(row.rank_seconds - row.ours_rank_seconds, 0.0);
  return all > 0 ? passed_s * static_cast<double>(calls) / static_cast<double>(all) : 0;
}

// Adds the time that Quadrille saved or lost in those calls of the row that it ran.
void add_gain(Balance& balance, const ReportRow& row, double ranks) {
  if (!row.ratio || row.ours_calls == 0) return;
  const double late = row.rank_seconds > 0 ? row.late_rank_seconds / row.rank_seconds : 0;
  const double most_s = row.ours_rank_seconds / ranks, least_s = most_s * (1 - late);
  const auto gain = [](double seconds, double ratio) { return seconds * (1 / ratio - 1); };
  Balance::Range saved{gain(least_s, row.ratio->most), gain(most_s, row.ratio->least)};
  Balance::Range lost{-gain(least_s, row.ratio->least), -gain(most_s, row.ratio->most)};
  if (saved.least > 0)
    balance.saved += saved;
  else if (lost.least > 0)
    balance.lost += lost;
  add_count(saved.least > 0 || lost.least > 0 ? balance.tried_calls : balance.unclear_calls, row.ours_calls);
}

std::string range(const Balance::Range& seconds) {
  const std::string least = seconds_words(seconds.least), most = seconds_words(seconds.most);
  return least == most ? most : least + " to " + most;
}

std::string won(const Balance& balance) {
  if (balance.ours_calls == 0)
    return balance.own_s > 0 ? fmt::format("Quadrille ran no call, and spent {}", seconds_words(balance.own_s))
                             : "Quadrille ran no call";
  const std::string spent = fmt::format(", and spent {} on plans and trials", seconds_words(balance.own_s));
  if (balance.tried_calls == 0 && balance.unclear_calls == 0)
    return fmt::format("Quadrille ran {} calls, without a trial beside the MPI library's", count_words(balance.ours_calls)) + spent;
  if (balance.tried_calls == 0)
    return fmt::format("Quadrille ran {} calls; what it saved or lost is not measurable", count_words(balance.ours_calls)) + spent;
  std::string words = "Quadrille ";
  if (balance.saved.most > 0) words += "saved " + range(balance.saved);
  if (balance.lost.most > 0)
    words += (balance.saved.most > 0 ? ", lost " : "lost ") + range(balance.lost) + " in calls that took longer";
  if (balance.unclear_calls > 0)
    words += fmt::format(" (in {} other calls it is not measurable)", count_words(balance.unclear_calls));
  return words + spent;
}

std::string messages_text(const RunReport& report, const Balance& balance) {
  if (!report.sees_messages) return "Point-to-point calls were not counted; 'quadrille wrap' sees them.\n";
  if (report.message_share < told_share) return {};
  std::string words = fmt::format("Point-to-point calls took {}", seconds_words(balance.messages_s));
  constexpr std::size_t most_functions = 3;
  const auto ranks = static_cast<double>(std::max<std::size_t>(report.ranks.size(), 1));
  for (std::size_t i = 0; i < std::min(report.messages.size(), most_functions); ++i) {
    const ReportedMessages& each = report.messages[i];
    if (each.rank_seconds < 0.01 * ranks * balance.messages_s) break;
    words += fmt::format("{} {} in {} {}", i == 0 ? ":" : ",", seconds_words(each.rank_seconds / ranks),
                         count_words(each.rank_calls), each.function);
  }
  return words + ".\n";
}

std::string plural(std::size_t count, std::string_view word) {
  return fmt::format("{} {}{}", count_words(static_cast<Count>(count)), word, count == 1 ? "" : "s");
}

// Says where ranks seem to hang, if any do. They seem to hang if a call under way has lasted a second or more, and longer than
// every collective that has ended.
std::string hang(const RunReport& report) {
  constexpr double long_s = 1;
  const ReportedRank* longest = nullptr;
  for (const ReportedRank& rank : report.ranks)
    if (rank.inside_s >= long_s && (!longest || rank.inside_s > longest->inside_s)) longest = &rank;
  if (!longest) return {};
  for (const ReportedCall& call : report.costliest)
    if (call.seconds >= longest->inside_s) return {};
  std::size_t inside = 0;
  const ReportedRank* other = nullptr;  // a rank that may be waited for
  for (const ReportedRank& rank : report.ranks) {
    const bool is_inside = rank.function == longest->function && rank.communicator == longest->communicator;
    if (is_inside)
      ++inside;
    else if (rank.state == RankState::running && !other)
      other = &rank;
  }
  const ReportedRank& first = other ? *other : *longest;
  const std::string call = longest->communicator.empty() ? longest->function : longest->function + " on " + longest->communicator;
  return fmt::format("gdb -p {} (rank {} on {}; {} {} inside {} for up to {}{})", first.process, first.rank, first.host,
                     plural(inside, "rank"), inside == 1 ? "is" : "are", call, seconds_words(longest->inside_s),
                     other ? ", and this one is not" : "");
}

// Advice to a program whose messages take more time than its collectives.
std::string on_messages(const RunReport& report) {
  const ReportedMessages& first = report.messages.front();
  double all_s = 0;
  for (const ReportedMessages& each : report.messages) all_s += each.rank_seconds;
  const double share = all_s > 0 ? report.message_share * first.rank_seconds / all_s : 0;
  const std::string most = fmt::format("{} of the run is in MPI_{}", share_words(share), first.function);
  if (first.function.starts_with("Sendrecv"))
    return fmt::format(
        "call MPI_Alltoall where all ranks exchange blocks ({}, and Quadrille runs collectives only; FFTW plans with "
        "FFTW_MEASURE try MPI_Alltoall)",
        most);
  return fmt::format(
      "quadrille wrap --record {} ({}, and Quadrille runs collectives only; a recording says how long which calls wait)",
      report.program.empty() ? "PROGRAM" : report.program, most);
}

// The row with the longest time among the rows whose trial costs more than may be spent.
const ReportRow* too_dear(const RunReport& report) {
  for (const ReportRow& row : report.rows)
    if (row.trial_s > 0 && of_calls(row, {sentence(Cause::too_dear)}) > 0) return &row;
  return nullptr;
}

std::string next_command(const RunReport& report, const Balance& balance) {
  const std::string program = report.program.empty() ? "PROGRAM" : report.program;
  constexpr double hardly = 0.02;
  if (const std::string where = hang(report); !where.empty()) return where;
  if (report.message_share > std::max(report.share, hardly)) return on_messages(report);
  if (report.share < hardly) return "nothing: the program spends hardly any time in collectives";
  if (balance.saved.most - balance.lost.least - balance.own_s < 0 && balance.tried_calls > 0)
    return fmt::format("quadrille wrap --off {} (Quadrille has not paid in this run; a longer one may)", program);
  if (balance.late_s > 0.5 * balance.inside_s)
    return "quadrille report --full (ranks that spend least time in collectives are those that others wait for)";
  if (balance.untried_s > 0.5 * balance.inside_s) {
    const ReportRow* const dear = too_dear(report);
    if (!dear) return fmt::format("quadrille wrap --tune=2% --report {} (races candidates for calls that come rarely)", program);
    return fmt::format("quadrille wrap --choose=RULES {} (a rule needs no trial; one of {}, {} of the run, would cost {})", program,
                       dear->collective, share_words(dear->share), seconds_words(dear->trial_s));
  }
  return "quadrille report --full (every row, with its reasons)";
}

}  // namespace

Balance balance_of(const RunReport& report) {
  const auto ranks = static_cast<double>(std::max<std::size_t>(report.ranks.size(), 1));
  Balance balance{.own_s = report.own_rank_seconds / ranks};
  for (const ReportRow& row : report.rows) {
    add_count(balance.ours_calls, row.ours_calls);
    balance.inside_s += row.rank_seconds / ranks;
    balance.uncovered_s += of_calls(row, uncovered()) / ranks;
    balance.untried_s += of_calls(row, untried()) / ranks;
    balance.late_s += row.late_rank_seconds / ranks;
    add_gain(balance, row, ranks);
  }
  for (const ReportedMessages& each : report.messages) balance.messages_s += each.rank_seconds / ranks;
  return balance;
}

std::string balance_text(const RunReport& report) {
  const Balance balance = balance_of(report);
  std::string text = won(balance) + ".\n" + messages_text(report, balance);
  if (balance.late_s > 0) text += fmt::format("Ranks waited {} for late ranks. ", seconds_words(balance.late_s));
  text += fmt::format("Collectives that Quadrille does not cover took {}.\n", seconds_words(balance.uncovered_s));
  return text + "Next: " + next_command(report, balance) + '\n';
}

}  // namespace quadrille::mpi_face
