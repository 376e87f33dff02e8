// SPDX-License-Identifier: BSD-3-Clause
// Counts the communicators, types and requests that the program has made and not freed, by the place that made them, for watchers.
// Where a rank is not watched, that costs one test for each call.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory_resource>
#include <mutex>
#include <unordered_map>

#include "mpi_face/handle_map.hpp"
#include "mpi_face/report/call_ring.hpp"

namespace quadrille::mpi_face {

// Functions may be called by several threads at the same time if `is_shared`.
class MadeObjects {
 public:
  static bool are_counted() noexcept { return current_ != nullptr; }  // the rank is watched
  static void count_in(WatchPage& page, bool is_shared) {
    current_ = new MadeObjects(page, is_shared);  // never destroyed, because MPI may call back late
  }

  // The function that the program has called has made the object. An older object with this handle is gone, too.
  static void add(LiveSite::Kind kind, auto handle) noexcept {
    if (current_) current_->add_handle(kind, bits_of(handle));
  }
  // Does nothing if the object is not known.
  static void remove(auto handle) noexcept {
    if (current_) current_->remove_handle(bits_of(handle));
  }

  // MPI is being finalised. If many objects are not freed, waits up to a second until the node's watchers have seen them.
  static void end() noexcept;

 private:
  MadeObjects(WatchPage& page, bool is_shared) : page_(page), is_shared_(is_shared) {}
  std::unique_lock<std::mutex> lock() noexcept { return is_shared_ ? std::unique_lock(mutex_) : std::unique_lock<std::mutex>(); }
  void add_handle(LiveSite::Kind kind, std::uint64_t handle) noexcept;
  void remove_handle(std::uint64_t handle) noexcept;
  LiveSite& site_of(LiveSite::Kind kind) noexcept;

  static MadeObjects* current_;

  WatchPage& page_;
  const bool is_shared_;
  std::mutex mutex_;
  std::pmr::unsynchronized_pool_resource memory_;
  std::pmr::unordered_map<std::uint64_t, LiveSite*> sites_{&memory_};  // of live objects, by their handles
};

}  // namespace quadrille::mpi_face
