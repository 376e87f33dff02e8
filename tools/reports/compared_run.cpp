// SPDX-License-Identifier: BSD-3-Clause
#include "reports/compared_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "projection/call_problem.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/recording.hpp"
#include "quadrille/vendor_choice.hpp"
#include "recording/totals.hpp"
#include "reports/result_file.hpp"
#include "tune/median.hpp"
#include "tune/rules/vendor_switch.hpp"

namespace quadrille::command {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_samples = 9;

double& part(ComparedRun& run, RunPart part) { return run.parts[static_cast<std::size_t>(part)]; }

std::optional<Collective> collective_of(std::string_view function) {
  const auto form = projection::form_of(function);
  return form ? std::optional(form->collective) : std::nullopt;
}

std::string on_words(const std::string& name, Count ranks) {
  return name.empty()               ? counted(ranks, "rank")
         : name == "MPI_COMM_WORLD" ? name
                                    : fmt::format("{}, {}", name, counted(ranks, "rank"));
}

// Turns a recording into rows. The n-th blocking collectives of all members of a communicator are one call. In a call in which all
// ranks wait for all others, the last rank to enter waits least, so its time is that of the collective, and what other ranks
// spend beyond is waiting.
class RecordedRun {
 public:
  explicit RecordedRun(const Recording& recording) : recording_(recording), calls_(recording.communicators.size()) {
    for (const RecordedSite& site : recording.sites) row_of_site_.push_back(row_of(site));
    nodes_.resize(index(recording.world_size));
    for (const RecordedRank& rank : recording.ranks) {
      nodes_[index(rank.rank)] = hosts_.try_emplace(rank.host, static_cast<Count>(hosts_.size())).first->second;
      add(rank);
    }
  }

  ComparedRun run() {
    ComparedRun run{.program = recording_.program,
                    .mpi = recording_.mpi,
                    .ranks = recording_.world_size,
                    .hosts = static_cast<Count>(hosts_.size()),
                    .is_recording = true,
                    .settings = recording_.settings};
    const auto ranks = static_cast<double>(recording_.ranks.size());
    for (std::size_t communicator = 0; communicator < calls_.size(); ++communicator)
      for (const Call& call : calls_[communicator]) take(call, recording_.communicators[communicator]);
    for (auto& [key, row] : rows_) {
      if (row.calls.calls == 0) continue;
      row.calls.calls /= ranks, row.calls.late_s /= ranks;
      row.calls.usual_s = usual(row.own_s);
      row.calls.samples_s = usual_in_parts(row.own_s);
      row.calls.algorithm = algorithm_of(row);
      part(run, RunPart::collectives) += row.calls.calls * row.calls.usual_s;
      part(run, RunPart::late) += row.calls.late_s;
      run.calls[key] = std::move(row.calls);
    }
    using recording::TimePart;
    const recording::PartSeconds sums = recording::totals(recording_);
    const auto mean = [&](TimePart each) { return sums[static_cast<std::size_t>(each)] / ranks; };
    part(run, RunPart::irregular) = mean(TimePart::collectives) - part(run, RunPart::collectives) - part(run, RunPart::late);
    part(run, RunPart::computing) = mean(TimePart::computing), part(run, RunPart::away) = mean(TimePart::away);
    part(run, RunPart::messages) = mean(TimePart::point_to_point), part(run, RunPart::making) = mean(TimePart::making);
    for (const double seconds : run.parts) run.seconds += seconds;
    return run;
  }

 private:
  struct Row {
    ComparedCalls calls;
    bool is_synchronising = false;
    std::vector<double> own_s;         // of each call
    std::size_t communicator = 0;      // of the first blocking call
    std::size_t number = 0;            // of this call on the communicator
    std::vector<std::uint32_t> sites;  // of its members that were seen
  };
  struct Call {
    Row* row = nullptr;
    double sum_s = 0, least_s = 0;  // of the members' durations
    std::size_t members = 0;
  };

