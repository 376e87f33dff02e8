// SPDX-License-Identifier: BSD-3-Clause
// MPI_Op as an operator of the typed calls (combine.hpp); part of quadrille/mpi.hpp.
//
//   allreduce(*ranks, input, output, MPI_SUM);                  // a predefined operator becomes op::sum and so on, if it exists
//   allreduce(*ranks, input, output, my_op);                    // made by MPI_Op_create, for the MPI_Datatype that belongs to T
//   allreduce(*ranks, input, output, operator_of(my_op, type)); // for another datatype whose elements have sizeof(T) bytes
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "quadrille/combine.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille {
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
