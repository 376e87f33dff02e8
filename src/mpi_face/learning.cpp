// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/learning.hpp"

#include <mpi.h>

#include <thread>

#include "foundation/hash.hpp"
#include "foundation/system/files.hpp"
#include "mpi_face/settings.hpp"
#include "quadrille/algorithm.hpp"
#include "tune/wisdom/fingerprint.hpp"
#include "tune/wisdom/wisdom_checks.hpp"

namespace quadrille::mpi_face {
namespace {

// Findings hold only with this MPI library, on processors like these, and for the rows of our table in this order.
std::uint32_t machine_hash() {
  char version[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  PMPI_Get_library_version(version, &length);
  std::uint64_t hash = hash_with(table_fingerprint(), text_hash({version, static_cast<std::size_t>(length)}));
  for (const Algorithm* const algorithm : all_algorithms()) hash = text_hash(algorithm->id, hash);
  hash = text_hash(processor_of(read_regular_file("/proc/cpuinfo", 64, "/proc/cpuinfo").text), hash);
  return static_cast<std::uint32_t>(hash_with(hash, std::thread::hardware_concurrency()));
}

}  // namespace

Learning& Learning::get() {
  static auto* const learning = new Learning;  // never destroyed, because MPI may be finalised late
  return *learning;
}

void Learning::begin(Count ranks) {
  const std::lock_guard lock(mutex_);
  if (!file_.empty() || !Settings::get().learns) return;
  file_ = findings_file();
  if (file_.empty()) return;
  machine_ = machine_hash();
  known_ = read_findings(file_, day_now()).of_machine(machine_, ranks);
}

void Learning::note(const State& state) {
  const std::lock_guard lock(mutex_);
  if (file_.empty()) return;
  for (const CallKind* const kind : state.kinds)
    if (auto found = found_in(*kind, state.ranks, state.group.exists ? state.group.nodes : std::vector<Count>())) {
      found->machine = machine_;
      add_found(found_, *found);
    }
}

void Learning::save() {
  const std::lock_guard lock(mutex_);
  if (!found_.empty()) save_findings(file_, found_, day_now());
  found_.clear();
}

}  // namespace quadrille::mpi_face
