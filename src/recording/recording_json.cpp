// SPDX-License-Identifier: BSD-3-Clause
#include "recording/recording_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string_view>
#include <utility>

#include "recording/definitions.hpp"

namespace quadrille::recording {
namespace {

using nlohmann::ordered_json;

ordered_json as_json(const RecordedCommunicator& communicator) {
  return {{"name", communicator.name},
          {"nth", communicator.nth},
          {"is_inter", communicator.is_inter},
          {"members", communicator.members}};
}

// Fields that do not apply to the site are left out.
ordered_json as_json(const RecordedSite& site) {
  ordered_json json{{"kind", name(site.kind)}, {"function", site.function}, {"communicator", site.communicator}};
  if (site.root >= 0) json["root"] = site.root;
  if (!site.operation.empty()) json["type"] = site.type, json["operation"] = site.operation, json["type_bytes"] = site.type_bytes;
  json["block_bytes"] = site.block_bytes;
  if (!site.counts.empty()) json["counts"] = site.counts, json["are_sampled"] = site.are_sampled;
  if (!site.peers.empty()) json["peers"] = site.peers;
  return json;
}

ordered_json as_json(const RecordedRank& rank) {
  ordered_json times = ordered_json::array(), functions = ordered_json::array();
  for (std::size_t i = 0; i < rank.sites.size(); ++i) {
    const RecordedTimes& each = rank.times[i];
    times.push_back({{"site", rank.sites[i]},
                     {"calls", each.calls},
                     {"gap_s", each.gap_s},
                     {"away_s", each.away_s},
                     {"duration_s", each.duration_s},
                     {"gap_deviation_s", each.gap_deviation_s},
                     {"duration_deviation_s", each.duration_deviation_s}});
  }
  for (const RecordedFunction& each : rank.functions)
    functions.push_back({{"function", each.name}, {"calls", each.calls}, {"seconds", each.seconds}});
  return {{"rank", rank.rank},
          {"host", rank.host},
          {"has_ended", rank.has_ended},
          {"uses_wall_time", rank.uses_wall_time},
          {"is_cut", rank.is_cut},
          {"unseen_calls", rank.unseen_calls},
          {"seconds", rank.seconds},
          {"times", std::move(times)},
          {"point_to_point", std::move(functions)}};
}

template <class Items>
void write_list(std::ostream& to, std::string_view label, const Items& items) {
  to << "  \"" << label << "\": [";
  const char* separator = "\n";
  for (const auto& each : items) to << std::exchange(separator, ",\n") << "    " << as_json(each).dump();
  to << (items.empty() ? "]" : "\n  ]");
}

// [site, gap, away, duration], in nanoseconds.
void write_calls(std::ostream& to, const RecordedRank& rank) {
  RecordedCalls calls(rank);
  const char* separator = "";
  to << "    [";
  while (const auto call = calls.next())
    to << std::exchange(separator, ", ")
       << fmt::format("[{}, {:.0f}, {:.0f}, {:.0f}]", call->site, call->gap_s * 1e9, call->away_s * 1e9, call->duration_s * 1e9);
  to << "]";
}

}  // namespace

void write_json(std::ostream& to, const Recording& recording) {
  const ordered_json head{{"format", "quadrille-recording"},
                          {"format_version", 1},
                          {"quadrille", recording.version},
                          {"program", recording.program},
                          {"mpi", recording.mpi},
                          {"settings", recording.settings},
                          {"start_unix_ns", recording.start_unix_ns},
                          {"world_size", recording.world_size},
                          {"is_folded", recording.is_folded},
                          {"remarks", recording.remarks}};
  to << "{\n";
  for (const auto& [label, value] : head.items()) to << "  " << ordered_json(label).dump() << ": " << value.dump() << ",\n";
  write_list(to, "communicators", recording.communicators);
  to << ",\n";
  write_list(to, "sites", recording.sites);
  to << ",\n";
  write_list(to, "ranks", recording.ranks);
  to << ",\n  \"calls\": [";
  const char* separator = "\n";
  for (const RecordedRank& rank : recording.ranks) {
    to << std::exchange(separator, ",\n");
    write_calls(to, rank);
  }
  to << "\n  ]\n}\n";
}

}  // namespace quadrille::recording
