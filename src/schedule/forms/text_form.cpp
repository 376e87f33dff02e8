// SPDX-License-Identifier: BSD-3-Clause
// Reads and writes the text form (docs/schedule-format.md).
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "foundation/text/printable.hpp"
#include "foundation/text/wording.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/error.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/forms/document.hpp"

namespace quadrille {
// Reads the text form (docs/schedule-format.md) line by line. A text may hold several schedules. Accepted content is
// stored exactly, even if the verifier will find it incorrect.
//
// Memory: the memory used grows only with `rank` lines and list entries that are present in the text, never because a
// number in the text is large.

namespace {

Region read_region(TextLine& line) {
  constexpr std::string_view form = "a region such as output[8:8] or scratch[0:4 *3/16]";
  Region region;
  const Buffer buffers[] = {Buffer::input, Buffer::output, Buffer::scratch};
  const auto found = std::find_if(std::begin(buffers), std::end(buffers), [&](Buffer buffer) { return line.accept(name(buffer)); });
  if (found == std::end(buffers)) line.expected(form);
  region.buffer = *found;
  line.require("[");
  region.offset = line.integer("an offset");
  line.require(":");
  region.length = line.integer("a length", 0);
  std::size_t levels = 0;
  while (line.accept("*")) {
    if (levels == region.levels.size()) line.refuse(fmt::format("expected at most {} levels in a region, found more", levels));
    Level& level = region.levels[levels++];
    level.count = line.integer("a count", 0);
    line.require("/");
    level.stride = line.integer("a stride");
  }
  line.require("]");
  return region;
}

Regions read_regions(TextLine& line) {
  Regions regions;
  while (line.has_string()) regions.push_back(read_region(line));
  return regions;
}

Message read_message(TextLine& line) {
  Message message;
  message.peer = line.integer("a rank");
  if (line.accept("port")) {
    message.port = Port{};
    message.port->dimension = static_cast<int>(line.integer("a dimension", 0, std::numeric_limits<int>::max()));
    const bool minus = line.accept("-1");
    if (!minus && !line.accept("+1")) line.expected("+1 or -1");
    message.port->direction = minus ? -1 : 1;
  }
  message.regions = read_regions(line);
  return message;
}

Control read_control(TextLine& line) {
  const Rank peer = line.integer("a rank");
  return {peer, line.integer(a_size, 0)};
}

OperandOrder read_order(TextLine& line) {
  if (line.accept("source-first")) return OperandOrder::source_first;
  if (line.accept("target-first")) return OperandOrder::target_first;
  line.expected("'source-first' or 'target-first'");
}

Local read_local(TextLine& line, LocalKind kind) {
  Local local{kind, {}, {}, {}};
  if (kind == LocalKind::reduce) local.order = read_order(line);
  local.source = read_regions(line);
  line.require("->");
  local.target = read_regions(line);
  return local;
}

// The lines of a text that are neither blank nor only comments, one at a time.
class Lines {
 public:
  explicit Lines(std::string_view text) : text_(text) { advance(); }

  TextLine& operator*() { return line_; }
  TextLine* operator->() { return &line_; }
  bool finished() const { return finished_; }

  void advance() {
    do {
      finished_ = next_ >= text_.size();
      const std::size_t end = std::min(text_.find('\n', next_), text_.size());
      ++number_;
      line_ = finished_ ? TextLine::after_the_last(number_) : TextLine(text_.substr(next_, end - next_), number_);
      next_ = end + 1;
    } while (!finished_ && line_.at_end());
  }

  void end_line() {
    line_.require_end();
    advance();
  }

 private:
  std::string_view text_;
  std::size_t next_ = 0;
  Count number_ = 0;
  TextLine line_;
  bool finished_ = false;
};

// Reads the lines before the stages and ranks.
class HeadReader {
 public:
  explicit HeadReader(Lines& lines) : lines_(lines) {}

  Schedule read() {
    while (!lines_.finished() && !lines_->begins_with("stage") && !lines_->begins_with("rank")) {
      read_setting(lines_->word("a setting such as 'ranks 5'"));
      lines_.end_line();
    }
    Problem& problem = schedule_.problem;
    require("collective");
    require("ranks");
    if (is_irregular(problem.collective)) require("counts");
    if (has_blocks(problem.collective)) require("block_bytes");
    if (is_rooted(problem.collective)) require("root");
    if (is_reduction(problem.collective)) problem.commutative = problem.commutative && given_.contains("commutative");
    if (is_irregular(problem.collective)) problem.counts = std::make_shared<const std::vector<Bytes>>(std::move(counts_));
    check(problem);
    if (shares_blocks_ && has_pair_counts(problem.collective)) problem = with_shared_blocks(problem);
    require_for_each_rank("input_bytes", schedule_.stated_input_bytes);
    require_for_each_rank("output_bytes", schedule_.stated_output_bytes);
    return std::move(schedule_);
  }

 private:
  void require(std::string_view key) {
    if (!given_.contains(key)) lines_->refuse(fmt::format("expected '{}' before this line, found none", key));
  }

