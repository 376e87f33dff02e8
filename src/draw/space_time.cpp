// SPDX-License-Identifier: BSD-3-Clause
// Draws a space-time diagram: ranks from top to bottom, rounds from left to right, messages as arrows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "draw/faults.hpp"
#include "draw/node_bands.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks = 96;
constexpr Count most_rounds = 500;
constexpr double left_of_rounds = 74, room_for_nodes = 56, stage_height = 22, foot = 40;

// A round in which some rank has operations.
struct Column {
  Bytes longest = 0;  // bytes of its longest message
  bool has_messages = false;
  std::set<Rank> workers;  // ranks with local operations
  double begin = 0, width = 0;
};

// The rounds of one stage.
struct StageColumns {
  std::string name;
  std::map<Count, Column*> rounds;
};

class SpaceTime {
 public:
  SpaceTime(const Schedule& schedule, const std::vector<Finding>& findings)
      : schedule_(schedule),
        programs_(programs_of(schedule, most_ranks)),
        faults_(schedule, programs_, findings),
        messages_(messages_of(programs_, schedule.problem)),
        bands_(node_bands(schedule.problem)),
        left_(left_of_rounds + (bands_.empty() ? 0 : room_for_nodes)),
        title_(faults_.marked(headline(schedule))),
        svg_(title_) {
    find_lone_ends();
    for (const Program& program : programs_)
      for (const Round& round : program.rounds)
        if (Column& column = columns_[round.number]; !round.locals.empty()) column.workers.insert(program.rank);
    for (const Program& program : programs_)
      for (const Round& round : program.rounds)
        if (!round.control_sends.empty()) columns_[round.number].has_messages = true;
    for (const auto& [number, waited_for] : lone_receives_) columns_[number].has_messages = true;
    for (const auto& [number, messages] : messages_) {
      columns_[number].has_messages = true;
      for (const RoutedMessage& message : messages) {
        columns_[number].longest = std::max(columns_[number].longest, message.bytes);
        longest_ = std::max(longest_, message.bytes);
      }
    }
    check_parts(static_cast<Count>(columns_.size()), most_rounds, "rounds");
    row_height_ = schedule.problem.ranks <= 32 ? 26 : 16;
    place();
  }

  std::string written() {
    const double bottom = row(schedule_.problem.ranks - 1) + row_height_ / 2;
    svg_.text({picture_margin, 22}, title_, Anchor::start, "text", 14);
    draw_nodes();
    draw_ranks();
    for (std::size_t i = 0; i < stages_.size(); ++i) draw_stage(i, bottom);
    svg_.text({picture_margin, bottom + 16}, "round", Anchor::start, "faint");
    if (longest_ > 0) svg_.text({picture_margin, bottom + 32}, "longest", Anchor::start, "faint");
    Point reach{std::max(end_, picture_margin + text_width(title_, 14)), bottom + foot};
    reach.x = std::max(reach.x, draw_faults());
    reach =
        faults_.draw_legend(svg_, reach,
                            "a cross: something was found at this rank in this round, or right of the rounds at the end, or left "
                            "of them in the whole program; in a circle: the first finding. A message with one end only is drawn "
                            "half: with a bar if nobody receives it, dotted if nobody sends it");
    return svg_.written(reach.x + picture_margin, reach.y);
  }

 private:
  using Ends = std::tuple<Rank, Rank, std::optional<Port>>;

  // Finds messages with only one end: sends without a receive and receives without a send.
  void find_lone_ends() {
    if (!faults_.any()) return;
    for (const auto& [number, messages] : messages_)
      for (const RoutedMessage& message : messages) lone_sends_[number].emplace(message.from, message.to, message.port);
    const auto is_other = [&](Rank rank, Rank peer) { return peer >= 0 && peer < schedule_.problem.ranks && peer != rank; };
    const auto receive = [&](Count number, const Ends& ends, Rank rank) {
      if (!is_other(rank, std::get<0>(ends))) return;
      auto& sends = lone_sends_[number];
      if (const auto sent = sends.find(ends); sent != sends.end())
        sends.erase(sent);
      else
        lone_receives_[number].push_back(ends);
    };
    for (const Program& program : programs_)
      for (const Round& round : program.rounds) {
        for (const Message& message : round.receives)
          receive(round.number, {message.peer, program.rank, message.port}, program.rank);
        if (moves_data(schedule_.problem.collective)) continue;
        for (const Control& control : round.control_receives) receive(round.number, {control.peer, program.rank, {}}, program.rank);
      }
  }

