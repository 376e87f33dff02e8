// SPDX-License-Identifier: BSD-3-Clause
// Programs made from other programs, so that algorithms need not repeat each other's code: reversed programs, programs in posting
// order, and programs composed of parts.
#pragma once

#include <memory>
#include <span>

#include "quadrille/schedule.hpp"
#include "schedule/regions.hpp"

namespace quadrille {

// Returns the number of rounds of the schedule to which the program belongs.
Count round_count(const Program& program);

// Returns the program run backwards: sends become receives, reads become writes, and input and output change places. This turns a
// scatter into a gather, and works for every program that writes each byte at most once. The copies of a round must not access
// memory of the round's messages, because copies come first in both programs.
Program reversed(Program program);

// Returns a rank with which a round has two control messages in the same list, or nothing if there is none. A schedule must not
// have two such messages, because it would be unknown which of the two matches which control message at the other end.
std::optional<Rank> repeated_peer(const std::vector<Control>& controls);

// Returns the same program with its messages in the order in which the rank posts them. The messages of a round are sorted by
// port, so that the k-th message from one rank to another in a round is also the k-th that the other rank receives. Control
// messages become messages in front of the payload messages. The bytes of a control message lie in the buffer `staging`, which
// schedules do not use. These bytes are never read, so they cause no dependences; ordering.hpp says which operations wait for
// control messages. Control messages that may be in progress at the same time have separate bytes. If the offsets would exceed
// 2^63, the regions are cut off there or overlap. Code that allocates this memory must refuse such a program.
Program in_posting_order(Program program);
bool is_in_posting_order(const Program& program);  // true if in_posting_order would change nothing

// Is this a control message? The message must be one of a program in posting order.
bool is_control(const Message& message);

// Does the round have control messages and no other messages?
bool stands_alone(const Round& round);

// What one rank does in one phase: it is rank `me` of a schedule whose rank i is ranks[i] in the whole. `input` and `output` say
// where the buffers of that rank lie in the memory of the whole program. A copy is left out if its source and its target are the
// same bytes of that memory. So a part can hand over its result without a copy.
struct GroupStep {
  std::shared_ptr<const Schedule> schedule;
  std::span<const Rank> ranks;
  Rank me = 0;
  BufferMap input{}, output{};
};

// A schedule that is composed of schedules for groups of its ranks. In each phase several groups run schedules of their own at
// the same time. Groups and the places of their buffers differ from phase to phase. A collective between and inside nodes, or one
// that has two parts, is made in this way, so it repeats no other algorithm's code.
class Composition {
 public:
  Composition() = default;
  Composition(const Composition&) = delete;
  Composition& operator=(const Composition&) = delete;
  virtual ~Composition() = default;

  virtual std::vector<Stage> stages() const = 0;  // of all programs
  virtual std::size_t phase_count() const = 0;
  // The round of the whole in which the schedules of this phase begin. Phases may share rounds. But a phase must end before
  // another phase begins that needs its data.
  virtual Count first_round(std::size_t phase) const = 0;
  virtual std::optional<GroupStep> step(std::size_t phase, Rank rank) const = 0;  // nothing: the rank is idle
  // Local operations of the rank at the beginning of the phase's first round.
  virtual std::vector<Local> before(std::size_t, Rank) const { return {}; }
};

// Returns the program of one rank, at a cost that grows with what this rank does. In a round of several phases the operations of
// the earlier phase come first. The scratch memory of the program begins with the bytes that the steps' maps and the local
// operations name. The scratch memories of the groups' schedules follow, one after the other.
Program composed(const Composition& composition, Rank rank);

// The position of a program's buffer in the memory of the larger program: byte x of the buffer is byte offset + x of `buffer`.
struct BufferPosition {
  Buffer buffer = Buffer::output;
  Bytes offset = 0;
};

struct Part {
  Program program;
  BufferPosition input{Buffer::input, 0};
  BufferPosition output{Buffer::output, 0};
};

// Returns a program that runs one part after the other, for parts of which each rank makes its own program. The rounds of the
// second part are renumbered to follow the rounds of the first, its stages are appended, and the scratch memories of the parts are
// placed side by side. If the first part's output and the second part's input are placed in the same memory, the second part reads
// the result of the first there. The messages of each part must match among themselves.
Program joined(Part first, Part second);

// Makes a reduction from a program that spreads data. Where the program copies data from one place to many, the
// reduction sends data back along the same routes and combines it on the way.

// Returns the reverse of an allgather or a broadcast without scratch memory, in which each byte of the output is
// written once, from the input of one rank. Each send becomes a receive whose data is combined, and each receive
// becomes a send. The input of the result has the layout of the given program's output, and its output the layout of
// the given program's input. Operands are combined with the operand of the lower rank on the left. A final round of
// local operations is added to the last stage.
//
// The input is not copied. A rank that has not yet combined anything sends from its input. The first message that arrives for
// some bytes stays where it was received, and the rank's input is combined into it. A message with bytes of the rank's own result
// only is received directly into the output. The rank's value so far is then combined into the output.
Program reduced(const Program& spreading);

}  // namespace quadrille
