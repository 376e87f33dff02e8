// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "foundation/arithmetic.hpp"
#include "foundation/system/proc.hpp"
#include "foundation/system/ticks.hpp"
#include "foundation/text/wording.hpp"
#include "mpi_face/report/record_layout.hpp"
#include "mpi_face/symbols/function.hpp"
#include "quadrille/error.hpp"
#include "tune/median.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr Count most_ranks_listed = 2048;
constexpr std::size_t most_missing_listed = 1000, most_costly_calls = 4096;

Count as_count(std::uint64_t number) { return static_cast<Count>(number); }

// What a rank knows of trials. All ranks that took part in a trial know the same.
std::optional<MeasuredRatio> ratio_of(const RankRecord& record, const Counters& counters) {
  const std::uint64_t count = std::min(counters.vendor.count, counters.ours.count);
  std::vector<double> ratios, vendors;
  for (std::size_t i = 0; i < std::min<std::uint64_t>(count, TickSamples::kept); ++i) {
    if (counters.vendor.ticks[i] == 0 || counters.ours.ticks[i] == 0) continue;
    ratios.push_back(static_cast<double>(counters.ours.ticks[i]) / static_cast<double>(counters.vendor.ticks[i]));
    vendors.push_back(record.seconds(counters.vendor.ticks[i]));
  }
  if (ratios.empty()) return std::nullopt;
  const Spread spread = spread_of(std::move(ratios));
  return MeasuredRatio{.median = spread.median,
                       .least = spread.lower,
                       .most = spread.upper,
                       .vendor_s = median_of(std::move(vendors)),
                       .samples = as_count(count)};
}

struct Sum {
  ReportRow row;
  double late_s = 0, late_calls_s = 0;  // of the calls before which late ranks were measured
};

// Bytes that a rank sent on a communicator by regular collectives: to each member, as the root to others, and from others to the
// root.
struct Sent {
  std::uint64_t to_each = 0, from_root = 0, to_root = 0;
};

bool is_one_of(std::string_view function, std::initializer_list<std::string_view> some) {
  return std::find(some.begin(), some.end(), function) != some.end();
}

bool is_message_function(std::string_view function) {
  return std::find(message_function_names.begin(), message_function_names.end(), function) != message_function_names.end();
}

// Facts about a function that the report needs: the name of its blocking form, such as "Alltoall" for "Ialltoall".
struct FunctionFacts {
  std::string_view form;
  bool is_of_neighbours = false;

  explicit FunctionFacts(std::string_view function) : form(function) {
    const std::optional<Function> known = function_named(function);
    if (!known) return;
    form = short_name(blocking_form(*known));
    is_of_neighbours = is_neighbourhood(*known);
  }
  bool is_irregular() const { return form.ends_with('v') || form.ends_with('w'); }
  bool has_sizes() const { return form != "Alltoallw" && !(is_of_neighbours && is_irregular()); }
};

void add_sent(Sent& sent, const FunctionFacts& function, const Counters& counters) {
  if (function.is_of_neighbours) return;
  if (is_one_of(function.form, {"Alltoall", "Allgather"})) sent.to_each += counters.bytes;
  if (is_one_of(function.form, {"Bcast", "Scatter"})) sent.from_root += counters.root_bytes;
  if (is_one_of(function.form, {"Gather", "Reduce"})) sent.to_root += counters.root_bytes;
}

class Merging {
 public:
  explicit Merging(const RankRecord& first) : host_(host_name()) {
    const RecordHeader& header = first.header;
    report_.program = words_of(header.program);
    report_.mpi = words_of(header.mpi);
    report_.thread_level = words_of(header.thread_level);
    report_.version = words_of(header.version_text);
    report_.world_size = header.world_size;
    report_.sees_messages = header.sees_messages != 0;
    report_.start_unix_ns = header.start_unix_ns;
    if (lists_ranks()) report_.traffic.resize(static_cast<std::size_t>(header.world_size * header.world_size));
  }

