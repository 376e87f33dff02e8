// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/communicator.hpp"

#include <unistd.h>

#include <chrono>
#include <climits>
#include <cstdlib>
#include <new>
#include <utility>
#include <vector>

#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/far_edges.hpp"
#include "execute/mpi/plug_in/forced_algorithm.hpp"
#include "execute/mpi/plug_in/mpi_calls.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "execute/shared/hybrid_messages.hpp"
#include "execute/transport.hpp"
#include "foundation/assert.hpp"
#include "foundation/system/read_output.hpp"

namespace quadrille {
namespace {

// An MPI datatype of `bytes` bytes, because MPI's counts end at 2^31 - 1. The destructor frees it.
class BytesType {
 public:
  explicit BytesType(Bytes bytes) {
    if (bytes <= INT_MAX) {
      count_ = static_cast<int>(bytes);
      return;
    }
    constexpr Bytes large = Bytes{1} << 30;
    MPI_Datatype larges = MPI_DATATYPE_NULL;
    MPI_Datatype parts[2] = {MPI_DATATYPE_NULL, MPI_BYTE};
    const int lengths[2] = {static_cast<int>(bytes / large), static_cast<int>(bytes % large)};
    const MPI_Aint places[2] = {0, static_cast<MPI_Aint>(bytes - bytes % large)};
    check_mpi(MPI_Type_contiguous(static_cast<int>(large), MPI_BYTE, &larges), "MPI_Type_contiguous");
    parts[0] = larges;
    check_mpi(MPI_Type_create_struct(2, lengths, places, parts, &type_), "MPI_Type_create_struct");
    check_mpi(MPI_Type_free(&larges), "MPI_Type_free");
    check_mpi(MPI_Type_commit(&type_), "MPI_Type_commit");
  }
  ~BytesType() {
    if (type_ != MPI_BYTE) MPI_Type_free(&type_);
  }
  BytesType(const BytesType&) = delete;
  BytesType& operator=(const BytesType&) = delete;

  int count() const { return count_; }
  MPI_Datatype type() const { return type_; }

 private:
  int count_ = 1;
  MPI_Datatype type_ = MPI_BYTE;
};

// Mail by MPI messages. The receiver probes for the length (MPI_Mprobe), allocates memory and then receives.
class MpiMail final : public Mail {
 public:
  MpiMail(Lease lease, Waiter waiter) : lease_(std::move(lease)), waiter_(waiter) {}

  void send(Rank to, std::span<const std::byte> bytes) override;
  void finish_sends() override;
  Bytes wait_for(Rank from) override;
  void receive(std::byte* into) override;

 private:
  Lease lease_;
  Waiter waiter_;
  std::vector<MPI_Request> sends_;
  MPI_Message message_ = MPI_MESSAGE_NULL;  // the message that wait_for has found
  Bytes bytes_ = 0;
};

void MpiMail::send(Rank to, std::span<const std::byte> bytes) {
  const BytesType all(static_cast<Bytes>(bytes.size()));
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(bytes.data(), all.count(), all.type(), static_cast<int>(to), lease_.tag, lease_.communicator, &request),
            "MPI_Isend");
  sends_.push_back(request);
}

void MpiMail::finish_sends() {
  if (!sends_.empty()) waiter_.wait_all(static_cast<int>(sends_.size()), sends_.data());
  sends_.clear();
}

Bytes MpiMail::wait_for(Rank from) {
  MPI_Status status;
  waiter_.wait_until_probed(static_cast<int>(from), lease_.tag, lease_.communicator, &message_, &status);
  MPI_Count count = 0;
  check_mpi(MPI_Get_elements_x(&status, MPI_BYTE, &count), "MPI_Get_elements_x");
  QUADRILLE_ASSERT(count >= 0);  // MPI_UNDEFINED, which is negative, would mean that the message has no whole number of bytes
  bytes_ = static_cast<Bytes>(count);
  return bytes_;
}

void MpiMail::receive(std::byte* into) {
  const BytesType all(bytes_);
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Imrecv(into, all.count(), all.type(), &message_, &request), "MPI_Imrecv");
  waiter_.wait_all(1, &request);
}

// The transport of executor `hybrid`, for ranks of an MPI communicator on several nodes. Messages of a schedule are copies through
// shared memory within a node, and MPI messages between nodes. It is a separate transport, so that plans can choose between it and
// MPI messages alone.
class HybridTransport final : public Transport {
 public:
  HybridTransport(Transport& ranks, MpiGroup& group) : ranks_(ranks), group_(group) {}

  std::shared_ptr<Communicator> kept() override { return ranks_.kept(); }
  void broadcast(void* data, Bytes count, Rank from) override { ranks_.broadcast(data, count, from); }
  Executor executor() const override { return Executor::hybrid; }
  std::unique_ptr<Executable> prepare(std::shared_ptr<const Script> script) override;
  std::unique_ptr<Executable> prepare_exchange() override { return prepare_nodes_exchange(group_); }
  std::unique_ptr<Mail> mail() override { return ranks_.mail(); }
  Bytes buffered_message_bytes(Rank peer) const override;

 private:
  Transport& ranks_;
  MpiGroup& group_;
};

