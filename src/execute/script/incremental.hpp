// SPDX-License-Identifier: BSD-3-Clause
// Runs an incremental program (program_builder.hpp). A message consists of the payload, the header, and the length of the
// header, in this order, so that the payload can be received directly at its final place.
#pragma once

#include <functional>

#include "execute/script/copies.hpp"
#include "execute/script/layout.hpp"
#include "execute/transport.hpp"
#include "quadrille/program_builder.hpp"

namespace quadrille {

class IncrementalExecutable : public Executable {
 public:
  using Make = std::function<std::unique_ptr<IncrementalProgram>()>;

  // `make` makes the program for each execution. With Policy::blocking each round completes before the next one begins; otherwise
  // all messages of a stage are in flight together.
  IncrementalExecutable(std::unique_ptr<Mail> mail, Make make, Policy policy, BoundMemory memory = {});

  void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) override;

  // Grows with the longest messages received so far.
  Bytes memory_bytes() const override;

  // The same as `execute`; returns the program that has run.
  Program execute_and_tell(const std::byte* input, std::byte* output, Phases* phases = nullptr);

 private:
  void send(const IncrementalRound& round, std::size_t number);
  void receive(IncrementalProgram& program, Rank from);
  void make_room(const Regions& regions);
  Regions placed(const Regions& regions) const { return memory_.place ? memory_.place(regions) : regions; }

  std::unique_ptr<Mail> mail_;
  Make make_;
  Policy policy_;
  BoundMemory memory_;
  // Kept between executions; grows as needed.
  std::vector<std::byte> scratch_, arrival_, saved_;
  std::vector<std::vector<std::byte>> letters_;  // messages being sent, by round
  Bases bases_{};
  std::vector<StridedCopy> copies_;
};

}  // namespace quadrille
