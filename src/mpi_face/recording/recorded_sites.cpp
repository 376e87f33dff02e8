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
#include "recording/call_log.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_counts = std::size_t{1} << 22;  // number of counts that are kept in all vectors together

std::uint64_t hash_of_key(const RecordedKey& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.kind);
  for (const std::uint64_t field :
       {reinterpret_cast<std::uint64_t>(key.function), static_cast<std::uint64_t>(key.communicator),
        static_cast<std::uint64_t>(key.root), static_cast<std::uint64_t>(key.element), key.operation,
        static_cast<std::uint64_t>(key.type_bytes), static_cast<std::uint64_t>(key.block_bytes), key.counts})
    hash = hash_with(hash, field);
  return hash;
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

// The sizes in a call's arguments. `counts` is 0 if there are none.
struct RecordedSites::Sizes {
  Bytes block_bytes = 0;
  std::uint64_t counts = 0;
  Rank root = -1;
  TypeFacts facts;  // of reductions
};

RecordedSites::Sizes RecordedSites::sizes_of(const CommunicatorHere& here, const MpiCall& call) {
  Sizes sizes;
  if (here.facts.is_inter) return sizes;
  if (gathers_of_neighbours(call.function) || call.function == Function::Neighbor_alltoall) {
    sizes.block_bytes = call.send.count * facts_of(call.send.type).size;
  } else if (is_exchanged(call.function)) {
    const auto blocks = blocks_of(call, here.facts);
    if (!blocks) return sizes;
    if (has_root(call.function)) sizes.root = call.root;
    const SideBlocks* const all = listed(call, *blocks, here.facts.rank);
    if (!all) {
      sizes.block_bytes = blocks->sent.bytes() + blocks->received.bytes();
      return sizes;
    }
    sizes.counts = 1;
    all->for_each([&](const CallBlock& block) {
      sizes.counts = hash_with(sizes.counts, static_cast<std::uint64_t>(block.bytes()));
      sizes.block_bytes += block.bytes();
      return MPI_SUCCESS;
    });
    sizes.counts |= 1;
  } else if (const std::optional<Shape> shape = shape_of(call, here.facts.rank, here.facts.ranks)) {
    sizes.block_bytes = shape->block_bytes;
    if (is_rooted(shape->collective)) sizes.root = shape->root;
    if (is_reduction(shape->collective)) sizes.facts = shape->output.facts.is_valid ? shape->output.facts : shape->input.facts;
    if (!shape->counts) return sizes;
    for (Rank rank = 0; rank < here.facts.ranks; ++rank)
      sizes.counts = hash_with(sizes.counts, static_cast<std::uint64_t>(shape->counts[rank]));
    sizes.counts |= 1;
  }
  return sizes;
}

SiteHere* RecordedSites::find(const RecordedKey& key) const {
  return sites_.find(hash_of_key(key), [&](const SiteHere& site) { return site.key == key; });
}

SiteHere& RecordedSites::define(const RecordedKey& key, RecordedSite site) {
  auto made = std::make_unique<SiteHere>();
  made->key = key;
  made->number = static_cast<std::uint32_t>(sites_.values().size());
  log_.define(site);
  defined_.push_back(std::move(site));
  return sites_.add(hash_of_key(key), std::move(made));
}

SiteHere& RecordedSites::others() {
  const RecordedKey key{.kind = RecordedKind::others};
  SiteHere* const known = find(key);
  return known ? *known : define(key, {.kind = RecordedKind::others});
}

SiteHere& RecordedSites::of(RecordedKind kind, const char* function, const CommunicatorHere& communicator) {
  const RecordedKey key{.kind = kind, .function = function, .communicator = communicator.number};
  if (SiteHere* const known = find(key)) return *known;
  if (!has_room()) return others();
  return define(key, {.kind = kind, .function = function, .communicator = communicator.number});
}

