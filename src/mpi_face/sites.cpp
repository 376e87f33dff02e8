// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/sites.hpp"

#include <memory>

#include "foundation/hash.hpp"
#include "mpi_face/handle_map.hpp"
#include "mpi_face/operation.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/policy/meetings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_sites = 4096;

// Hashes byte counts, because ranks may describe the same data by different datatypes.
std::uint64_t hash_of_shares(const Shape& shape, Count ranks) {
  const Bytes element = shape.data().facts.size;
  std::uint64_t hash = 1;
  for (Rank rank = 0; rank < ranks; ++rank) hash = hash_with(hash, static_cast<std::uint64_t>(shape.counts[rank] * element));
  return hash | 1;
}

bool has_shares(const Site& site, const Shape& shape) {
  if (!shape.counts) return true;  // no site of this function has shares
  const Bytes element = shape.data().facts.size;
  for (std::size_t rank = 0; rank < site.shares.size(); ++rank)
    if (site.shares[rank] != shape.counts[static_cast<Rank>(rank)] * element) return false;
  return true;
}

const Operator* operator_for(const MpiCall& call, const Shape& shape) {
  return operation_of(call.operation, shape.data().type, shape.data().facts).get();
}

}  // namespace

Key key_of(const MpiCall& call, const Shape& shape, Count ranks) {
  Key key{.block_bytes = shape.block_bytes, .function = call.function};
  if (is_rooted(shape.collective)) key.root = shape.root;
  if (shape.counts) key.counts = hash_of_shares(shape, ranks);
  if (!is_reduction(shape.collective)) return key;
  const TypeFacts& facts = shape.data().facts;
  key.element = facts.element.number;
  key.type_bytes = facts.size;
  key.operation = bits_of(call.operation);
  return key;
}

std::optional<Key> Sites::key_of(const MpiCall& call, const Shape& shape) const {
  if (is_reduction(shape.collective) && !operator_for(call, shape)) return std::nullopt;
  return mpi_face::key_of(call, shape, ranks_);
}

Site* Sites::of(const Key& key, const MpiCall& call, const Shape& shape) {
  if (last_ && last_->key == key && has_shares(*last_, shape)) return last_;
  const auto is_it = [&](const Site& site) { return site.key == key && has_shares(site, shape); };
  if (Site* const known = table_.find(hash_of(key), is_it)) return last_ = known;
  Site* const site = make(key);
  if (!site) return nullptr;
  site->is_rooted = is_rooted(shape.collective);
  site->synchronises = synchronises(shape, ranks_);
  site->moved = shape.block_bytes * (has_blocks(shape.collective) ? ranks_ : 1);
  site->price_s = price_of_call(ranks_, site->moved);
  if (is_reduction(shape.collective)) {
    site->operation = operator_for(call, shape);
    site->operation_name = site->operation->name;
    site->trial_arguments.type = shape.data().type;
    site->trial_arguments.type_bytes = shape.data().facts.size;
    site->trial_arguments.type_extent = shape.data().facts.extent;
    site->trial_arguments.operation = call.operation;
  }
  for (Rank rank = 0; rank < ranks_ && shape.counts; ++rank) site->shares.push_back(shape.counts[rank] * shape.data().facts.size);
  return last_ = site;
}

Site* Sites::make(const Key& key) {
  if (size() == most_sites) return nullptr;
  auto site = std::make_unique<Site>();
  site->key = key;
  site->number = static_cast<std::uint32_t>(size());
  site->price_s = price_of_call(ranks_, 0);
  site->why = sentence(Cause::rare);
  site->called = mpi_face::is_exchanged(key.function) ? fortran_name(key.function) : name(*collective_of(key.function));
  kinds_.push_back(site.get());
  return &table_.add(hash_of(key), std::move(site));
}

}  // namespace quadrille::mpi_face
