// SPDX-License-Identifier: BSD-3-Clause
// quadrille wisdom show: prints files of wisdom as tables, or as JSON.
#include <fmt/format.h>

#include <algorithm>

#include "foundation/text/wording.hpp"
#include "options/arguments.hpp"
#include "quadrille/algorithm.hpp"
#include "reports/way_json.hpp"
#include "subcommands/subcommand.hpp"
#include "subcommands/wisdom.hpp"
#include "support/json.hpp"
#include "support/output.hpp"
#include "support/talk.hpp"
#include "support/text.hpp"

namespace quadrille::command {
namespace {

using Chosen = std::vector<Collective>;  // empty: all

bool is_chosen(const Chosen& chosen, Collective collective) {
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), collective) != chosen.end();
}

std::string_view name(Combining combining) {
  static constexpr ByEnum<Combining, std::string_view, 3> names{{"any_order", "rank_order", "fixed_tree"}};
  return names[combining];
}

std::string range_text(Count least, Count most) {
  return least == most ? std::to_string(least) : fmt::format("{}..{}", least, most);
}

std::string on_nodes(Count nodes) { return nodes == 1 ? "" : fmt::format(" on {} nodes", nodes); }

// Returns the collective and the other facts that distinguish its situation.
std::string kind_text(const Situation& situation) {
  std::string text{name(situation.collective)};
  if (!situation.counts_known) text += ", own counts";
  if (situation.skew > 1) text += fmt::format(", skew {}", situation.skew);
  if (situation.sparsity > 1) text += fmt::format(", sparsity {}", situation.sparsity);
  if (situation.irregularity > 1) text += fmt::format(", irregularity {}", situation.irregularity);
  if (situation.combining != Combining::any_order) text += fmt::format(", {}", name(situation.combining));
  return text;
}

const Timing* vendor_timing(const WisdomRecord& record) {
  for (const WisdomEntry& entry : record.entries)
    if (names_vendor(entry.way.algorithm)) return &entry.timing;
  return nullptr;
}

std::string races_text(const Wisdom& wisdom, const Chosen& chosen) {
  Table table({{"collective"},
               {"ranks", Align::right},
               {"also for", Align::right},
               {"block", Align::right},
               {"speaks for", Align::right},
               {"best"},
               {"time", Align::right},
               {"interval", Align::right},
               {"times MPI's", Align::right},
               {"launches", Align::right},
               {"date"}});
  bool any = false;
  for (const WisdomRecord& record : wisdom.records) {
    const Situation& situation = record.situation;
    if (!is_chosen(chosen, situation.collective)) continue;
    any = true;
    const WisdomEntry& best = record.entries.front();
    const Timing* vendor = vendor_timing(record);
    table.add({kind_text(situation), std::to_string(situation.ranks) + on_nodes(situation.nodes),
               record.least_ranks == record.most_ranks ? "" : range_text(record.least_ranks, record.most_ranks),
               bytes_text(situation.block_bytes), fmt::format("{} B", range_text(record.least_bytes, record.most_bytes)),
               to_string(best.way), seconds_text(best.timing.median_s),
               fmt::format("{} to {}", seconds_text(best.timing.lower_s), seconds_text(best.timing.upper_s)),
               vendor ? fmt::format("{:.2f}", best.timing.median_s / vendor->median_s) : "–", std::to_string(record.races.size()),
               record.date});
  }
  return any ? table.text() : "";
}

std::string fits_text(const Wisdom& wisdom, const Chosen& chosen) {
  std::string text;
  for (const ExecutorFit& fit : wisdom.executors)
    text +=
        fmt::format("{} among {}{}: fitted on {}{}, median error {:.0f} %\n", name(fit.executor), counted(fit.ranks, "rank"),
                    on_nodes(fit.nodes), fit.date, fit.preset.empty() ? "" : ", from the machine " + fit.preset, 100 * fit.error);
  for (const VendorFit& fit : wisdom.vendor)
    if (is_chosen(chosen, fit.collective))
      text += fmt::format("MPI's {} among {}{}: {} sizes from {} to {}, {}\n", name(fit.collective), counted(fit.ranks, "rank"),
                          on_nodes(fit.nodes), fit.seconds.size(), bytes_text(fit.seconds.front().first),
                          bytes_text(fit.seconds.back().first), fit.date);
  return text;
}

