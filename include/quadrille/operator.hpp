// SPDX-License-Identifier: BSD-3-Clause
// Operators of reductions: MPI's operators on arithmetic types, one built-in operator that does not commute, and users' own.
//
//   auto sum = built_in_operator("sum", "f64");
//   Problem problem = reduction(Collective::allreduce, /*ranks=*/4, /*elements=*/100, *sum);
//   Plan plan = quadrille::plan(communicator, problem, {.algorithm = "ring", .operation = sum});
//
// A result is bit-reproducible for a fixed algorithm, number of ranks and vector, because the schedule fixes the order of
// combinations for every executor and policy. Set Problem::reproducible to get the same bits from every algorithm that applies;
// fewer algorithms then apply.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "quadrille/schedule.hpp"

namespace quadrille {

// A reduction's operator. It must be associative. Several threads may call `combine` at the same time, on memory of any alignment.
struct Operator {
  std::string name;         // "sum"
  std::string type;         // element type, such as "f64"
  Bytes element_bytes = 1;  // size of a packed element
  bool commutative = true;

  // Combines two arrays of `elements` elements, which must not overlap. For source_first: target = source o target, otherwise
  // target = target o source.
  using Combine = std::function<void(const std::byte* source, std::byte* target, Count elements, OperandOrder order)>;
  Combine combine;

  // The handles of the operator and the element type in an MPI library, to call the vendor's own collectives (mpi.hpp).
  struct MpiHandles {
    std::string_view library;  // "openmpi", "mpich"
    std::vector<std::byte> operation, type;
  };
  std::optional<MpiHandles> mpi;
};

// Built-in operators: sum, prod, min and max on all real number types; sum and prod on complex ones; band, bor, bxor, land, lor and
// lxor on integers; minloc and maxloc on pairs of a value and an index (among equal values, the least index wins); matmul2, the
// product of 2 x 2 matrices in row order, which does not commute. Integers wrap around. If one of two operands is a NaN,
// min, max, minloc and maxloc return it. Throws Error{misuse} for an unknown name, or if the type does not have the operator.
std::shared_ptr<const Operator> built_in_operator(std::string_view operation, std::string_view type);

// Wraps a function that needs aligned elements, such as code that a compiler made from C: unaligned elements are copied to
// aligned memory before they are combined. The alignment is taken to be the largest power of two that divides the element size,
// up to the alignment of the largest scalar type.
Operator::Combine on_aligned_elements(Operator::Combine combine, Bytes element_bytes);

bool is_built_in(const Operator& operation);  // true if built_in_operator returned it

std::vector<std::string> operator_names();
std::vector<std::string>
type_names();  // i8 .. u64, f32, f64, c64 and c128 (complex), and pairs such as f64_i32 (as MPI_DOUBLE_INT)

// Returns the argument for the factories of Problem, as in Problem::allreduce(ranks, bytes, facts_of(*sum)).
inline OperatorFacts facts_of(const Operator& operation) { return {operation.element_bytes, operation.commutative}; }

// Returns the problem of a reduction of vectors of `elements` elements each; for reduce_scatter, of p blocks of `elements` elements
// each. Throws Error{misuse, too_large} like `check`.
Problem reduction(Collective collective, Count ranks, Count elements, const Operator& operation, Rank root = 0);

}  // namespace quadrille
