// SPDX-License-Identifier: BSD-3-Clause
#include "execute/mpi/plug_in/communicator.hpp"

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <new>
#include <utility>

#include "execute/agreement.hpp"
#include "execute/executors.hpp"
#include "execute/mpi/plug_in/executable.hpp"
#include "execute/mpi/plug_in/forced_algorithm.hpp"
#include "execute/mpi/plug_in/hybrid.hpp"
#include "execute/mpi/plug_in/mpi_mail.hpp"
#include "execute/mpi/plug_in/vendor.hpp"
#include "foundation/system/pipes.hpp"

namespace quadrille {

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
