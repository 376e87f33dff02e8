// SPDX-License-Identifier: BSD-3-Clause
// Quadrille over the MPI library of the including program. Include it after <mpi.h> or instead of it. Open MPI, MPICH and libraries
// with their ABIs are recognised by macros of their <mpi.h> (mpi_libraries.def).
//
//   MPI_Init(&argc, &argv);
//   auto communicator = quadrille::over(MPI_COMM_WORLD);
//   quadrille::Plan plan = quadrille::plan(*communicator, quadrille::Problem::alltoall(communicator->size(), 8));
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <complex>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "quadrille/combine.hpp"
#include "quadrille/execute.hpp"
#include "quadrille/groups.hpp"

namespace quadrille {

namespace mpi_detail {

// Returns the id of the last library of the table whose macros <mpi.h> defines; empty if there is none. A name that is
// not a defined macro expands to itself.
constexpr std::string_view library_of_header() {
  std::string_view found;
#define QUADRILLE_MPI_TEXT(...) #__VA_ARGS__
#define QUADRILLE_MPI_ROW(library, macros, ...) \
  if (std::string_view(#macros) != QUADRILLE_MPI_TEXT(macros)) found = #library;
#include "quadrille/mpi_libraries.def"
#undef QUADRILLE_MPI_TEXT
  return found;
}

}  // namespace mpi_detail

inline constexpr std::string_view mpi_library = mpi_detail::library_of_header();  // "openmpi", "mpich"
static_assert(!mpi_library.empty(),
              "quadrille has no plug-in for the library of this <mpi.h>; quadrille/mpi_libraries.def has those that there are");

// Returns a Communicator of the ranks of an MPI communicator of any origin: split, duplicated, merged with spawned or connected
// processes, or made from a session's group. The first call for an MPI communicator is collective over it, and its ranks exchange
// data by a collective call on it. The result is kept as an attribute of the MPI communicator, so later calls for it are local.
//
// Collective calls. Everything made over one MPI communicator belongs to one group: the plans of all its Communicators are numbered
// together, and all ranks make and start them in the same order. Barriers, all_gather and making a plan count as collective calls
// on the MPI communicator itself. So their order relative to the program's own collective calls on it must be equal on all ranks,
// and two threads must not make such calls at the same time. Executing a plan sends nothing over the MPI communicator, except
// with QUADRILLE_CHECK=1, where ranks compare the plans that they start. The program's messages and Quadrille's never match each
// other. MPI errors on `communicator` go to its error handler.
//
// Contexts. A plan that uses MPI messages (executors mpi and hybrid) or MPI's own collective needs a private duplicate of the
// communicator. Duplicates are kept and reused, at most 256 per process. If 256 communicators have such plans at the same time,
// making one over a further communicator throws Error{environment} on all its ranks. Plans that use only shared memory need no
// duplicate.
//
// Lifetimes. Communicators and plans may be destroyed in any order, even after MPI_Finalize, but cannot be used after it. After the
// program frees the MPI communicator (MPI_Comm_free, in any language), plans can still be executed. Three things then throw
// Error{misuse}: making a plan that needs messages, calling a member that needs messages, and executing a plan that needs messages
// and has given its memory back. In a program that uses only sessions, destroy plans and Communicators and free their MPI
// communicators before MPI_Session_finalize. After ranks that share memory have failed, all plans over the communicator throw.
// Calling this function again on all ranks then makes a new group. Each rank must call it only after the rank itself has received
// the error: a rank that calls earlier still gets the old group, and the other ranks wait for it.
//
// Threads. Each call counts as an MPI call for MPI's thread levels. A waiting thread also drives MPI's progress if the thread
// level allows it to call MPI.
//
// Throws Error{misuse} for MPI_COMM_NULL and for an intercommunicator, Error{environment} if the plug-in for this MPI is not
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

// target = target o source. MPI only offers target = source o target, so the function works on a copy of the source.
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

// Wraps a predefined MPI operator, or one made by MPI_Op_create, on elements of `type`; both must outlive the result. Elements are
// combined by MPI_Reduce_local, always in the order that the schedule gives, even for a commutative operator: its result may still
// depend on the order in single bits (signed zeros, NaN). An element takes the extent of `type`, as in MPI's buffers. Throws
// Error{misuse} if elements of `type` begin before their address or overlap the next element.
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

// ---- MPI_Op as an operator of the typed calls (combine.hpp)
//
//   allreduce(*ranks, input, output, MPI_SUM);                  // a predefined operator becomes op::sum and so on, if it exists
//   allreduce(*ranks, input, output, my_op);                    // made by MPI_Op_create, for the MPI_Datatype that belongs to T
//   allreduce(*ranks, input, output, operator_of(my_op, type)); // for another datatype whose elements have sizeof(T) bytes
namespace mpi_detail {

// The MPI datatype of T, or MPI_DATATYPE_NULL if there is none.
template <class T>
MPI_Datatype datatype_of() {
  if constexpr (std::is_same_v<T, char>) return std::is_signed_v<char> ? MPI_SIGNED_CHAR : MPI_UNSIGNED_CHAR;
  if constexpr (std::is_same_v<T, signed char>) return MPI_SIGNED_CHAR;
  if constexpr (std::is_same_v<T, unsigned char>) return MPI_UNSIGNED_CHAR;
  if constexpr (std::is_same_v<T, short>) return MPI_SHORT;
  if constexpr (std::is_same_v<T, unsigned short>) return MPI_UNSIGNED_SHORT;
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  if constexpr (std::is_same_v<T, unsigned>) return MPI_UNSIGNED;
  if constexpr (std::is_same_v<T, long>) return MPI_LONG;
  if constexpr (std::is_same_v<T, unsigned long>) return MPI_UNSIGNED_LONG;
  if constexpr (std::is_same_v<T, long long>) return MPI_LONG_LONG;
  if constexpr (std::is_same_v<T, unsigned long long>) return MPI_UNSIGNED_LONG_LONG;
  if constexpr (std::is_same_v<T, float>) return MPI_FLOAT;
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, long double>) return MPI_LONG_DOUBLE;
  if constexpr (std::is_same_v<T, bool>) return MPI_C_BOOL;
  if constexpr (std::is_same_v<T, std::byte>) return MPI_BYTE;
  if constexpr (std::is_same_v<T, std::complex<float>>) return MPI_C_FLOAT_COMPLEX;
  if constexpr (std::is_same_v<T, std::complex<double>>) return MPI_C_DOUBLE_COMPLEX;
  if constexpr (type_name_of<T>() == "f32_i32") return MPI_FLOAT_INT;
  if constexpr (type_name_of<T>() == "f64_i32") return MPI_DOUBLE_INT;
  if constexpr (type_name_of<T>() == "i16_i32") return MPI_SHORT_INT;
  if constexpr (type_name_of<T>() == "i32_i32") return MPI_2INT;
  if constexpr (type_name_of<T>() == "i64_i32") return MPI_LONG_INT;
  return MPI_DATATYPE_NULL;
}

// If `op` is the predefined operator `mpi`, and Quadrille has operator `name` for elements T, sets `found` to it and returns true.
template <class T, op::Name name>
bool is_built_in(MPI_Op op, MPI_Op mpi, CallOperator& found) {
  if constexpr (has_built_in<T>(name))
    if (op == mpi) {
      found = OperatorFor<T, op::BuiltIn<name>>::of({});
      return true;
    }
  return false;
}

}  // namespace mpi_detail

template <class T>
struct OperatorFor<T, MPI_Op> {
  static CallOperator of(const MPI_Op& op) {
    using mpi_detail::is_built_in;
    CallOperator found;
    if (is_built_in<T, op::Name::sum>(op, MPI_SUM, found) || is_built_in<T, op::Name::prod>(op, MPI_PROD, found) ||
        is_built_in<T, op::Name::min>(op, MPI_MIN, found) || is_built_in<T, op::Name::max>(op, MPI_MAX, found) ||
        is_built_in<T, op::Name::band>(op, MPI_BAND, found) || is_built_in<T, op::Name::bor>(op, MPI_BOR, found) ||
        is_built_in<T, op::Name::bxor>(op, MPI_BXOR, found) || is_built_in<T, op::Name::land>(op, MPI_LAND, found) ||
        is_built_in<T, op::Name::lor>(op, MPI_LOR, found) || is_built_in<T, op::Name::lxor>(op, MPI_LXOR, found) ||
        is_built_in<T, op::Name::minloc>(op, MPI_MINLOC, found) || is_built_in<T, op::Name::maxloc>(op, MPI_MAXLOC, found))
      return found;
    if (op == MPI_OP_NULL) throw Error(ErrorCode::misuse, "the operator is MPI_OP_NULL; give a reduction an operator");
    if (mpi_detail::datatype_of<T>() == MPI_DATATYPE_NULL)
      throw Error(ErrorCode::misuse, "MPI has no type for these elements; give operator_of(op, type)");
    int commutative = 0;
    if (MPI_Op_commutative(op, &commutative) != MPI_SUCCESS) throw Error(ErrorCode::transport, "MPI_Op_commutative failed");
    return {.name = "MPI_Op",
            .element_bytes = sizeof(T),
            .commutative = commutative != 0,
            .combine = combine,
            .function = &op,
            .copy = copy};
  }

 private:
  static void combine(const void* function, const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
    const MPI_Op op = *static_cast<const MPI_Op*>(function);
    const auto by_mpi = [op](const std::byte* from, std::byte* to, Count count, OperandOrder asked) {
      if (asked == OperandOrder::source_first)
        mpi_detail::reduce_local(from, to, count, sizeof(T), mpi_detail::datatype_of<T>(), op);
      else
        mpi_detail::reduce_local_behind(from, to, count, sizeof(T), mpi_detail::datatype_of<T>(), op);
    };
    const auto is_aligned = [](const std::byte* place) { return reinterpret_cast<std::uintptr_t>(place) % alignof(T) == 0; };
    if (is_aligned(source) && is_aligned(target)) return by_mpi(source, target, elements, order);
    on_aligned_elements(by_mpi, sizeof(T))(source, target, elements, order);
  }

  static std::shared_ptr<const void> copy(const void* function) {
    return std::make_shared<const MPI_Op>(*static_cast<const MPI_Op*>(function));
  }
};

}  // namespace quadrille
