// SPDX-License-Identifier: BSD-3-Clause
// Runs a program that is made while it runs (staged_program.hpp). A message is its payload, its header, and how long the header
// is, so that the payload can arrive where it is to stay.
#pragma once

#include <functional>

#include "execute/copies.hpp"
#include "execute/executable.hpp"
#include "execute/layout.hpp"
#include "execute/mail.hpp"
#include "quadrille/staged_program.hpp"

namespace quadrille {

class StagedExecutable : public Executable {
 public:
  using Make = std::function<std::unique_ptr<StagedProgram>()>;

  // `make` begins the program anew for each execution. With Policy::blocking a round ends before the next begins; otherwise all
  // messages of a stage are under way together.
  StagedExecutable(std::unique_ptr<Mail> mail, Make make, Policy policy, BoundMemory memory = {});

  void execute(const std::byte* input, std::byte* output, Phases* phases = nullptr) override;

  // What it keeps depends on the messages that have come.
  Bytes memory_bytes() const override;

  // As execute; returns what has run.
  Program execute_and_tell(const std::byte* input, std::byte* output, Phases* phases = nullptr);

 private:
  void send(const StagedRound& round, std::size_t number);
  void receive(StagedProgram& program, Rank from);
  void make_room(const Regions& regions);
  Regions placed(const Regions& regions) const { return memory_.place ? memory_.place(regions) : regions; }

  std::unique_ptr<Mail> mail_;
  Make make_;
  Policy policy_;
  BoundMemory memory_;
  // Kept from one execution to the next, and grown where it needs more.
  std::vector<std::byte> scratch_, arrival_, saved_;
  std::vector<std::vector<std::byte>> letters_;  // on their way, by round
  Bases bases_{};
  std::vector<StridedCopy> copies_;
};

}  // namespace quadrille
