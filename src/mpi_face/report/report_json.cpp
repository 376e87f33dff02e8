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

// Null if there is no time.
Json time_json(const char* key, std::optional<double> seconds, Count samples) {
  return seconds ? Json{{key, *seconds}, {"samples", samples}} : Json();
}

Json to_json(const std::optional<MeasuredRatio>& ratio) {
  if (!ratio) return {};
  return {{"median", ratio->median}, {"least", ratio->least}, {"most", ratio->most}, {"samples", ratio->samples}};
}

Json to_json(const Balance::Range& seconds) { return {{"least_s", seconds.least}, {"most_s", seconds.most}}; }

Json to_json(const Balance& balance) {
  return {{"saved", to_json(balance.saved)},    {"lost", to_json(balance.lost)},          {"own_s", balance.own_s},
          {"late_s", balance.late_s},           {"untried_s", balance.untried_s},         {"uncovered_s", balance.uncovered_s},
          {"tried_calls", balance.tried_calls}, {"unclear_calls", balance.unclear_calls}, {"ours_calls", balance.ours_calls},
          {"inside_s", balance.inside_s},       {"messages_s", balance.messages_s}};
}

Json to_json(const ReportRow& row) {
  Json passed = Json::array();
  for (const PassedReason& each : row.passed) passed.push_back({{"why", each.why}, {"calls", each.calls}});
  const bool has_blocks = row.has_sizes && row.most_block >= 0;
  std::optional<double> late_s, vendor_s, ours_s;
  if (row.late_samples > 0 && row.rank_calls > 0) late_s = row.late_rank_seconds / static_cast<double>(row.rank_calls);
  if (row.ratio) vendor_s = row.ratio->vendor_s, ours_s = row.ratio->vendor_s * row.ratio->median;
  return {{"collective", row.collective},
          {"communicator", row.communicator < 0 ? Json() : Json(row.communicator)},
          {"least_block_bytes", has_blocks ? Json(row.least_block) : Json()},
          {"most_block_bytes", has_blocks ? Json(row.most_block) : Json()},
          {"calls", row.calls},
          {"ours_calls", row.ours_calls},
          {"ranks_inside", row.ranks_inside},
          {has_blocks ? "block_bytes" : "sent_bytes", row.has_sizes ? Json(row.block_bytes) : Json()},
          {"rank_calls", row.rank_calls},
          {"rank_seconds", row.rank_seconds},
          {"most_seconds", row.most_seconds},
          {"share", row.share},
          {"late", time_json("mean_s", late_s, row.late_samples)},
          {"ratio", to_json(row.ratio)},
          {"vendor", time_json("median_s", vendor_s, row.ratio ? row.ratio->samples : 0)},
          {"ours", time_json("median_s", ours_s, row.ratio ? row.ratio->samples : 0)},
          {"trial_s", row.trial_s > 0 ? Json(row.trial_s) : Json()},
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
            {"collective_seconds", rank.collective_seconds},
            {"message_seconds", rank.message_seconds}};
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
            {"message_share", report.sees_messages ? Json(report.message_share) : Json()},
            {"own_rank_seconds", report.own_rank_seconds},
            {"own_share", report.own_share},
            {"heap", {{"most_bytes", report.most_heap_bytes}, {"lent", report.lent}, {"why_none", or_null(report.why_no_heap)}}}};
  for (const char* key : {"ranks", "communicators", "rows"}) json[key] = Json::array();
  for (const ReportedRank& rank : report.ranks) json["ranks"].push_back(to_json(rank));
  for (const ReportedCommunicator& each : report.communicators)
    json["communicators"].push_back({{"name", or_null(each.name)},
                                     {"ranks", each.ranks == 0 ? Json() : Json(each.ranks)},
                                     {"made", each.made},
                                     {"members", each.members.empty() ? Json() : Json(each.members)}});
  json["balance"] = to_json(balance_of(report));
  json["messages"] = Json::array();
  for (const ReportedMessages& each : report.messages)
    json["messages"].push_back({{"function", each.function}, {"rank_calls", each.rank_calls}, {"rank_seconds", each.rank_seconds}});
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
