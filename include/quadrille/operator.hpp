// SPDX-License-Identifier: BSD-3-Clause
// Operators of reductions: MPI's own on arithmetic types, one that does not commute, and users' own.
//
//   auto sum = built_in_operator("sum", "f64");
//   Problem problem = reduction(Collective::allreduce, /*ranks=*/4, /*elements=*/100, *sum);
//   Plan plan = quadrille::plan(communicator, problem, {.algorithm = "ring", .operation = sum});
//
// A result is bit-reproducible for a fixed algorithm, number of ranks and vector: schedules fix who is combined with whom, on
// every executor and under every policy. Set Problem::reproducible to have the same bits from all algorithms that then apply.
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

// Must be associative. `combine` may be called from several threads at once, on memory of any alignment.
struct Operator {
  std::string name;         // "sum"
  std::string type;         // of an element: "f64"
  Bytes element_bytes = 1;  // packed
  bool commutative = true;

  // Combines arrays of `elements` elements, which do not overlap: target = source o target if the source comes first, else
  // target = target o source.
  using Combine = std::function<void(const std::byte* source, std::byte* target, Count elements, OperandOrder order)>;
  Combine combine;

  // The operator and the type of elements as an MPI library knows them, for the vendor's own collectives (mpi.hpp).
  struct MpiHandles {
    std::string_view library;  // "openmpi", "mpich"
    std::vector<std::byte> operation, type;
  };
  std::optional<MpiHandles> mpi;
};

// sum, prod, min, max on all numbers; sum and prod on complex ones; band, bor, bxor, land, lor, lxor on whole ones; minloc, maxloc
// on pairs of a value and an index (of equal values the least index); matmul2: products of 2 x 2 matrices in row order, which do
// not commute. Whole numbers wrap round. Throws Error{misuse} for an unknown name, or an operator that the type does not have.
std::shared_ptr<const Operator> built_in_operator(std::string_view operation, std::string_view type);

// For functions that take elements only where their type is aligned, as those that compilers made of C may do: elements that lie
// elsewhere are combined in copies. A type's alignment is taken to be the largest power of two that divides the size of an element,
// up to that of the largest scalar type.
Operator::Combine on_aligned_elements(Operator::Combine combine, Bytes element_bytes);

std::vector<std::string> operator_names();
std::vector<std::string>
type_names();  // i8 .. u64, f32, f64, c64 and c128 (complex), and pairs such as f64_i32 (as MPI_DOUBLE_INT)

// For the factories of Problem: Problem::allreduce(ranks, bytes, facts_of(*sum)).
inline OperatorFacts facts_of(const Operator& operation) { return {operation.element_bytes, operation.commutative}; }

// A reduction of vectors of `elements` elements; reduce_scatter: of blocks of so many. Throws Error{misuse, too_large} like
// `check`.
Problem reduction(Collective collective, Count ranks, Count elements, const Operator& operation, Rank root = 0);

}  // namespace quadrille
