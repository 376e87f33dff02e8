// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/vendor.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstddef>
#include <cstring>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "execute/process_events.hpp"
#include "execute/script/run.hpp"
#include "foundation/assert.hpp"
#include "problem/collective_facts.hpp"
#include "quadrille/indexed.hpp"
#include "quadrille/operator.hpp"
#include "quadrille/traffic.hpp"

namespace quadrille {
namespace {

// ---- Operators

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

// The function of an MPI_Op. MPI passes no state to the function, so there is one instance for each number type. MPI defines the
// order of the operands: target = source o target.
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

// Translates an operator of this library to MPI: an MPI_Op, and the MPI_Datatype of one element.
class MpiOperator {
 public:
  // Returns the MPI operator, or the reason why MPI has none.
  static Result<std::shared_ptr<const MpiOperator>> of(const Operator& operation) {
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

  MpiOperator(const MpiOperator&) = delete;
  MpiOperator& operator=(const MpiOperator&) = delete;
  ~MpiOperator() {
    if (!owned_ || EndOfMpi::is_over()) return;
    MPI_Op_free(&operation_);
    MPI_Type_free(&type_);
  }

  MPI_Op operation() const { return operation_; }
  MPI_Datatype type() const { return type_; }

 private:
  MpiOperator(MPI_Op operation, MPI_Datatype type, bool owned) : operation_(operation), type_(type), owned_(owned) {}

  MPI_Op operation_;
  MPI_Datatype type_;
  bool owned_;
};

// ---- Calls

// Counts and displacements of consecutive blocks, in elements.
struct ConsecutiveBlocks {
  std::vector<int> counts, displacements;
};

template <class CountOf>
ConsecutiveBlocks consecutive(Count ranks, CountOf&& count_of) {
  ConsecutiveBlocks blocks;
  Count at = 0;
  for (Rank rank = 0; rank < ranks; ++rank) {
    const Count count = count_of(rank);
    QUADRILLE_ASSERT(count >= 0 && count <= INT_MAX && at <= INT_MAX);  // vendor_collective refuses larger values
    blocks.counts.push_back(static_cast<int>(count));
    blocks.displacements.push_back(static_cast<int>(at));
    at += count;
  }
  return blocks;
}

// The arguments of MPI's functions for one rank of one problem. Counts are in bytes, or in a reduction in elements of the
// operator.
struct VendorArguments {
  VendorArguments(const Lease& given_lease, const Problem& problem, std::shared_ptr<const MpiOperator> given_operation,
                  Rank given_rank)
      : lease(given_lease),
        reduction(std::move(given_operation)),
        communicator(lease.communicator),
        type(reduction ? reduction->type() : MPI_BYTE),
        operation(reduction ? reduction->operation() : MPI_OP_NULL),
        rank(static_cast<int>(given_rank)),
        root(static_cast<int>(problem.root)) {
    const Bytes element = reduction ? problem.element_bytes : 1;
    QUADRILLE_ASSERT(problem.block_bytes % element == 0 && problem.block_bytes / element <= INT_MAX);
    QUADRILLE_ASSERT(given_rank >= 0 && given_rank < problem.ranks && problem.root < problem.ranks);
    const CollectiveFacts& facts = facts_of(problem.collective);
    if (facts.sizes == SizeSource::blocks) block = static_cast<int>(problem.block_bytes / element);
    if (facts.sizes == SizeSource::shares) {
      shares = consecutive(problem.ranks, [&](Rank other) { return share_bytes(problem, other) / element; });
      own = shares.counts[index(given_rank)];
    }
    if (facts.sizes == SizeSource::pairs) {
      const Traffic traffic(problem);
      sent = consecutive(problem.ranks, [&](Rank other) { return traffic.bytes(given_rank, other); });
      received = consecutive(problem.ranks, [&](Rank other) { return traffic.bytes(other, given_rank); });
      if (traffic.shares_blocks()) std::fill(sent.displacements.begin(), sent.displacements.end(), 0);
    }
    if (facts.output.holder == Holder::all_but_first && given_rank == 0) spare.resize(index(problem.block_bytes + 1));
  }

