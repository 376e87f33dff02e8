// SPDX-License-Identifier: BSD-3-Clause
// The order of starts among the ranks of an MPI communicator. Comparing it takes messages of its own, so that is done on demand
// only: with QUADRILLE_CHECK=1 in the environment all ranks compare before each start.
#pragma once

#include <memory>

#include "execute/mpi/plug_in/group.hpp"
#include "execute/starts.hpp"

namespace quadrille {

class MpiStarts final : public Starts {
 public:
  // Collective.
  explicit MpiStarts(std::shared_ptr<MpiGroup> group);

  // Do the ranks compare? The same at all of them.
  bool compares() const { return compares_; }

  void begin(std::uint32_t plan) override;
  const std::shared_ptr<InFlight>& in_flight() const override { return group_->in_flight(); }
  void give_core_away() const override {
    if (!group_->poll()) sched_yield();
  }
  void begin_barrier();

 private:
  void compare(std::uint32_t plan);

  const std::shared_ptr<MpiGroup> group_;
  bool compares_ = false;
};

}  // namespace quadrille
