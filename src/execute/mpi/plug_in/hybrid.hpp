// SPDX-License-Identifier: BSD-3-Clause
// Ranks of an MPI communicator on several nodes: one schedule, whose messages are copies inside a node and MPI messages between
// nodes.
#pragma once

#include <memory>
#include <vector>

#include "execute/mpi/plug_in/executable.hpp"
#include "execute/script_part.hpp"
#include "execute/shared/communicator.hpp"
#include "execute/shared/executable.hpp"

namespace quadrille {

class HybridExecutable : public Executable {
 public:
  // Collective; throws on all ranks of the node or on none. `place` is each rank's in the node, -1 for those of other nodes.
  HybridExecutable(SharedSpace& node, const CopyCosts& costs, const std::vector<Rank>& place, MPI_Comm communicator, Waiter waiter,
                   std::shared_ptr<const Script> script);

  void execute(const std::byte* input, std::byte* output) override;
  Phases execute_timed(const std::byte* input, std::byte* output) override;

  // As run.hpp wants it.
  void post(std::uint32_t message);
  void wait(Range messages);
  std::uint32_t wait_any();

 private:
  template <class AnyWatch>
  void run(const std::byte* input, std::byte* output, AnyWatch& watch);

  struct End {  // of a message of the whole script
    bool is_near = false;
    std::uint32_t index = 0;  // in its part
  };

  SharedSpace& node_;
  std::shared_ptr<const Script> script_;
  const ScriptPart near_part_, far_part_;
  std::vector<End> ends_;
  SharedExecutable near_;
  MpiExecutable far_;
  DataflowState dataflow_;
  std::unique_ptr<NodeSteps> steps_;
};

}  // namespace quadrille
