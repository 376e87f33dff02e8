// SPDX-License-Identifier: BSD-3-Clause
#include "draw/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "collectives/table.hpp"
#include "foundation/text/wording.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/sayings.hpp"
#include "schedule/symmetry.hpp"

namespace quadrille {
namespace {

constexpr Count most_messages = 50'000;
constexpr Count most_operations = Count{1} << 22;

constexpr double least_headline_width = 330, longest_name = 780, longest_stage_name = 240;

constexpr double share_of_mean = 0.25;
constexpr double least_top = 4.0 / 3;  // the least amount that may have the last colour, as a multiple of the mean

constexpr Count most_crossings = 128;  // of a round
constexpr Count least_ranks_of_sample = 24, sampled_ranks = 8, most_used_of_rank = 4;

// Returns true if the arrows of some round cross more often than anybody can follow.
bool is_tangle(const MessagesByRound& messages) {
  for (const auto& [number, sent] : messages) {
    Count crossings = 0;
    for (std::size_t i = 0; i < sent.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if ((sent[i].from < sent[j].from && sent[i].to > sent[j].to) || (sent[i].from > sent[j].from && sent[i].to < sent[j].to))
          if (++crossings > most_crossings) return true;
  }
  return false;
}

}  // namespace

ByteUnit unit_for(const Problem& problem, const MessagesByRound& messages) {
  std::vector<Bytes> sizes;
  if (has_blocks(problem.collective)) sizes.push_back(problem.block_bytes);
  for (const auto& [round, list] : messages)
    for (const RoutedMessage& message : list) sizes.push_back(message.bytes);
  return common_unit(sizes);
}

std::string headline(const Schedule& schedule, const DrawOptions& options, const ByteUnit& unit) {
  const Problem& problem = schedule.problem;
  const auto nodes = std::set<Count>(problem.nodes.begin(), problem.nodes.end()).size();
  std::string text = fmt::format("{}/{}, {}", name(problem.collective), fitted(short_specification(schedule), longest_name),
                                 counted(problem.ranks, "rank"));
  if (nodes > 0) text += " on " + counted(nodes, "node");
  if (has_blocks(problem.collective)) text += fmt::format(", {} a block", bytes_text(problem.block_bytes, unit));
  if (!options.note.empty()) text += ", " + options.note;
  return text;
}

std::string stage_text(const std::string& name) { return fitted(name, longest_stage_name); }

std::string with_headline(Svg& svg, Point reach) {
  const double width = svg.headline({picture_margin, 22}, std::max(reach.x - picture_margin, least_headline_width));
  return svg.written(std::max(reach.x, picture_margin + width) + picture_margin, reach.y);
}

Point draw_notes(Svg& svg, Point reach, const std::vector<std::string>& notes) {
  constexpr double size = 11, height = 16, least_width = 330;
  for (const std::string& note : notes) {
    if (note.empty()) continue;
    for (const std::string& line : lines_of(note, std::max(reach.x - picture_margin, least_width), size)) {
      svg.text({picture_margin, reach.y + 8}, line, Anchor::start, "faint", size);
      reach = {std::max(reach.x, picture_margin + text_width(line, size)), reach.y + height};
    }
  }
  return reach;
}

std::vector<std::string> said_notes(const Schedule& schedule, const MessagesByRound& messages) {
  constexpr std::size_t most = 6;
  std::vector<Count> rounds;
  for (const auto& [round, sent] : messages) rounds.push_back(round);
  std::vector<std::string> notes = sayings(schedule, rounds);
  return notes.size() <= most ? notes : std::vector<std::string>();
}

void check_parts(Count count, Count most, const std::string& parts) {
  if (count > most)
    throw Error(ErrorCode::too_large, fmt::format("{} {} are too many for this picture; the limit is {}", count, parts, most));
}

std::vector<Program> programs_of(const Schedule& schedule, Count most_ranks) {
  check_parts(schedule.problem.ranks, most_ranks, "ranks");
  check_parts(operation_count(schedule, most_operations), most_operations, "operations");
  std::vector<Program> programs;
  for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) programs.push_back(schedule.program(rank));
  return programs;
}

MessagesByRound messages_of(const std::vector<Program>& programs, const Problem& problem, std::optional<Count> round) {
  MessagesByRound rounds;
  for (const Program& program : programs) add_messages(problem.ranks, program, problem.collective, rounds);
  if (round) {
    const auto found = rounds.find(*round);
    if (found == rounds.end()) {
      throw Error(ErrorCode::misuse, rounds.empty() ? "nothing is sent in any round"
                                                    : fmt::format("nothing is sent in round {}; messages are in rounds {} to {}",
                                                                  *round, rounds.begin()->first, rounds.rbegin()->first));
    }
    rounds = {*found};
  }
  Count count = 0;
  for (const auto& [number, messages] : rounds) count += size(messages);
  check_parts(count, most_messages, "messages");
  return rounds;
}

std::vector<NodeBand> node_bands(const Problem& problem) {
  std::vector<NodeBand> bands;
  for (Rank rank = 0; rank < size(problem.nodes); ++rank) {
    const Count node = problem.nodes[index(rank)];
    if (bands.empty() || bands.back().node != node) bands.push_back({node, rank, rank});
    bands.back().last = rank;
  }
  return bands;
}

HeatScale::HeatScale(std::span<const Bytes> amounts, const ByteUnit& unit) : unit_(unit) {
  double sum = 0, count = 0;
  for (const Bytes amount : amounts) {
    if (amount == 0) continue;
    sum += static_cast<double>(amount);
    ++count;
    most_ = std::max(most_, amount);
  }
  if (count > 0) mean_ = sum / count;
}

double HeatScale::share(Bytes amount) const {
  const auto value = static_cast<double>(amount);
  if (value <= mean_) return mean_ > 0 ? share_of_mean * value / mean_ : 0;
  const double top = std::max(static_cast<double>(most_), least_top * mean_);
  return share_of_mean + (1 - share_of_mean) * (value - mean_) / (top - mean_);
}

std::string HeatScale::mean_text() const { return fmt::format("{:.4g} {}", mean_ / static_cast<double>(unit_.bytes), unit_.name); }

double HeatScale::draw(Svg& svg, Point corner, const std::string& what) const {
  constexpr int steps = 24;
  const double begin = corner.x + 14, end = begin + 6 * steps;
  svg.text({corner.x, corner.y + 11}, "0", Anchor::start, "faint");
  for (int i = 0; i < steps; ++i) svg.box({begin + 6.0 * i, corner.y, 6.3, 14}, {}, heat((i + 0.5) / steps));
  const double mean = begin + share_of_mean * (end - begin);
  if (mean_ > 0) svg.line({mean, corner.y - 2}, {mean, corner.y + 16}, "fresh");
  const bool is_even = mean_ == static_cast<double>(most_);
  const std::string words =
      is_even ? fmt::format("{} {} (the line)", bytes_text(most_, unit_), what)
              : fmt::format("at most {} {}; {} on average (the line)", bytes_text(most_, unit_), what, mean_text());
  svg.text({end + 6, corner.y + 11}, words, Anchor::start, "faint");
  if (!is_even) svg.text({end + 6, corner.y + 26}, "linear below and above the line", Anchor::start, "faint", 11);
  return end + 6 + text_width(words);
}

Focus::Focus(Count ranks, const MessagesByRound& messages, std::optional<Rank> only_rank, Rank usual_rank)
    : rank_(only_rank), is_alone_(only_rank.has_value()) {
  if (only_rank && (*only_rank < 0 || *only_rank >= ranks))
    throw Error(ErrorCode::misuse, fmt::format("there is no rank {}; the ranks are 0 to {}", *only_rank, ranks - 1));
  if (only_rank || !is_tangle(messages)) return;
  take(usual_rank, ranks);
}

Focus::Focus(const Topology& topology, Rank usual_rank, Count used) : is_of_links_(true) {
  const Count ranks = topology.ranks();
  is_on_used_ = used <= most_used_of_rank * ranks;
  if (ranks >= least_ranks_of_sample && topology.link_count() > ranks * ranks / 2) take(usual_rank, ranks);
}

void Focus::take(Rank rank, Count ranks) {
  rank_ = rank;
  if (ranks >= least_ranks_of_sample) every_ = (ranks + sampled_ranks - 1) / sampled_ranks;
}

Emphasis Focus::of(Rank from, Rank to) const {
  if (!rank_ || from == *rank_ || to == *rank_) return Emphasis::strong;
  return !is_alone_ && from % every_ == 0 ? Emphasis::faint : Emphasis::absent;
}

Emphasis Focus::of_link(const Link& link, bool is_used) const {
  if (!rank_) return Emphasis::strong;
  if (is_on_used_) return is_used ? Emphasis::strong : link.from % every_ == 0 ? Emphasis::faint : Emphasis::absent;
  const Emphasis of_ends = of(link.from, link.to);
  return of_ends == Emphasis::strong && !is_used ? Emphasis::faint : of_ends;
}

std::string Focus::explanation() const {
  if (!rank_) return "";
  if (is_alone_) return fmt::format("only what rank {} sends and receives", *rank_);
  if (is_of_links_ && is_on_used_)
    return fmt::format(
        "strong: the links that carry messages; faint: a sample of the others, those that leave ranks 0, {}, {} and so on", every_,
        2 * every_);
  if (is_of_links_)
    return fmt::format(
        "strong: the used links of rank {}; faint: a sample of the others, those that leave ranks 0, {}, {} and so "
        "on",
        *rank_, every_, 2 * every_);
  const std::string others =
      every_ == 1 ? "all other messages"
                  : fmt::format("a sample of the other messages, those that ranks 0, {}, {} and so on send", every_, 2 * every_);
  return fmt::format("strong: what rank {} sends and receives; faint: {}", *rank_, others);
}

}  // namespace quadrille
