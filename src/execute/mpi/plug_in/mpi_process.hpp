// SPDX-License-Identifier: BSD-3-Clause
// What this process has once for all communicators of MPI: a way to drive MPI's progress, the word that MPI has ended, the key
// under which communicators keep what we know of them, and the contexts of plans.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "execute/mpi/plug_in/contexts.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/shared/meet.hpp"

namespace quadrille {

class MpiProcess {
 public:
  // Made when it is first asked for. After MPI_Init it is kept until MPI_Finalize. In a program that has only sessions it is gone
  // with the last of its users, since nothing tells when a session ends.
  static std::shared_ptr<MpiProcess> current();

  MpiProcess();
  ~MpiProcess();
  MpiProcess(const MpiProcess&) = delete;
  MpiProcess& operator=(const MpiProcess&) = delete;

  // Lets MPI go on, once, if this thread may call MPI. Returns whether that has given the core away. For Progress::poll: it does
  // nothing after MPI_Finalize, nor in a forked child.
  static bool poll();

  // True from MPI_Finalize on: nothing of MPI may be used any more, but only destroyed.
  static const std::atomic<bool>& ended();
  static bool has_ended() { return ended().load(std::memory_order_relaxed); }

  // True in a child that was forked since this process used MPI by us: it must not call MPI.
  static bool was_forked();

  // May several threads call MPI at the same time?
  bool serves_many_threads() const { return many_threads_; }

  // Makes `poll` drive MPI from now on. `users` is any communicator that this process belongs to.
  void drive(MPI_Comm users);

  // Does the library give the core away in each fruitless poll? False until it is known.
  bool polls_yield() const { return polls_yield_; }

  // Can this process remember that the ranks of `users` have met? Not where threads make communicators at the same time (ranks
  // could remember in different orders), nor for processes of other worlds, which come and go.
  bool can_remember(MPI_Comm users) const;
  void remember(MPI_Comm users, std::shared_ptr<const Acquaintance> acquaintance);

  // The ranks of a communicator among those of an acquaintance; nothing if there is none with all of them.
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

  const bool has_world_;       // MPI_Init was called: there are MPI_COMM_WORLD and MPI_COMM_SELF
  bool any_thread_ = false;    // may call MPI, not only the main one
  bool many_threads_ = false;  // may call MPI at the same time
  bool polls_yield_ = false;
  int group_key_ = MPI_KEYVAL_INVALID;
  MPI_Comm alone_ = MPI_COMM_NULL;        // of this process only
  MPI_Request never_ = MPI_REQUEST_NULL;  // a receive there, of what nobody sends
  std::atomic<bool> is_driven_{false};    // released after these two
  ContextPool contexts_;
  std::vector<std::pair<MPI_Group, std::shared_ptr<const Acquaintance>>> acquaintances_;
};

}  // namespace quadrille
