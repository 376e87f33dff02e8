// SPDX-License-Identifier: BSD-3-Clause
// Draws a space-time diagram: ranks from top to bottom, rounds from left to right, messages as arrows.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "draw/faults.hpp"
#include "draw/picture.hpp"
#include "draw/svg.hpp"
#include "quadrille/draw.hpp"
#include "quadrille/indexed.hpp"
#include "schedule/sayings.hpp"
#include "topology/round_messages.hpp"

namespace quadrille {
namespace {

constexpr Count most_ranks_of_space_time = 96;
constexpr Count most_rounds = 500;
constexpr double left_of_rounds = 74, room_for_nodes = 56, stage_height = 22, foot = 40;

// Messages with only one end, which wrong schedules may have: sends that nobody receives, and receives for which nobody sends.
using LoneEnd = std::tuple<Rank, Rank, std::optional<Port>>;  // sender and receiver

struct LoneEnds {
  std::map<Count, std::multiset<LoneEnd>> sends;  // by round
  std::map<Count, std::vector<LoneEnd>> receives;
};

LoneEnds lone_ends(const Problem& problem, const std::vector<Program>& programs, const MessagesByRound& messages) {
  LoneEnds lone;
  for (const auto& [number, sent] : messages)
    for (const RoutedMessage& message : sent) lone.sends[number].emplace(message.from, message.to, message.port);
  const auto receive = [&](Count number, const LoneEnd& ends) {
    const auto& [peer, rank, port] = ends;
    if (peer < 0 || peer >= problem.ranks || peer == rank) return;
    auto& sends = lone.sends[number];
    if (const auto sent = sends.find(ends); sent != sends.end())
      sends.erase(sent);
    else
      lone.receives[number].push_back(ends);
  };
  for (const Program& program : programs)
    for (const Round& round : program.rounds) {
      for (const Message& message : round.receives) receive(round.number, {message.peer, program.rank, message.port});
      if (moves_data(problem.collective)) continue;
      for (const Control& control : round.control_receives) receive(round.number, {control.peer, program.rank, {}});
    }
  return lone;
}

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
  SpaceTime(const Schedule& schedule, const DrawOptions& options)
      : schedule_(schedule),
        programs_(programs_of(schedule, most_ranks_of_space_time)),
        faults_(schedule, programs_, options.findings),
        messages_(messages_of(programs_, schedule.problem)),
        focus_(schedule.problem.ranks, messages_, options.only_rank, faults_.any() ? faults_.places().front().rank : Rank{0}),
        bands_(node_bands(schedule.problem)),
        left_(left_of_rounds + (bands_.empty() ? 0 : room_for_nodes)),
        unit_(unit_for(schedule.problem, messages_)),
        svg_(faults_.marked(headline(schedule, options, unit_))) {
    if (faults_.any()) lone_ = lone_ends(schedule.problem, programs_, messages_);
    for (const Program& program : programs_)
      for (const Round& round : program.rounds)
        if (Column& column = columns_[round.number]; !round.locals.empty()) column.workers.insert(program.rank);
    for (const Program& program : programs_)
      for (const Round& round : program.rounds)
        if (!round.control_sends.empty()) {
          columns_[round.number].has_messages = true;
          has_controls_ = true;
        }
    for (const auto& [number, waited_for] : lone_.receives) columns_[number].has_messages = true;
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
    const double bottom = foot_at();
    draw_nodes();
    draw_ranks();
    for (std::size_t i = 0; i < stages_.size(); ++i) draw_stage(i, bottom);
    svg_.text({picture_margin, bottom + 16}, "round", Anchor::start, "faint");
    if (longest_ > 0) svg_.text({picture_margin, bottom + 32}, "longest", Anchor::start, "faint");
    const Point reach = explain_arrows({std::max(end_, draw_faults()), bottom + foot});
    return with_headline(svg_,
                         faults_.draw_legend(svg_, reach,
                                             "A cross marks a finding at a rank: in the framed round; or right of the rounds, if "
                                             "it is about the end; or left of them, if it is about the whole program. The round of "
                                             "the cause is framed, too. The cross in "
                                             "the circle is the first finding. Half an arrow is a message with one end only: it "
                                             "has a bar if nobody receives it, and is dotted if nobody sends it."));
  }

 private:
  // Writes what the algorithm says of the rounds, and what strong, faint and dashed arrows stand for. Returns the lower right
  // corner.
  Point explain_arrows(Point reach) {
    std::vector<std::string> notes = said_notes(schedule_, messages_);
    notes.push_back(focus_.rank() ? focus_.explanation() : "");
    if (has_controls_) notes.push_back("dashed: control messages (counts, headers, signals)");
    return draw_notes(svg_, reach, notes);
  }

  // Draws the marks and returns their right end.
  double draw_faults() {
    double reach = end_;
    std::set<Count> marked;
    for (const FaultPlace& place : faults_.places()) {
      const auto column = columns_.find(place.round);
      const bool in_round = place.time == FaultTime::in_round && column != columns_.end();
      const double x = in_round                                 ? column->second.begin + column->second.width / 2
                       : place.time == FaultTime::before_rounds ? left_ + 2
                                                                : end_ + 14;
      mark(svg_, place, {x, row(place.rank)});
      if (in_round) marked.insert(place.round);
    }
    if (const auto round = faults_.cause_round(); round && columns_.contains(*round)) marked.insert(*round);
    for (const Count round : marked)
      mark_round(svg_, {columns_.at(round).begin + columns_.at(round).width / 2, foot_at() + 16}, fmt::format("{}", round),
                 Anchor::middle, 11);
    if (faults_.any()) reach += 28;
    for (Rank rank = 0; rank < schedule_.problem.ranks; ++rank)
      if (const std::string text = faults_.wrong_bytes_text(rank); !text.empty()) {
        svg_.text({end_ + 28, row(rank) + 4}, text, Anchor::start, "text", 11);
        reach = std::max(reach, end_ + 28 + text_width(text, 11));
      }
    return reach;
  }

