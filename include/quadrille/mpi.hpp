// SPDX-License-Identifier: BSD-3-Clause
// Quadrille over the MPI library of the including program. Include after or instead of <mpi.h>; Open MPI and MPICH (and
// libraries of their ABIs) are recognised by their headers.
//
//   MPI_Init(&argc, &argv);
//   auto communicator = quadrille::over(MPI_COMM_WORLD);
//   quadrille::Plan plan = quadrille::plan(*communicator, quadrille::Problem::alltoall(communicator->size(), 8));
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/execute.hpp"
#include "quadrille/transports.hpp"

namespace quadrille {

#if defined(OPEN_MPI)
inline constexpr std::string_view mpi_library = "openmpi";
#elif defined(MPICH) || defined(MPICH_VERSION)
inline constexpr std::string_view mpi_library = "mpich";
#else
#error "quadrille has a plug-in for Open MPI and one for MPICH; this <mpi.h> is neither's"
#endif

// The ranks of an MPI communicator, of any origin: split, duplicated, merged with spawned or connected processes, or made from a
// session's group. Collective over `communicator` when it is called there for the first time: then its ranks meet, by a collective
// call on `communicator` itself. What they learn is kept as an attribute of it, so calling this there again is local.
//
// What is collective. All that is made over one MPI communicator is one group: plans of all Communicators over it are numbered
// together, and all ranks make and start them in the same order. Barriers, all_gather and making a plan count as collective calls
// on the MPI communicator itself, so they keep their place among the program's own collective calls there, and two threads must not
// make them at the same time. Executing sends nothing over it (with QUADRILLE_CHECK=1 the ranks compare the plans that they start,
// and do). Messages of the program never meet ours. Errors of MPI on `communicator` go to its error handler.
//
// Contexts. A plan that runs by MPI messages, by MPI's own collective or by both ways (executor hybrid) uses a private duplicate of
// the communicator. These are kept and used again, and there are at most 256 in a process. If 256 communicators have such plans at
// the same time, a plan over a further one throws Error{environment} on all its ranks. Shared memory takes no context.
//
// Lifetimes. Communicators and plans may be destroyed in any order, and also after MPI_Finalize; after it they cannot be used. When
// the program frees the MPI communicator (MPI_Comm_free, in any language), plans work on. Making a plan for messages then throws
// Error{misuse}, and so do all members that need messages, and executing a plan for messages whose memory was given back. In a
// program that has sessions only, destroy plans and Communicators and free their MPI communicators before MPI_Session_finalize.
// Where ranks that share memory have failed, all plans over the communicator throw. Calling this again on all ranks makes a new
// group. Each rank calls it after it has had the error: one that asks earlier still gets the old group, and the others wait for it.
//
// Threads. Calls count as calls of MPI for MPI's thread levels. A thread that waits drives MPI's progress if it may call MPI.
//
// Throws Error{misuse} for MPI_COMM_NULL and for an intercommunicator, Error{environment} if the plug-in for this MPI was not
// installed.
inline std::unique_ptr<Communicator> over(MPI_Comm communicator) {
  return over_mpi_handle(mpi_library, &communicator, sizeof communicator);
}

namespace mpi_detail {

inline void reduce_local(const std::byte* source, std::byte* target, Count elements, Bytes element_bytes, MPI_Datatype type,
                         MPI_Op op) {
  for (Count done = 0; done < elements; done += INT_MAX) {
    const int count = static_cast<int>(std::min<Count>(elements - done, INT_MAX));
    if (MPI_Reduce_local(source + done * element_bytes, target + done * element_bytes, count, type, op) != MPI_SUCCESS)
      throw Error(ErrorCode::transport, "MPI_Reduce_local failed");
  }
}

// target = target o source, where MPI only has target = source o target: by way of a copy of the source.
inline void reduce_local_behind(const std::byte* source, std::byte* target, Count elements, Bytes element_bytes, MPI_Datatype type,
                                MPI_Op op) {
  alignas(64) std::array<std::byte, 16384> room;
  std::vector<std::byte> larger(element_bytes > static_cast<Bytes>(room.size()) ? static_cast<std::size_t>(element_bytes) : 0);
  std::byte* copy = larger.empty() ? room.data() : larger.data();
  const Count at_once = larger.empty() ? static_cast<Bytes>(room.size()) / element_bytes : 1;
  for (Count done = 0; done < elements; done += at_once) {
    const Count count = std::min(elements - done, at_once);
    const auto length = static_cast<std::size_t>(count * element_bytes);
    std::memcpy(copy, source + done * element_bytes, length);
    reduce_local(target + done * element_bytes, copy, count, element_bytes, type, op);
    std::memcpy(target + done * element_bytes, copy, length);
  }
}

template <class Handle>
std::vector<std::byte> bytes_of(const Handle& handle) {
  const auto* bytes = reinterpret_cast<const std::byte*>(&handle);
  return {bytes, bytes + sizeof handle};
}

}  // namespace mpi_detail

// An operator of MPI's, or one made by MPI_Op_create, on elements of `type`; both must outlive the result. Combining goes through
// MPI_Reduce_local, always in the order that the schedule asks for: an operator that commutes need not do so bit by bit (zeros of
// either sign, NaN). An element takes the extent of `type`, as MPI's buffers have it. Throws Error{misuse} for a type whose
// elements begin before their address or overlap the next.
inline std::shared_ptr<const Operator> operator_of(MPI_Op op, MPI_Datatype type) {
  MPI_Aint first = 0, extent = 0, true_first = 0, true_extent = 0;
  int commutative = 0, length = 0;
  char type_name[MPI_MAX_OBJECT_NAME] = "";
  if (MPI_Type_get_extent(type, &first, &extent) != MPI_SUCCESS ||
      MPI_Type_get_true_extent(type, &true_first, &true_extent) != MPI_SUCCESS ||
      MPI_Op_commutative(op, &commutative) != MPI_SUCCESS || MPI_Type_get_name(type, type_name, &length) != MPI_SUCCESS)
    throw Error(ErrorCode::transport, "MPI does not tell about this operator and type");
  if (extent < 1 || first != 0 || true_first < 0 || true_first + true_extent > extent)
    throw Error(ErrorCode::misuse,
                "elements of this type begin before their address or overlap the next; make the type with another extent");
  Operator made;
  made.name = "MPI_Op";
  made.type = type_name[0] ? type_name : "elements of " + std::to_string(extent) + " bytes";
  made.element_bytes = extent;
  made.commutative = commutative != 0;
  made.combine = on_aligned_elements(
      [op, type, extent](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
        if (order == OperandOrder::source_first)
          mpi_detail::reduce_local(source, target, elements, extent, type, op);
        else
          mpi_detail::reduce_local_behind(source, target, elements, extent, type, op);
      },
      extent);
  made.mpi = Operator::MpiHandles{mpi_library, mpi_detail::bytes_of(op), mpi_detail::bytes_of(type)};
  return std::make_shared<const Operator>(std::move(made));
}

}  // namespace quadrille

#include "quadrille/mpi_combine.hpp"  // needs what is above
