// SPDX-License-Identifier: BSD-3-Clause
// The order of starts among the ranks of an MPI communicator. Comparing it takes messages of its own, so that is done on demand
// only: with QUADRILLE_CHECK=1 in the environment all ranks compare before each start.
#pragma once

#include <atomic>
#include <memory>

#include "execute/starts.hpp"

namespace quadrille {

class MpiGroup;

class MpiStarts final : public Starts {
 public:
  explicit MpiStarts(MpiGroup& group);

  // Does the environment of this rank ask for it? Launchers may hand the variable to some ranks only; then all of them compare.
  static bool asked_to_compare();
  void set_compares(bool compares) { compares_ = compares; }

  // Do the ranks compare? The same at all of them.
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
