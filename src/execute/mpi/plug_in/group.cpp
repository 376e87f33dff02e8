// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/group.hpp"

namespace quadrille {
namespace {

// 0 is the tag of scripts, 1 that of the waiter, 2 that of mail.
constexpr int tag_that_nobody_sends = 3;

int note_end(MPI_Comm, int, void* ended, void*) {
  static_cast<std::atomic<bool>*>(ended)->store(true, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

}  // namespace

MpiGroup::MpiGroup(MPI_Comm own, bool finalises) : communicator_(own), finalises_(finalises), waiter_(own) {
  int level = MPI_THREAD_SINGLE;
  check_mpi(MPI_Query_thread(&level), "MPI_Query_thread");
  any_thread_ = level >= MPI_THREAD_SERIALIZED;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, note_end, &end_key_, nullptr), "MPI_Comm_create_keyval");
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, end_key_, &ended_), "MPI_Comm_set_attr");
}

MpiGroup::~MpiGroup() {
  if (has_ended()) return;
  MPI_Comm_delete_attr(MPI_COMM_SELF, end_key_);
  MPI_Comm_free_keyval(&end_key_);
  MPI_Comm_free(&communicator_);
  if (finalises_) MPI_Finalize();
}

Progress MpiGroup::progress(const std::shared_ptr<MpiGroup>& group) {
  return {[group] { return group->poll(); }, std::shared_ptr<const std::atomic<bool>>(group, &group->ended_)};
}

// Any call that looks for messages makes MPI go on with all that it has under way. Returns whether it has given the core away.
bool MpiGroup::poll() const {
  if (has_ended()) return false;
  if (!any_thread_) {
    int is_main = 0;
    if (MPI_Is_thread_main(&is_main) != MPI_SUCCESS || !is_main) return false;
  }
  int found = 0;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag_that_nobody_sends, communicator_, &found, MPI_STATUS_IGNORE), "MPI_Iprobe");
  return waiter_.polls_yield();
}

}  // namespace quadrille