std::string wisdom_shown(const std::string& file, const Wisdom& wisdom, const Chosen& chosen) {
  const Fingerprint& machine = wisdom.machine;
  std::string text = fmt::format("{}\n{}, {} core{}, network {}, MPI {}\n", file, machine.processor, machine.cores,
                                 machine.cores == 1 ? "" : "s", machine.network, machine.mpi);
  for (const std::string& part : {races_text(wisdom, chosen), fits_text(wisdom, chosen)})
    if (!part.empty()) text += '\n' + part;
  return text;
}

Json wisdom_json(const WisdomRecord& record) {
  const Situation& situation = record.situation;
  Json entries = Json::array();
  for (const WisdomEntry& entry : record.entries) entries.push_back(way_json(entry));
  return {{"collective", name(situation.collective)},
          {"ranks", situation.ranks},
          {"nodes", situation.nodes},
          {"ranks_of_node", situation.ranks_of_node},
          {"block_bytes", situation.block_bytes},
          {"counts_known", situation.counts_known},
          {"skew", situation.skew},
          {"sparsity", situation.sparsity},
          {"irregularity", situation.irregularity},
          {"combining", name(situation.combining)},
          {"speaks_for",
           {{"least_bytes", record.least_bytes},
            {"most_bytes", record.most_bytes},
            {"least_ranks", record.least_ranks},
            {"most_ranks", record.most_ranks}}},
          {"date", record.date},
          {"repetitions", record.repetitions},
          {"launches", record.races.size()},
          {"entries", std::move(entries)}};
}

Json wisdom_json(const ExecutorFit& fit) {
  Json coefficients = Json::object();
  for (const auto& [key, value] : fit.coefficients) coefficients[key] = value;
  return {{"executor", name(fit.executor)},
          {"ranks", fit.ranks},
          {"nodes", fit.nodes},
          {"ranks_of_node", fit.ranks_of_node},
          {"date", fit.date},
          {"error", fit.error},
          {"preset", fit.preset},
          {"coefficients", std::move(coefficients)}};
}

Json wisdom_json(const VendorFit& fit) {
  Json sizes = Json::array();
  for (const auto& [bytes, seconds] : fit.seconds) sizes.push_back({{"block_bytes", bytes}, {"time_s", seconds}});
  return {{"collective", name(fit.collective)}, {"ranks", fit.ranks}, {"nodes", fit.nodes},
          {"ranks_of_node", fit.ranks_of_node}, {"date", fit.date},   {"sizes", std::move(sizes)}};
}

Json wisdom_json(const std::string& file, const Wisdom& wisdom, const Chosen& chosen) {
  Json races = Json::array(), executors = Json::array(), vendor = Json::array();
  for (const WisdomRecord& record : wisdom.records)
    if (is_chosen(chosen, record.situation.collective)) races.push_back(wisdom_json(record));
  for (const ExecutorFit& fit : wisdom.executors) executors.push_back(wisdom_json(fit));
  for (const VendorFit& fit : wisdom.vendor)
    if (is_chosen(chosen, fit.collective)) vendor.push_back(wisdom_json(fit));
  const Fingerprint& machine = wisdom.machine;
  return {
      {"file", file},
      {"machine", {{"processor", machine.processor}, {"cores", machine.cores}, {"network", machine.network}, {"mpi", machine.mpi}}},
      {"races", std::move(races)},
      {"executors", std::move(executors)},
      {"vendor", std::move(vendor)}};
}

}  // namespace

int show_wisdom(const WisdomOptions& options) {
  Chosen chosen;
  for (const std::string& collective : options.collectives) chosen.push_back(parse_collective(collective));
  Output output(options.output);
  const std::vector<std::string> files = options.files.empty() ? wisdom_files() : options.files;
  if (files.empty()) remark("nothing was measured yet; measure it: quadrille tune");
  Json array = Json::array();
  std::string text;
  for (const std::string& file : files) {
    const Wisdom wisdom = options.files.empty() ? read_any_wisdom(file) : read_named_wisdom(file);
    array.push_back(wisdom_json(file, wisdom, chosen));
    text += (text.empty() ? "" : "\n") + wisdom_shown(file, wisdom, chosen);
  }
  output.finish(options.json ? to_text(array) : text);
  return good;
}

}  // namespace quadrille::command
