// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/recording/recorded_sites.hpp"

#include <algorithm>
#include <utility>

#include "foundation/hash.hpp"
#include "mpi_face/blocks.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/mpi_facts.hpp"
#include "mpi_face/operation.hpp"
#include "mpi_face/shape.hpp"
#include "mpi_face/sites.hpp"
#include "recording/call_log.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_counts = std::size_t{1} << 22;  // number of counts that are kept in all vectors together

std::uint64_t hash_of(const RecordedKey& key) {
  const std::uint64_t hash = hash_with(hash_of(key.call), reinterpret_cast<std::uint64_t>(key.name));
  return hash_with(hash, static_cast<std::uint64_t>(key.communicator) << 8 | static_cast<std::uint64_t>(key.kind));
}

// The blocks whose lengths tell how many bytes a call of an exchange moves; null: this rank has only its own block.
const SideBlocks* listed(const MpiCall& call, const CallBlocks& blocks, Rank rank) {
  if (!has_root(call.function)) return &blocks.sent;
  if (call.root != rank) return nullptr;
  return call.function == Function::Gatherv ? &blocks.received : &blocks.sent;
}

std::vector<Rank> peers_of(const Neighbourhood& neighbourhood) {
  const Neighbours& targets = neighbourhood.targets();
  std::vector<Rank> peers(static_cast<std::size_t>(targets.blocks), -1);
  for (const Neighbour& each : targets.list) peers[static_cast<std::size_t>(each.block)] = each.rank;
  return peers;
}

// The key of a collective, with root -1 if it has none. Has no sizes if the arguments are wrong.
Key key_of(const CommunicatorHere& here, const MpiCall& call) {
  Key key{.function = call.function, .root = -1};
  if (here.facts.is_inter) return key;
  if (gathers_of_neighbours(call.function) || call.function == Function::Neighbor_alltoall) {
    key.block_bytes = call.send.count * facts_of(call.send.type).size;
  } else if (is_exchanged(call.function)) {
    const auto blocks = blocks_of(call, here.facts);
    if (!blocks) return key;
    if (has_root(call.function)) key.root = call.root;
    const SideBlocks* const all = listed(call, *blocks, here.facts.rank);
    if (!all) {
      key.block_bytes = blocks->sent.bytes() + blocks->received.bytes();
      return key;
    }
    key.counts = 1;
    all->for_each([&](const CallBlock& block) {
      key.counts = hash_with(key.counts, static_cast<std::uint64_t>(block.bytes()));
      key.block_bytes += block.bytes();
      return MPI_SUCCESS;
    });
    key.counts |= 1;
  } else if (const std::optional<Shape> shape = shape_of(call, here.facts.rank, here.facts.ranks)) {
    key = key_of(call, *shape, here.facts.ranks);
    if (!is_rooted(shape->collective)) key.root = -1;
  }
  return key;
}

// What the recording says of a collective's site.
RecordedSite described(const RecordedKey& key, const CommunicatorHere& here, const MpiCall& call) {
  RecordedSite site{.kind = key.kind,
                    .function = key.name,
                    .communicator = key.communicator,
                    .root = key.call.root,
                    .type_bytes = key.call.type_bytes,
                    .block_bytes = key.call.block_bytes};
  const auto shape = here.facts.is_inter ? std::nullopt : shape_of(call, here.facts.rank, here.facts.ranks);
  if (shape && is_reduction(shape->collective)) {
    const ElementType& element = shape->data().facts.element;
    const auto operation = operation_of(call.operation, element);
    site.type = element.number >= 0 ? element.name : "?";
    site.operation = operation ? operation->name : "?";
  }
  if (const Neighbourhood* const own = here.facts.neighbours_for(call.function); own && own->exists()) site.peers = peers_of(*own);
  if (key.call.counts == 0) return site;
  if (!shape) site.counts = listed(call, *blocks_of(call, here.facts), here.facts.rank)->lengths();
  for (Rank rank = 0; shape && rank < here.facts.ranks; ++rank)
    site.counts.push_back(shape->counts[rank] * shape->data().facts.size);
  return site;
}

}  // namespace