  void add(const RankRecord& record) {
    const std::vector<int> numbers = add_communicators(record);
    ReportedRank rank = status_of(record, numbers);
    std::map<int, Sent> sent;
    for (const Counters& counters : record.counters) {
      const std::uint64_t calls = counters.ours_calls + counters.passed_calls;
      if (calls == 0) continue;
      if (is_message_function(record.functions[static_cast<std::size_t>(counters.function)])) {
        rank.message_seconds += add_messages(record, counters);
        continue;
      }
      const int communicator = counters.communicator < 0 ? -1 : numbers[static_cast<std::size_t>(counters.communicator)];
      rank.collective_seconds += record.seconds(counters.ours_ticks) + record.seconds(counters.passed_ticks);
      add_counters(record, counters, communicator, calls);
      add_sent(sent[counters.communicator], FunctionFacts(record.functions[static_cast<std::size_t>(counters.function)]), counters);
    }
    add_call_under_way(record, rank, numbers);
    if (lists_ranks()) add_traffic(record, sent);
    if (std::find(report_.hosts.begin(), report_.hosts.end(), rank.host) == report_.hosts.end()) report_.hosts.push_back(rank.host);
    add_costliest(record, numbers);
    report_.most_heap_bytes = std::max(report_.most_heap_bytes, static_cast<Bytes>(record.header.heap_bytes));
    add_count(report_.lent, static_cast<Count>(record.header.lent));
    if (report_.why_no_heap.empty()) report_.why_no_heap = words_of(record.header.why_no_heap);
    report_.own_rank_seconds += record.seconds(record.header.own_ticks);
    report_.start_unix_ns = std::min(report_.start_unix_ns, record.header.start_unix_ns);
    report_.ranks.push_back(std::move(rank));
  }

  RunReport finished() {
    double all = 0, inside = 0, in_messages = 0;
    std::set<Rank> found;
    for (const ReportedRank& rank : report_.ranks) {
      all += rank.seconds;
      inside += rank.collective_seconds;
      in_messages += rank.message_seconds;
      report_.seconds = std::max(report_.seconds, rank.seconds);
      found.insert(rank.rank);
    }
    if (all > 0) report_.share = inside / all;
    if (all > 0) report_.message_share = in_messages / all;
    if (all > 0) report_.own_share = report_.own_rank_seconds / all;
    report_.missing_ranks = report_.world_size - static_cast<Count>(found.size());
    for (Rank rank = 0; rank < report_.world_size && report_.missing.size() < most_missing_listed; ++rank)
      if (!found.contains(rank)) report_.missing.push_back(rank);
    finish_costliest();
    for (auto& [key, sum] : sums_) {
      ReportRow& row = sum.row;
      if (all > 0) row.share = row.rank_seconds / all;
      if (sum.late_calls_s > 0) row.late_rank_seconds = row.rank_seconds * std::min(sum.late_s / sum.late_calls_s, 1.0);
      report_.rows.push_back(std::move(row));
    }
    for (auto& [function, messages] : messages_) {
      messages.function = function;
      report_.messages.push_back(messages);
    }
    std::stable_sort(report_.messages.begin(), report_.messages.end(),
                     [](const auto& a, const auto& b) { return a.rank_seconds > b.rank_seconds; });
    std::stable_sort(report_.rows.begin(), report_.rows.end(),
                     [](const ReportRow& a, const ReportRow& b) { return a.rank_seconds > b.rank_seconds; });
    return std::move(report_);
  }

 private:
  bool lists_ranks() const { return report_.world_size <= most_ranks_listed; }

  std::vector<Rank> members_of(const RankRecord& record, const RecordCommunicator& communicator) const {
    std::vector<Rank> members;
    if (!lists_ranks() || communicator.is_shared) return members;
    for (std::uint32_t i = 0; i < communicator.runs; ++i) {
      const RecordRun& run = record.runs[communicator.first_run + i];
      for (std::int64_t k = 0; k < run.count; ++k) members.push_back(run.first + k * run.stride);
    }
    if (static_cast<Count>(members.size()) > report_.world_size) members.clear();
    return members;
  }

