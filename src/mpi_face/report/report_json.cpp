// SPDX-License-Identifier: BSD-3-Clause
// Writes the report as JSON, for programs.
#include <nlohmann/json.hpp>

#include "mpi_face/report/balance.hpp"
#include "mpi_face/report/report.hpp"

namespace quadrille::mpi_face {
namespace {

using Json = nlohmann::ordered_json;

std::string_view name(RankState state) {
  switch (state) {
    case RankState::ended: return "ended";
    case RankState::running: return "running";
    case RankState::died: return "died";
    case RankState::unknown: break;
  }
  return "unknown";
}

Json or_null(const std::string& words) { return words.empty() ? Json() : Json(words); }

Json to_json(const std::optional<MeasuredTime>& time, const char* key) {
  return time ? Json{{key, time->median_s}, {"samples", time->samples}} : Json();
}

Json to_json(const Balance::Seconds& seconds) {
  return {{"median_s", seconds.median}, {"least_s", seconds.least}, {"most_s", seconds.most}};
}

Json to_json(const Balance& balance) {
  return {{"saved", to_json(balance.saved)},    {"lost", to_json(balance.lost)},    {"own_s", balance.own_s},
          {"late_s", balance.late_s},           {"rare_s", balance.rare_s},         {"uncovered_s", balance.uncovered_s},
          {"tried_calls", balance.tried_calls}, {"ours_calls", balance.ours_calls}, {"inside_s", balance.inside_s}};
}

Json to_json(const ReportRow& row) {
  Json passed = Json::array();
  for (const PassedReason& each : row.passed) passed.push_back({{"why", each.why}, {"calls", each.calls}});
  const bool has_blocks = row.has_sizes && row.most_block >= 0;
  return {{"collective", row.collective},
          {"communicator", row.communicator < 0 ? Json() : Json(row.communicator)},
          {"least_block_bytes", has_blocks ? Json(row.least_block) : Json()},
          {"most_block_bytes", has_blocks ? Json(row.most_block) : Json()},
          {"calls", row.calls},
          {"ours_calls", row.ours_calls},
          {has_blocks ? "block_bytes" : "sent_bytes", row.has_sizes ? Json(row.block_bytes) : Json()},
          {"rank_calls", row.rank_calls},
          {"rank_seconds", row.rank_seconds},
          {"most_seconds", row.most_seconds},
          {"share", row.share},
          {"late", to_json(row.late, "mean_s")},
          {"vendor", to_json(row.vendor, "median_s")},
          {"ours", to_json(row.ours, "median_s")},
          {"what", or_null(row.what)},
          {"why", or_null(row.why)},
          {"passed", std::move(passed)}};
}

Json to_json(const ReportedCall& call) {
  return {{"rank", call.rank},
          {"begin_s", call.begin_s},
          {"seconds", call.seconds},
          {"collective", call.collective},
          {"communicator", call.communicator < 0 ? Json() : Json(call.communicator)},
          {call.is_irregular ? "sent_bytes" : "block_bytes", call.has_sizes ? Json(call.bytes) : Json()},
          {"by_ours", call.is_ours}};
}

Json to_json(const ReportedRank& rank) {
  Json json{{"rank", rank.rank},
            {"state", name(rank.state)},
            {"host", rank.host},
            {"seconds", rank.seconds},
            {"collective_seconds", rank.collective_seconds}};
  if (rank.state == RankState::ended) return json;
  json["inside"] = or_null(rank.function);
  json["communicator"] = or_null(rank.communicator);
  json["entered_s"] = rank.entered_s;
  return json;
}

}  // namespace

std::string json_text_of(const RunReport& report) {
  Json json{{"format", "quadrille-report"},
            {"format_version", 1},
            {"quadrille", report.version},
            {"program", report.program},
            {"mpi", report.mpi},
            {"thread_level", report.thread_level},
            {"world_size", report.world_size},
            {"hosts", report.hosts},
            {"start_unix_s", 1e-9 * static_cast<double>(report.start_unix_ns)},
            {"seconds", report.seconds},
            {"share", report.share},
            {"own_rank_seconds", report.own_rank_seconds},
            {"own_share", report.own_share}};
  for (const char* key : {"ranks", "communicators", "rows"}) json[key] = Json::array();
  for (const ReportedRank& rank : report.ranks) json["ranks"].push_back(to_json(rank));
  for (const ReportedCommunicator& each : report.communicators)
    json["communicators"].push_back({{"name", or_null(each.name)},
                                     {"ranks", each.ranks == 0 ? Json() : Json(each.ranks)},
                                     {"made", each.made},
                                     {"members", each.members.empty() ? Json() : Json(each.members)}});
  json["balance"] = to_json(balance_of(report));
  for (const ReportRow& row : report.rows) json["rows"].push_back(to_json(row));
  json["costliest_calls"] = Json::array();
  for (const ReportedCall& call : report.costliest) json["costliest_calls"].push_back(to_json(call));
  json["missing_ranks"] = report.missing_ranks;
  Json traffic;
  const auto p = static_cast<std::ptrdiff_t>(report.world_size);
  for (std::ptrdiff_t from = 0; !report.traffic.empty() && from < p; ++from)
    traffic.push_back(std::vector<std::uint64_t>(report.traffic.begin() + from * p, report.traffic.begin() + (from + 1) * p));
  json["traffic_bytes"] = std::move(traffic);
  json["remarks"] = report.remarks;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace quadrille::mpi_face
