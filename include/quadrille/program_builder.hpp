// SPDX-License-Identifier: BSD-3-Clause
// Builds one rank's program. It numbers the rounds, drops empty messages and opens stages, so that algorithms need not:
//
//   ProgramBuilder program{me};
//   program.stage("exchange");
//   program.begin_round();
//   program.send((me + 1) % p, {block(Buffer::input, (me + 1) % p, b)});
//   program.receive((me + p - 1) % p, {block(Buffer::output, (me + p - 1) % p, b)});
//   return std::move(program).finish();
//
// The end of this header has programs that are generated while they run.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// The most operations that one rank's program may have; that many take about a gigabyte.
inline constexpr Count most_operations_of_a_program = Count{1} << 22;
void check_operations(Count times, Count operations = 1);  // throws Error{too_large} if times * operations exceeds the limit

class ProgramBuilder {
 public:
  explicit ProgramBuilder(Rank rank) { program_.rank = rank; }

  // Announces about how many operations the program will have (times * operations), so that a program that is too large
  // is refused before it is built. Call it if the number grows faster than a few operations for each doubling of the
  // ranks. The builder also counts operations while it adds them. Throws like `check_operations`.
  void expect(Count times, Count operations = 1) const { check_operations(times, operations); }

  void stage(std::string name);   // the rounds that follow belong to this stage
  void begin_round();             // begins the next global round; opens a stage if there is none
  void skip_rounds(Count count);  // `count` global rounds in which this rank does nothing
  void scratch(Bytes bytes) { program_.scratch_bytes = bytes; }

  // Empty regions and messages without bytes are left out. Throws Error{misuse} for a message to the rank itself: use
  // copy() instead.
  void copy(Regions source, Regions target);
  void reduce(Regions source, Regions target, OperandOrder order);
  void send(Rank to, Regions read, std::optional<Port> port = {});
  void receive(Rank from, Regions write, std::optional<Port> port = {});
  void control_send(Rank to, Bytes bytes);
  void control_receive(Rank from, Bytes bytes);

  Program finish() &&;

 private:
  Round& round();  // the current round, which the first operation adds to the program

  Program program_;
  Count next_round_ = 0;
  Count operations_ = 0;
};

// A block, or `count` consecutive blocks, of `block_bytes` bytes each, in a buffer of p blocks.
Region block(Buffer buffer, Count index, Bytes block_bytes);
Region blocks(Buffer buffer, Count first, Count count, Bytes block_bytes);

// `count` blocks with indices first, first + 1, .. (upward) or first, first - 1, .. (downward), modulo p; at most two
// regions.
Regions blocks_upward(Buffer buffer, Count first, Count count, Count p, Bytes block_bytes);
Regions blocks_downward(Buffer buffer, Count first, Count count, Count p, Bytes block_bytes);

// ---- Incremental programs
//
// An incremental program is generated stage by stage, while the ranks make their plan. It serves a rank that knows only the counts
// that it sends and receives itself: for each message a header says what the message will hold. After the last stage, the
// generated program equals that of the algorithm's schedule, region by region.
//
//   std::unique_ptr<IncrementalProgram> program = choice.algorithm->incremental(problem, choice.parameters, me);
//   while (const std::vector<IncrementalRound>* rounds = program->next_stage())
//     for (const IncrementalRound& round : *rounds) ..  // send `read` and `header`; for the message that comes from
//                                                       // `round.from`, arrived(..) says where its payload goes

// One round of a stage. The local copy is done first. The regions to send are complete when the stage begins: nothing
// that arrives during the stage changes them.
struct IncrementalRound {
  Regions copy_source, copy_target;
  std::optional<Rank> to;
  Regions read;  // may be empty; the message then consists of its header
  std::vector<std::uint8_t> header;
  std::optional<Rank> from;
};

class IncrementalProgram {
 public:
  virtual ~IncrementalProgram() = default;

  // Returns the rounds of the next stage, or null after the last stage. Call it when all messages of the previous stage
  // have arrived. The result is valid until the next call.
  virtual const std::vector<IncrementalRound>* next_stage() = 0;

  // Takes the header of a message of this stage and returns the regions into which its `payload` bytes go. Call it for
  // the messages in the order of their rounds. Throws Error{malformed} if the header contradicts the payload's size,
  // this rank, or what this rank expects.
  virtual Regions arrived(Rank from, std::span<const std::uint8_t> header, Bytes payload) = 0;

  // After the last stage: returns the program that was run. Throws Error{malformed} if data is missing.
  virtual Program finish() = 0;
};

}  // namespace quadrille