  // Matches a rank's communicators with those of other ranks. If communicators have the same members, the order in which the rank
  // first used them distinguishes them.
  std::vector<int> add_communicators(const RankRecord& record) {
    std::map<std::string, int> ordinals;
    std::vector<int> numbers;
    for (const RecordCommunicator& each : record.communicators) {
      std::string key = fmt::format("{} {} {:x}", each.ranks, each.is_shared, each.is_shared ? 0 : each.members_hash);
      if (each.runs == 0) key += words_of(each.name);
      if (each.ranks == 1)
        key = "one";
      else
        key += fmt::format(" {}", ordinals[key]++);
      const auto [found, is_new] = communicators_.try_emplace(key, static_cast<int>(report_.communicators.size()));
      if (is_new) report_.communicators.push_back({});
      ReportedCommunicator& communicator = report_.communicators[static_cast<std::size_t>(found->second)];
      if (communicator.name.empty()) communicator.name = words_of(each.name);
      communicator.ranks = each.ranks;
      communicator.made = std::max(communicator.made, as_count(each.made));
      if (is_new && each.ranks > 1) communicator.members = members_of(record, each);
      numbers.push_back(found->second);
    }
    return numbers;
  }

  ReportedRank status_of(const RankRecord& record, const std::vector<int>& numbers) const {
    const RecordHeader& header = record.header;
    ReportedRank rank{
        .rank = header.world_rank, .host = std::string(words_of(header.host)), .path = record.path, .process = header.process};
    const bool is_here = rank.host == host_;
    rank.state = record.has_ended()  ? RankState::ended
                 : record.is_running ? RankState::running
                 : is_here           ? RankState::died
                                     : RankState::unknown;
    const auto since_start = [&](std::uint64_t ticks) {
      return ticks < header.start_ticks ? 0 : record.seconds(ticks - header.start_ticks);
    };
    const bool runs_here = rank.state == RankState::running && is_here;
    const std::uint64_t last = std::max(header.last_ticks, header.in_since);
    rank.seconds = since_start(runs_here ? std::max(last, ticks()) : last);
    rank.entered_s = since_start(header.in_since);
    if (rank.state == RankState::ended || header.in_call == 0) return rank;
    rank.function = record.functions[(header.in_call & 0xFFFFFFFFu) - 1];
    const std::uint64_t communicator = header.in_call >> 32;
    if (communicator < numbers.size())
      rank.communicator = report_.communicators[static_cast<std::size_t>(numbers[communicator])].label();
    if (runs_here) rank.inside_s = rank.seconds - rank.entered_s;
    return rank;
  }

  // Adds calls that are no collectives, and returns their seconds.
  double add_messages(const RankRecord& record, const Counters& counters) {
    if (!record.header.sees_messages) return 0;  // only those that complete requests are counted
    ReportedMessages& messages = messages_[record.functions[static_cast<std::size_t>(counters.function)]];
    add_count(messages.rank_calls, as_count(counters.passed_calls));
    const double seconds = record.seconds(counters.passed_ticks);
    messages.rank_seconds += seconds;
    return seconds;
  }

  // Counts the time in the call that the rank is in, as for calls that have ended.
  void add_call_under_way(const RankRecord& record, ReportedRank& rank, const std::vector<int>& numbers) {
    if (rank.inside_s <= 0) return;
    if (is_message_function(rank.function)) {
      rank.message_seconds += rank.inside_s;
      messages_[rank.function].rank_seconds += rank.inside_s;
      return;
    }
    rank.collective_seconds += rank.inside_s;
    const std::uint64_t number = record.header.in_call >> 32;
    const int communicator = number < numbers.size() ? numbers[number] : -1;
    ReportRow& row = sums_[{communicator, rank.function, size_classes + 1}].row;
    row.collective = rank.function;
    row.communicator = communicator;
    row.has_sizes = false;
    row.calls = 1;
    ++row.ranks_inside, ++row.rank_calls;
    row.rank_seconds += rank.inside_s;
    row.most_seconds = std::max(row.most_seconds, rank.inside_s);
  }

