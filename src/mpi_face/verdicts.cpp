// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/verdicts.hpp"

#include <algorithm>
#include <bit>

namespace quadrille::mpi_face {
namespace {

// Returns the key that calls of about the same size share: the block size is rounded up to a power of two.
Key size_class(Key key) {
  key.block_bytes = static_cast<Bytes>(std::bit_ceil(static_cast<std::uint64_t>(key.block_bytes)));
  key.root = 0, key.counts = 0;
  return key;
}

}  // namespace

// Never destroyed, because MPI may call its callbacks late.
Verdicts& Verdicts::of_process() {
  static Verdicts& only = *new Verdicts;
  return only;
}

std::vector<Verdicts::Entry>::iterator Verdicts::found(const Key& key, const std::vector<Count>& nodes) {
  const Key sized = size_class(key);
  return std::find_if(entries_.begin(), entries_.end(),
                      [&](const Entry& entry) { return entry.calls == sized && entry.nodes == nodes; });
}

std::optional<Verdict> Verdicts::find(const Key& key, const std::vector<Count>& nodes) {
  const std::lock_guard lock(mutex_);
  const auto entry = found(key, nodes);
  return entry == entries_.end() ? std::nullopt : std::optional(entry->verdict);
}

void Verdicts::add(const Key& key, const std::vector<Count>& nodes, Verdict verdict) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = found(key, nodes); entry != entries_.end())
    entry->verdict = std::move(verdict);
  else if (entries_.size() < most_entries)
    entries_.push_back({size_class(key), nodes, std::move(verdict)});
}

void Verdicts::remove(const Key& key, const std::vector<Count>& nodes) {
  const std::lock_guard lock(mutex_);
  if (const auto entry = found(key, nodes); entry != entries_.end()) entries_.erase(entry);
}

}  // namespace quadrille::mpi_face
