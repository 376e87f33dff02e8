// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/communicator.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/hybrid.hpp"
#include "execute/mpi/plug_in/mpi_mail.hpp"
#include "execute/mpi/plug_in/vendor.hpp"

namespace quadrille {
namespace {

// The first rank of this rank's node among all of MPI_COMM_WORLD, where the user says that nodes are to have these sizes, to try on
// one machine what several would do.
std::optional<Rank> first_rank_of_assumed_node() {
  const char* text = std::getenv("QUADRILLE_NODE_SIZES");
  if (!text || !*text) return std::nullopt;
  int me = 0, ranks = 0;
  check_mpi(MPI_Comm_rank(MPI_COMM_WORLD, &me), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(MPI_COMM_WORLD, &ranks), "MPI_Comm_size");
  const char* const end = text + std::strlen(text);
  Rank first = 0, found = 0;
  while (first < ranks) {
    Count size = 0;
    const auto [next, error] = std::from_chars(text, end, size);
    const bool is_last = next == end;
    if (error != std::errc{} || size < 1 || size > ranks - first || is_last != (first + size == ranks) ||
        (!is_last && *next != ','))
      throw Error(ErrorCode::environment,
                  "QUADRILLE_NODE_SIZES are no node sizes of these ranks; give some that add up, such as 2,2 for 4");
    if (me >= first) found = first;
    first += size;
    text = next + 1;
  }
  return found;
}

// The same ranks, by shared memory within each node.
class HybridTransport : public Transport {
 public:
  // `place` is each rank's in this rank's node, -1 for those of others.
  HybridTransport(MpiCommunicator& ranks, SharedCommunicator& node, ByRank<Rank> place)
      : ranks_(ranks), node_(node), place_(std::move(place)) {}

  std::shared_ptr<Communicator> kept() override { return ranks_.kept(); }
  Executor executor() const override { return Executor::hybrid; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override {
    return made_or_thrown(ranks_, [&] {
      return std::make_unique<HybridExecutable>(*node_.space(), node_.costs(), place_, ranks_.group()->handle(),
                                                ranks_.group()->waiter(), std::move(script), ranks_.group()->new_tag());
    });
  }
  std::unique_ptr<Mail> mail() override { return ranks_.mail(); }
  Bytes buffered_message_bytes(Rank peer) const override {
    const Rank place = place_[peer];
    return place < 0 ? -1 : node_.buffered_message_bytes(place);
  }

 private:
  MpiCommunicator& ranks_;
  SharedCommunicator& node_;
  const ByRank<Rank> place_;
};

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm own, bool finalises)
    : group_(std::make_shared<MpiGroup>(own, finalises)), starts_(std::make_shared<MpiStarts>(group_)) {
  check_mpi(MPI_Comm_rank(handle(), &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle(), &size_), "MPI_Comm_size");
  find_nodes();
  share_within_nodes();
}

MpiCommunicator::MpiCommunicator(MPI_Comm own, std::shared_ptr<InFlight> in_flight)
    : group_(std::make_shared<MpiGroup>(own, false, std::move(in_flight))), starts_(std::make_shared<MpiStarts>(group_)) {
  check_mpi(MPI_Comm_rank(handle(), &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(handle(), &size_), "MPI_Comm_size");
  nodes_.assign(index(size_), 0);
  share_memory_of_all();
}

void MpiCommunicator::share_memory_of_all() {
  if (auto shared = share_memory(*this, {}, MpiGroup::progress(group_)))
    shared_ = *std::move(shared);
  else
    no_sharing_ = shared.error();
}

void MpiCommunicator::find_nodes() {
  MPI_Comm node = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(handle(), MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &node), "MPI_Comm_split_type");
  Rank first = rank_;  // of the node
  MPI_Request request;
  check_mpi(MPI_Ibcast(&first, 1, MPI_INT64_T, 0, node, &request), "MPI_Ibcast");
  waiter().wait_all(1, &request);
  check_mpi(MPI_Comm_free(&node), "MPI_Comm_free");
  std::map<Rank, Count> known;  // nodes, by what names them
  for (const Rank each : gathered_or_thrown(*this, [&] { return first_rank_of_assumed_node().value_or(first); }))
    nodes_.push_back(known.emplace(each, static_cast<Count>(known.size())).first->second);
}

void MpiCommunicator::share_within_nodes() {
  const Count nodes = *std::max_element(nodes_.begin(), nodes_.end()) + 1;
  if (nodes == 1) return share_memory_of_all();
  no_sharing_ = "each of them has a node of its own";
  if (nodes == size_) return;
  const Count own = nodes_[rank_];
  MPI_Comm split = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(handle(), static_cast<int>(own), rank_, &split), "MPI_Comm_split");
  node_.reset(new MpiCommunicator(split, group_->in_flight()));
  const char mine = node_->shared_ ? 1 : 0;
  ByRank<char> all(size());
  all_gather(&mine, all.data(), 1);
  no_sharing_ = mine ? "there is a node whose ranks do not" : node_->no_sharing_;
  if (std::find(all.begin(), all.end(), 0) != all.end()) return;
  ByRank<Rank> place(size(), -1);
  std::vector<Rank> members;
  for (Rank rank = 0; rank < size_; ++rank)
    if (nodes_[rank] == own) {
      place[rank] = quadrille::size(members);
      members.push_back(rank);
    }
  node_->shared_->space()->set_names(std::move(members));
  hybrid_ = std::make_unique<HybridTransport>(*this, *node_->shared_, std::move(place));
}

// Where all ranks share memory they meet there, so that whoever waits for them is told if they do not come.
void MpiCommunicator::barrier() {
  starts_->begin_barrier();
  if (shared_) return shared_->barrier();
  MPI_Request request;
  check_mpi(MPI_Ibarrier(handle(), &request), "MPI_Ibarrier");
  waiter().wait_all(1, &request);
}

void MpiCommunicator::all_gather(const void* mine, void* all, Bytes count) {
  starts_->begin_barrier();
  if (shared_) return shared_->all_gather(mine, all, count);
  MPI_Request request;
  const int bytes = static_cast<int>(count);
  check_mpi(MPI_Iallgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE, handle(), &request), "MPI_Iallgather");
  waiter().wait_all(1, &request);
}

