// SPDX-License-Identifier: BSD-3-Clause
#include "mpi_face/trial.hpp"

#include <algorithm>
#include <climits>
#include <numeric>

#include "foundation/assert.hpp"
#include "mpi_face/contenders.hpp"
#include "plan/gathered.hpp"
#include "quadrille/error.hpp"

#if MPI_VERSION >= 4
#pragma weak PMPI_Neighbor_alltoallw_c  // null where the MPI library is older than <mpi.h> (symbols/signature.hpp)
#endif

namespace quadrille::mpi_face {
namespace {

Bytes sum(const std::vector<Bytes>& bytes) { return std::accumulate(bytes.begin(), bytes.end(), Bytes{0}); }

}  // namespace

void Trial::Buffer::set_counts(const std::vector<Bytes>& of_blocks, Bytes item, Count ranks) {
  int next = 0;
  for (const Bytes each : of_blocks) {
    QUADRILLE_ASSERT(each >= 0 && each % item == 0 && each / item <= INT_MAX - next);
    counts.push_back(static_cast<int>(each / item));
    displacements.push_back(next);
    next += counts.back();
  }
  counts.resize(std::max(counts.size(), index(ranks)), 0);
  displacements.resize(counts.size(), 0);
  large_counts.assign(counts.begin(), counts.end());
  places.assign(displacements.begin(), displacements.end());
}

Trial::Trial(const Site& site, MPI_Comm communicator, Communicator& group, std::vector<Plan>& plans, Exchanger* exchange,
             int most_batch)
    : site_(site), communicator_(communicator), group_(group), plans_(plans), exchange_(exchange), batch_(most_batch) {
  if (exchange_) return;
  problem_ = problem_of(site, group);
  in_.bytes = input_bytes(problem_, group.rank());
  out_.bytes = output_bytes(problem_, group.rank());
}

// Sets the bytes that this rank exchanges. If there is a root, it sends each rank's number of bytes to that rank, because only
// the root's numbers are certain to belong to one call. The numbers are 0 if the root had wrong arguments in that call.
void Trial::hear_blocks() {
  const TrialArguments& arguments = site_.trial_arguments;
  in_.blocks = arguments.sent, out_.blocks = arguments.received;
  if (has_root(site_.key.function)) {
    const bool gathers = site_.key.function == Function::Gatherv, is_root = arguments.root == group_.rank();
    std::vector<Bytes>& all = (gathers ? out_ : in_).blocks;
    if (!is_root) all.clear();
    if (is_root) all.resize(index(group_.size()));
    std::vector<Bytes>& own = (gathers ? in_ : out_).blocks;
    own.assign(1, 0);
    if (PMPI_Scatter(all.data(), sizeof(Bytes), MPI_BYTE, own.data(), sizeof(Bytes), MPI_BYTE, static_cast<int>(arguments.root),
                     communicator_) != MPI_SUCCESS)
      throw Error(ErrorCode::transport, "the MPI library's scatter failed in a trial");
  }
  in_.bytes = sum(in_.blocks), out_.bytes = sum(out_.blocks);
}

// Sets the batch size, which is equal on all ranks. Every rank can compute all sizes of a plan. In an exchange each rank knows
// only its own sizes, so the ranks gather them.
std::optional<Cause> Trial::agree_on_size() {
  Bytes most = site_.key.block_bytes * group_.size();
  if (exchange_) {
    hear_blocks();
    struct Remembered {
      Bytes most;
      std::uint64_t call;
    };
    const std::uint64_t call = has_root(site_.key.function) ? 0 : site_.trial_arguments.call;
    for (const Remembered& each : gathered(group_, Remembered{std::max(in_.bytes, out_.bytes), call})) {
      if (each.call != call) return Cause::wrong_arguments;
      most = std::max(most, each.most);
    }
  }
  batch_ = std::min(batch_, batch_of_trial(most));
  return most <= most_memory_of_trial ? std::nullopt : std::optional(Cause::too_large);
}

void Trial::prepare() {
  // Our plans take packed elements; the MPI library's elements may have gaps.
  const auto with_gaps = [&](Bytes packed) {
    return static_cast<std::size_t>(packed / site_.trial_arguments.type_bytes * site_.trial_arguments.type_extent);
  };
  in_.memory.resize(std::max<std::size_t>(with_gaps(in_.bytes), 1));  // never null, which Open MPI 4 refuses
  out_.memory.resize(std::max<std::size_t>(with_gaps(out_.bytes), 1));
  if (!exchange_) return in_.set_counts(site_.shares, site_.trial_arguments.type_bytes, group_.size());
  for (Buffer* const side : {&in_, &out_}) side->set_counts(side->blocks, 1, group_.size());
  if (site_.neighbours) topology_ = site_.neighbours->made_on(communicator_);
  list_edges();
}

// The edges of the site's call with this rank's buffers.
void Trial::list_edges() {
  types_.assign(std::max(in_.blocks.size(), out_.blocks.size()), MPI_BYTE);
  const bool has_types = site_.key.function == Function::Alltoallw || site_.key.function == Function::Neighbor_alltoallw;
  const auto side = [&](Buffer& of) {
    return Side{
        of.memory.data(), of.first(), MPI_BYTE, of.counts.data(), of.displacements.data(), has_types ? types_.data() : nullptr};
  };
  const MpiCall call{site_.key.function, communicator_, side(in_), side(out_), static_cast<int>(site_.trial_arguments.root)};
  const auto blocks = blocks_of(call, group_.rank(), group_.size(), site_.neighbours);
  QUADRILLE_ASSERT(blocks);
  blocks->sent.for_each([&](const CallBlock& block) { return edges_.send(block.peer, block.memory, block.bytes()), MPI_SUCCESS; });
  blocks->received.for_each(
      [&](const CallBlock& block) { return edges_.receive(block.peer, block.memory, block.bytes()), MPI_SUCCESS; });
  if (!site_.neighbours) edges_.begin_after(group_.rank());
}

double Trial::timed(int way) {
  group_.barrier();
  const double start = PMPI_Wtime();
  for (int i = 0; i < batch_; ++i) way == vendor ? vendors() : ours(way);
  return (PMPI_Wtime() - start) / batch_;
}

std::optional<Cause> Trial::run(Times& times) {
  if (const auto cause = agree_on_size()) return cause;
  prepare();
  QUADRILLE_ASSERT(batch_ >= 1 && ways() >= 1 && static_cast<std::size_t>(ways()) <= most_plans_of_trial);
  std::vector<Repetition> mine(repetitions), all(static_cast<std::size_t>(repetitions * group_.size()));
  for (Repetition& repetition : mine) {
    repetition.vendors_s = timed(vendor);
    for (int way = 0; way < ways(); ++way) repetition.ours_s[way] = timed(way);
  }
  group_.all_gather(mine.data(), all.data(), static_cast<Bytes>(repetitions * sizeof(Repetition)));
  times.ours_s.resize(static_cast<std::size_t>(ways()));
  for (std::size_t i = 1; i < repetitions; ++i) {
    Repetition most;
    for (std::size_t at = i; at < all.size(); at += repetitions) {
      most.vendors_s = std::max(most.vendors_s, all[at].vendors_s);
      for (int way = 0; way < ways(); ++way) most.ours_s[way] = std::max(most.ours_s[way], all[at].ours_s[way]);
    }
    times.vendors_s.push_back(most.vendors_s);
    for (std::size_t way = 0; way < times.ours_s.size(); ++way) times.ours_s[way].push_back(most.ours_s[way]);
  }
  return std::nullopt;
}

void Trial::ours(int way) {
  if (!exchange_) {
    const bool in_place = problem_.collective == Collective::broadcast;
    return execute(plans_[static_cast<std::size_t>(way)], (in_place ? out_ : in_).memory.data(), out_.memory.data(),
                   site_.key.block_bytes);
  }
  exchange_->execute(edges_.edges(!has_root(site_.key.function)));
}

void Trial::vendors() {
  if (call_vendor() != MPI_SUCCESS) throw Error(ErrorCode::transport, "the MPI library's own collective failed in a trial");
}

int Trial::call_vendor() {
  const TrialArguments& arguments = site_.trial_arguments;
  const MPI_Datatype type = arguments.type;
  const MPI_Op operation = arguments.operation;
  const Rank root_of_call = exchange_ ? arguments.root : site_.key.root;
  const int root = static_cast<int>(root_of_call), count = static_cast<int>(site_.key.block_bytes / arguments.type_bytes);
  void* const in = in_.memory.data();
  void* const out = out_.memory.data();
  // Open MPI 4 does nothing if one of the two counts is 0. A rank without edges on one side passes the count of the other side.
  const int to_each = in_.blocks.empty() ? out_.first() : in_.first(), from_each = out_.blocks.empty() ? in_.first() : out_.first();
  const MPI_Comm comm = site_.neighbours ? topology_ : communicator_;
  switch (site_.key.function) {
    case Function::Barrier: return PMPI_Barrier(comm);
    case Function::Bcast: return PMPI_Bcast(out, count, type, root, comm);
    case Function::Reduce: return PMPI_Reduce(in, out, count, type, operation, root, comm);
    case Function::Allreduce: return PMPI_Allreduce(in, out, count, type, operation, comm);
    case Function::Reduce_scatter: return PMPI_Reduce_scatter(in, out, in_.counts.data(), type, operation, comm);
    case Function::Reduce_scatter_block: return PMPI_Reduce_scatter_block(in, out, count, type, operation, comm);
    case Function::Scan: return PMPI_Scan(in, out, count, type, operation, comm);
    case Function::Exscan: return PMPI_Exscan(in, out, count, type, operation, comm);
    case Function::Gather: return PMPI_Gather(in, count, type, out, count, type, root, comm);
    case Function::Scatter: return PMPI_Scatter(in, count, type, out, count, type, root, comm);
    case Function::Allgather: return PMPI_Allgather(in, count, type, out, count, type, comm);
    case Function::Allgatherv:
      return PMPI_Allgatherv(in, in_.counts[index(group_.rank())], type, out, in_.counts.data(), in_.displacements.data(), type,
                             comm);
    case Function::Alltoall: return PMPI_Alltoall(in, count, type, out, count, type, comm);
    case Function::Alltoallv:
      return PMPI_Alltoallv(in, in_.counts.data(), in_.displacements.data(), MPI_BYTE, out, out_.counts.data(),
                            out_.displacements.data(), MPI_BYTE, comm);
    case Function::Gatherv:
      return PMPI_Gatherv(in, in_.counts[0], MPI_BYTE, out, out_.counts.data(), out_.displacements.data(), MPI_BYTE, root, comm);
    case Function::Scatterv:
      return PMPI_Scatterv(in, in_.counts.data(), in_.displacements.data(), MPI_BYTE, out, out_.counts[0], MPI_BYTE, root, comm);
    case Function::Alltoallw:
      return PMPI_Alltoallw(in, in_.counts.data(), in_.displacements.data(), types_.data(), out, out_.counts.data(),
                            out_.displacements.data(), types_.data(), comm);
    case Function::Neighbor_allgather: return PMPI_Neighbor_allgather(in, to_each, MPI_BYTE, out, from_each, MPI_BYTE, comm);
    case Function::Neighbor_allgatherv:
      return PMPI_Neighbor_allgatherv(in, in_.first(), MPI_BYTE, out, out_.counts.data(), out_.displacements.data(), MPI_BYTE,
                                      comm);
    case Function::Neighbor_alltoall: return PMPI_Neighbor_alltoall(in, to_each, MPI_BYTE, out, from_each, MPI_BYTE, comm);
    case Function::Neighbor_alltoallv:
      return PMPI_Neighbor_alltoallv(in, in_.counts.data(), in_.displacements.data(), MPI_BYTE, out, out_.counts.data(),
                                     out_.displacements.data(), MPI_BYTE, comm);
    case Function::Neighbor_alltoallw:
#if MPI_VERSION >= 4  // MPICH 4.0.2 takes wrong counts if they are ints and sources and targets differ in number
      if (PMPI_Neighbor_alltoallw_c)
        return PMPI_Neighbor_alltoallw_c(in, in_.large_counts.data(), in_.places.data(), types_.data(), out,
                                         out_.large_counts.data(), out_.places.data(), types_.data(), comm);
#endif
      return PMPI_Neighbor_alltoallw(in, in_.counts.data(), in_.places.data(), types_.data(), out, out_.counts.data(),
                                     out_.places.data(), types_.data(), comm);
    default: return MPI_ERR_INTERN;
  }
}

}  // namespace quadrille::mpi_face
