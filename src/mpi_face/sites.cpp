// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/sites.hpp"

#include <memory>

#include "foundation/hash.hpp"
#include "mpi_face/operation.hpp"
#include "mpi_face/policy/cause.hpp"
#include "mpi_face/policy/meetings.hpp"

namespace quadrille::mpi_face {
namespace {

constexpr std::size_t most_sites = 4096;

std::uint64_t hash_of(const Key& key) {
  std::uint64_t hash = static_cast<std::uint64_t>(key.function);
  for (const std::uint64_t field :
       {static_cast<std::uint64_t>(key.block_bytes), static_cast<std::uint64_t>(key.root), static_cast<std::uint64_t>(key.element),
        reinterpret_cast<std::uint64_t>(key.operation), key.counts})
    hash = hash_with(hash, field);
  return hash;
}

// The side that holds the shares of all ranks, whose type determines the bytes of an element.
const Elements& data_of(const Shape& shape) { return shape.output.facts.is_valid ? shape.output : shape.input; }
const TypeFacts& facts_of_data(const Shape& shape) { return data_of(shape).facts; }

// Hashes byte counts, because ranks may describe the same data by different datatypes.
std::uint64_t hash_of_shares(const Shape& shape, Count ranks) {
  const Bytes element = facts_of_data(shape).size;
  std::uint64_t hash = 1;
  for (Rank rank = 0; rank < ranks; ++rank) hash = hash_with(hash, static_cast<std::uint64_t>(shape.counts[rank] * element));
  return hash;
}

bool has_shares(const Site& site, const Shape& shape) {
  if (!shape.counts) return true;  // no site of this function has shares
  const Bytes element = facts_of_data(shape).size;
  for (std::size_t rank = 0; rank < site.shares.size(); ++rank)
    if (site.shares[rank] != shape.counts[static_cast<Rank>(rank)] * element) return false;
  return true;
}

}  // namespace

std::optional<Key> Sites::key_of(const MpiCall& call, const Shape& shape) const {
  Key key{.block_bytes = shape.block_bytes, .function = call.function};
  if (is_rooted(shape.collective)) key.root = shape.root;
  if (is_irregular(shape.collective)) key.counts = hash_of_shares(shape, ranks_);
  if (!is_reduction(shape.collective)) return key;
  const TypeFacts& facts = facts_of_data(shape);
  key.element = facts.element.number;
  key.operation = operation_of(call.operation, data_of(shape).type, facts).get();
  return key.operation ? std::optional(key) : std::nullopt;
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
  if (key.operation) {
    site->trial_arguments.type = data_of(shape).type;
    site->trial_arguments.type_bytes = facts_of_data(shape).size;
    site->trial_arguments.type_extent = facts_of_data(shape).extent;
    site->trial_arguments.operation = call.operation;
  }
  for (Rank rank = 0; rank < ranks_ && shape.counts; ++rank) site->shares.push_back(shape.counts[rank] * facts_of_data(shape).size);
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