  void add_counters(const RankRecord& record, const Counters& counters, int communicator, std::uint64_t calls) {
    const std::string& function = record.functions[static_cast<std::size_t>(counters.function)];
    Sum& sum = sums_[{communicator, function, counters.is_others ? size_classes : counters.size_class}];
    ReportRow& row = sum.row;
    const FunctionFacts facts(function);
    const bool is_irregular = counters.is_others || facts.is_irregular();
    row.collective = function;
    row.has_sizes = facts.has_sizes();
    row.communicator = communicator;
    if (is_irregular) {
      row.most_block = -1;
      add_count(row.block_bytes, as_count(counters.bytes));
    } else {
      row.least_block = counters.size_class == 0 ? 0 : Bytes{1} << (counters.size_class - 1);
      row.most_block = counters.size_class == 0 ? 0 : as_count((std::uint64_t{1} << counters.size_class) - 1);
    }
    // Only the communicator's first rank knows the cost of a trial, so this rank is preferred to ranks with as many calls.
    const double trial_s = record.seconds(counters.trial_ticks);
    if (as_count(calls) > row.calls || (as_count(calls) == row.calls && trial_s > 0)) {
      row.calls = as_count(calls);
      row.ours_calls = as_count(counters.ours_calls);
      if (!is_irregular) row.block_bytes = as_count(counters.bytes);
      row.trial_s = trial_s;
      row.passed.clear();
      for (std::size_t i = 0; i < std::size(counters.passed); ++i) {
        const PassedCalls& passed = counters.passed[i];
        const bool is_last = i + 1 == std::size(counters.passed);
        if (passed.calls > 0) row.passed.push_back({record.reasons[is_last ? 0 : passed.reason], as_count(passed.calls)});
      }
    }
    const double seconds = record.seconds(counters.ours_ticks) + record.seconds(counters.passed_ticks);
    row.rank_seconds += seconds;
    row.ours_rank_seconds += record.seconds(counters.ours_ticks);
    row.most_seconds = std::max(row.most_seconds, seconds);
    add_count(row.rank_calls, as_count(calls));
    if (row.what.empty()) {
      row.what = words_of(counters.what);
      row.why = words_of(counters.why);
    }
    sum.late_s += record.seconds(counters.late_ticks);
    sum.late_calls_s += record.seconds(counters.late_call_ticks);
    row.late_samples = std::max(row.late_samples, as_count(counters.late_samples));
    const std::optional<MeasuredRatio> ratio = ratio_of(record, counters);
    if (ratio && (!row.ratio || ratio->samples > row.ratio->samples)) row.ratio = ratio;
  }

  // Sets begin_s from the start of the rank; finish_costliest makes it count from the start of the run.
  void add_costliest(const RankRecord& record, const std::vector<int>& numbers) {
    const RecordHeader& header = record.header;
    start_of_rank_[header.world_rank] = header.start_unix_ns;
    for (const CostlyCall& call : record.costliest) {
      const std::string& function = record.functions[static_cast<std::size_t>(call.function)];
      const FunctionFacts facts(function);
      report_.costliest.push_back(
          {.rank = header.world_rank,
           .begin_s = record.seconds(call.begin_ticks - header.start_ticks),
           .seconds = record.seconds(call.ticks),
           .collective = function,
           .communicator = call.communicator < 0 ? -1 : numbers[static_cast<std::size_t>(call.communicator)],
           .bytes = as_count(call.bytes),
           .has_sizes = facts.has_sizes(),
           .is_irregular = facts.is_irregular(),
           .is_ours = call.is_ours != 0});
    }
  }

  void finish_costliest() {
    std::vector<ReportedCall>& calls = report_.costliest;
    std::stable_sort(calls.begin(), calls.end(),
                     [](const ReportedCall& a, const ReportedCall& b) { return a.seconds > b.seconds; });
    calls.resize(std::min(calls.size(), most_costly_calls));
    std::sort(calls.begin(), calls.end(), [](const ReportedCall& a, const ReportedCall& b) {
      return std::tuple(a.rank, a.begin_s) < std::tuple(b.rank, b.begin_s);
    });
    for (ReportedCall& call : calls) {
      Count later_ns = start_of_rank_.at(call.rank);
      add_count(later_ns, -static_cast<Count>(report_.start_unix_ns));
      call.begin_s += 1e-9 * static_cast<double>(later_ns);
    }
  }