  void require_for_each_rank(std::string_view key, const std::vector<Bytes>& sizes) {
    if (!sizes.empty() && size(sizes) != schedule_.problem.ranks)
      lines_->refuse(fmt::format("expected {} numbers in the '{}' above, found {}", schedule_.problem.ranks, key, sizes.size()));
  }

  void read_setting(std::string_view key) {
    Problem& problem = schedule_.problem;
    if (key == "parameter") return read_parameter();
    if (key == "counts") return read_list(counts_, key, a_size);  // a list may continue on another line with the same key
    if (key == "nodes") return read_list(problem.nodes, key, "a node", std::numeric_limits<Count>::min());
    if (key == "grid") return read_list(problem.grid, key, "a side", 1);
    if (key == "input_bytes") return read_list(schedule_.stated_input_bytes, key, a_size);
    if (key == "output_bytes") return read_list(schedule_.stated_output_bytes, key, a_size);

    if (!given_.emplace(key).second) lines_->refuse(fmt::format("'{}' is given twice", excerpt(key)));
    if (key == "collective")
      problem.collective = read_collective();
    else if (key == "algorithm")
      schedule_.algorithm = lines_->string("the name of an algorithm");
    else if (key == "ranks")
      problem.ranks = lines_->integer("a number of ranks", 1);
    else if (key == "block_bytes")
      problem.block_bytes = lines_->integer(a_size, 0);
    else if (key == "element_bytes")
      problem.element_bytes = lines_->integer(a_size, 1);
    else if (key == "commutative")
      problem.commutative = read_boolean();
    else if (key == "reproducible")
      problem.reproducible = read_boolean();
    else if (key == "shared_blocks")
      shares_blocks_ = read_boolean();
    else if (key == "root")
      problem.root = lines_->integer("a rank", 0);
    else
      lines_->refuse(fmt::format("expected a setting, a stage or a rank, found '{}'", excerpt(key)));
  }

  void read_list(std::vector<Count>& numbers, std::string_view key, std::string_view what, Count least = 0) {
    given_.emplace(key);
    while (!lines_->at_end()) numbers.push_back(lines_->integer(what, least));
  }

  void read_parameter() {
    const std::string key = lines_->string("the name of a parameter");
    const bool is_word = lines_->has_string();
    const ParameterValue value = is_word ? ParameterValue(lines_->string("")) : ParameterValue(lines_->integer("a value"));
    if (!schedule_.parameters.emplace(key, value).second)
      lines_->refuse(fmt::format("parameter '{}' is given twice", excerpt(key)));
  }

  Collective read_collective() {
    const std::string_view word = lines_->word("the name of a collective");
    if (const auto collective = collective_named(word)) return *collective;
    lines_->refuse(fmt::format("expected {}, found '{}'", a_collective(), excerpt(word)));
  }

  bool read_boolean() {
    if (lines_->accept("true")) return true;
    lines_->require("false");
    return false;
  }

  Lines& lines_;
  Schedule schedule_;
  std::set<std::string, std::less<>> given_;
  std::vector<Bytes> counts_;
  bool shares_blocks_ = false;
};

std::vector<Stage> read_stages(Lines& lines) {
  std::vector<Stage> stages;
  for (; lines->accept("stage"); lines.end_line()) {
    Stage stage{lines->string("the name of a stage")};
    lines->require("first");
    stage.first_round = lines->integer("a round", 0);
    lines->require("rounds");
    stage.round_count = lines->integer("a number of rounds", 0, std::numeric_limits<Count>::max() - stage.first_round);
    stages.push_back(std::move(stage));
  }
  return stages;
}

Round read_round(Lines& lines) {
  Round round;
  round.number = lines->integer("a round", 0);
  for (lines.end_line();; lines.end_line()) {
    if (lines->accept("copy")) {
      round.locals.push_back(read_local(*lines, LocalKind::copy));
    } else if (lines->accept("reduce")) {
      round.locals.push_back(read_local(*lines, LocalKind::reduce));
    } else if (lines->accept("send")) {
      lines->require("to");
      round.sends.push_back(read_message(*lines));
    } else if (lines->accept("receive")) {
      lines->require("from");
      round.receives.push_back(read_message(*lines));
    } else if (lines->accept("control")) {
      const bool from = lines->accept("from");
      if (!from) lines->require("to");
      (from ? round.control_receives : round.control_sends).push_back(read_control(*lines));
    } else {
      return round;
    }
  }
}

Schedule read_schedule(Lines& lines, std::size_t text_bytes) {
  if (!lines->accept(text_format)) lines->expected(fmt::format("'{}' or a JSON document", text_format));
  lines.end_line();
  Schedule schedule = HeadReader(lines).read();
  const Count ranks = schedule.problem.ranks;

  StoredPrograms stored;
  stored.stages = read_stages(lines);
  for (Rank rank = 0; rank < ranks; ++rank) {
    lines->require("rank");
    if (lines->integer("a rank") != rank)
      lines->refuse(fmt::format("expected the program of rank {}, found that of another rank", rank));
    Program program{rank};
    if (lines->accept("scratch")) program.scratch_bytes = lines->integer(a_size, 0);
    lines.end_line();
    if (lines->accept("own_stages")) {
      lines.end_line();
      stored.own_stages[rank] = read_stages(lines);
    }
    while (lines->accept("round")) program.rounds.push_back(read_round(lines));
    if (!lines.finished() && !lines->begins_with("rank") && !lines->begins_with(text_format))
      lines->expected("copy, reduce, send, receive, control, round or rank");
    stored.programs.push_back(std::move(program));
  }
  if (lines->begins_with("rank")) lines->expected(fmt::format("the end of the document after {}", counted(ranks, "rank")));
  store(schedule, std::move(stored), text_bytes);
  return schedule;
}

}  // namespace

std::vector<Schedule> parse_text(std::string_view text) {
  std::vector<Schedule> schedules;
  Lines lines(text);
  do {
    schedules.push_back(read_schedule(lines, text.size()));
  } while (!lines.finished());
  return schedules;
}

// Writes the text form (docs/schedule-format.md): the programs unchanged, one after the other, with their strides.

namespace {

std::string word_or_string(std::string_view name) { return is_word(name) ? std::string(name) : json_string(name); }

class TextWriter {
 public:
  explicit TextWriter(std::ostream& out) : out_(out) {}

