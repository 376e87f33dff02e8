// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/operand_check.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "quadrille/error.hpp"

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

bool is_predefined_operator(MPI_Op operation) {
  const std::array all{MPI_SUM,  MPI_PROD, MPI_MIN, MPI_MAX,  MPI_LAND,   MPI_LOR,
                       MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR, MPI_MINLOC, MPI_MAXLOC};
  return std::find(all.begin(), all.end(), operation) != all.end();
}

// Combines one element whose bytes are 0.
bool can_combine(MPI_Op operation, MPI_Datatype type) {
  MPI_Aint first = 0, extent = 0, true_first = 0, true_extent = 0;
  if (PMPI_Type_get_extent(type, &first, &extent) != MPI_SUCCESS ||
      PMPI_Type_get_true_extent(type, &true_first, &true_extent) != MPI_SUCCESS || true_first < 0)
    return false;
  const auto bytes = static_cast<std::size_t>(std::max(extent, true_first + true_extent));
  std::vector<std::max_align_t> lower(bytes / sizeof(std::max_align_t) + 1), upper = lower;
  return PMPI_Reduce_local(lower.data(), upper.data(), 1, type, operation) == MPI_SUCCESS;
}

}  // namespace

void check_operands(MPI_Op operation, MPI_Datatype type) {
  const ErrorsReturned world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  if (!is_committed(type)) throw Error(ErrorCode::misuse, "the datatype is not committed; call MPI_Type_commit first");
  if (operation == MPI_REPLACE || operation == MPI_NO_OP)
    throw Error(ErrorCode::misuse, "MPI_REPLACE and MPI_NO_OP are for one-sided communication; give an operator of reductions");
  if (is_predefined_operator(operation) && !can_combine(operation, type))
    throw Error(ErrorCode::misuse, "this predefined operator of MPI does not combine elements of this datatype");
}

}  // namespace quadrille::mpi_face
