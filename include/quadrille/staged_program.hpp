// SPDX-License-Identifier: BSD-3-Clause
// A program made while it runs, stage by stage, for a rank that knows no more than what it itself sends and receives: a header
// with each message tells what it holds. What has run in the end is the program of the algorithm's schedule, region by region.
//
//   std::unique_ptr<StagedProgram> program = choice.algorithm->in_stages(problem, choice.parameters, me);
//   while (const std::vector<StagedRound>* rounds = program->next_stage())
//     for (const StagedRound& round : *rounds) ..  // send `read` and `header`; arrived(from, header, payload) says where it goes
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// The local copy comes first; what is read is ready when the stage begins, whatever arrives in it.
struct StagedRound {
  Regions copy_source, copy_target;
  std::optional<Rank> to;
  Regions read;  // perhaps nothing: the header says so
  std::vector<std::uint8_t> header;
  std::optional<Rank> from;
};

class StagedProgram {
 public:
  virtual ~StagedProgram() = default;

  // Once all messages of the stage before have arrived; null after the last. Valid until the next call.
  virtual const std::vector<StagedRound>* next_stage() = 0;

  // Of the message that is to arrive next: the offset in scratch memory at which its payload goes in one run, if that is so
  // whatever the header says.
  virtual std::optional<Bytes> next_place() const = 0;

  // A message of this stage, told of in the order of rounds: where its payload of so many bytes goes. Throws Error{malformed} for
  // a header that does not go with the payload, with this rank, or with what it expects.
  virtual Regions arrived(Rank from, std::span<const std::uint8_t> header, Bytes payload) = 0;

  // After the last stage: what has run. Throws Error{malformed} if not everything has arrived.
  virtual Program finish() = 0;
};

}  // namespace quadrille