  Row* row_of(const RecordedSite& site) {
    const RecordedCommunicator& communicator = recording_.communicators[site.communicator];
    const auto collective = collective_of(site.function);
    std::string function = site.function;
    if (!site.operation.empty()) function += fmt::format(" ({} {})", site.operation, site.type);
    if (site.kind == RecordedKind::completion) function += ": waiting";
    const std::string block = !site.counts.empty() ? "counts" : site.block_bytes > 0 ? bytes_text(site.block_bytes) : "";
    const std::string on = on_words(communicator.name, static_cast<Count>(communicator.members.size()));
    Row& row = rows_[{function, block, on}];
    row.calls.collective = collective;
    row.is_synchronising =
        site.kind == RecordedKind::collective && !communicator.is_inter && collective && all_depend_on_all(*collective);
    return &row;
  }

  void add(const RecordedRank& rank) {
    std::vector<std::size_t> made(calls_.size());  // blocking calls of this rank on each communicator
    RecordedCalls entries(rank);
    while (const auto entry = entries.next()) {
      const RecordedSite& site = recording_.sites[entry->site];
      if (recording::part_of(site.kind) != recording::TimePart::collectives) continue;
      Row& row = *row_of_site_[entry->site];
      ++row.calls.calls;
      if (site.kind != RecordedKind::collective) {
        row.own_s.push_back(entry->duration_s);
        continue;
      }
      std::vector<Call>& calls = calls_[site.communicator];
      const std::size_t number = made[site.communicator]++;
      if (number == calls.size()) calls.push_back({&row, 0, entry->duration_s});
      Call& call = calls[number];
      ++call.members, call.sum_s += entry->duration_s, call.least_s = std::min(call.least_s, entry->duration_s);
      if (row.sites.empty()) row.communicator = site.communicator, row.number = number;
      if (row.communicator == site.communicator && row.number == number) row.sites.push_back(entry->site);
    }
  }

  void take(const Call& call, const RecordedCommunicator& communicator) {
    const auto members = static_cast<double>(call.members);
    const bool tells_late = call.row->is_synchronising && call.members == communicator.members.size();
    const double own_s = tells_late ? call.least_s : call.sum_s / members;
    call.row->own_s.push_back(own_s);
    call.row->calls.late_s += call.sum_s - own_s * members;
  }

  // The median: what delays single calls, such as other programs, is no fact about an algorithm.
  static double usual(std::vector<double> values) { return std::max(median(std::move(values)), 1e-9); }

  static std::vector<double> usual_in_parts(const std::vector<double>& values) {
    std::vector<double> all;
    const auto at = [&, parts = std::min(most_samples, values.size())](std::size_t part) {
      return values.begin() + static_cast<std::ptrdiff_t>(part * values.size() / parts);
    };
    for (std::size_t i = 0; i < std::min(most_samples, values.size()); ++i) all.push_back(usual({at(i), at(i + 1)}));
    return all;
  }

  // Returns what the settings force, or else what the library takes by its rules. The sites of the members are in the order of the
  // ranks of the world, so they are those of the members only if the communicator has this order, too.
  std::string algorithm_of(const Row& row) const {
    if (!row.calls.collective || row.sites.empty()) return {};
    const std::string forced = forced_algorithm({recording_.mpi, recording_.settings}, *row.calls.collective);
    if (!forced.empty()) return forced;
    const auto library = vendor_library_of(recording_.mpi);
    const auto& members = recording_.communicators[row.communicator].members;
    if (!library || row.sites.size() != members.size() || !std::is_sorted(members.begin(), members.end())) return {};
    std::vector<Count> nodes;
    for (const Rank member : members) nodes.push_back(nodes_[index(member)]);
    try {
      const auto problem = projection::problem_of_call(recording_, row.sites, std::move(nodes));
      if (problem) return vendor_algorithm(library->id, *problem).value_or("");
    } catch (const Error&) {  // the library, whose rules are read from its file, is not installed
    }
    return {};
  }

