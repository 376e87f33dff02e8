// SPDX-License-Identifier: BSD-3-Clause
// A schedule that is composed of schedules for groups of its ranks. In each phase some groups run a schedule of their own, beside
// each other; the groups, and where the buffers of their schedules lie, differ from phase to phase. So a collective between and
// inside nodes, or one that has two parts, repeats no other algorithm's code.
#pragma once

#include <memory>
#include <span>

#include "quadrille/schedule.hpp"
#include "schedule/regions.hpp"

namespace quadrille {

// What one rank does in one phase: it is rank `me` of a schedule whose rank i is ranks[i] in the whole. `input` and `output` say
// where the buffers of that rank lie in the memory of the whole program. A copy is left out if its source and its target are the
// same bytes there, so a part can hand its result over in place.
struct GroupStep {
  std::shared_ptr<const Schedule> schedule;
  std::span<const Rank> ranks;
  Rank me = 0;
  BufferMap input{}, output{};
};

class Composition {
 public:
  Composition() = default;
  Composition(const Composition&) = delete;
  Composition& operator=(const Composition&) = delete;
  virtual ~Composition() = default;

  virtual std::vector<Stage> stages() const = 0;  // of all programs
  virtual std::size_t phase_count() const = 0;
  // The round of the whole in which the schedules of this phase begin. Phases may share rounds; where one hands data over to
  // another, it must end before the other one begins.
  virtual Count first_round(std::size_t phase) const = 0;
  virtual std::optional<GroupStep> step(std::size_t phase, Rank rank) const = 0;  // nothing: the rank is idle
  // Local operations of the rank at the beginning of the phase's first round.
  virtual std::vector<Local> before(std::size_t, Rank) const { return {}; }
};

// Returns the program of one rank, at a cost that grows with what this rank does. In a round of several phases the operations of
// the earlier phase come first. Scratch memory that the steps' maps and the local operations name comes first in the whole's
// scratch memory; the scratch memories of the parts follow, one after the other.
Program composed(const Composition& composition, Rank rank);

// The position of a buffer of a program in the memory of a larger one: byte x of the buffer is byte offset + x of `buffer`.
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

}  // namespace quadrille
