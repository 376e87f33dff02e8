// SPDX-License-Identifier: BSD-3-Clause
// Builds one rank's program. Algorithms use it so that they need not think of round numbers, empty messages or stages:
//
//   ProgramBuilder program{me};
//   program.stage("exchange");
//   program.begin_round();
//   program.send((me + 1) % p, {block(Buffer::input, (me + 1) % p, b)});
//   program.receive((me + p - 1) % p, {block(Buffer::output, (me + p - 1) % p, b)});
//   return std::move(program).finish();
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// A rank's program has at most so many operations, about a gigabyte. Throws Error{too_large} beyond.
inline constexpr Count most_operations_of_a_program = Count{1} << 22;
void check_operations(Count times, Count operations = 1);  // so many operations so many times

class ProgramBuilder {
 public:
  explicit ProgramBuilder(Rank rank) { program_.rank = rank; }

  // About how many operations there will be: an algorithm with more of them than a few for each doubling of the ranks says so, and
  // what is too large is refused before it is made. Operations are counted, too. Throws like `check_operations`.
  void expect(Count times, Count operations = 1) const { check_operations(times, operations); }

  void stage(std::string name);   // the rounds that follow belong to it
  void begin_round();             // the next global round; a stage is opened where there is none
  void skip_rounds(Count count);  // global rounds in which this rank does nothing
  void scratch(Bytes bytes) { program_.scratch_bytes = bytes; }

  // Empty regions and messages of no bytes are left out. A message to oneself is a broken contract: copy instead.
  void copy(Regions source, Regions target);
  void reduce(Regions source, Regions target, OperandOrder order);
  void send(Rank to, Regions read, std::optional<Port> port = {});
  void receive(Rank from, Regions write, std::optional<Port> port = {});
  void control_send(Rank to, Bytes bytes);
  void control_receive(Rank from, Bytes bytes);

  Program finish() &&;

 private:
  Round& round();  // the current one, entered into the program at its first operation

  Program program_;
  Count next_round_ = 0;
  Count operations_ = 0;
};

// Regions of whole blocks of `block_bytes` bytes in a buffer of p blocks.
Region block(Buffer buffer, Count index, Bytes block_bytes);
Region blocks(Buffer buffer, Count first, Count count, Bytes block_bytes);

// Blocks first, first + 1, .. and first, first - 1, .. (mod p), `count` of them: at most two regions.
Regions blocks_upward(Buffer buffer, Count first, Count count, Count p, Bytes block_bytes);
Regions blocks_downward(Buffer buffer, Count first, Count count, Count p, Bytes block_bytes);

}  // namespace quadrille