std::unique_ptr<Executable> HybridTransport::prepare(std::shared_ptr<const Script> script) {
  Lease lease = group_.lease();
  return made_or_thrown(group_, [&] {
    const auto make_far = [&](std::shared_ptr<const Script> far) {
      return MpiMessages(std::move(lease), group_.waiter(), std::move(far));
    };
    return script_executable<HybridMessages<MpiMessages>>(*script, *group_.node()->space(), group_.node()->costs(), group_.places(),
                                                          script, make_far);
  });
}

Bytes HybridTransport::buffered_message_bytes(Rank peer) const {
  const Rank place = group_.places()[peer];
  return place < 0 ? -1 : group_.node()->buffered_message_bytes(place);
}

}  // namespace

MpiCommunicator::MpiCommunicator(MPI_Comm users, std::shared_ptr<const void> kept)
    : kept_(std::move(kept)), group_(MpiGroup::kept_with(users)) {
  if (!group_) {
    group_ = std::make_shared<MpiGroup>(users, MpiProcess::current());
    MpiGroup::meet(group_, *this);
  }
  if (group_->node() && !group_->all_share_memory()) hybrid_ = std::make_unique<HybridTransport>(*this, *group_);
}

MpiCommunicator::MpiCommunicator(std::shared_ptr<const void> kept, std::shared_ptr<MpiGroup> group)
    : kept_(std::move(kept)), group_(std::move(group)) {
  if (group_->node() && !group_->all_share_memory()) hybrid_ = std::make_unique<HybridTransport>(*this, *group_);
}

std::shared_ptr<Communicator> MpiCommunicator::kept() { return std::shared_ptr<Communicator>(new MpiCommunicator(kept_, group_)); }

std::unique_ptr<Executable> MpiCommunicator::prepare(std::shared_ptr<const Script> script) {
  Lease lease = group_->lease();
  return made_or_thrown(*group_,
                        [&] { return script_executable<MpiMessages>(*script, std::move(lease), group_->waiter(), script); });
}

std::unique_ptr<Mail> MpiCommunicator::mail() { return std::make_unique<MpiMail>(group_->lease(), group_->waiter()); }

// Each rank finds out locally, without a context, whether MPI has the collective. The ranks lease a context only if MPI has it.
Result<Transport::Vendor> MpiCommunicator::vendor(const Problem& problem, const std::shared_ptr<const Operator>& operation,
                                                  const std::string& algorithm) {
  if (const auto drafted = vendor_collective({}, {}, problem, operation.get(), rank()); !drafted) return cannot(drafted.error());
  const auto made_with = [group = group_, problem, operation](const Lease& lease) {
    return made_or_thrown(*group,
                          [&] { return *vendor_collective(lease, group->waiter(), problem, operation.get(), group->rank()); });
  };
  if (algorithm.empty()) return Vendor([group = group_, made_with] { return made_with(group->lease()); });
  const auto forced = ForcedAlgorithm::of(problem, algorithm);
  if (!forced) return cannot(forced.error());
  return Vendor([group = group_, made_with, forced = *forced] { return forced->make(group->lease(), made_with); });
}

Result<std::vector<std::string>> MpiCommunicator::vendor_algorithms(const Problem& problem) {
  return ForcedAlgorithm::names(problem);
}

std::vector<Transport*> MpiCommunicator::offered() {
  std::vector<Transport*> all;
  if (hybrid_) all.push_back(hybrid_.get());
  if (group_->all_share_memory()) all = group_->node()->offered();
  all.push_back(this);
  return all;
}

// If the ranks compare the order of their starts over MPI, one record holds all plans. Otherwise plans that run by shared memory
// are in the record of the shared space, where waiting ranks detect different orders.
std::shared_ptr<Starts> MpiCommunicator::starts(Executor executor) {
  struct Kept {
    std::shared_ptr<const void> last;  // destroyed after the group
    std::shared_ptr<MpiGroup> group;
  };
  const auto all = std::make_shared<Kept>(Kept{kept_, group_});
  const bool by_messages = row_of(executor).memory == SharedBy::nobody || group_->starts().compares();
  return {all, by_messages ? static_cast<Starts*>(&group_->starts()) : &group_->node()->space()->starts()};
}

// If `kept_` is not null, destroying it finalises MPI. The plans own `kept_`, too. So the plans must not be kept with the user's
// communicator, which MPI keeps until it is finalised: that would be a cycle, and MPI would never be finalised.
std::shared_ptr<Calls> MpiCommunicator::shared_calls() {
  const auto make = [this] { return Communicator::shared_calls(); };
  std::shared_ptr<Calls> calls = kept_ ? nullptr : group_->calls(make);
  return calls ? calls : make();
}

std::shared_ptr<std::byte> MpiCommunicator::allocate(Bytes bytes) {
  if (SharedCommunicator* const node = group_->node()) return node->allocate(bytes);
  return {static_cast<std::byte*>(::operator new (index(bytes), std::align_val_t{64})),
          [](std::byte* memory) { ::operator delete (memory, std::align_val_t{64}); }};
}

void MpiCommunicator::abort(int exit_code) {
  for (int output : {STDOUT_FILENO, STDERR_FILENO}) wait_until_read(output, std::chrono::seconds(1));
  if (!group_->is_freed()) MPI_Abort(group_->handle(), exit_code);
  std::_Exit(exit_code);
}

}  // namespace quadrille