SiteHere& RecordedSites::of(RecordedKind kind, const SiteHere& like) {
  RecordedKey key = like.key;
  if (key.kind == RecordedKind::others) return others();
  key.kind = kind;
  if (SiteHere* const known = find(key)) return *known;
  if (!has_room()) return others();
  RecordedSite site = defined_[like.number];
  site.kind = kind;
  return define(key, std::move(site));
}

SiteHere& RecordedSites::of(RecordedKind kind, Function function, CommunicatorHere& here, const MpiCall& call) {
  RecentCall& recent = here.calls.recent(call, function);
  if (recent.signature.is_of(call, function)) return *recent.recorded;
  const Sizes sizes = sizes_of(here, call);
  const RecordedKey key{.kind = kind,
                        .function = short_name(function).data(),
                        .communicator = here.number,
                        .root = sizes.root,
                        .element = sizes.facts.element.number,
                        .operation = sizes.facts.is_valid ? bits_of(call.operation) : 0,
                        .type_bytes = sizes.facts.size,
                        .block_bytes = sizes.block_bytes,
                        .counts = sizes.counts};
  SiteHere* site = find(key);
  if (!site)
    site = sizes.counts != 0 ? &with_counts(key, sizes, here, call)
           : has_room()      ? &define(key, described(key, sizes, here, call))
                             : &others();
  if (CallSignature::can_be_of(call) && !is_of_neighbours(call.function))
    recent = {.signature = CallSignature(call, function), .recorded = site};
  return *site;
}

RecordedSite RecordedSites::described(const RecordedKey& key, const Sizes& sizes, const CommunicatorHere& here,
                                      const MpiCall& call) {
  RecordedSite site{.kind = key.kind,
                    .function = key.function,
                    .communicator = key.communicator,
                    .root = key.root,
                    .type_bytes = key.type_bytes,
                    .block_bytes = key.block_bytes};
  if (sizes.facts.is_valid) {
    const auto operation = operation_of(call.operation, sizes.facts.element);
    site.type = sizes.facts.element.number >= 0 ? sizes.facts.element.name : "?";
    site.operation = operation ? operation->name : "?";
  }
  if (const Neighbourhood* const own = here.facts.neighbours_for(call.function); own && own->exists()) site.peers = peers_of(*own);
  if (sizes.counts == 0) return site;
  if (is_exchanged(call.function)) {
    const auto blocks = blocks_of(call, here.facts);
    site.counts = listed(call, *blocks, here.facts.rank)->lengths();
  } else {
    const std::optional<Shape> shape = shape_of(call, here.facts.rank, here.facts.ranks);
    const TypeFacts& facts = shape->output.facts.is_valid ? shape->output.facts : shape->input.facts;
    for (Rank rank = 0; rank < here.facts.ranks; ++rank) site.counts.push_back(shape->counts[rank] * facts.size);
  }
  return site;
}

// Finds the site for a vector of counts that occurs for the first time. If there are many vectors already, takes the site of the
// vector with the nearest sum.
SiteHere& RecordedSites::with_counts(const RecordedKey& key, const Sizes& sizes, CommunicatorHere& here, const MpiCall& call) {
  RecordedKey kind = key;
  kind.counts = 0, kind.block_bytes = 0;
  Vectors& vectors = vectors_[hash_of_key(kind)];
  const auto length = static_cast<std::size_t>(here.facts.ranks);
  if (!vectors.empty() && (vectors.size() >= most_vectors || counts_kept_ + length > most_counts)) {
    auto nearest = vectors.lower_bound(key.block_bytes);
    if (nearest == vectors.end() ||
        (nearest != vectors.begin() && key.block_bytes - std::prev(nearest)->first < nearest->first - key.block_bytes))
      --nearest;
    SiteHere& site = *nearest->second;
    if (!std::exchange(site.are_sampled, true)) log_.mark_sampled(site.number);
    return site;
  }
  if (!has_room()) return others();
  RecordedSite site = described(key, sizes, here, call);
  counts_kept_ += site.counts.size();
  SiteHere& made = define(key, std::move(site));
  vectors.emplace(key.block_bytes, &made);
  return made;
}

}  // namespace quadrille::mpi_face
