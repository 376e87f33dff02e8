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

// Control messages as messages, for those who move or wait for messages: each takes the bytes it has, and one at least, in
// scratch memory added behind the program's own. What a rank sends in a round depends on all it has heard in rounds before, so
// that a barrier holds everybody back under every policy. Throws Error{too_large} where that memory reaches 2^63 bytes, and
// Error{misuse} for a `repeated_peer`.
Program with_control_messages(Program program);

// The same for those who only ask what waits for what: each control message is one byte, in the buffer `staging`, of which
// schedules have none. So its size does not matter.
Program with_control_tokens(Program program);

// The same program with the messages of each round in the order of their ports, so that the k-th message of a round to a rank is
// the k-th that this rank receives: executors match by order.
Program in_port_order(Program program);

}  // namespace quadrille
