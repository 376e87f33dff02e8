// SPDX-License-Identifier: BSD-3-Clause
// The communicators of simulated ranks. Each rank is a process of its own with production's memory files, which meets the others by
// production's `meet`; ranks of one node share memory, and nodes exchange messages of the simulated MPI.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "execute/shared/meet.hpp"
#include "execute/transport.hpp"
#include "seeds/fibres.hpp"
#include "seeds/memory.hpp"

namespace quadrille::seeds {

// How ranks agree before they have a group, and between nodes: an allgather that is right by its construction.
class Roll {
 public:
  explicit Roll(std::size_t ranks) : ranks_(ranks), counts_(ranks) {}
  // `wait` is called again and again while ranks are missing. Throws Error{peer_lost} if a rank has died.
  void all_gather(std::size_t rank, const void* mine, void* all, std::size_t bytes, const std::function<void()>& wait);

 private:
  struct Meeting {
    std::vector<std::vector<std::byte>> parts;
    std::size_t arrived = 0;
    Clock known;
  };
  const std::size_t ranks_;
  std::vector<std::size_t> counts_;  // by rank: meetings so far
  std::vector<std::unique_ptr<Meeting>> meetings_;
};

struct Nodes {
  std::vector<Count> of_ranks;  // by rank
  SharingCosts costs;
  bool knows_costs = false;  // the processes have measured them before
};

// What a rank's process keeps for all its groups.
struct OfProcess {
  std::shared_ptr<Process> process;
  std::shared_ptr<FlightList> in_flight = std::make_shared<FlightList>();
  PlanAccount memory_of_plans{0};
  int tags = 0;  // of messages between nodes that are in use
};

// Collective: makes a group of the ranks, on these nodes. Returns null if the system refuses to share memory (on all ranks or on
// none). `own` must outlive the group.
std::unique_ptr<Communicator> new_group(Roll& roll, std::size_t rank, const Nodes& nodes, OfProcess& own);

}  // namespace quadrille::seeds
