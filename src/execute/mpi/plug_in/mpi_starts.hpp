// SPDX-License-Identifier: BSD-3-Clause
// Checks that the ranks of an MPI communicator start plans in the same order. The check takes messages of its own, so it is done
// only on demand: with QUADRILLE_CHECK=1 in the environment all ranks compare before each start.
#pragma once

#include <atomic>
#include <memory>

#include "execute/executions/starts.hpp"

namespace quadrille {

class MpiGroup;

class MpiStarts final : public Starts {
 public:
  explicit MpiStarts(MpiGroup& group);

  // Does the environment of this rank ask for the check? Launchers may pass the variable to some ranks only; then all ranks
  // compare.
  static bool asked_to_compare();
  void set_compares(bool compares) { compares_ = compares; }

  // Do the ranks compare? The same on all ranks.
  bool compares() const { return compares_; }

  void begin(std::uint32_t plan) override;
  const std::shared_ptr<InFlight>& in_flight() const override;
  bool may_advance_in_background() const override;
  void give_core_away() const override;
  void begin_barrier() { begin(barrier); }

 private:
  void compare(std::uint32_t plan);

  MpiGroup& group_;
  const std::atomic<bool>& has_ended_;
  bool compares_ = false;
};

}  // namespace quadrille
