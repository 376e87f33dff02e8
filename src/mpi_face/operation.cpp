// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/operation.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "mpi_face/handle_map.hpp"
#include "quadrille/error.hpp"
#include "quadrille/mpi.hpp"

namespace quadrille::mpi_face {
namespace {

// Errors on the communicator are returned during the lifetime of this object.
class ErrorsReturned {
 public:
  explicit ErrorsReturned(MPI_Comm communicator) : communicator_(communicator) {
    PMPI_Comm_get_errhandler(communicator, &handler_);
    PMPI_Comm_set_errhandler(communicator, MPI_ERRORS_RETURN);
  }
  ~ErrorsReturned() {
    PMPI_Comm_set_errhandler(communicator_, handler_);
    PMPI_Errhandler_free(&handler_);
  }
  ErrorsReturned(const ErrorsReturned&) = delete;
  ErrorsReturned& operator=(const ErrorsReturned&) = delete;

 private:
  const MPI_Comm communicator_;
  MPI_Errhandler handler_ = MPI_ERRHANDLER_NULL;
};

bool is_committed(MPI_Datatype type) {
  std::byte nothing{};
  int position = 0;
  return PMPI_Pack(&nothing, 0, type, &nothing, 1, &position, MPI_COMM_SELF) == MPI_SUCCESS;
}

// Tries to combine one element whose bytes are 0.
bool can_combine(MPI_Op operation, MPI_Datatype type) {
  MPI_Aint first = 0, extent = 0, true_first = 0, true_extent = 0;
  if (PMPI_Type_get_extent(type, &first, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent(type, &true_first, &true_extent) != MPI_SUCCESS || true_first < 0)
    return false;
  const auto bytes = static_cast<std::size_t>(std::max(extent, true_first + true_extent));
  std::vector<std::max_align_t> lower(bytes / sizeof(std::max_align_t) + 1), upper = lower;
  return PMPI_Reduce_local(lower.data(), upper.data(), 1, type, operation) == MPI_SUCCESS;
}

struct NamedOperation {
  std::string name;
  bool is_bitwise = false;
};

const HandleMap<MPI_Op, NamedOperation>& predefined_operations() {
  static const HandleMap<MPI_Op, NamedOperation> map({{MPI_SUM, {"sum"}},
                                                      {MPI_PROD, {"prod"}},
                                                      {MPI_MIN, {"min"}},
                                                      {MPI_MAX, {"max"}},
                                                      {MPI_LAND, {"land"}},
                                                      {MPI_LOR, {"lor"}},
                                                      {MPI_LXOR, {"lxor"}},
                                                      {MPI_BAND, {"band", true}},
                                                      {MPI_BOR, {"bor", true}},
                                                      {MPI_BXOR, {"bxor", true}},
                                                      {MPI_MINLOC, {"minloc"}},
                                                      {MPI_MAXLOC, {"maxloc"}}});
  return map;
}

// Combines packed elements of a type with gaps, such as MPI_DOUBLE_INT, by an operator that needs the gaps.
Operator::Combine on_packed(Operator::Combine combine, MPI_Datatype type, const TypeFacts& facts) {
  return
      [combine = std::move(combine), type, facts](const std::byte* source, std::byte* target, Count elements, OperandOrder order) {
        constexpr Bytes room = 8192;
        alignas(std::max_align_t) std::array<std::byte, room> from{}, to{};
        const Count at_once = room / facts.extent;
        const auto check = [](int code) {
          if (code != MPI_SUCCESS) throw Error(ErrorCode::transport, "MPI_Pack or MPI_Unpack failed on a predefined type");
        };
        for (Count done = 0; done < elements; done += at_once) {
          const Count count = std::min(at_once, elements - done);
          check(unpack(source + done * facts.size, from.data(), count, type, facts, MPI_COMM_SELF));
          check(unpack(target + done * facts.size, to.data(), count, type, facts, MPI_COMM_SELF));
          combine(from.data(), to.data(), count, order);
          check(pack(to.data(), count, type, facts, target + done * facts.size, MPI_COMM_SELF));
        }
      };
}

std::shared_ptr<const Operator> by_mpi(MPI_Op operation, MPI_Datatype type, const TypeFacts& facts) {
  try {
    check_operands(operation, type);
    const auto whole = operator_of(operation, type);
    if (facts.size == facts.extent) return whole;
    Operator packed = *whole;
    packed.element_bytes = facts.size;
    packed.combine = on_packed(whole->combine, type, facts);
    packed.mpi.reset();
    return std::make_shared<const Operator>(std::move(packed));
  } catch (const Error&) {
    return nullptr;  // MPI does not define the operator for such elements
  }
}

}  // namespace

void check_operands(MPI_Op operation, MPI_Datatype type) {
  const ErrorsReturned world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (!is_committed(type)) throw Error(ErrorCode::misuse, "the datatype is not committed; call MPI_Type_commit first");
  if (operation == MPI_REPLACE || operation == MPI_NO_OP)
    throw Error(ErrorCode::misuse, "MPI_REPLACE and MPI_NO_OP are for one-sided communication; give an operator of reductions");
  if (predefined_operations().find(operation) && !can_combine(operation, type))
    throw Error(ErrorCode::misuse, "this predefined operator of MPI does not combine elements of this datatype");
}

std::shared_ptr<const Operator> operation_of(MPI_Op operation, const ElementType& element) {
  const NamedOperation* named = predefined_operations().find(operation);
  if (!named || element.number < 0 || (element.only_bits && !named->is_bitwise)) return nullptr;
  try {
    return built_in_operator(named->name, element.name);
  } catch (const Error&) {
    return nullptr;  // the operator does not exist for such elements
  }
}

std::shared_ptr<const Operator> operation_of(MPI_Op operation, MPI_Datatype type, const TypeFacts& facts) {
  const NamedOperation* named = predefined_operations().find(operation);
  if (!named || facts.element.number < 0) return nullptr;
  static std::mutex mutex;
  static auto& kept = *new std::map<std::pair<const NamedOperation*, int>, std::shared_ptr<const Operator>>;
  const std::lock_guard lock(mutex);
  const auto [entry, is_new] = kept.try_emplace({named, facts.element.number});
  if (is_new) entry->second = operation_of(operation, facts.element);
  if (is_new && !entry->second) entry->second = by_mpi(operation, type, facts);
  return entry->second;
}

}  // namespace quadrille::mpi_face