  void write(const Schedule& schedule) {
    write_head(schedule);
    std::vector<Stage> stages;
    for (Rank rank = 0; rank < schedule.problem.ranks; ++rank) {
      const Program program = schedule.program(rank);
      if (rank == 0) write_stages(stages = program.stages);
      out_.print("\nrank {} scratch {}\n", rank, program.scratch_bytes);
      if (program.stages != stages) {
        out_.print("own_stages\n");
        write_stages(program.stages);
      }
      for (const Round& round : program.rounds) write_round(round);
    }
    out_.flush();
  }

 private:
  void write_head(const Schedule& schedule) {
    const Problem& problem = schedule.problem;
    const Collective collective = problem.collective;
    out_.print("{}\ncollective {}\n", text_format, name(collective));
    if (!schedule.algorithm.empty()) out_.print("algorithm {}\n", word_or_string(schedule.algorithm));
    for (const auto& [key, value] : schedule.parameters) {
      const std::string* word = std::get_if<std::string>(&value);
      out_.print("parameter {} {}\n", word_or_string(key), word ? word_or_string(*word) : to_string(value));
    }
    out_.print("ranks {}\n", problem.ranks);
    if (has_pair_counts(collective))
      for (Rank from = 0; from < problem.ranks; ++from) out_.print("counts {}\n", fmt::join(Traffic(problem).row(from), " "));
    else if (is_irregular(collective))
      write_list("counts", *problem.counts);
    else if (has_blocks(collective))
      out_.print("block_bytes {}\n", problem.block_bytes);
    if (Traffic(problem).shares_blocks()) out_.print("shared_blocks true\n");
    if (is_reduction(collective)) out_.print("element_bytes {}\ncommutative {}\n", problem.element_bytes, problem.commutative);
    if (is_reduction(collective) && problem.reproducible) out_.print("reproducible true\n");
    if (is_rooted(collective)) out_.print("root {}\n", problem.root);
    write_list("nodes", problem.nodes);
    write_list("grid", problem.grid);
    write_list("input_bytes", schedule.stated_input_bytes);
    write_list("output_bytes", schedule.stated_output_bytes);
  }

  void write_list(std::string_view key, const std::vector<Count>& numbers) {
    if (!numbers.empty()) out_.print("{} {}\n", key, fmt::join(numbers, " "));
  }

  void write_stages(const std::vector<Stage>& stages) {
    for (const Stage& stage : stages)
      out_.print("stage {} first {} rounds {}\n", word_or_string(stage.name), stage.first_round, stage.round_count);
  }

  void write_round(const Round& round) {
    out_.print("round {}\n", round.number);
    for (const Local& local : round.locals) {
      if (local.kind == LocalKind::copy)
        out_.print("  copy");
      else
        out_.print("  reduce {}", local.order == OperandOrder::source_first ? "source-first" : "target-first");
      write_regions(local.source);
      out_.print(" ->");
      write_regions(local.target);
      out_.print("\n");
    }
    write_messages("send to", round.sends);
    write_messages("receive from", round.receives);
    for (const Control& control : round.control_sends) out_.print("  control to {} {}\n", control.peer, control.bytes);
    for (const Control& control : round.control_receives) out_.print("  control from {} {}\n", control.peer, control.bytes);
  }

  void write_messages(std::string_view verb, const std::vector<Message>& messages) {
    for (const Message& message : messages) {
      out_.print("  {} {}", verb, message.peer);
      if (message.port) out_.print(" port {} {:+}", message.port->dimension, message.port->direction);
      write_regions(message.regions);
      out_.print("\n");
    }
  }

  void write_regions(const Regions& regions) {
    for (const Region& region : regions) out_.print(" {}", to_string(region));
  }

  Printer out_;
};

}  // namespace

void write_text(std::ostream& out, const Schedule& schedule) { TextWriter(out).write(schedule); }

}  // namespace quadrille
