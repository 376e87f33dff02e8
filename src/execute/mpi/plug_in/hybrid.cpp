// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/hybrid.hpp"

#include <utility>

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

HybridMessages::HybridMessages(SharedSpace& node, const CopyCosts& costs, const std::vector<Rank>& place, Lease lease,
                               Waiter waiter, std::shared_ptr<const Script> script)
    : node_(node),
      script_(std::move(script)),
      near_part_(near_part(*script_, place)),
      far_part_(far_part(*script_, place)),
      ends_(script_->messages.size()),
      near_(node, costs, near_part_.script),
      far_(std::move(lease), waiter, far_part_.script),
      steps_(NodeSteps::of(node, members(place, node.size()), *script_)) {
  for (std::uint32_t i = 0; i < near_part_.of_whole.size(); ++i) ends_[near_part_.of_whole[i]] = {true, i};
  for (std::uint32_t i = 0; i < far_part_.of_whole.size(); ++i) ends_[far_part_.of_whole[i]] = {false, i};
}

const Bases& HybridMessages::begin(const std::byte* input, std::byte* output) {
  const Bases& bases = near_.begin(input, output);
  far_.begin(bases);
  return bases;
}

void HybridMessages::post(std::uint32_t message) {
  const End end = ends_[message];
  if (end.is_near)
    near_.post(end.index);
  else
    far_.post(end.index);
}

bool HybridMessages::advance() {
  const bool near = near_.advance(), far = far_.advance();
  return near && far;
}

void HybridMessages::wait() {
  bool near = !near_.has_open(), far = !far_.has_open();
  if (!near && !far)
    node_.poll_until([&] {
      near = near_.advance();
      far = far_.advance();
      return near || far;
    });
  if (!near) node_.poll_until([&] { return near_.advance(); });
  if (!far) far_.wait();  // only MPI messages are left, so MPI may do the waiting
}

std::optional<std::uint32_t> HybridMessages::advance_any() {
  if (const auto near = near_.advance_any()) return near_part_.of_whole[*near];
  if (const auto far = far_.advance_any()) return far_part_.of_whole[*far];
  return std::nullopt;
}

std::uint32_t HybridMessages::wait_any() {
  std::optional<std::uint32_t> completed;
  node_.poll_until([&] { return (completed = advance_any()).has_value(); });
  return *completed;
}

void HybridMessages::withdraw() {
  near_.withdraw();
  far_.withdraw();
}

template class ScriptExecutable<HybridMessages>;

}  // namespace quadrille
