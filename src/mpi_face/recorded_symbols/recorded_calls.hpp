// SPDX-License-Identifier: BSD-3-Clause
// Calls of the functions of messages.def and making.def, from the construction of these objects to their destruction.
#pragma once

#include <mpi.h>

#include "mpi_face/message_calls.hpp"
#include "mpi_face/recording/recorder.hpp"

namespace quadrille::mpi_face {

// The call is also counted, if a report is asked for.
class RecordedMessage {
 public:
  explicit RecordedMessage(MessageFunction function) noexcept
      : recorder_(Recorder::get()), function_(function), is_recorded_(recorder_ && recorder_->enter()), counted_(function) {}
  ~RecordedMessage() {
    if (is_recorded_) recorder_->leave_message(function_);
  }
  RecordedMessage(const RecordedMessage&) = delete;
  RecordedMessage& operator=(const RecordedMessage&) = delete;

 private:
  Recorder* const recorder_;
  const MessageFunction function_;
  const bool is_recorded_;
  const CountedMessage counted_;
};

class RecordedMaking {
 public:
  RecordedMaking(const char* function, MPI_Comm parent) noexcept
      : recorder_(Recorder::get()), function_(function), parent_(parent), is_recorded_(recorder_ && recorder_->enter()) {}
  ~RecordedMaking() {
    if (is_recorded_) recorder_->leave_making(function_, parent_, made_);
  }
  RecordedMaking(const RecordedMaking&) = delete;
  RecordedMaking& operator=(const RecordedMaking&) = delete;

  void made(MPI_Comm communicator) noexcept { made_ = communicator; }

 private:
  Recorder* const recorder_;
  const char* const function_;
  const MPI_Comm parent_;
  MPI_Comm made_ = MPI_COMM_NULL;
  const bool is_recorded_;
};

}  // namespace quadrille::mpi_face
