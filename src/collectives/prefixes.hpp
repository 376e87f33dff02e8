// SPDX-License-Identifier: BSD-3-Clause
// What a rank does in a scan or an exscan: it holds the result so far, and what it tells others, the vectors of a run of ranks
// that ends or begins with its own combined. The two are one as long as they are equal.
#pragma once

#include <optional>

#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

class Prefixes {
 public:
  Prefixes(const Problem& problem, Rank me, std::string stage);

  // In the order of a round: what arrived in the round before is combined when the next one begins.
  void begin_round();
  void send(Rank to);
  // Of the ranks just below those told of so far; `tell`: what is told from now on has it, too.
  void receive_from_below(Rank from, bool tell);
  // Of the ranks just above; the result has nothing to do with it.
  void receive_from_above(Rank from);

  Program finish() &&;

 private:
  enum class Slot : std::size_t { told, even, odd };

  Region slot(Slot which);  // of scratch memory, placed when it is first asked for
  Region area();            // two take turns
  void copy(const Region& source, const Region& target);
  void reduce(const Region& source, const Region& target, OperandOrder order);

  const Region input_, output_;
  ProgramBuilder program_;
  std::optional<Region> result_;  // a scan's begins with the input, an exscan's with nothing
  Region told_;
  std::vector<Local> pending_;
  ByEnum<Slot, std::optional<Count>, 3> slots_;
  Count slot_count_ = 0, areas_used_ = 0;
};

}  // namespace quadrille
