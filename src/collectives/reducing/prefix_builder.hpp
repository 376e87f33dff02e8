// SPDX-License-Identifier: BSD-3-Clause
// Builds one rank's program for a scan or an exscan. The rank holds two vectors: its result so far, and the vector that
// it sends to others (`told_`), which is combined over a run of ranks that ends or begins with its own. They are in the
// same memory as long as they are equal.
#pragma once

#include <optional>

#include "quadrille/indexed.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

class PrefixBuilder {
 public:
  PrefixBuilder(const Problem& problem, Rank me, std::string stage);

  // Call these in the order of a round. Data that arrives in one round is combined at the beginning of the next.
  void begin_round();
  void send(Rank to);
  // Receives the combination over the ranks directly below those received so far. If `tell`, it becomes part of the
  // vector that this rank sends later.
  void receive_from_below(Rank from, bool tell);
  // Receives the combination over the ranks directly above. It is not part of the result.
  void receive_from_above(Rank from);

  Program finish() &&;

 private:
  enum class Slot : std::size_t { told, even, odd };

  Region slot(Slot which);  // scratch memory, allocated when it is first used
  Region area();            // alternates between two slots
  void copy(const Region& source, const Region& target);
  void reduce(const Region& source, const Region& target, OperandOrder order);

  const Region input_, output_;
  ProgramBuilder program_;
  std::optional<Region> result_;  // begins with the input for a scan, and with nothing for an exscan
  Region told_;
  std::vector<Local> pending_;
  ByEnum<Slot, std::optional<Count>, 3> slots_;
  Count slot_count_ = 0, areas_used_ = 0;
};

}  // namespace quadrille