std::unique_ptr<CommunicatorHere> RecordedSites::open(const KnownCommunicator& communicator, KnownCalls& calls) {
  std::unique_ptr<CommunicatorHere> here(new CommunicatorHere{communicator, calls, communicators_++, name_of(communicator.handle)});
  const Count nth = made_[{communicator.is_inter, communicator.world_ranks()}]++;
  log_.define(RecordedCommunicator{here->name, communicator.world_ranks(), nth, communicator.is_inter});
  return here;
}

std::optional<std::string> RecordedSites::new_name(CommunicatorHere& here) {
  std::string name = name_of(here.facts.handle);
  if (name.empty() || name == here.name) return std::nullopt;
  here.name = name;
  return name;
}

SiteHere* RecordedSites::find(const RecordedKey& key) const {
  return sites_.find(hash_of(key), [&](const SiteHere& site) { return site.key == key; });
}

SiteHere& RecordedSites::define(const RecordedKey& key, RecordedSite site) {
  auto made = std::make_unique<SiteHere>();
  made->key = key;
  made->number = static_cast<std::uint32_t>(sites_.values().size());
  log_.define(site);
  defined_.push_back(std::move(site));
  return sites_.add(hash_of(key), std::move(made));
}

SiteHere& RecordedSites::others() {
  const RecordedKey key{.kind = RecordedKind::others};
  SiteHere* const known = find(key);
  return known ? *known : define(key, {.kind = RecordedKind::others});
}

SiteHere& RecordedSites::of(RecordedKind kind, const char* function, const CommunicatorHere& communicator) {
  const RecordedKey key{kind, function, communicator.number};
  if (SiteHere* const known = find(key)) return *known;
  if (!has_room()) return others();
  return define(key, {.kind = kind, .function = function, .communicator = communicator.number});
}

SiteHere& RecordedSites::after(SiteHere& site) {
  if (site.next) return *site.next;
  if (site.key.kind == RecordedKind::others || !has_room()) return others();
  RecordedKey key = site.key;
  key.kind = key.kind == RecordedKind::making ? RecordedKind::start : RecordedKind::completion;
  RecordedSite next = defined_[site.number];
  next.kind = key.kind;
  return *(site.next = &define(key, std::move(next)));
}

SiteHere& RecordedSites::of(Function function, CommunicatorHere& here, const MpiCall& call) {
  if (const KnownCall* const known = here.calls.find(call, function)) return *known->recorded;
  const RecordedKind kind = is_persistent(function)    ? RecordedKind::making
                            : is_nonblocking(function) ? RecordedKind::start
                                                       : RecordedKind::collective;
  const RecordedKey key{kind, short_name(function).data(), here.number, key_of(here, call)};
  SiteHere* site = find(key);
  if (!site)
    site = key.call.counts != 0 ? &with_counts(key, here, call) : has_room() ? &define(key, described(key, here, call)) : &others();
  if (!is_of_neighbours(call.function))
    if (KnownCall* const known = here.calls.add(call, function)) known->recorded = site;
  return *site;
}

// Finds the site for a vector of counts that comes for the first time. If there are many vectors already, the vector with the
// nearest sum stands for it.
SiteHere& RecordedSites::with_counts(const RecordedKey& key, CommunicatorHere& here, const MpiCall& call) {
  RecordedKey kind = key;
  kind.call.counts = 0, kind.call.block_bytes = 0;
  Vectors& vectors = vectors_[hash_of(kind)];
  const auto length = static_cast<std::size_t>(here.facts.ranks);
  const Bytes bytes = key.call.block_bytes;
  if (!vectors.empty() && (vectors.size() >= most_vectors || counts_kept_ + length > most_counts)) {
    auto nearest = vectors.lower_bound(bytes);
    if (nearest == vectors.end() || (nearest != vectors.begin() && bytes - std::prev(nearest)->first < nearest->first - bytes))
      --nearest;
    SiteHere& site = *nearest->second;
    if (!std::exchange(site.are_sampled, true)) log_.mark_sampled(site.number);
    return site;
  }
  if (!has_room()) return others();
  RecordedSite site = described(key, here, call);
  counts_kept_ += site.counts.size();
  SiteHere& made = define(key, std::move(site));
  vectors.emplace(bytes, &made);
  return made;
}

}  // namespace quadrille::mpi_face
