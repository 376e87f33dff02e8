// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/operation.hpp"

#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "mpi_face/handle_map.hpp"
#include "quadrille/error.hpp"

namespace quadrille::mpi_face {
namespace {

struct NamedOperation {
  std::string name;
  bool is_bitwise = false;
};

const HandleMap<MPI_Op, NamedOperation>& predefined() {
  static const HandleMap<MPI_Op, NamedOperation> map({{MPI_SUM, {"sum"}},
                                                      {MPI_PROD, {"prod"}},
                                                      {MPI_MIN, {"min"}},
                                                      {MPI_MAX, {"max"}},
                                                      {MPI_LAND, {"land"}},
                                                      {MPI_LOR, {"lor"}},
                                                      {MPI_LXOR, {"lxor"}},
                                                      {MPI_BAND, {"band", true}},
                                                      {MPI_BOR, {"bor", true}},
                                                      {MPI_BXOR, {"bxor", true}}});
  return map;
}

std::shared_ptr<const Operator> made(const std::string& operation, const ElementType& element) {
  try {
    return built_in_operator(operation, element.name);
  } catch (const Error&) {
    return nullptr;  // the operator does not exist for such elements
  }
}

}  // namespace

std::shared_ptr<const Operator> operation_of(MPI_Op operation, const ElementType& element) {
  const NamedOperation* named = predefined().find(operation);
  if (!named || element.number < 0 || (element.only_bits && !named->is_bitwise)) return nullptr;
  static std::mutex mutex;
  static auto& kept = *new std::map<std::pair<const NamedOperation*, int>, std::shared_ptr<const Operator>>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = kept.try_emplace({named, element.number});
  if (is_new) entry->second = made(named->name, element);
  return entry->second;
}

}  // namespace quadrille::mpi_face