  void add_traffic(const RankRecord& record, const std::map<int, Sent>& sent) {
    const Rank self = record.header.world_rank;
    const auto between = [&](Rank from, Rank to) -> std::uint64_t& {
      return report_.traffic[static_cast<std::size_t>(from * report_.world_size + to)];
    };
    for (const auto& [to, bytes] : record.traffic) between(self, to) += bytes;
    for (const auto& [number, amount] : sent) {
      if (number < 0 || (amount.to_each == 0 && amount.from_root == 0 && amount.to_root == 0)) continue;
      for (const Rank other : members_of(record, record.communicators[static_cast<std::size_t>(number)])) {
        if (other == self) continue;
        between(self, other) += amount.to_each + amount.from_root;
        between(other, self) += amount.to_root;
      }
    }
  }

  std::string host_;
  RunReport report_;
  std::map<std::string, int> communicators_;
  std::map<Rank, std::int64_t> start_of_rank_;  // Unix time in ns
  std::map<std::tuple<int, std::string, std::uint32_t>, Sum> sums_;
  std::map<std::string, ReportedMessages> messages_;  // by function
};

bool is_of_run(const RankRecord& record, const RankRecord& wanted) {
  const bool has_its_program = record.header.run != 0 || words_of(record.header.program) == words_of(wanted.header.program);
  return record.header.run == wanted.header.run && record.header.world_size == wanted.header.world_size && has_its_program;
}

void read_folder(const std::string& folder, std::vector<RankRecord>& records, std::vector<std::string>& remarks) {
  std::vector<std::string> files;
  std::error_code error;
  for (std::filesystem::directory_iterator each(folder, error), end; !error && each != end; each.increment(error))
    files.push_back(each->path().string());
  if (error) throw Error(ErrorCode::environment, fmt::format("the folder '{}' cannot be read: {}", folder, error.message()));
  std::sort(files.begin(), files.end());
  bool found = false;
  for (const std::string& file : files) {
    if (!looks_like_record(file)) continue;
    found = true;
    try {
      records.push_back(read_record(file));
    } catch (const Error& wrong) {
      remarks.emplace_back(wrong.what());
    }
  }
  if (!found) throw Error(ErrorCode::malformed, fmt::format("there are no counters in the folder '{}'", folder));
}

}  // namespace

std::string ReportedCommunicator::label() const {
  if (!name.empty()) return name;
  if (ranks == 0) return "several sizes";
  return counted(ranks, "rank");
}

RunReport merged(std::vector<RankRecord> records, std::uint64_t run) {
  if (records.empty()) throw Error(ErrorCode::misuse, "there are no counters to report");
  const auto last = std::max_element(records.begin(), records.end(), [run](const RankRecord& a, const RankRecord& b) {
    const auto key = [run](const RankRecord& each) {
      return std::tuple(run != 0 && each.header.run == run, each.header.start_unix_ns);
    };
    return key(a) < key(b);
  });
  const auto of_run = [wanted = *last](const RankRecord& each) { return is_of_run(each, wanted); };
  const auto others = std::stable_partition(records.begin(), records.end(), of_run);
  const Count other_runs = std::distance(others, records.end());
  records.erase(others, records.end());
  // If a rank occurs twice, keep the record that began last.
  std::sort(records.begin(), records.end(), [](const RankRecord& a, const RankRecord& b) {
    return std::tuple(a.header.world_rank, b.header.start_unix_ns) < std::tuple(b.header.world_rank, a.header.start_unix_ns);
  });
  const auto same_rank = [](const RankRecord& a, const RankRecord& b) { return a.header.world_rank == b.header.world_rank; };
  records.erase(std::unique(records.begin(), records.end(), same_rank), records.end());
  Merging merging(records.front());
  for (const RankRecord& record : records) merging.add(record);
  RunReport report = merging.finished();
  report.other_runs = other_runs;
  return report;
}

RunReport read_run(std::span<const std::string> places, std::uint64_t run) {
  std::vector<RankRecord> records;
  std::vector<std::string> remarks;
  for (const std::string& place : places) {
    std::error_code ignored;
    if (std::filesystem::is_directory(place, ignored))
      read_folder(place, records, remarks);
    else
      records.push_back(read_record(place));
  }
  if (records.empty() && !remarks.empty()) throw Error(ErrorCode::malformed, remarks.front());
  RunReport report = merged(std::move(records), run);
  report.remarks = std::move(remarks);
  return report;
}

}  // namespace quadrille::mpi_face
