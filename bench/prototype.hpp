// SPDX-License-Identifier: BSD-3-Clause
// The simplest all-to-all in shared memory that is not slow: every rank copies its whole input into its slot (two slots in turn),
// adds one to a counter, waits until all have done so, and copies its blocks out. With a core for every rank it spins before it
// yields; otherwise it yields at once, because 100 pauses may take longer than a context switch. It knows only equal blocks among
// ranks of one node. An all-to-all that does more but takes longer than this is not worth it.
#pragma once

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstring>

#include "execute/processor.hpp"
#include "quadrille/types.hpp"

namespace quadrille::bench {

class Prototype {
 public:
  Prototype(MPI_Comm communicator, Bytes most_block) {
    int rank = 0, ranks = 0;
    MPI_Comm_rank(communicator, &rank);
    MPI_Comm_size(communicator, &ranks);
    me_ = rank, ranks_ = ranks;
    spins_ = ranks <= sysconf(_SC_NPROCESSORS_ONLN) ? 100 : 0;
    slot_bytes_ = ranks_ * most_block;
    const MPI_Aint bytes = rank == 0 ? static_cast<MPI_Aint>(line + 2 * ranks_ * slot_bytes_) : 0;
    void* mine = nullptr;
    MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, communicator, &mine, &window_);
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(window_, 0, &size, &unit, &mine);
    counter_ = static_cast<std::atomic<std::uint64_t>*>(mine);
    slots_ = static_cast<std::byte*>(mine) + line;
    if (rank == 0) new (counter_) std::atomic<std::uint64_t>(0);
    MPI_Barrier(communicator);
  }
  ~Prototype() { MPI_Win_free(&window_); }
  Prototype(const Prototype&) = delete;
  Prototype& operator=(const Prototype&) = delete;

  void alltoall(const std::byte* input, std::byte* output, Bytes block) {
    const auto bytes = static_cast<std::size_t>(block);
    ++call_;
    std::memcpy(slot(me_), input, bytes * static_cast<std::size_t>(ranks_));
    counter_->fetch_add(1, std::memory_order_release);
    for (int polls = 0; counter_->load(std::memory_order_acquire) < call_ * static_cast<std::uint64_t>(ranks_); ++polls)
      polls < spins_ ? pause_core() : static_cast<void>(sched_yield());
    for (Rank step = 0; step < ranks_; ++step) {
      const Rank from = (me_ + step) % ranks_;
      std::memcpy(output + from * block, slot(from) + me_ * block, bytes);
    }
  }

 private:
  static constexpr Bytes line = 64;

  std::byte* slot(Rank rank) const { return slots_ + ((static_cast<Rank>(call_ & 1) * ranks_) + rank) * slot_bytes_; }

  Rank me_ = 0;
  Count ranks_ = 1;
  Bytes slot_bytes_ = 0;
  MPI_Win window_ = MPI_WIN_NULL;
  std::atomic<std::uint64_t>* counter_ = nullptr;
  std::byte* slots_ = nullptr;
  std::uint64_t call_ = 0;
  int spins_ = 0;
};

}  // namespace quadrille::bench