  Lease lease;
  std::shared_ptr<const MpiOperator> reduction;  // null unless the collective is a reduction
  MPI_Comm communicator;
  MPI_Datatype type;
  MPI_Op operation;
  int rank, root;
  int block = 0;                     // elements of a block, if all blocks have one size (SizeSource::blocks)
  int own = 0;                       // elements of this rank's share, if each rank has a share (SizeSource::shares)
  ConsecutiveBlocks shares;          // the shares of all ranks
  ConsecutiveBlocks sent, received;  // by peer, if each pair of ranks has a count (SizeSource::pairs)
  std::vector<std::byte> spare;      // a buffer to pass to MPI if this rank has no output; else empty
};

// Calls the blocking MPI function if `request` is null, else the nonblocking function.
using VendorFunction = void (*)(VendorArguments&, const std::byte* input, std::byte* output, MPI_Request* request);

// Calls the blocking form of an MPI function if `request` is null, else the nonblocking form.
template <class Blocking, class Nonblocking, class... Types>
void call_mpi(MPI_Request* request, const char* name, Blocking blocking, Nonblocking nonblocking, Types... arguments) {
  check_mpi(request ? nonblocking(arguments..., request) : blocking(arguments...), name);
}

struct VendorRow {
  Collective collective;
  VendorFunction function;
};

// The table of MPI's collective functions, which says how the plug-in calls each of them.
constexpr VendorRow table[] = {
    {Collective::alltoall,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Alltoall", PMPI_Alltoall, PMPI_Ialltoall, input, a.block, a.type, output, a.block, a.type,
                a.communicator);
     }},
    {Collective::alltoallv,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Alltoallv", PMPI_Alltoallv, PMPI_Ialltoallv, input, a.sent.counts.data(), a.sent.displacements.data(),
                a.type, output, a.received.counts.data(), a.received.displacements.data(), a.type, a.communicator);
     }},
    {Collective::allgather,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Allgather", PMPI_Allgather, PMPI_Iallgather, input, a.block, a.type, output, a.block, a.type,
                a.communicator);
     }},
    {Collective::allgatherv,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Allgatherv", PMPI_Allgatherv, PMPI_Iallgatherv, input, a.own, a.type, output, a.shares.counts.data(),
                a.shares.displacements.data(), a.type, a.communicator);
     }},
    {Collective::broadcast,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       // MPI_Bcast has one buffer, for which the root passes its output. So the root first copies its input there, unless the
       // plan is in place.
       if (a.rank == a.root && a.block > 0 && output != input) std::memcpy(output, input, index(a.block));
       call_mpi(request, "MPI_Bcast", PMPI_Bcast, PMPI_Ibcast, output, a.block, a.type, a.root, a.communicator);
     }},
    {Collective::reduce,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Reduce", PMPI_Reduce, PMPI_Ireduce, input, output, a.block, a.type, a.operation, a.root,
                a.communicator);
     }},
    {Collective::allreduce,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Allreduce", PMPI_Allreduce, PMPI_Iallreduce, input, output, a.block, a.type, a.operation,
                a.communicator);
     }},
    {Collective::reduce_scatter,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Reduce_scatter_block", PMPI_Reduce_scatter_block, PMPI_Ireduce_scatter_block, input, output, a.block,
                a.type, a.operation, a.communicator);
     }},
    {Collective::reduce_scatterv,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Reduce_scatter", PMPI_Reduce_scatter, PMPI_Ireduce_scatter, input, output, a.shares.counts.data(),
                a.type, a.operation, a.communicator);
     }},
    {Collective::scan,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Scan", PMPI_Scan, PMPI_Iscan, input, output, a.block, a.type, a.operation, a.communicator);
     }},
    {Collective::exscan,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       // Rank 0 has no output, but MPI may write one there, and MPICH refuses a call without a buffer.
       if (!a.spare.empty()) output = a.spare.data();
       call_mpi(request, "MPI_Exscan", PMPI_Exscan, PMPI_Iexscan, input, output, a.block, a.type, a.operation, a.communicator);
     }},
    {Collective::scatter,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Scatter", PMPI_Scatter, PMPI_Iscatter, input, a.block, a.type, output, a.block, a.type, a.root,
                a.communicator);
     }},
    {Collective::scatterv,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Scatterv", PMPI_Scatterv, PMPI_Iscatterv, input, a.shares.counts.data(),
                a.shares.displacements.data(), a.type, output, a.own, a.type, a.root, a.communicator);
     }},
    {Collective::gather,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Gather", PMPI_Gather, PMPI_Igather, input, a.block, a.type, output, a.block, a.type, a.root,
                a.communicator);
     }},
    {Collective::gatherv,
     [](VendorArguments& a, const std::byte* input, std::byte* output, MPI_Request* request) {
       call_mpi(request, "MPI_Gatherv", PMPI_Gatherv, PMPI_Igatherv, input, a.own, a.type, output, a.shares.counts.data(),
                a.shares.displacements.data(), a.type, a.root, a.communicator);
     }},
    {Collective::barrier,
     [](VendorArguments& a, const std::byte*, std::byte*, MPI_Request* request) {
       call_mpi(request, "MPI_Barrier", PMPI_Barrier, PMPI_Ibarrier, a.communicator);
     }},
};

