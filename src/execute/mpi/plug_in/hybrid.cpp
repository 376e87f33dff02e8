// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/hybrid.hpp"

namespace quadrille {
namespace {

ScriptPart near_part(const Script& whole, const std::vector<Rank>& place) {
  ScriptPart part = part_of(whole, [&](Rank peer) {
    const Rank rank = place[static_cast<std::size_t>(peer)];
    return rank < 0 ? std::nullopt : std::optional(rank);
  });
  part.script->scratch_bytes = whole.scratch_bytes;  // where the node's other ranks can read it
  part.script->staging_bytes = whole.staging_bytes;
  return part;
}

ScriptPart far_part(const Script& whole, const std::vector<Rank>& place) {
  return part_of(whole, [&](Rank peer) { return place[static_cast<std::size_t>(peer)] < 0 ? std::optional(peer) : std::nullopt; });
}

// The ranks of the node, by their places.
std::vector<Rank> members(const std::vector<Rank>& place, Count count) {
  std::vector<Rank> ranks(static_cast<std::size_t>(count));
  for (std::size_t rank = 0; rank < place.size(); ++rank)
    if (place[rank] >= 0) ranks[static_cast<std::size_t>(place[rank])] = static_cast<Rank>(rank);
  return ranks;
}

}  // namespace

HybridExecutable::HybridExecutable(SharedSpace& node, const CopyCosts& costs, const std::vector<Rank>& place, MPI_Comm communicator,
                                   Waiter waiter, std::shared_ptr<const Script> script)
    : node_(node),
      script_(std::move(script)),
      near_part_(near_part(*script_, place)),
      far_part_(far_part(*script_, place)),
      ends_(script_->messages.size()),
      near_(node, costs, near_part_.script),
      far_(communicator, waiter, far_part_.script),
      dataflow_(*script_),
      steps_(NodeSteps::of(node, members(place, node.size()), *script_)) {
  for (std::uint32_t i = 0; i < near_part_.of_whole.size(); ++i) ends_[near_part_.of_whole[i]] = {true, i};
  for (std::uint32_t i = 0; i < far_part_.of_whole.size(); ++i) ends_[far_part_.of_whole[i]] = {false, i};
}

void HybridExecutable::execute(const std::byte* input, std::byte* output) {
  NoWatch watch;
  run(input, output, watch);
}

Phases HybridExecutable::execute_timed(const std::byte* input, std::byte* output) {
  Watch watch;
  run(input, output, watch);
  return watch.phases();
}

template <class AnyWatch>
void HybridExecutable::run(const std::byte* input, std::byte* output, AnyWatch& watch) {
  node_.poll_until([&] { return near_.can_begin(); });
  const Bases& bases = near_.begin(input, output);
  try {
    far_.begin(bases);
    run_script(*script_, bases, dataflow_, *this, steps_.get(), watch);
  } catch (...) {
    near_.withdraw();
    throw;
  }
  near_.end();
}

void HybridExecutable::post(std::uint32_t message) {
  const End end = ends_[message];
  if (end.is_near)
    near_.post(end.index);
  else
    far_.post(end.index);
}

void HybridExecutable::wait(Range messages) {
  bool near = !near_.has_open(), far = !far_.has_open();
  if (!near && !far)
    node_.poll_until([&] {
      near = near_.advance();
      far = far_.advance();
      return near || far;
    });
  if (!near) node_.poll_until([&] { return near_.advance(); });
  if (!far) far_.wait(messages);  // MPI's own waiting is the better one
}

std::uint32_t HybridExecutable::wait_any() {
  std::uint32_t completed = 0;
  node_.poll_until([&] {
    if (const auto near = near_.advance_any()) {
      completed = near_part_.of_whole[*near];
      return true;
    }
    const auto far = far_.advance_any();
    if (far) completed = far_part_.of_whole[*far];
    return far.has_value();
  });
  return completed;
}

}  // namespace quadrille
