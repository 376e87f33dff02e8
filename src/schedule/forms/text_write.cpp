// SPDX-License-Identifier: BSD-3-Clause
// Writes the text form (docs/schedule-format.md): the programs unchanged, one after the other, with their strides.
#include <fmt/ranges.h>

#include "foundation/text/printable.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/traffic.hpp"
#include "schedule/forms/document.hpp"

namespace quadrille {
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