  // Draws the marks and returns their right end.
  double draw_faults() {
    double reach = end_;
    for (const FaultPlace& place : faults_.places()) {
      const auto column = columns_.find(place.round);
      const bool in_round = place.time == FaultTime::in_round && column != columns_.end();
      const double x = in_round                                 ? column->second.begin + column->second.width / 2
                       : place.time == FaultTime::before_rounds ? left_ + 2
                                                                : end_ + 14;
      mark(svg_, place, {x, row(place.rank)});
    }
    if (faults_.any()) reach += 28;
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank)
      if (const std::string text = faults_.wrong_bytes_text(rank); !text.empty()) {
        svg_.text({end_ + 28, row(rank) + 4}, text, Anchor::start, "text", 11);
        reach = std::max(reach, end_ + 28 + text_width(text, 11));
      }
    return reach;
  }

  double row(Rank rank) const { return headline_height + stage_height + row_height_ * (static_cast<double>(rank) + 0.5); }

  std::size_t stage_of(Count round) const {
    const auto& stages = programs_.front().stages;
    const auto found = std::find_if(stages.begin(), stages.end(), [&](const Stage& stage) {
      return round >= stage.first_round && round - stage.first_round < stage.round_count;
    });
    return index(found - stages.begin());
  }

  // Places the columns. A column is at least as wide as its texts, and a stage at least as wide as its name.
  void place() {
    std::map<std::size_t, StageColumns> stages;
    const double room = std::clamp(1300 / std::max(1.0, static_cast<double>(columns_.size())), 44.0, 110.0);
    for (auto& [number, column] : columns_) {
      column.width = std::max({column.has_messages ? room : 24.0, text_width(longest_text(column), 11) + 10,
                               text_width(fmt::format("{}", number), 11) + 8});
      stages[stage_of(number)].rounds[number] = &column;
    }
    end_ = left_;
    for (auto& [index, stage] : stages) {
      stage.name = index < programs_.front().stages.size() ? programs_.front().stages[index].name : "";
      double width = 0;
      for (const auto& [number, column] : stage.rounds) width += column->width;
      const double stretch = std::max(1.0, (text_width(stage.name) + 12) / width);
      for (const auto& [number, column] : stage.rounds) {
        column->begin = end_;
        column->width *= stretch;
        end_ += column->width;
      }
      stages_.push_back(std::move(stage));
    }
  }

  static std::string longest_text(const Column& column) { return column.longest > 0 ? fmt::format("{} B", column.longest) : ""; }

  void draw_nodes() {
    for (const NodeBand& band : bands_) {
      const double top = row(band.first) - row_height_ / 2, height = extent(band.ranks(), row_height_);
      const std::string words = fmt::format("node {}", band.node);
      svg_.box({picture_margin, top + between_bands / 2, end_ - picture_margin, height - between_bands}, "band", {}, words);
      svg_.text({picture_margin + 6, top + height / 2 + 4}, words, Anchor::start, "faint", std::min(12.0, row_height_));
    }
  }

  void draw_ranks() {
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank) {
      svg_.text({left_ - 10, row(rank) + 4}, rank == 0 ? "rank 0" : fmt::format("{}", rank), Anchor::end, "text",
                std::min(12.0, row_height_));
      svg_.line({left_, row(rank)}, {end_, row(rank)}, "axis");
    }
  }

  void draw_stage(std::size_t index, double bottom) {
    const StageColumns& stage = stages_[index];
    const std::string colour = stage_colour(index);
    const Column &first = *stage.rounds.begin()->second, &last = *stage.rounds.rbegin()->second;
    const double begin = first.begin, width = last.begin + last.width - begin;
    svg_.box({begin + 1, headline_height, width - 2, stage_height - 4}, {}, colour + "; fill-opacity: 0.35");
    svg_.box({begin + 1, headline_height + stage_height - 4, width - 2, bottom - headline_height - stage_height + 4}, {},
             colour + "; fill-opacity: 0.07");
    svg_.text({begin + width / 2, headline_height + 13}, stage.name, Anchor::middle);
    for (const auto& [number, column] : stage.rounds) draw_round(number, *column, colour, bottom);
  }

  void draw_round(Count number, const Column& column, const std::string& colour, double bottom) {
    const double middle = column.begin + column.width / 2;
    svg_.text({middle, bottom + 16}, fmt::format("{}", number), Anchor::middle, "text", 11);
    svg_.text({middle, bottom + 32}, longest_text(column), Anchor::middle, "text", 11);
    const double work = column.has_messages ? column.begin + 8 : middle;
    const double side = std::min(7.0, row_height_ / 2);
    for (const Rank rank : column.workers)
      svg_.box({work - side / 2, row(rank) - side / 2, side, side}, {}, colour,
               fmt::format("rank {}, round {}: local work", rank, number));
    if (!column.has_messages) return;
    const double start = column.begin + (column.workers.empty() ? 5 : 14), stop = column.begin + column.width - 5;
    if (moves_data(schedule_.problem.collective)) draw_controls(number, start, stop, colour);
    for (const auto& [from, to, port] : lone_receives_[number]) {
      const double width = stop - start, height = row(to) - row(from);
      svg_.arrow({start + width / 2, row(from) + height / 2}, {stop, row(to)}, colour, 1.4,
                 fmt::format("round {}: {} waits for a message of {}, which sends none", number, to, from), Dashes::dotted);
    }
    const auto sent = messages_.find(number);
    if (sent == messages_.end()) return;
    for (const RoutedMessage& message : sent->second) draw_message(number, message, {start, stop}, colour);
  }

  void draw_controls(Count number, double start, double stop, const std::string& colour) {
    for (const Program& program : programs_)
      for (const Round& round : program.rounds)
        for (const Control& control : round.number == number ? round.control_sends : std::vector<Control>{})
          if (control.peer >= 0 && control.peer < schedule_.problem.ranks)
            svg_.arrow(
                {start, row(program.rank)}, {stop, row(control.peer)}, colour, 0.8,
                fmt::format("round {}: {} to {}, {} B of counts or headers", number, program.rank, control.peer, control.bytes),
                Dashes::dashed);
  }

  void draw_message(Count number, const RoutedMessage& message, std::pair<double, double> columns, const std::string& colour) {
    const auto& [from, to, port, length] = message;
    const Point start{columns.first, row(from)}, stop{columns.second, row(to)};
    const std::string explanation =
        fmt::format("round {}: {} to {}, {} B{}", number, from, to, length,
                    port ? fmt::format(", dimension {}, {}", port->dimension, port->direction > 0 ? '+' : '-') : "");
    auto& lone = lone_sends_[number];
    const auto found = lone.find({from, to, port});
    if (found == lone.end()) return svg_.arrow(start, stop, colour, width_of(length), explanation);
    lone.erase(found);
    const Point middle{(start.x + stop.x) / 2, (start.y + stop.y) / 2};
    svg_.arrow(start, middle, colour, width_of(length), explanation + ", which nobody receives");
    const double across = std::hypot(stop.x - start.x, stop.y - start.y) / 6;  // chosen so that the bar is 12 pixels long
    const double x = (stop.y - start.y) / across, y = (stop.x - start.x) / across;
    svg_.line({middle.x + x, middle.y - y}, {middle.x - x, middle.y + y}, "fault");
  }

  double width_of(Bytes length) const {
    return row_height_ / 26 * (1 + (longest_ > 0 ? 1.4 * static_cast<double>(length) / static_cast<double>(longest_) : 0));
  }

  const Schedule& schedule_;
  const std::vector<Program> programs_;
  const Faults faults_;
  const MessagesByRound messages_;
  const std::vector<NodeBand> bands_;
  const double left_;
  std::map<Count, std::multiset<Ends>> lone_sends_;  // removed when they have been drawn
  std::map<Count, std::vector<Ends>> lone_receives_;
  std::map<Count, Column> columns_;
  std::vector<StageColumns> stages_;  // stages with at least one column
  Bytes longest_ = 0;
  double row_height_ = 26, end_ = 0;
  const std::string title_;
  Svg svg_;
};

}  // namespace

std::string draw_space_time(const Schedule& schedule, const std::vector<Finding>& findings) {
  return SpaceTime(schedule, findings).written();
}

}  // namespace quadrille
