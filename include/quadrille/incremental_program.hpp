// SPDX-License-Identifier: BSD-3-Clause
// An incremental program is generated while it runs, stage by stage. It serves a rank that knows only the counts that
// it sends and receives itself: each message carries a header that says what the message holds. After the last stage,
// the operations that were run are exactly the program of the algorithm's schedule, region by region.
//
//   std::unique_ptr<IncrementalProgram> program = choice.algorithm->incremental(problem, choice.parameters, me);
//   while (const std::vector<IncrementalRound>* rounds = program->next_stage())
//     for (const IncrementalRound& round : *rounds) ..  // send `read` and `header`; for the message that comes from
//                                                       // `round.from`, arrived(..) says where its payload goes
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

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