  const Recording& recording_;
  std::map<std::string, Count> hosts_;
  std::vector<Count> nodes_;  // by rank
  std::map<CallKey, Row> rows_;
  std::vector<Row*> row_of_site_;
  std::vector<std::vector<Call>> calls_;  // blocking calls of each communicator
};

// The text of a member that may be null.
std::string text_in(const Json& json, const char* key) { return json.at(key).is_null() ? "" : json.at(key).get<std::string>(); }

void add_row(ComparedRun& run, const Json& json, const Json& communicators, double ranks) {
  const auto function = json.at("collective").get<std::string>();
  std::string block, on;
  if (!json.at("least_block_bytes").is_null()) {
    const auto least = json["least_block_bytes"].get<Bytes>(), most = json.at("most_block_bytes").get<Bytes>();
    block = least == most ? bytes_text(least) : fmt::format("{} to {}", bytes_text(least), bytes_text(most));
  }
  if (!json.at("communicator").is_null()) {
    const Json& of = communicators.at(json["communicator"].get<std::size_t>());
    on = on_words(text_in(of, "name"), of.at("ranks").is_null() ? 0 : of["ranks"].get<Count>());
  }
  ComparedCalls& row = run.calls[{function, block, on}];
  const double calls = json.at("rank_calls").get<double>() / ranks, seconds = json.at("rank_seconds").get<double>() / ranks,
               late_s = json.at("late").is_null() ? 0 : json["late"].at("mean_s").get<double>() * calls;
  row.collective = collective_of(function);
  row.calls += calls, row.late_s += late_s;
  row.usual_s = std::max((seconds - late_s) / std::max(calls, 1e-9), 1e-9);
  if (const auto ours = json.at("ours_calls").get<double>(); ours > 0)
    row.algorithm = fmt::format("{} ({:.0f} %)", text_in(json, "what"), 100 * ours / std::max(json.at("calls").get<double>(), 1.0));
  part(run, RunPart::collectives) += seconds - late_s;
  part(run, RunPart::late) += late_s;
}

ComparedRun reported_run(const Json& json) {
  ComparedRun run{.program = json.at("program").get<std::string>(),
                  .mpi = json.at("mpi").get<std::string>(),
                  .ranks = json.at("world_size").get<Count>(),
                  .hosts = static_cast<Count>(json.at("hosts").size())};
  const auto ranks = static_cast<double>(json.at("ranks").size());
  demand(ranks > 0, "it has no ranks");
  for (const Json& rank : json["ranks"]) run.seconds += rank.at("seconds").get<double>() / ranks;
  for (const Json& row : json.at("rows"))
    if (row.at("ranks_inside").get<Count>() == 0) add_row(run, row, json.at("communicators"), ranks);
  for (const Json& each : json.at("messages")) part(run, RunPart::messages) += each.at("rank_seconds").get<double>() / ranks;
  part(run, RunPart::making) = json.at("own_rank_seconds").get<double>() / ranks;
  double known_s = 0;
  for (const double seconds : run.parts) known_s += seconds;
  part(run, RunPart::computing) = run.seconds - known_s;
  return run;
}

bool is_recording(const fs::path& place) {
  std::error_code none;
  return fs::exists(place / "rank-0.recording", none);
}

// Pipes are no reports, because they can be read once only.
bool is_report(const fs::path& place) {
  std::error_code none;
  if (!fs::is_regular_file(place, none) || place.extension() != ".json") return false;
  const Json json = read_json(place);
  return json.is_object() && json.value("format", Json()) == "quadrille-report";
}

// The runs at a place: it itself, or those in the folder.
std::vector<fs::path> runs_at(const fs::path& place) {
  std::vector<fs::path> found;
  std::error_code none;
  if (is_recording(place) || is_report(place)) return {place};
  for (const auto& each : fs::directory_iterator(place, none))
    if (is_recording(each.path()) || is_report(each.path())) found.push_back(each.path());
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string_view name(RunPart part) {
  static constexpr std::string_view names[run_parts] = {
      "in collectives",        "in collectives, irregular", "waiting for late ranks",        "computing",
      "away from a processor", "in point-to-point calls",   "making communicators and plans"};
  return names[static_cast<std::size_t>(part)];
}

bool is_of_runs(const std::string& place) { return place != "-" && !runs_at(place).empty(); }

std::vector<ComparedRun> read_runs(const std::string& place) {
  std::vector<ComparedRun> runs;
  for (const fs::path& each : runs_at(place)) {
    if (is_recording(each))
      runs.push_back(RecordedRun(read_recording(each)).run());
    else
      runs.push_back(read_result(each, "'quadrille wrap --report=full:FILE'", [&] { return reported_run(read_json(each)); }));
    runs.back().place = each;
  }
  return runs;
}

}  // namespace quadrille::command
