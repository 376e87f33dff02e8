// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/group.hpp"

#include <utility>

namespace quadrille {
namespace {

// 1 is the tag of the waiter; those of plans follow.
constexpr int tag_that_nobody_sends = 2;

int note_end(MPI_Comm, int, void* ended, void*) {
  static_cast<std::atomic<bool>*>(ended)->store(true, std::memory_order_relaxed);
  return MPI_SUCCESS;
}

}  // namespace

MpiGroup::MpiGroup(MPI_Comm own, bool finalises, std::shared_ptr<InFlight> in_flight)
    : communicator_(own),
      finalises_(finalises),
      in_flight_(std::move(in_flight)),
      waiter_(own, *in_flight_),
      last_tag_(tag_that_nobody_sends) {
  int* highest = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &highest, &found), "MPI_Comm_get_attr");
  highest_tag_ = found ? *highest : 32767;  // which MPI promises
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

int MpiGroup::new_tag() {
  last_tag_ = last_tag_ < highest_tag_ ? last_tag_ + 1 : tag_that_nobody_sends + 1;
  return last_tag_;
}

Progress MpiGroup::progress(const std::shared_ptr<MpiGroup>& group) {
  return {[group] { return group->poll(); }, std::shared_ptr<const std::atomic<bool>>(group, &group->ended_), group->in_flight_};
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
