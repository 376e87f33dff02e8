// SPDX-License-Identifier: BSD-3-Clause
// Calls of the functions of messages.def and making.def, from the construction of these objects to their destruction.
#pragma once

#include <mpi.h>

#include <tuple>
#include <type_traits>

#include "mpi_face/counting.hpp"
#include "mpi_face/made_objects.hpp"
#include "mpi_face/message_calls.hpp"
#include "mpi_face/recording/recorder.hpp"
#include "mpi_face/symbols/fortran_forward.hpp"

namespace quadrille::mpi_face {

// The call is also counted, if a report is asked for.
//
// Positions of a message's arguments among those of its function; -1: it has none. Of functions that send and receive, those of
// what is received, because that is what they wait for.
struct MessagePositions {
  int count = -1, type = -1, peer = -1, tag = -1, communicator = -1;
};

constexpr MessagePositions positions_in(MessageFunction function) {
  using enum MessageFunction;
  switch (function) {
    case Send:
    case Bsend:
    case Ssend:
    case Rsend:
    case Isend:
    case Ibsend:
    case Issend:
    case Irsend:
    case Recv:
    case Irecv:
    case Send_init:
    case Bsend_init:
    case Ssend_init:
    case Rsend_init:
    case Recv_init: return {1, 2, 3, 4, 5};
    case Sendrecv:
    case Isendrecv: return {6, 7, 8, 9, 10};
    case Sendrecv_replace:
    case Isendrecv_replace: return {1, 2, 5, 6, 7};
    case Probe:
    case Mprobe: return {-1, -1, 0, 1, 2};
    default: return {};
  }
}

// The arguments of a message, from all arguments of its function in C, or from their addresses in Fortran.
template <MessageFunction function>
MpiMessage message_of(const auto& arguments) {
  constexpr MessagePositions positions = positions_in(function);
  if constexpr (positions.peer < 0) {
    return {};
  } else {
    constexpr bool is_fortran = std::is_same_v<std::remove_cvref_t<decltype(std::get<0>(arguments))>, void*> &&
                                std::is_same_v<std::remove_cvref_t<decltype(std::get<positions.peer>(arguments))>, void*>;
    MpiMessage message;
    if constexpr (is_fortran) {
      message.peer = number_at(std::get<positions.peer>(arguments));
      message.tag = number_at(std::get<positions.tag>(arguments));
      message.communicator = PMPI_Comm_f2c(number_at(std::get<positions.communicator>(arguments)));
      if constexpr (positions.count >= 0) {
        message.count = number_at(std::get<positions.count>(arguments));
        message.type = PMPI_Type_f2c(number_at(std::get<positions.type>(arguments)));
      }
    } else {
      message.peer = std::get<positions.peer>(arguments);
      message.tag = std::get<positions.tag>(arguments);
      message.communicator = std::get<positions.communicator>(arguments);
      if constexpr (positions.count >= 0) {
        message.count = std::get<positions.count>(arguments);
        message.type = std::get<positions.type>(arguments);
      }
    }
    return message;
  }
}

// Does the function make a request? It is the function's last argument.
constexpr bool makes_request(MessageFunction function) {
  using enum MessageFunction;
  const std::string_view name = message_function_names[static_cast<std::size_t>(function)];
  return (name.starts_with('I') && function != Iprobe && function != Improbe) || name.ends_with("_init") || function == Rput ||
         function == Rget || function == Raccumulate || function == Rget_accumulate;
}

template <MessageFunction function>
void see_request(const auto& arguments) noexcept {
  if constexpr (makes_request(function)) {
    if (!MadeObjects::are_counted()) return;
    const auto* const request = std::get<std::tuple_size_v<std::remove_cvref_t<decltype(arguments)>> - 1>(arguments);
    if constexpr (std::is_same_v<decltype(request), const void* const>)
      MadeObjects::add(LiveSite::Kind::request, request_at(request, 0));
    else
      MadeObjects::add(LiveSite::Kind::request, *request);
  }
}

inline void see_type(MPI_Datatype type, bool is_made) noexcept {
  is_made ? MadeObjects::add(LiveSite::Kind::type, type) : MadeObjects::remove(type);
}

class RecordedMessage {
 public:
  // `message`: returns the MpiMessage.
  RecordedMessage(MessageFunction function, const auto& message) noexcept
      : recorder_(Recorder::get()),
        function_(function),
        is_recorded_(recorder_ && recorder_->enter()),
        counted_(function, message) {}
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

  void made(MPI_Comm communicator) noexcept {
    made_ = communicator;
    if (!recorder_) Counting::see_made(communicator);
  }

 private:
  Recorder* const recorder_;
  const char* const function_;
  const MPI_Comm parent_;
  MPI_Comm made_ = MPI_COMM_NULL;
  const bool is_recorded_;
};

}  // namespace quadrille::mpi_face
