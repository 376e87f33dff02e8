// SPDX-License-Identifier: BSD-3-Clause
// Writes a verdict as text, for people, and as JSON, for programs.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <tuple>

#include "foundation/text/printable.hpp"
#include "mpi_face/report/call_ring.hpp"
#include "mpi_face/watch/reasons.hpp"
#include "mpi_face/watch/seen_run.hpp"
#include "mpi_face/watch/verdict.hpp"

namespace quadrille::mpi_face {
namespace {

using State = SeenRank::State;
using Json = nlohmann::ordered_json;

constexpr std::size_t most_shown_groups = 28;  // a verdict has at most 8 other lines

std::string_view word_of(State state) {
  constexpr std::array<std::string_view, 7> words{"computes", "sleeps", "in_call", "stopped", "died", "finalised", "unknown"};
  return words[static_cast<std::size_t>(state)];
}

// "Allreduce, its call 4,711 on it: 8 B, sum of f64", "Recv from rank 3, tag 7"
std::string in_call(const ShownGroup& group, const HangVerdict& verdict) {
  const WatchedCall& call = group.call;
  const std::string words = group.in + (group.in == call.function ? "" : " for " + call.function);
  if (!call.is_collective) {
    const bool is_plain = group.communicator.empty() || group.communicator == "MPI_COMM_WORLD";
    return words + peer_words(call, group.peer) + (is_plain ? "" : " on " + group.communicator);
  }
  std::vector<std::string> parts;
  if (call.bytes > 0 || (call.bytes == 0 && (call.root >= 0 || !call.operation.empty()))) parts.push_back(size_words(call.bytes));
  if (!call.operation.empty()) parts.push_back(call.operation + (call.element.empty() ? "" : " of " + call.element));
  if (call.root >= 0) parts.push_back(fmt::format("root {}", call.root));
  const bool is_it = group.communicator.empty() || group.communicator == verdict.communicator;
  return words +
         (call.number == 0 ? ""
                           : fmt::format(", {} call {} on {}", group.ranks.size() == 1 ? "its" : "their", number_words(call.number),
                                         is_it ? "it" : group.communicator)) +
         (parts.empty() ? "" : fmt::format(": {}", fmt::join(parts, ", ")));
}

// "loop (work.c:12)" is a place. A sentence that says why there is no stack is not.
bool is_place(std::string_view frame) {
  const std::string_view name = frame.substr(0, frame.find('('));
  return name.substr(0, name.find_last_not_of(' ') + 1).find(' ') == std::string_view::npos;
}

std::string doing(const ShownGroup& group, const HangVerdict& verdict) {
  const bool one = group.ranks.size() == 1;
  const std::string is = one ? "is" : "are", s = one ? "s" : "";
  if (!verdict.is_hang) return (one ? "calls " : "call ") + in_call(group, verdict);
  const std::string since = " for " + duration_words(group.since_s);
  const std::string last = group.last.empty() ? "" : ", after " + group.last;
  const std::string where = group.in.empty() ? last : " in " + in_call(group, verdict);
  const std::string stack = group.stack.empty() ? "" : (is_place(group.stack[0]) ? " in " : "; ") + group.stack[0];
  switch (group.state) {
    case State::in_call: return (group.is_cause ? is : "wait" + s) + where;
    case State::computes:
      return "compute" + s + since +
             (group.processor_s < 0 ? "" : fmt::format(" ({} of processor time)", duration_words(group.processor_s))) + stack +
             last;
    case State::sleeps: return "sleep" + s + since + (group.waits_in.empty() ? "" : " (" + group.waits_in + ")") + stack + last;
    case State::stopped: return is + " stopped" + since + where;
    case State::died: return group.end + where;
    case State::finalised: return (one ? "has" : "have") + std::string(" called MPI_Finalize") + (group.in.empty() ? last : "");
    case State::unknown: break;
  }
  return is + " unknown: " + (one ? "its node has" : "their nodes have") + " not answered";
}

std::string head(const HangVerdict& verdict) {
  if (!verdict.is_hang) return fmt::format("call {} on {} does not match", number_words(verdict.number), verdict.communicator);
  const std::string quiet = duration_words(verdict.quiet_s);
  if (!verdict.communicator.empty())
    return fmt::format("no collective on {} has ended for {}", verdict.communicator, quiet) +
           (verdict.usual_s > 0 ? fmt::format("; {} usually takes {}", verdict.function, duration_words(verdict.usual_s)) : "");
  std::vector<Rank> ranks;
  for (const ShownGroup& finding : verdict.findings)
    if (!finding.is_cause) ranks.insert(ranks.end(), finding.ranks.begin(), finding.ranks.end());
  std::sort(ranks.begin(), ranks.end());
  return fmt::format("{} {} made no progress for {}", ranks_phrase(ranks), ranks.size() == 1 ? "has" : "have", quiet);
}

// The groups that are shown: the largest one that waits, then causes, then those with most ranks.
std::vector<std::size_t> shown_groups(const std::vector<ShownGroup>& groups) {
  std::vector<std::size_t> shown(groups.size());
  std::iota(shown.begin(), shown.end(), std::size_t{0});
  if (shown.size() <= most_shown_groups) return shown;
  const auto most = std::max_element(groups.begin(), groups.end(), [](const ShownGroup& a, const ShownGroup& b) {
    return std::tuple(!a.is_cause, a.ranks.size()) < std::tuple(!b.is_cause, b.ranks.size());
  });
  const auto weight = [&](std::size_t i) { return std::tuple(&groups[i] == &*most, groups[i].is_cause, groups[i].ranks.size()); };
  std::stable_sort(shown.begin(), shown.end(), [&](std::size_t a, std::size_t b) { return weight(a) > weight(b); });
  shown.resize(most_shown_groups);
  std::sort(shown.begin(), shown.end());
  return shown;
}

Json text_or_null(const std::string& words) { return words.empty() ? Json() : Json(words); }
Json text_or_null(std::int64_t number) { return number < 0 ? Json() : Json(number); }

Json to_json(const ShownGroup& finding) {
  const WatchedCall& call = finding.call;
  Json json{{"ranks", finding.ranks},
            {"state", word_of(finding.state)},
            {"is_cause", finding.is_cause},
            {"since_s", finding.since_s},
            {"processor_s", finding.processor_s < 0 ? Json() : Json(finding.processor_s)},
            {"end", text_or_null(finding.end)},
            {"waits_in", text_or_null(finding.waits_in)},
            {"last", text_or_null(finding.last)},
            {"stack", finding.stack},
            {"call", nullptr}};
  if (finding.in.empty()) return json;
  json["call"] = {{"function", finding.in},
                  {"waits_for", finding.in == call.function ? Json() : Json(call.function)},
                  {"communicator", text_or_null(finding.communicator)},
                  {"number", call.number > 0 ? Json(call.number) : Json()},
                  {"bytes", text_or_null(call.bytes)},
                  {"root", text_or_null(call.root)},
                  {"operation", text_or_null(call.operation)},
                  {"element", text_or_null(call.element)},
                  {"peer", finding.peer == -2 ? Json("any") : text_or_null(finding.peer)},
                  {"tag", call.tag == -2 ? Json("any") : text_or_null(call.tag)},
                  {"place", text_or_null(call.place)}};
  return json;
}

}  // namespace

std::string_view word_of(HangVerdict::Cause cause) {
  constexpr std::array<std::string_view, 15> words{"order",  "root",      "operation",     "element",  "bytes",
                                                   "blocks", "died",      "finalised",     "stopped",  "unknown",
                                                   "late",   "elsewhere", "communicators", "messages", "library"};
  return words[static_cast<std::size_t>(cause)];
}

std::string text_of(const HangVerdict& verdict) {
  std::string text = "quadrille: " + printable(head(verdict)) + '\n';
  struct Row {
    std::string ranks, doing, place;
  };
  std::vector<Row> rows;
  std::size_t ranks_width = 0, doing_width = 0;
  for (const std::size_t i : shown_groups(verdict.findings)) {
    const ShownGroup& group = verdict.findings[i];
    const bool has_place = group.state != State::unknown || !verdict.is_hang;
    const Row& row = rows.emplace_back(
        Row{ranks_phrase(group.ranks), printable(doing(group, verdict)), has_place ? printable(group.call.place) : ""});
    ranks_width = std::max(ranks_width, row.ranks.size());
    if (!row.place.empty()) doing_width = std::max(doing_width, row.doing.size());
  }
  for (const Row& row : rows)
    text += row.place.empty() ? fmt::format("  {:<{}}   {}\n", row.ranks, ranks_width, row.doing)
                              : fmt::format("  {:<{}}   {:<{}}   {}\n", row.ranks, ranks_width, row.doing, doing_width, row.place);
  if (verdict.findings.size() > rows.size())
    text += fmt::format("  and {} more groups of ranks\n", number_words(verdict.findings.size() - rows.size()));
  for (const std::string& sentence : verdict.sentences) text += printable(sentence) + '\n';
  return text;
}

std::string json_text_of(const HangVerdict& verdict) {
  Json json{{"format", "quadrille-hang/1"},
            {"is_hang", verdict.is_hang},
            {"cause", word_of(verdict.cause)},
            {"communicator", text_or_null(verdict.communicator)},
            {"number", verdict.number > 0 ? Json(verdict.number) : Json()},
            {"quiet_s", verdict.is_hang ? Json(verdict.quiet_s) : Json()},
            {"usual_s", verdict.usual_s > 0 ? Json(verdict.usual_s) : Json()},
            {"sentences", verdict.sentences},
            {"findings", Json::array()}};
  for (const ShownGroup& finding : verdict.findings) json["findings"].push_back(to_json(finding));
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string leaks_text(std::span<const SeenRank> ranks) {
  std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, Rank>> places;  // the rank with most of them
  for (const SeenRank& rank : ranks)
    for (const LiveObjects& objects : rank.live) {
      auto& most = places[{objects.what, objects.place}];
      most = std::max(most, {objects.live, rank.rank});
    }
  std::string text;
  for (const auto& [objects, most] : places) {
    const auto& [what, place] = objects;
    const auto& [live, rank] = most;
    if (live <= LiveSite::few) continue;
    text += fmt::format("quadrille: {} {}{} are {} (rank {}){}\n", number_words(live), printable(what),
                        place.empty() ? "" : " from " + printable(place),
                        what == "requests" ? "neither complete nor freed" : "not freed", rank,
                        what == "communicators" ? "; some MPI libraries have 2,046 in all" : "");
  }
  return text;
}

}  // namespace quadrille::mpi_face
