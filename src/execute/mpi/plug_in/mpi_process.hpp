// SPDX-License-Identifier: BSD-3-Clause
// The data that a process has once for all MPI communicators: the means to drive MPI's progress, the flag that MPI
// has been finalised, the key of the attribute by which communicators keep an MpiGroup, the pool of contexts, and
// the acquaintances (meet.hpp).
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "execute/mpi/plug_in/contexts.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/shared/meet.hpp"

namespace quadrille {

class MpiProcess {
 public:
  // Returns the object of this process; the first call makes it. After MPI_Init it is kept until MPI_Finalize. In a program that
  // has only sessions it is destroyed with its last owner, because MPI does not tell when a session ends.
  static std::shared_ptr<MpiProcess> current();

  MpiProcess();
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  // Drives MPI's progress once, if this thread may call MPI. Returns whether the call has yielded the core. Used as Progress::poll.
  // Does nothing after MPI_Finalize or in a forked child.
  static bool poll();
  static bool polls_of_driven_yield();  // Progress::polls_yield

  // Is this a child that was forked after this library first used MPI? Such a child must not call MPI.
  static bool was_forked();

  // May several threads call MPI at the same time?
  bool serves_many_threads() const { return many_threads_; }

  // Makes `poll` drive MPI from now on. `users` is any communicator that this process belongs to.
  void drive(MPI_Comm users);

  // Does the MPI library yield the core in each poll that finds nothing? False until it is known.
  bool polls_yield() const { return polls_yield_; }

  // Can this process remember that the ranks of `users` have met (Acquaintance)? False if several threads may make communicators at
  // the same time (ranks could then remember groups in different orders), or if it remembers `most_acquaintances` groups already.
  // Also false if `users` has processes of other worlds, because such processes may end before this one.
  bool can_remember(MPI_Comm users) const;
  void remember(MPI_Comm users, std::shared_ptr<const Acquaintance> acquaintance);

  // Looks for an acquaintance that contains all ranks of a communicator. Returns it with their ranks in it, or nothing.
  struct Known {
    std::shared_ptr<const Acquaintance> acquaintance;
    std::vector<Rank> members;
  };
  std::optional<Known> known(MPI_Comm users) const;

  int group_key() const { return group_key_; }
  ContextPool& contexts() { return contexts_; }

 private:
  static constexpr std::size_t most_acquaintances = 64;
  static int note_end(MPI_Comm, int, void*, void*);
  void end();
  void stop_driving();

  bool may_poll_here() const;  // may this thread call MPI?

  const bool has_world_;  // MPI_Init was called: there are MPI_COMM_WORLD and MPI_COMM_SELF
  const std::thread::id made_by_ = std::this_thread::get_id();
  bool any_thread_ = false;    // any thread may call MPI, not only the main thread
  bool many_threads_ = false;  // several threads may call MPI at the same time
  bool polls_yield_ = false;
  int group_key_ = MPI_KEYVAL_INVALID;
  MPI_Comm alone_ = MPI_COMM_NULL;        // a communicator of this process only
  MPI_Request never_ = MPI_REQUEST_NULL;  // a receive in alone_ that never completes
  std::atomic<bool> is_driven_{false};    // released after alone_ and never_ are set
  ContextPool contexts_;
  std::vector<std::pair<MPI_Group, std::shared_ptr<const Acquaintance>>> acquaintances_;
};

}  // namespace quadrille