// Returns null if the table has no such collective.
VendorFunction vendor_function(Collective collective) {
  for (const VendorRow& row : table)
    if (row.collective == collective) return row.function;
  return nullptr;
}

// ---- Executions

// Executes an MPI collective: `execute` calls the blocking function, `begin` the nonblocking one.
class VendorExecutable : public Executable {
 public:
  VendorExecutable(const Waiter& waiter, VendorFunction function, VendorArguments arguments)
      : waiter_(waiter), function_(function), arguments_(std::move(arguments)) {}

  void execute(const Arguments& buffers, Phases* phases = nullptr) override {
    Watch watch(phases);
    function_(arguments_, buffers.input, buffers.output, nullptr);
    watch.ends(&Phases::communicate_s);  // the phases inside MPI are unknown
  }

  bool runs_in_parts() const override { return true; }

  bool is_vendors() const override { return true; }

  void begin(const Arguments& buffers) override {
    MPI_Request& request = requests_.emplace_back(MPI_REQUEST_NULL);
    function_(arguments_, buffers.input, buffers.output, &request);
  }

  bool advance() override {
    check_not_finalised();
    int done = 0;
    check_mpi(MPI_Test(&requests_.front(), &done, MPI_STATUS_IGNORE), "MPI_Test");
    if (done) requests_.pop_front();
    return done != 0;
  }

  void finish() override {
    check_not_finalised();
    waiter_.wait_all(1, &requests_.front());
    requests_.pop_front();
  }

  // MPI cannot cancel a collective, so it may still write to the buffers.
  void abandon(const Error& /*why*/) noexcept override { requests_.clear(); }

 private:
  const Waiter waiter_;
  const VendorFunction function_;
  VendorArguments arguments_;
  std::deque<MPI_Request> requests_;
};

// Returns a limit for all counts and displacements that are passed to MPI: if all blocks have one length, this length; otherwise
// the length of the largest buffer.
Bytes longest_count(const Problem& problem) {
  if (is_reduction(problem.collective)) return std::max(input_bytes(problem, 0), output_bytes(problem, 0)) / problem.element_bytes;
  Bytes longest = problem.block_bytes;
  if (is_irregular(problem.collective))
    for (Rank rank = 0; rank < problem.ranks; ++rank)
      longest = std::max({longest, input_bytes(problem, rank), output_bytes(problem, rank)});
  return longest;
}

}  // namespace

Result<std::unique_ptr<Executable>> vendor_collective(const Lease& lease, const Waiter& waiter, const Problem& problem,
                                                      const Operator* operation, Rank rank) {
  const VendorFunction function = vendor_function(problem.collective);
  if (!function) return cannot(fmt::format("MPI has no {}", name(problem.collective)));
  std::shared_ptr<const MpiOperator> reduction;
  if (is_reduction(problem.collective)) {
    auto found = MpiOperator::of(*operation);
    if (!found) return cannot(found.error());
    if (problem.reproducible) return cannot("MPI does not specify the order in which it combines operands");
    reduction = *found;
  }
  if (const Bytes longest = longest_count(problem); longest > INT_MAX)
    return cannot(fmt::format("MPI 3.1's counts end at {} and it needs {}", INT_MAX, longest));
  return std::make_unique<VendorExecutable>(waiter, function, VendorArguments(lease, problem, std::move(reduction), rank));
}

}  // namespace quadrille
