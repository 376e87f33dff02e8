// SPDX-License-Identifier: BSD-3-Clause
// Groups operations that were not finished by the mistake that they share. Those are one mistake that
//   - are of the same round and have the same sender or the same receiver;
//   - are a set of operations of which most are not finished (likeness.hpp);
//   - lack the end of the same rank, which lacks most of its ends;
//   - are the two ends of one message: the first send from one rank to another belongs to the first receive there, and so on;
//   - are most of the messages of one rank, which it posts the same number of rounds before or after the other ends.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/choices.hpp"

namespace quadrille {

// Messages of which a rank posts its ends some rounds after the other ends.
struct Shift {
  Rank rank = 0;
  Count rounds = 0;                         // negative: before them
  Count messages = 0;                       // that were not finished
  std::size_t first = 0;                    // of these: the operation
  Count send_round = 0, receive_round = 0;  // and its rounds
};

// Operations as indices of ByteFlow::operations, in ascending order.
struct UnfinishedGroup {
  std::vector<std::size_t> operations;
  std::string text;            // what they have in common; empty if that is said otherwise
  std::optional<Shift> shift;  // the one with the most messages
};

// Every operation that was not finished is in exactly one group.
std::vector<UnfinishedGroup> unfinished_groups(const Investigation& known);

// "rank 3 is 2 rounds late: the message 3 to 4 is sent in round 7 and received in round 5"
std::string to_string(const Shift& shift, const ByteFlow& flow);

}  // namespace quadrille
