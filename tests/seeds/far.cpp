// SPDX-License-Identifier: BSD-3-Clause
#include "seeds/far.hpp"

#include <cstdlib>

#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/far_edges.cpp"  // for its class, which no header shows
#include "execute/shared/hybrid_messages.hpp"
#include "seeds/fake_mpi/fake_mpi.hpp"

namespace quadrille {

// What far_edges.cpp needs of the plug-in besides: never called, because no MpiGroup exists in a run.
Lease ContextPool::lease(MpiGroup&, int) { std::abort(); }
Progress MpiGroup::progress() const { std::abort(); }
void MpiGroup::all_gather(const void*, void*, Bytes) { std::abort(); }
void MpiGroup::broadcast(void*, Bytes, Rank) { std::abort(); }
bool QuietPolls::are_possible() { return false; }
QuietPolls::QuietPolls() = default;
QuietPolls::~QuietPolls() = default;

namespace seeds {

std::unique_ptr<FarEdges> far_edges(std::size_t rank, int first_tag) {
  static_assert(MpiFarEdges::tags <= tags_of_far_edges);
  return std::make_unique<MpiFarEdges>(Lease{FakeMpi::current()->communicator(rank), first_tag, nullptr});
}

std::unique_ptr<Executable> hybrid_executable(SharedCommunicator& node, const std::vector<Rank>& places, std::size_t rank, int tag,
                                              const std::shared_ptr<const Script>& script, InFlight& in_flight) {
  const auto make_far = [&](std::shared_ptr<const Script> far) {
    return MpiMessages(Lease{FakeMpi::current()->communicator(rank), tag, nullptr},
                       Waiter(false, node.space()->core_for_every_rank(), in_flight), std::move(far));
  };
  return script_executable<HybridMessages<MpiMessages>>(*script, *node.space(), node.costs(), places, script, make_far);
}

}  // namespace seeds
}  // namespace quadrille
