// SPDX-License-Identifier: BSD-3-Clause
// Makes programs from other programs of the same rank, so that an algorithm with two parts does not repeat their code.
#pragma once

#include "quadrille/schedule.hpp"

namespace quadrille {

// Returns the number of rounds of the schedule to which the program belongs.
Count round_count(const Program& program);

// Returns the program run backwards: sends become receives, reads become writes, and input and output change places.
// This turns a scatter into a gather, and works for every program that writes each byte at most once. The copies of a
// round must not touch memory of its messages, because copies come first in both directions.
Program reversed(Program program);

// Returns a rank with which a round has two control messages in the same list, or nothing if there is none. A schedule
// must not have two such messages, because nothing says which control message matches which at the other end.
std::optional<Rank> repeated_peer(const std::vector<Control>& controls);

// Returns the same program with its messages in the order in which the rank posts them. The messages of a round are
// sorted by port, so that the k-th message from one rank to another in a round is also the k-th that the other rank
// receives. Control messages become messages in front of the payload messages. The bytes of a control message lie in
// the buffer `staging`, which schedules do not use. Nobody reads these bytes, so they cause no dependences;
// ordering.hpp says which operations wait for control messages. Control messages that may be in progress at the same
// time have separate bytes. If their offsets would exceed 2^63, the regions are cut off there or overlap; code that
// allocates this memory must refuse such a program.
Program in_posting_order(Program program);
bool is_in_posting_order(const Program& program);  // true if in_posting_order would change nothing

// Is this a control message? The message must be one of a program in posting order.
bool is_control(const Message& message);

// Does the round have control messages and no other messages?
bool stands_alone(const Round& round);

}  // namespace quadrille
