// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/made_objects.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include "mpi_face/call.hpp"

namespace quadrille::mpi_face {

constinit MadeObjects* MadeObjects::current_ = nullptr;

// The entry of the place that has called MPI. Entries of places without live objects are used again.
LiveSite& MadeObjects::site_of(LiveSite::Kind kind) noexcept {
  const auto address = reinterpret_cast<std::uint64_t>(called_from);
  LiveSite* const others = page_.sites + WatchPage::kept_sites - LiveSite::kinds;
  LiveSite* free = nullptr;
  for (LiveSite* each = page_.sites; each < others; ++each) {
    if (each->site == address && each->kind == kind) return *each;
    if (each->live == 0) free = each;
    if (each->site == 0) break;
  }
  LiveSite& taken = free ? *free : others[static_cast<std::size_t>(kind)];
  taken.kind = kind;
  if (free) taken.site = address;
  return taken;
}

void MadeObjects::add_handle(LiveSite::Kind kind, std::uint64_t handle) noexcept try {
  const auto guard = lock();
  LiveSite*& site = sites_[handle];
  if (site) --site->live;
  site = &site_of(kind);
  ++site->live;
} catch (const std::exception&) {
  return;  // no memory
}

void MadeObjects::remove_handle(std::uint64_t handle) noexcept {
  const auto guard = lock();
  const auto object = sites_.find(handle);
  if (object == sites_.end()) return;
  --object->second->live;
  sites_.erase(object);
}

void MadeObjects::end() noexcept {
  if (!current_) return;
  const std::atomic_ref told(current_->page_.leaks_told);
  bool waits = false;
  for (const LiveSite& each : current_->page_.sites) waits |= each.live > LiveSite::few;
  for (int i = 0; waits && i < 1000 && !told.load(std::memory_order_acquire); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace quadrille::mpi_face
