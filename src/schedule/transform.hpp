// SPDX-License-Identifier: BSD-3-Clause
// Programs made from programs of the same rank, so that an algorithm built of two parts need not repeat either.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Global rounds of the schedule that the program is part of.
Count round_count(const Program& program);

// Where a part's buffer lies in the whole: its byte x is byte offset + x of `buffer`.
struct Placement {
  Buffer buffer = Buffer::output;
  Bytes offset = 0;
};

struct Part {
  Program program;
  Placement input{Buffer::input, 0};
  Placement output{Buffer::output, 0};
};

// One part after the other: rounds numbered on, stages appended, scratch memory side by side. What one part leaves in its
// output the next finds in its input if both are placed there. Copies that are left with the same source and target are
// dropped, so a part may hand over in place. The parts' messages must match within each part.
Program joined(Part first, Part second);

// The same run from its end to its beginning: what was sent is received, what was read is written, input is output. Turns a
// scatter into a gather, and any program in which each byte is written once at most. A round's copies must not touch what
// its messages touch, since they come first in both directions.
Program reversed(Program program);

// A rank with which a round has two control messages of the same list; nothing if there is none. Which of them meets which at the
// other end would depend on who looks, so no schedule may have them.
std::optional<Rank> repeated_peer(const std::vector<Control>& controls);

// The same program in the order in which its rank posts messages: those of each round by port, so that the k-th message of a round
// to a rank is the k-th that this rank receives, and control messages in front of them, as messages. The bytes of a control message
// lie in the buffer `staging`, which schedules do not use. Nobody reads them, so they cause no dependence; ordering.hpp says what
// waits for control messages. Control messages that are under way at the same time lie apart.
// Where they would lie beyond 2^63, their regions end there or overlap; whoever gives them memory has to refuse that.
Program in_posting_order(Program program);
bool is_in_posting_order(const Program& program);  // nothing would change

// Of a program in posting order.
bool is_control(const Message& message);

// Has the round control messages and no other message?
bool stands_alone(const Round& round);

}  // namespace quadrille