  double row(Rank rank) const { return headline_height + stage_height + row_height_ * (static_cast<double>(rank) + 0.5); }

  double foot_at() const { return row(schedule_.problem.ranks - 1) + row_height_ / 2; }

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
      stage.name = index < programs_.front().stages.size() ? stage_text(programs_.front().stages[index].name) : "";
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

  std::string longest_text(const Column& column) const { return column.longest > 0 ? bytes_text(column.longest, unit_) : ""; }

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
      svg_.text({left_ - 10, row(rank) + 4}, rank == 0 ? "rank 0" : fmt::format("{}", rank), Anchor::end,
                focus_.rank().value_or(rank) == rank ? "text" : "faint", std::min(12.0, row_height_));
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
    if (column.has_messages)
      for (const std::string& said : sayings(schedule_, {&number, 1}))
        svg_.box({column.begin, headline_height + stage_height, column.width, bottom - headline_height}, {},
                 "none; pointer-events: all", said);
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
    for (const auto& [from, to, port] : lone_.receives[number]) {
      const double width = stop - start, height = row(to) - row(from);
      svg_.arrow({start + width / 2, row(from) + height / 2}, {stop, row(to)}, {colour, 1.4, Dashes::dotted},
                 fmt::format("round {}: {} waits for a message of {}, which sends none", number, to, from));
    }
    const auto sent = messages_.find(number);
    if (sent == messages_.end()) return;
    for (const Emphasis emphasis : {Emphasis::faint, Emphasis::strong})  // strong arrows over faint ones
      for (const RoutedMessage& message : sent->second)
        if (emphasis_of(number, message) == emphasis)
          draw_message(number, message, {start, stop}, stroke_of(message, colour, emphasis));
  }

  // Messages with only one end are always strong.
  Emphasis emphasis_of(Count number, const RoutedMessage& message) const {
    const auto lone = lone_.sends.find(number);
    if (lone != lone_.sends.end() && lone->second.contains({message.from, message.to, message.port})) return Emphasis::strong;
    return focus_.of(message.from, message.to);
  }

  Stroke stroke_of(const RoutedMessage& message, const std::string& colour, Emphasis emphasis) const {
    const bool is_faint = emphasis == Emphasis::faint;
    return {.colour = colour,
            .width = (is_faint ? 0.7 : 1) * width_of(message.bytes),
            .dashes = moves_data(schedule_.problem.collective) ? Dashes::none : Dashes::dashed,
            .opacity = is_faint ? faint_opacity : 1};
  }

  void draw_controls(Count number, double start, double stop, const std::string& colour) {
    for (const Program& program : programs_)
      for (const Round& round : program.rounds)
        for (const Control& control : round.number == number ? round.control_sends : std::vector<Control>{})
          if (control.peer >= 0 && control.peer < schedule_.problem.ranks)
            draw_control(number, program.rank, control, {start, stop}, colour);
  }

  void draw_control(Count number, Rank from, const Control& control, std::pair<double, double> columns, const std::string& colour) {
    const Emphasis emphasis = focus_.of(from, control.peer);
    if (emphasis == Emphasis::absent) return;
    svg_.arrow(
        {columns.first, row(from)}, {columns.second, row(control.peer)},
        {.colour = colour, .width = 0.9, .dashes = Dashes::dashed, .opacity = emphasis == Emphasis::faint ? faint_opacity : 1},
        fmt::format("round {}: {} to {}, {} B of counts or headers", number, from, control.peer, control.bytes));
  }

  void draw_message(Count number, const RoutedMessage& message, std::pair<double, double> columns, const Stroke& stroke) {
    const auto& [from, to, port, length] = message;
    const Point start{columns.first, row(from)}, stop{columns.second, row(to)};
    const std::string explanation =
        fmt::format("round {}: {} to {}, {}{}", number, from, to, bytes_text(length, unit_),
                    port ? fmt::format(", dimension {}, {}", port->dimension, port->direction > 0 ? '+' : '-') : "");
    auto& lone = lone_.sends[number];
    const auto found = lone.find({from, to, port});
    if (found == lone.end()) return svg_.arrow(start, stop, stroke, explanation);
    lone.erase(found);
    const Point middle{(start.x + stop.x) / 2, (start.y + stop.y) / 2};
    svg_.arrow(start, middle, stroke, explanation + ", which nobody receives");
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
  const Focus focus_;
  const std::vector<NodeBand> bands_;
  const double left_;
  LoneEnds lone_;  // sends are removed when they have been drawn
  std::map<Count, Column> columns_;
  std::vector<StageColumns> stages_;  // stages with at least one column
  Bytes longest_ = 0;
  bool has_controls_ = false;
  double row_height_ = 26, end_ = 0;
  const ByteUnit unit_;
  Svg svg_;
};

}  // namespace

std::string draw_space_time(const Schedule& schedule, const DrawOptions& options) { return SpaceTime(schedule, options).written(); }

}  // namespace quadrille
