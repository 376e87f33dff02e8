// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/mpi_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "execute/process_events.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "quadrille/indexed.hpp"

namespace quadrille {
namespace {

constexpr std::array<std::string_view, 10> matrix_numbers{"i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64"};

std::optional<MPI_Datatype> mpi_type(std::string_view type) {
  const std::pair<std::string_view, MPI_Datatype> types[] = {
      {"i8", MPI_INT8_T},          {"i16", MPI_INT16_T},  {"i32", MPI_INT32_T},         {"i64", MPI_INT64_T},
      {"u8", MPI_UINT8_T},         {"u16", MPI_UINT16_T}, {"u32", MPI_UINT32_T},        {"u64", MPI_UINT64_T},
      {"f32", MPI_FLOAT},          {"f64", MPI_DOUBLE},   {"c64", MPI_C_FLOAT_COMPLEX}, {"c128", MPI_C_DOUBLE_COMPLEX},
      {"i16_i32", MPI_SHORT_INT},  {"i32_i32", MPI_2INT}, {"i64_i32", MPI_LONG_INT},    {"f32_i32", MPI_FLOAT_INT},
      {"f64_i32", MPI_DOUBLE_INT},
  };
  for (const auto& [name, datatype] : types)
    if (name == type) return datatype;
  return std::nullopt;
}

std::optional<MPI_Op> mpi_operation(std::string_view operation) {
  const std::pair<std::string_view, MPI_Op> operations[] = {
      {"sum", MPI_SUM},   {"prod", MPI_PROD}, {"min", MPI_MIN}, {"max", MPI_MAX},   {"band", MPI_BAND},     {"bor", MPI_BOR},
      {"bxor", MPI_BXOR}, {"land", MPI_LAND}, {"lor", MPI_LOR}, {"lxor", MPI_LXOR}, {"minloc", MPI_MINLOC}, {"maxloc", MPI_MAXLOC},
  };
  for (const auto& [name, mpi] : operations)
    if (name == operation) return mpi;
  return std::nullopt;
}

// The function of an MPI_Op. MPI passes no state to it, so there is one instance for each number type. MPI defines the order of the
// operands: target = source o target.
template <std::size_t type>
void multiply_matrices(void* source, void* target, int* count, MPI_Datatype*) {
  static const auto operation = built_in_operator("matmul2", matrix_numbers[type]);
  operation->combine(static_cast<const std::byte*>(source), static_cast<std::byte*>(target), *count, OperandOrder::source_first);
}

template <std::size_t... types>
constexpr std::array<MPI_User_function*, sizeof...(types)> matrix_functions(std::index_sequence<types...>) {
  return {multiply_matrices<types>...};
}

template <class Handle>
std::optional<Handle> handle(const std::vector<std::byte>& bytes) {
  if (bytes.size() != sizeof(Handle)) return std::nullopt;
  Handle value;
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

}  // namespace

Result<std::shared_ptr<const MpiOperator>> MpiOperator::of(const Operator& operation) {
  const auto made = [](MPI_Op op, MPI_Datatype type, bool owned) {
    return std::shared_ptr<const MpiOperator>(new MpiOperator(op, type, owned));
  };
  if (operation.mpi && operation.mpi->library == QUADRILLE_MPI_LIBRARY)
    if (const auto op = handle<MPI_Op>(operation.mpi->operation))
      if (const auto type = handle<MPI_Datatype>(operation.mpi->type)) return made(*op, *type, false);
  const auto type = mpi_type(operation.type);
  if (const auto op = mpi_operation(operation.name); op && type) return made(*op, *type, false);
  const auto matrix = std::find(matrix_numbers.begin(), matrix_numbers.end(), operation.type);
  if (operation.name != "matmul2" || matrix == matrix_numbers.end())
    return cannot(fmt::format("the MPI library has no operator '{}' for elements of type {}", operation.name, operation.type));
  constexpr auto functions = matrix_functions(std::make_index_sequence<matrix_numbers.size()>{});
  MPI_Op op = MPI_OP_NULL;
  check_mpi(MPI_Op_create(functions[index(matrix - matrix_numbers.begin())], 0, &op), "MPI_Op_create");
  MPI_Datatype four = MPI_DATATYPE_NULL;
  check_mpi(MPI_Type_contiguous(4, *type, &four), "MPI_Type_contiguous");
  check_mpi(MPI_Type_commit(&four), "MPI_Type_commit");
  return made(op, four, true);
}

MpiOperator::~MpiOperator() {
  if (!owned_ || EndOfMpi::is_over()) return;
  MPI_Op_free(&operation_);
  MPI_Type_free(&type_);
}

}  // namespace quadrille