std::unique_ptr<Executable> MpiCommunicator::prepare(std::shared_ptr<const Script> script) {
  return made_or_thrown(*this,
                        [&] { return std::make_unique<MpiExecutable>(handle(), waiter(), std::move(script), group_->new_tag()); });
}

std::unique_ptr<Mail> MpiCommunicator::mail() { return std::make_unique<MpiMail>(handle(), waiter(), group_->new_tag()); }

Result<std::unique_ptr<Executable>> MpiCommunicator::vendor(const Problem& problem,
                                                            const std::shared_ptr<const Operator>& operation) {
  return vendor_collective(handle(), problem, operation.get(), rank_);
}

// Of all ranks or of this rank's node; null where there is none.
SharedCommunicator* MpiCommunicator::shared_memory() const {
  return shared_ ? shared_.get() : hybrid_ ? node_->shared_.get() : nullptr;
}

Result<Transport*> MpiCommunicator::over_shared_memory() {
  if (shared_) return shared_.get();
  if (hybrid_) return hybrid_.get();
  return cannot(no_sharing_);
}

// Where ranks compare their starts, all plans are in one list. Else those that share memory watch each other.
std::shared_ptr<Starts> MpiCommunicator::starts(Executor executor) {
  const SharedCommunicator* sharing = shared_memory();
  const auto kept = std::make_shared<std::pair<std::shared_ptr<MpiStarts>, std::shared_ptr<SharedSpace>>>(
      starts_, sharing ? sharing->space() : nullptr);
  const bool by_messages = executor == Executor::messages || starts_->compares();
  return {kept, by_messages ? static_cast<Starts*>(starts_.get()) : &kept->second->starts()};
}

std::shared_ptr<std::byte> MpiCommunicator::allocate(Bytes bytes) {
  if (SharedCommunicator* sharing = shared_memory()) return sharing->allocate(bytes);
  return {static_cast<std::byte*>(::operator new (index(bytes), std::align_val_t{64})),
          [](std::byte* memory) { ::operator delete (memory, std::align_val_t{64}); }};
}

void MpiCommunicator::abort(int exit_code) {
  MPI_Abort(handle(), exit_code);
  std::_Exit(exit_code);
}

}  // namespace quadrille
